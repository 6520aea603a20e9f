"""The offline judge: fixed rules over the reference, the expected behaviour and the evidence in the contexts."""

import dataclasses
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

from plumbrule.engines.threads import in_thread
from plumbrule.hashing import sha256_of
from plumbrule.judges.judgement import EvaluatorError, JudgeIdentity, Judgement, judge_silence
from plumbrule.judges.reference_comparison import Comparison, compare
from plumbrule.rubrics import Loaded, VerdictRubric
from plumbrule.rubrics.rules_policy import RationaleRules, RulesPolicy
from plumbrule.samples.sample_model import Passage, Sample
from plumbrule.support.support_scorer import Support
from plumbrule.text.text_view import TextView
from plumbrule.verdicts.anchors import Anchor
from plumbrule.verdicts.hallucination import Hallucination
from plumbrule.verdicts.lexicon import lemma_set
from plumbrule.verdicts.refusal import RefusalFinding
from plumbrule.verdicts.verdict import Verdict, VerdictScorer

_REFUSALS = {
    "as_expected": "refused as expected",
    "wrong_code": "refused as expected, but with {code} instead of {expected_code}",
    "unneeded": "refused although an answer was expected",
    "missing": "answered although a refusal was expected",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rating:
    score: int | None
    why: str


class RulesJudge:
    """Rates samples by two policies, its own and the verdict rubric's; there is no hosted model and no network."""

    def __init__(self, policy: Loaded[RulesPolicy], rubric: Loaded[VerdictRubric], *, accuracy: bool = True) -> None:
        """``accuracy`` is whether an answer without a reference is an error, because accuracy is graded."""
        self._policy = policy.rubric
        self._accuracy_wanted = accuracy
        self._scorer = VerdictScorer(rubric)
        self._turn = threading.Lock()
        self._stop = lemma_set(rubric.rubric.words.stop)
        self.identity = JudgeIdentity(
            name="rules",
            version=policy.version,
            sha256=sha256_of(
                {
                    "policy": policy.stamp(),
                    "verdict": rubric.stamp(),
                    "support": self._scorer.support_identity,
                    **({} if accuracy else {"accuracy": False}),
                }
            ),
        )

    async def judge(self, sample: Sample) -> Judgement:
        """Rate one sample, beside the event loop."""
        return await in_thread(partial(self._rate_in_turn, sample), name="plumbrule-rules")

    def _rate_in_turn(self, sample: Sample) -> Judgement:
        with self._turn:  # several at once would only slow each other down, and the event loop
            return self.rate(sample)

    def rate(self, sample: Sample) -> Judgement:
        """Rate one sample, without an event loop."""
        silence = judge_silence(sample, self.identity)
        if silence is not None:
            return silence
        verdict, compared = self._scored(sample)
        accuracy = self._accuracy(sample, verdict, compared)
        faithfulness = self._faithfulness(verdict.hallucination, refused="refusal" in verdict.flags)
        if sample.contexts:  # without any, all of an answer has no support, and its anchors say so already
            faithfulness = self._supported(faithfulness, verdict.support, sample.answer or "")
        unrated = accuracy.score is None and self._accuracy_wanted
        error: EvaluatorError | None = "no_reference" if unrated else None
        return Judgement(
            accuracy_score=accuracy.score,
            faithfulness_score=faithfulness.score,
            rationale=_clip(
                f"Accuracy: {accuracy.why}. Faithfulness: {faithfulness.why}.", self._policy.rationale.words
            ),
            judge=self.identity,
            evaluator_error=error,
            error_detail="neither a reference nor an expected refusal to rate by" if error is not None else None,
            flags=verdict.flags,
            support=_kept(verdict.support),
            contradicted="contradicted" in verdict.concerns,
            unsupported=self._unsupported(verdict),
        )

    def _unsupported(self, verdict: Verdict) -> bool | None:
        """Tell whether the contexts hardly support the answer; a refusal has no need of it, else None is unknown."""
        if verdict.support is None and "refusal" not in verdict.flags:
            return None
        return "unsupported" in verdict.concerns

    def _scored(self, sample: Sample) -> tuple[Verdict, Hallucination | None]:
        """Return the verdict, and the hallucination score with the reference as the only context."""
        reference = sample.reference or ""
        if not reference.strip():
            return self._scorer.score(sample), None
        return self._scorer.score_beside(sample, [Passage(text=reference)])

    def _accuracy(self, sample: Sample, verdict: Verdict, compared: Hallucination | None) -> _Rating:
        refusal = verdict.refusal
        if (
            refusal is not None and refusal.judgement != "partial"
        ):  # that one answers, and is compared as far as it does
            return self._refusal(sample, refusal)
        if compared is None:
            return _Rating(score=None, why="not rated, there is no reference")
        rules = self._policy.accuracy
        comparison = compare(
            TextView(sample.reference or ""),
            TextView(sample.answer or ""),
            TextView(sample.question),
            stop=self._stop,
            rules=rules,
        )
        denied = [
            (anchor.evidence.text if anchor.evidence is not None else "the opposite", anchor.text)
            for anchor in compared.anchors
            if anchor.kind == "claim" and anchor.reason == "contradicted"
        ]
        comparison = dataclasses.replace(comparison, contradicted=(*comparison.contradicted, *denied))
        return _Rating(score=comparison.score(rules), why=_why_compared(comparison, self._policy.rationale))

    def _refusal(self, sample: Sample, refusal: RefusalFinding) -> _Rating:
        judgement = refusal.judgement
        if judgement == "unjudged":
            if not (sample.reference or "").strip():
                return _Rating(score=None, why="not rated, a refusal of which nobody said whether it was due")
            judgement = "as_expected" if self._reads_as_refusal(sample) else "unneeded"
        why = _REFUSALS[judgement].format(code=refusal.code, expected_code=refusal.expected_code)
        code = f" ({refusal.code})" if refusal.code and judgement in {"as_expected", "unneeded"} else ""
        return _Rating(score=getattr(self._policy.accuracy.refusal, judgement), why=f"{why}{code}")

    def _reads_as_refusal(self, sample: Sample) -> bool:
        wording = Sample(id=sample.id, question=sample.question, answer=sample.reference)
        found = self._scorer.refusal_in(wording)
        return found is not None and found.refused

    def _faithfulness(self, hallucination: Hallucination, *, refused: bool) -> _Rating:
        rules, wording = self._policy.faithfulness, self._policy.rationale
        anchors = hallucination.anchors
        unsupported = [anchor for anchor in anchors if not anchor.supported]
        contradicted = [anchor for anchor in unsupported if anchor.reason == "contradicted"]
        if not unsupported:
            score = 2
            why = f"all {len(anchors)} checked statements stand in the context" if anchors else "nothing to check"
        else:
            score = 0 if contradicted or hallucination.claims > rules.minor_up_to else 1
            why = f"{len(unsupported)} of {len(anchors)} unsupported: {_name_anchors(unsupported, wording)}"
        if hallucination.drift_penalty and not refused:  # a refusal says nothing of the topic
            score = max(0, score - rules.drift_cost)
            why = f"{why}; the answer drifts from its context"
        return _Rating(score=score, why=why)

    def _supported(self, rating: _Rating, support: Support | None, answer: str) -> _Rating:
        """Hold the rating down where the contexts hardly support the answer; the weakest sentence is named first."""
        caps = self._policy.faithfulness.support
        if caps is None or support is None or support.weakest is None or support.score >= float(caps.minor_below):
            return rating
        weakest, model = support.weakest, support.model
        quoted = _clip(answer[weakest.start : weakest.end], self._policy.rationale.evidence_words)
        why = f"support {support.score:.2f}, least '{quoted}' {weakest.probability:.2f}"
        why += f" ({model['name']} {model['version']}, sha256 {model['sha256'][:12]}); {rating.why}"
        cap = 0 if support.score < float(caps.major_below) else 1
        return _Rating(score=min(rating.score or 0, cap), why=why)


def _kept(support: Support | None) -> dict[str, Any] | None:
    """Return what a judgement keeps of a support score; a refusal has none."""
    if support is None:
        return None
    weakest = support.weakest
    return {**support.brief(), "weakest": weakest.to_dict() if weakest is not None else None}


def _why_compared(comparison: Comparison, wording: RationaleRules) -> str:
    if comparison.contradicted:
        words = wording.evidence_words
        pairs = [
            f"'{_clip(answer, words)}' where the reference says '{_clip(reference, words)}'"
            for reference, answer in comparison.contradicted[: wording.evidence]
        ]
        return "contradicts the reference, " + ", ".join(pairs)
    parts = []
    if comparison.found:
        parts.append(f"has {_quote(comparison.found, wording)}")
    if comparison.missing:
        parts.append(f"lacks {_quote(comparison.missing, wording)}")
    if comparison.words:
        parts.append(f"{comparison.words - len(comparison.missing_words)} of {comparison.words} key words")
    if comparison.missing_words:
        parts.append(f"without {_quote(comparison.missing_words, wording)}")
    return ", ".join(parts) or "says what the reference says"


def _name_anchors(anchors: list[Anchor], wording: RationaleRules) -> str:
    """Name the contradicted ones first, each with what the context says instead."""
    ordered = sorted(anchors, key=lambda anchor: anchor.reason != "contradicted")
    named = []
    for anchor in ordered[: wording.evidence]:
        text = f"'{_clip(anchor.text, wording.evidence_words)}'"
        if anchor.reason == "contradicted" and anchor.evidence is not None:
            text += f" (context: '{_clip(anchor.evidence.text, wording.evidence_words)}')"
        named.append(text)
    return ", ".join(named)


def _quote(texts: Iterable[str], wording: RationaleRules) -> str:
    listed = list(texts)
    shown = ", ".join(f"'{_clip(text, wording.evidence_words)}'" for text in listed[: wording.evidence])
    return shown if len(listed) <= wording.evidence else f"{shown} and {len(listed) - wording.evidence} more"


def _clip(text: str, words: int) -> str:
    listed = text.split()
    return " ".join(listed) if len(listed) <= words else " ".join([*listed[: words - 1], f"{listed[words - 1]}…"])
