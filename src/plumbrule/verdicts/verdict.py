"""The verdict on one sample: PASS, WARN or FAIL, with every rule that fired and the evidence."""

import gc
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from threading import Lock
from typing import Any

from plumbrule.rubrics import Loaded, Outcome, VerdictRubric
from plumbrule.samples.sample_model import Passage, Sample
from plumbrule.support.support_scorer import Support, support_scorer
from plumbrule.support.verifier import PackedVerifier
from plumbrule.terminal import shortened
from plumbrule.text.claims import Claim, extract_claims
from plumbrule.text.ratios import is_below
from plumbrule.text.text_view import TextView, TextViews, ViewCache
from plumbrule.text.work_limits import MOST_PARSED
from plumbrule.verdicts.completeness import Completeness, score_completeness
from plumbrule.verdicts.contradictions import Contradiction, contradictions
from plumbrule.verdicts.hallucination import Hallucination, score_hallucination
from plumbrule.verdicts.headline import Concern, concerns_of, headline_of
from plumbrule.verdicts.lexicon import lexicon_of
from plumbrule.verdicts.refusal import RefusalFinding, judge_refusal
from plumbrule.verdicts.relevance import Relevance, score_relevance
from plumbrule.verdicts.verdict_json import verdict_record

_BATCH = 128  # samples whose claims are parsed together; the results do not depend on it
_BATCH_CHARACTERS = 500_000  # of their contexts: what is read from them is held until the batch is done

_LONGEST_QUOTE = 60  # characters of a stretch that a reason quotes

_REFUSAL_REASONS = {
    "wrong_code": "refused with {code} where {expected_code} was expected",
    "unneeded": "refused although an answer was expected",
    "missing": "answered although a refusal was expected",
}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Verdict:
    """One sample's verdict with the scores and the evidence behind it; a score that could not be given is None."""

    id: str
    verdict: Outcome
    reasons: tuple[str, ...]
    flags: tuple[str, ...]
    relevance: Relevance | None
    completeness: Completeness | None
    hallucination: Hallucination
    support: Support | None
    refusal: RefusalFinding | None
    rubric: dict[str, str]

    def __repr__(self) -> str:
        parts: dict[str, object] = {
            "id": self.id,
            "verdict": self.headline,
            "reasons": self.reasons,
            "flags": self.flags,
        }
        scores = {name: getattr(self, name) for name in ("relevance", "completeness", "hallucination", "support")}
        parts |= {name: None if part is None else round(part.score, 4) for name, part in scores.items()}
        return f"Verdict({', '.join(f'{name}={value!r}' for name, value in parts.items())})"

    @property
    def passed(self) -> bool:
        """Whether the verdict is PASS: no rule of the rubric fired, not even one that only warns."""
        return self.verdict == "PASS"

    @property
    def concerns(self) -> tuple[Concern, ...]:
        """What the evidence has against the answer: a context says otherwise, or the contexts hardly support it."""
        return concerns_of(self.flags, self.support.band if self.support is not None else None)

    @property
    def headline(self) -> str:
        """The verdict in one glance, such as ``PASS · contradicted``."""
        return headline_of(self.verdict, self.concerns)

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict as a JSON-ready dict; ``VerdictJson`` describes it."""
        return verdict_record(self)

    def __getitem__(self, key: str) -> Any:  # noqa: ANN401 - as wide as JSON
        """Return one key of the JSON form: ``verdict["hallucination"]["score"]``."""
        return self.to_dict()[key]


class VerdictScorer:
    """Scores samples by one rubric; what a sample gets does not depend on the others scored with it."""

    def __init__(self, loaded: Loaded[VerdictRubric], *, packed: PackedVerifier | None = None) -> None:
        rubric = loaded.rubric
        lexicon = lexicon_of(rubric)
        self._rubric = rubric
        self._stamp = loaded.stamp()
        self._fail_below = float(rubric.relevance.fail_below)  # relevance is compared as the decimals that are printed
        self._stop = lexicon.stop
        self._passages = ViewCache(stop=self._stop)
        self._questions = ViewCache(stop=self._stop)
        self._lock = Lock()
        self._topic_words = lexicon.topic
        self._claim_words = lexicon.claims
        self._claim_check = lexicon.evidence
        self._wording = lexicon.refusal
        self._support = support_scorer(rubric, packed)

    @property
    def support_identity(self) -> dict[str, dict[str, str] | None] | None:
        """What gives the support score; None where the rubric asks for none."""
        return self._support.identity if self._support is not None else None

    def score(self, sample: Sample) -> Verdict:
        """Return the verdict on one sample."""
        return next(self.score_many([sample]))

    def score_many(self, samples: Iterable[Sample]) -> Iterator[Verdict]:
        """Yield a verdict for each sample, in order; only one batch is held at a time."""
        for batch in _batches(samples):
            yield from self._score_batch(batch)

    def score_beside(self, sample: Sample, contexts: Sequence[Passage]) -> tuple[Verdict, Hallucination]:
        """Return the verdict on a sample, and its hallucination score against other contexts; it is parsed once."""
        with self._lock, collector_paused():
            answer = self._answer(sample)
            claims = self._claims([answer])
            [verdict] = self._score_all_of([sample], [answer], claims)
            question = self._questions.view(sample.question)
            views = self._views(contexts)
            decides = self._rubric.hallucination.claim_check == "evidence"  # else nobody asks for the support
            support = self._support_of(question, answer, views, verdict.refusal) if decides else None
            return verdict, self._hallucination(question, answer, views, claims[0], support, verdict.refusal)

    def refusal_in(self, sample: Sample) -> RefusalFinding | None:
        """Return what a verdict would say about a refusal, without scoring the rest."""
        return judge_refusal(sample, self._answer(sample), self._wording)

    def _score_batch(self, batch: list[Sample]) -> Iterator[Verdict]:
        """Give each score to the whole batch before the next: one kind of work at a time is done faster."""
        with self._lock, collector_paused():  # threads may share a scorer, and with it the cache
            answers = [self._answer(sample) for sample in batch]
            return iter(self._score_all_of(batch, answers, self._claims(answers)))

    def _score_all_of(
        self, batch: list[Sample], answers: list[TextView], claims: list[tuple[Claim, ...]]
    ) -> list[Verdict]:
        questions = [self._questions.view(sample.question) for sample in batch]
        contexts = [self._views(sample.contexts) for sample in batch]
        _ = [answer.values for answer in answers]
        refusals = [judge_refusal(sample, answer, self._wording) for sample, answer in zip(batch, answers, strict=True)]
        supports = list(map(self._support_of, questions, answers, contexts, refusals))
        hallucinations = [
            self._hallucination(*parts)
            for parts in zip(questions, answers, contexts, claims, supports, refusals, strict=True)
        ]
        relevances = list(map(self._relevance, questions, answers, refusals))
        completenesses = list(map(self._completeness, questions, answers, refusals))
        return [*map(self._decide, batch, relevances, completenesses, hallucinations, supports, refusals)]

    def _answer(self, sample: Sample) -> TextView:
        return TextView(sample.answer or "", self._stop)

    def _views(self, contexts: Sequence[Passage]) -> TextViews:
        return TextViews(self._passages.view(passage.text) for passage in contexts)

    def _claims(self, answers: Sequence[TextView]) -> list[tuple[Claim, ...]]:
        if "claim" not in self._rubric.hallucination.anchors:
            return [()] * len(answers)
        texts, sentences = [answer.text for answer in answers], [answer.sentences for answer in answers]
        return extract_claims(texts, self._claim_words, sentences)

    def _hallucination(
        self,
        question: TextView,
        answer: TextView,
        contexts: TextViews,
        claims: tuple[Claim, ...],
        support: Support | None,
        refusal: RefusalFinding | None,
    ) -> Hallucination:
        if refusal is not None:
            claims = tuple(claim for claim in claims if not _says_refusal(claim, refusal))
        return score_hallucination(
            answer, contexts, claims, question=question, rubric=self._rubric, check=self._claim_check, support=support
        )

    def _support_of(
        self, question: TextView, answer: TextView, contexts: TextViews, refusal: RefusalFinding | None
    ) -> Support | None:
        """Return the support of an answer; a refusal says nothing that a context should support."""
        if self._support is None or (refusal is not None and refusal.refused):
            return None
        return self._support.score(answer, contexts, question.text)

    def _completeness(
        self, question: TextView, answer: TextView, refusal: RefusalFinding | None
    ) -> Completeness | None:
        if refusal is not None and refusal.refused:
            return None
        return score_completeness(question, answer, self._topic_words)

    def _decide(
        self,
        sample: Sample,
        relevance: Relevance | None,
        completeness: Completeness | None,
        hallucination: Hallucination,
        support: Support | None,
        refusal: RefusalFinding | None,
    ) -> Verdict:
        against = contradictions(hallucination.anchors, support)
        fired = [
            *self._by_scores(relevance, completeness, hallucination),
            *self._by_refusal(refusal),
            *self._by_evidence(sample.answer or "", against, support),
        ]
        if self._cuts_claims(sample):
            fired.append(("WARN", f"claims after the first {MOST_PARSED:,} characters were not read"))
        outcomes = [outcome for outcome, _ in fired]
        return Verdict(
            id=sample.id,
            verdict="FAIL" if "FAIL" in outcomes else "WARN" if "WARN" in outcomes else "PASS",
            reasons=tuple([reason for _, reason in fired]),
            flags=tuple(self._flags(sample, completeness, hallucination, refusal, contradicted=bool(against))),
            relevance=relevance,
            completeness=completeness,
            hallucination=hallucination,
            support=support,
            refusal=refusal,
            rubric=dict(self._stamp),
        )

    def _relevance(self, question: TextView, answer: TextView, refusal: RefusalFinding | None) -> Relevance | None:
        if refusal is not None and refusal.refused:
            return None
        if not question.lemmas and answer.lemmas:
            return None
        if self._rubric.relevance.tokens == "content" and question.content:
            return score_relevance(question.content, answer.content)
        return score_relevance(question.lemmas, answer.lemmas)  # a question of stop words alone, too

    def _by_scores(
        self, relevance: Relevance | None, completeness: Completeness | None, hallucination: Hallucination
    ) -> Iterator[tuple[Outcome, str]]:
        """Yield every rule on a score that fired, with the verdict that the rubric has for it."""
        rubric, verdicts = self._rubric, self._rubric.verdicts
        limit = rubric.hallucination.fail_above
        if verdicts.hallucination != "PASS" and is_below(limit, hallucination.exact):
            yield verdicts.hallucination, f"hallucination {_compare(hallucination.score, '>', limit)}"
        if verdicts.relevance != "PASS" and relevance is not None and relevance.score < self._fail_below:
            yield verdicts.relevance, f"relevance {_compare(relevance.score, '<', rubric.relevance.fail_below)}"
        limit = rubric.completeness.warn_below
        if verdicts.completeness != "PASS" and completeness is not None and is_below(completeness.share, limit):
            yield verdicts.completeness, f"completeness {_compare(completeness.score, '<', limit)}"

    def _by_refusal(self, refusal: RefusalFinding | None) -> Iterator[tuple[Outcome, str]]:
        """Yield what the rubric has for a refusal, or a missing one."""
        if refusal is None:
            return
        outcome: Outcome = getattr(self._rubric.refusal.verdicts, refusal.judgement)
        template = _REFUSAL_REASONS.get(refusal.judgement, "refusal {judgement}")
        if outcome != "PASS":
            yield (
                outcome,
                template.format(code=refusal.code, expected_code=refusal.expected_code, judgement=refusal.judgement),
            )

    def _by_evidence(
        self, answer: str, against: Sequence[Contradiction], support: Support | None
    ) -> Iterator[tuple[Outcome, str]]:
        """Yield what the rubric has for an answer that a context contradicts, or that is held unsupported."""
        verdicts, limit = self._rubric.verdicts, self._rubric.support.unsupported_below
        if verdicts.contradicted != "PASS" and against:
            yield verdicts.contradicted, _contradicted(answer, against)
        if verdicts.unsupported != "PASS" and support is not None and support.band == "unsupported":
            yield verdicts.unsupported, f"support {_compare(support.score, '<', limit)}"

    def _cuts_claims(self, sample: Sample) -> bool:
        """Tell whether an answer is so long that only the claims of its beginning are read."""
        return "claim" in self._rubric.hallucination.anchors and len(sample.answer or "") > MOST_PARSED

    def _flags(
        self,
        sample: Sample,
        completeness: Completeness | None,
        hallucination: Hallucination,
        refusal: RefusalFinding | None,
        *,
        contradicted: bool,
    ) -> list[str]:
        refused = refusal is not None and refusal.refused
        holds = {
            "high_risk": is_below(self._rubric.hallucination.high_risk_above, hallucination.exact),
            "topic_drift": hallucination.drifted,
            "nothing_to_verify": not hallucination.anchors,
            "contradicted": contradicted,
            "ambiguous_date": True in [anchor.ambiguous for anchor in hallucination.anchors],
            "no_contexts": not sample.contexts and not refused,
            "no_question": not sample.question.strip() and not refused,
            "no_keywords": completeness is not None and not completeness.keywords,
            "empty_answer": not (sample.answer or "").strip() and not refused,
            "claims_cut": self._cuts_claims(sample),
            "claims_unchecked": "claim" not in self._rubric.hallucination.anchors,
            "timed_out": bool(sample.timed_out),
            "refusal": refused,
            "refusal_undeclared": refused and refusal is not None and not refusal.declared,
        }
        flags = [flag for flag, held in holds.items() if held]
        if refusal is not None and refusal.judgement not in {"as_expected", "unjudged"}:
            flags.append(f"refusal_{refusal.judgement}")
        return flags


def _batches(samples: Iterable[Sample]) -> Iterator[list[Sample]]:
    """Yield the samples in runs, cut by their number and by the length of their contexts."""
    batch: list[Sample] = []
    characters = 0
    for sample in samples:
        batch.append(sample)
        characters += sum([len(passage.text) for passage in sample.contexts])
        if len(batch) == _BATCH or characters >= _BATCH_CHARACTERS:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch


@contextmanager
def collector_paused() -> Iterator[None]:
    """Let the collector of cycles wait: what a batch makes dies by itself, and looking through it takes a fifth."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _says_refusal(claim: Claim, refusal: RefusalFinding) -> bool:
    """Tell whether a claim stands in the sentence that refuses: that sentence asserts nothing of the topic."""
    if refusal.start is None or refusal.end is None:
        return False
    return claim.sentence.start < refusal.end and refusal.start < claim.sentence.end


def _contradicted(answer: str, against: Sequence[Contradiction]) -> str:
    """Say what a context contradicts, and what it says or denies: the shortest stretch, one with a rival first."""
    told = min(against, key=lambda each: (not each.against, each.end - each.start, each.start))
    verb = "denies it:" if told.denied else "says"
    rival = f", the context {verb} {_quoted(told.against)}" if told.against else ""
    return f"contradicted: {_quoted(answer[told.start : told.end])}{rival}"


def _quoted(text: str) -> str:
    return f"'{shortened(' '.join(text.split()), _LONGEST_QUOTE)}'"


def _compare(value: float, sign: str, limit: Fraction) -> str:
    """Write a comparison with just enough decimals, two at least, to show that it holds."""
    for decimals in range(2, 13):
        left, right = f"{value:.{decimals}f}", f"{float(limit):.{decimals}f}"
        if left != right:
            return f"{left} {sign} {right}"
    return f"{value} {sign} {float(limit)}"
