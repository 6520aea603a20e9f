"""Samples worked out by hand from the verdict rubric, with every value on the way to the verdict.

Each JSON file beside this one is a list of cases: a sample, what the rubric is changed by, and all that must
come out. Fractions are written as such ("3/6"). ``cosine_terms`` gives the dot product and the two squared
norms: ``[m, n]`` stands for m + n·c, where c = (ln 1.5 + 1)² is the squared weight of a term that only one of
the two texts has. ``shared`` gives how often each term of both stands in the question and in the answer.
"""

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

import plumbrule
from plumbrule.rubrics import load_verdict
from plumbrule.text.similarity import compare_tokens
from plumbrule.text.tokens import lemmas

Case = dict[str, Any]
Part = dict[str, Any]

FILES = sorted(Path(__file__).parent.glob("*.json"))
CASES: list[Case] = [case for file in FILES for case in json.loads(file.read_text(encoding="utf-8"))]
LEAST = 60
TOLERANCE = 1e-12
WEIGHT = (math.log(1.5) + 1) ** 2

each_case = pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])


class Comparison:
    """Collects every field of one case that came out otherwise than it was worked out."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._differences: list[str] = []

    def same(self, field: str, got: object, expected: object) -> None:
        """Compare a field: floats to the tolerance, all else exactly."""
        if isinstance(got, float) and isinstance(expected, int | float):
            equal = math.isclose(got, expected, rel_tol=0, abs_tol=TOLERANCE)
        else:
            equal = got == expected
        if not equal:
            self._differences.append(f"{self._name}: {field} is {got!r}, expected {expected!r}")

    def share(self, field: str, got: float | None, expected: str | None) -> None:
        """Compare a score with a fraction: the score is the float nearest to it."""
        self.same(field, got, None if expected is None else _share(expected))

    def settle(self) -> None:
        """Fail with all differences, one a line."""
        assert not self._differences, "\n" + "\n".join(self._differences)


def _share(text: str) -> float:
    return float(Fraction(text))


def _tokens(case: Case) -> tuple[list[str], list[str]]:
    """Return what relevance compares: the lemmas of question and answer without the rubric's stop words."""
    rubric = load_verdict(None, case["rubric"] or None).rubric
    stop = {lemma for word in rubric.words.stop for lemma in (word, *lemmas(word))}
    asked, said = lemmas(case["sample"]["question"]), lemmas(case["sample"]["answer"] or "")
    content = [lemma for lemma in asked if lemma not in stop]
    if rubric.relevance.tokens == "all" or (asked and not content):
        return asked, said
    return content, [lemma for lemma in said if lemma not in stop]


@each_case
def test_case_comes_out_as_worked_out(case: Case) -> None:
    """R1-R6, G1-G8: every value on the way to the verdict is the one that the rubric demands."""
    verdict = plumbrule.score(**case["sample"], overrides=case["rubric"] or None)
    compare = Comparison(case["name"])
    _compare_relevance(compare, case, verdict.to_dict()["relevance"])
    _compare_completeness(compare, case["expected"], verdict.to_dict()["completeness"])
    _compare_hallucination(compare, case["expected"], verdict)
    _compare_verdict(compare, case["expected"], verdict.to_dict())
    compare.settle()


@each_case
def test_cosine_equals_scikit_learn(case: Case) -> None:
    """G5: the cosine equals that of scikit-learn's TF-IDF (smoothed, l2), fitted on question and answer alone."""
    asked, said = case["expected"]["question_tokens"], case["expected"]["answer_tokens"]
    reference = 0.0
    if asked or said:
        vectorizer = TfidfVectorizer(analyzer=lambda tokens: tokens, smooth_idf=True, norm="l2")
        vectors = vectorizer.fit_transform([asked, said])
        reference = float((vectors[0] @ vectors[1].T).sum())
    assert compare_tokens(asked, said)[0] == pytest.approx(reference, abs=1e-9), case["name"]


def test_there_are_enough_cases_and_no_name_twice() -> None:
    """The golden set is large enough, and a failure names one case."""
    names = [case["name"] for case in CASES]
    assert len(names) >= LEAST
    assert len(set(names)) == len(names)


def _compare_relevance(compare: Comparison, case: Case, found: Part | None) -> None:
    """Compare tokens, cosine and Jaccard index (R1, G5); the cosine's own terms must come to it as well."""
    expected = case["expected"]
    asked, said = _tokens(case)
    compare.same("question_tokens", asked, expected["question_tokens"])
    compare.same("answer_tokens", said, expected["answer_tokens"])
    if found is None or expected["relevance"] is None:
        compare.same("relevance", None if found is None else found["score"], expected["relevance"])
        return
    shared = {lemma: [asked.count(lemma), said.count(lemma)] for lemma in asked if lemma in said}
    compare.same("shared", shared, expected["shared"])
    terms = expected["cosine_terms"]
    left, right = (whole + part * WEIGHT for whole, part in (terms["left"], terms["right"]))
    cosine = terms["dot"] / math.sqrt(left * right) if terms["dot"] else 0.0
    compare.same("cosine by its terms", cosine, expected["cosine"])
    compare.same("relevance.cosine", found["cosine"], expected["cosine"])
    compare.share("relevance.jaccard", found["jaccard"], expected["jaccard"])
    compare.same("relevance.score", found["score"], expected["relevance"])


def _compare_completeness(compare: Comparison, expected: Part, found: Part | None) -> None:
    """Compare the keywords, those missing, and their share (R2)."""
    if found is None or expected["completeness"] is None:
        compare.share("completeness", None if found is None else found["score"], expected["completeness"])
        return
    compare.same("completeness.keywords", found["keywords"], expected["keywords"])
    compare.same("completeness.missing", found["missing"], expected["missing"])
    compare.share("completeness.score", found["score"], expected["completeness"])


def _compare_hallucination(compare: Comparison, expected: Part, verdict: plumbrule.Verdict) -> None:
    """Compare every anchor with its place, reason and evidence, their share and the drift gate (R3, R4, R5)."""
    found = verdict.to_dict()["hallucination"]
    wanted = expected["anchors"]
    compare.same("anchors", [_name(anchor) for anchor in found["anchors"]], [_name(anchor) for anchor in wanted])
    for got, anchor in zip(found["anchors"], wanted, strict=False):
        for key in sorted(got.keys() | anchor.keys()):
            compare.same(f"anchor {_name(anchor)}: {key}", got.get(key), anchor.get(key))
    compare.same("anchors_total", found["anchors_total"], len(wanted))
    compare.same("anchors_unsupported", found["anchors_unsupported"], sum(not each["supported"] for each in wanted))
    compare.same("s_claims, exactly", verdict.hallucination.claims, Fraction(expected["s_claims"]))
    compare.share("claims", found["claims"], expected["s_claims"])
    compare.share("ngram_overlap", found["ngram_overlap"], expected["ngram_overlap"])
    compare.same("drift_penalty", found["drift_penalty"], expected["drift_penalty"])
    compare.same("s_hall, exactly", verdict.hallucination.exact, Fraction(expected["s_hall"]))
    compare.share("hallucination.score", found["score"], expected["s_hall"])


def _compare_verdict(compare: Comparison, expected: Part, found: Part) -> None:
    """Compare the verdict, every rule that fired in its order, the flags, and the refusal's judgement (R6, G1, G6)."""
    compare.same("verdict", found["verdict"], expected["verdict"])
    compare.same("reasons", found["reasons"], expected["reasons"])
    compare.same("flags", sorted(found["flags"]), sorted(expected["flags"]))
    refusal, wanted = found["refusal"], expected["refusal"]
    if refusal is None or wanted is None:
        compare.same("refusal", refusal, wanted)
        return
    for key, value in wanted.items():
        compare.same(f"refusal.{key}", refusal.get(key), value)


def _name(anchor: dict[str, Any]) -> str:
    """Name an anchor in a message."""
    triple = f" ({anchor['subject']} | {anchor['verb']} | {anchor['object']})" if "verb" in anchor else ""
    return f"{anchor['kind']} '{anchor['text']}'{triple}"
