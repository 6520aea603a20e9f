"""What holds for every sample: scores are shares, order and company do not count, and no text breaks a scorer."""

import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import plumbrule
from plumbrule.rubrics import load_verdict
from plumbrule.samples import Passage, Sample
from plumbrule.verdicts.verdict import Verdict, VerdictScorer

WITH_CLAIMS = VerdictScorer(load_verdict())
VALUES_ONLY = VerdictScorer(load_verdict(None, {"hallucination.anchors": ["number", "date"]}))

PARSED = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
MANY = settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])

# Sentences as assistants write them: subjects, verbs and objects that meet again, with values and denials.

SUBJECTS = ["The firm", "The wire fee", "Each client", "The period", "Firms", "It", "The 2024 policy", "Nobody"]
VERBS = [
    "sells",
    "is",
    "does not sell",
    "must file",
    "may file",
    "was released by",
    "costs",
    "never includes",
    "includes",
]
OBJECTS = ["bonds", "three reports", "the fund", "strict", "a fee", "no bonds", "the client and the broker"]
VALUES = [
    "$25", "$1.2M", "1,200,000 dollars", "€30", "5%", "five per cent", "12 months", "one year", "six months", "10",
    "2010",
    "March 5, 2024", "2024-03-05", "03/05/2024", "5 Mar 2024", "in 2024", "Q3 2023", "9 a.m.", "half", "1/3", "T+1",
]  # fmt: skip
TAILS = ["", " if asked", " since 2019", " [1]", ", which rose", " (see no. 5)", ", according to the report"]
ENDS = [".", ".", ".", "!", "?", ";", ""]

SENTENCE = st.builds(
    lambda subject, verb, target, tail, end: f"{subject} {verb} {target}{tail}{end}",
    st.sampled_from(SUBJECTS),
    st.sampled_from(VERBS),
    st.sampled_from(OBJECTS) | st.sampled_from(VALUES),
    st.sampled_from(TAILS),
    st.sampled_from(ENDS),
)
PROSE = st.lists(SENTENCE, max_size=4).map(" ".join)
MARKUP = st.lists(
    st.sampled_from(["# ", "- ", "1. ", "\n", "\n\n", "| ", " |", "**", "`", "[1]", "> ", "---", "\t"]) | SENTENCE,
    max_size=8,
).map("".join)
UNICODE = st.text(max_size=60)
DIGITS = st.lists(
    st.characters(categories=["Nd", "Nl", "No", "Sc"]) | st.sampled_from(" .,/-:%") | st.sampled_from("0123456789"),
    max_size=30,
).map("".join)
MIXED = st.lists(
    st.sampled_from(VALUES) | UNICODE | st.sampled_from(["$", "%", ",", "million", "and", "-"]), max_size=8
).map(" ".join)
TEXT = st.one_of(PROSE, MARKUP, UNICODE, DIGITS, MIXED)


def samples_of(text: st.SearchStrategy[str]) -> st.SearchStrategy[Sample]:
    """Return samples whose question, answer and contexts are such texts; contexts often repeat the answer's words."""
    return st.builds(
        lambda question, answer, contexts, borrowed: Sample(
            id="x",
            question=question,
            answer=answer,
            contexts=tuple(Passage(text=text) for text in [*contexts, *([answer[: len(answer) // 2]] * borrowed)]),
        ),
        text,
        text,
        st.lists(text, max_size=4),
        st.integers(0, 1),
    )


def essence(verdict: Verdict) -> object:
    """Return all of a verdict but the place of its evidence."""
    found = verdict.hallucination.anchors
    anchors = [(anchor.start, anchor.end, anchor.kind, anchor.supported, anchor.reason) for anchor in found]
    return (
        verdict.verdict,
        verdict.reasons,
        verdict.flags,
        verdict.relevance,
        verdict.completeness,
        verdict.hallucination.exact,
        verdict.hallucination.ngram_overlap,
        anchors,
    )


def check(sample: Sample, verdict: Verdict) -> None:
    """Check what holds for every verdict."""
    record = verdict.to_dict()
    scores = [record[name]["score"] for name in ("relevance", "completeness", "hallucination") if record[name]]
    parts = [*scores, *(record["hallucination"][name] for name in ("claims", "drift_penalty"))]
    overlap = record["hallucination"]["ngram_overlap"]
    assert all(0 <= score <= 1 for score in (*parts, 0 if overlap is None else overlap))
    assert record["verdict"] in {"PASS", "WARN", "FAIL"}
    assert (record["verdict"] == "PASS") == (not record["reasons"])
    assert orjson.loads(orjson.dumps(record)) == record
    answer = sample.answer or ""
    for anchor in verdict.hallucination.anchors:
        assert anchor.text == answer[anchor.start : anchor.end] != ""
        assert anchor.supported == (anchor.reason in {"found", "equal_value", "near", "entailed"})
        if anchor.evidence is not None:
            found = sample.contexts[anchor.evidence.context].text[anchor.evidence.start : anchor.evidence.end]
            assert anchor.evidence.text == found != ""
        else:
            assert not anchor.supported


@given(samples_of(TEXT))
@MANY
def test_scores_are_shares_and_evidence_is_where_it_says(sample: Sample) -> None:
    """Every score lies in [0, 1], a verdict has a reason unless it passes, and offsets point at what they quote."""
    check(sample, VALUES_ONLY.score(sample))


@given(samples_of(TEXT))
@PARSED
def test_scores_are_shares_with_claims_too(sample: Sample) -> None:
    """The same with the parser."""
    check(sample, WITH_CLAIMS.score(sample))


def reordered(sample: Sample, seed: int) -> Sample:
    """Return the sample with its contexts in another order."""
    contexts = list(sample.contexts)
    random.Random(seed).shuffle(contexts)  # noqa: S311 - no secret
    return Sample(id=sample.id, question=sample.question, answer=sample.answer, contexts=tuple(contexts))


@given(samples_of(TEXT), st.integers(0, 9))
@MANY
def test_the_order_of_contexts_does_not_count(sample: Sample, seed: int) -> None:
    """A retriever's ranking changes no score, flag, reason or verdict."""
    assert essence(VALUES_ONLY.score(reordered(sample, seed))) == essence(VALUES_ONLY.score(sample))


@given(samples_of(PROSE), st.integers(0, 9))
@PARSED
def test_the_order_of_contexts_does_not_count_for_claims(sample: Sample, seed: int) -> None:
    """The same with the parser."""
    assert essence(WITH_CLAIMS.score(reordered(sample, seed))) == essence(WITH_CLAIMS.score(sample))


@given(samples_of(PROSE))
@MANY
def test_a_context_twice_is_a_context_once(sample: Sample) -> None:
    """What a retriever returns twice counts once."""
    twice = Sample(id="x", question=sample.question, answer=sample.answer, contexts=sample.contexts * 2)
    assert essence(VALUES_ONLY.score(twice)) == essence(VALUES_ONLY.score(sample))


@given(st.lists(samples_of(TEXT), min_size=1, max_size=6))
@settings(PARSED, max_examples=30)
def test_a_sample_scores_the_same_alone_and_in_a_batch(samples: list[Sample]) -> None:
    """G5: nothing leaks from one sample into another."""
    fresh = VerdictScorer(load_verdict())
    assert [fresh.score(sample) for sample in samples] == list(WITH_CLAIMS.score_many(samples))


def with_answer(sample: Sample) -> Sample:
    """Return the sample with its answer among the contexts."""
    contexts = (*sample.contexts, Passage(text=sample.answer or ""))
    return Sample(id="x", question=sample.question, answer=sample.answer, contexts=contexts)


@given(samples_of(TEXT))
@MANY
def test_the_answer_bears_itself_out(sample: Sample) -> None:
    """Adding the answer to the contexts never raises hallucination: every value then stands there."""
    before, after = VALUES_ONLY.score(sample).hallucination, VALUES_ONLY.score(with_answer(sample)).hallucination
    assert after.exact <= before.exact
    assert [anchor.text for anchor in after.anchors if not anchor.supported] == []


@given(samples_of(PROSE | MARKUP))
@PARSED
def test_the_answer_bears_its_claims_out(sample: Sample) -> None:
    """The same with the parser: every claim then stands there."""
    before, after = WITH_CLAIMS.score(sample).hallucination, WITH_CLAIMS.score(with_answer(sample)).hallucination
    assert after.exact <= before.exact
    assert [anchor.text for anchor in after.anchors if not anchor.supported] == []


@given(st.text(max_size=200), st.text(max_size=200))
@settings(MANY, max_examples=150)
@example("\x00\x1b[31m\x85\u2028", "\x00")
@example("١٢٣ ٪٥", "१२३ ৳৫")
@example("²³ ½ Ⅻ ㊿ 𝟙𝟚", "1⁄2")
@example("$", "$ $ $")
@example("1,2,3,4.5.6.7", "1.2.3.4")
@example("n't", "’’’'s")
@example("٠/٠/٠٠٠٠", "00/00/0000")
@example("99999999999999999999999999999999%", "1e309 1e-400")
@example("0 percent of $0 on February 30, 0000", "0/0")
@example("\ud7ff\ue000\ufffe\uffff\U0010ffff", "\u202e52$")
def test_no_text_breaks_the_reading_of_values(answer: str, context: str) -> None:
    """Arbitrary Unicode, control characters and digits of all scripts are scored like anything else."""
    sample = Sample(id="x", question=context, answer=answer, contexts=(Passage(text=context),))
    check(sample, VALUES_ONLY.score(sample))


@given(st.text(max_size=120))
@PARSED
@example("\x00\x1b[31m is \x85 a \u2028 b.")
@example("שלום עולם הוא 5. العقد يتضمن رسوم.")
@example("🙂 is 🙂. 👩‍👩‍👧 sells 🏳️‍🌈.")
@example("Is. Is is. Be was were.")
@example("The ' is '. - - -. ( ( (")
def test_no_text_breaks_the_parser(text: str) -> None:
    """Whatever the text, claims are read or left."""
    sample = Sample(id="x", question=text, answer=text, contexts=(Passage(text=text),))
    check(sample, WITH_CLAIMS.score(sample))


SIZE = 100_000
LONG = [
    pytest.param("a" * SIZE, id="one word"),
    pytest.param("1" * SIZE, id="one number"),
    pytest.param(" \n" * (SIZE // 2), id="white space"),
    pytest.param("-" * SIZE, id="a rule"),
    pytest.param("🙂" * SIZE, id="emoji"),
    pytest.param("שלום " * (SIZE // 5), id="right to left"),
    pytest.param("word.[1]" * (SIZE // 8), id="citations"),
    pytest.param("." * SIZE, id="dots"),
]
CROWDED = {
    "a table": "| fee | $5 |\n",
    "prose": "The wire fee is $25. ",
    "an endless sentence": "and the firm sells bonds ",
    "escapes": "\x1b[31m",
    "numbers": "7 1,000 3.5 ",
    "exclamations": "!?",
}


@pytest.mark.parametrize("text", LONG)
def test_a_very_long_answer_is_scored(text: str) -> None:
    """A hundred thousand characters, with claims."""
    sample = Sample(id="x", question=text[:500], answer=text, contexts=(Passage(text=text[:500]), Passage(text="$7")))
    check(sample, WITH_CLAIMS.score(sample))


@pytest.mark.parametrize("piece", CROWDED.values(), ids=CROWDED)
def test_a_very_long_context_is_scored(piece: str) -> None:
    """A hundred thousand characters full of values and claims, under a common answer."""
    answer = "The wire fee is $25. The firm sells bonds and 7 stocks."
    sample = Sample(id="x", question="Fee?", answer=answer, contexts=(Passage(text=piece * (SIZE // len(piece))),))
    check(sample, WITH_CLAIMS.score(sample))


@pytest.mark.parametrize("piece", CROWDED.values(), ids=CROWDED)
def test_a_long_crowded_answer_is_scored(piece: str) -> None:
    """Thousands of characters full of values and claims, in answer and context alike."""
    text = piece * (3000 // len(piece))
    sample = Sample(id="x", question=text[:100], answer=text, contexts=(Passage(text=text), Passage(text="$7")))
    check(sample, WITH_CLAIMS.score(sample))


def records(count: int) -> Iterator[dict[str, Any]]:
    """Yield a dataset, always the same, of sentences like those above."""
    draw = random.Random(20240305)  # noqa: S311 - no secret

    def prose() -> str:
        return " ".join(
            f"{draw.choice(SUBJECTS)} {draw.choice(VERBS)} {draw.choice(OBJECTS + VALUES)}"
            f"{draw.choice(TAILS)}{draw.choice(ENDS)}"
            for _ in range(draw.randint(1, 4))
        )

    for number in range(count):
        answer = prose()
        contexts = [prose() for _ in range(draw.randint(0, 3))] + ([answer] if draw.random() < 0.3 else [])
        question = f"What {draw.choice(VERBS)} {draw.choice(OBJECTS)}?"
        yield {"id": f"q{number}", "question": question, "answer": answer, "contexts": contexts}


def test_processes_change_nothing() -> None:
    """One process and two give the same bytes, for a dataset of every kind of sentence."""
    one, two = (
        [orjson.dumps(verdict.to_dict()) for verdict in plumbrule.score_many(records(400), workers=workers)]
        for workers in (1, 2)
    )
    assert one == two
    assert {orjson.loads(line)["verdict"] for line in one} == {"PASS", "WARN", "FAIL"}


def test_hash_seeds_change_nothing(tmp_path: Path) -> None:
    """Two processes with different seeds, and with different numbers of workers, print the same bytes."""
    path = tmp_path / "data.jsonl"
    path.write_bytes(b"".join(orjson.dumps(record) + b"\n" for record in records(300)))
    command = [str(Path(sys.executable).with_name("plumbrule")), "score", str(path), "--json", "--workers"]
    printed = [
        subprocess.run(
            [*command, workers], env={**os.environ, "PYTHONHASHSEED": seed}, check=True, capture_output=True
        ).stdout
        for seed, workers in (("0", "1"), ("77777", "2"))
    ]
    assert printed[0].count(b"\n") == 300
    assert printed[0] == printed[1]
