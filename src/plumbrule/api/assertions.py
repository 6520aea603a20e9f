"""Assertions on answers, for tests: one that fails shows the text that is not supported, with its evidence."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from plumbrule.api.results import ScoredSample
from plumbrule.api.scoring import score_sample
from plumbrule.errors import UsageError
from plumbrule.reports.evidence_text import evidence_lines
from plumbrule.rubrics import Outcome
from plumbrule.samples import Passage
from plumbrule.verdicts import Verdict

_OUTCOMES: tuple[Outcome, ...] = ("PASS", "WARN", "FAIL")
Contexts = str | Sequence[str | Mapping[str, object] | Passage] | None


def assert_grounded(
    answer: str | None,
    contexts: Contexts,
    question: str | None = None,
    *,
    rubric: str | Path | None = "recommended",
    overrides: Mapping[str, object] | None = None,
    **fields: object,
) -> Verdict:
    """Assert that the contexts support an answer, and return its verdict.

    The recommended rubric decides, unless another is given: it fails an answer that a context contradicts, that the
    contexts hardly support, or whose numbers, dates and claims they lack. A refusal claims nothing, so it is grounded.
    """
    __tracebackhide__ = True
    scored = score_sample(
        answer=answer, contexts=contexts, question=question, rubric=rubric, overrides=overrides, **fields
    )
    check_grounded(scored)
    return scored.verdict


def assert_verdict(
    answer: str | None,
    contexts: Contexts = None,
    question: str | None = None,
    *,
    verdict: Outcome | Collection[Outcome] = "PASS",
    rubric: str | Path | None = None,
    overrides: Mapping[str, object] | None = None,
    **fields: object,
) -> Verdict:
    """Assert that an answer gets one verdict, or one of several, and return it; the rubric that ships decides."""
    __tracebackhide__ = True
    scored = score_sample(
        answer=answer, contexts=contexts, question=question, rubric=rubric, overrides=overrides, **fields
    )
    check_verdict(scored, verdict)
    return scored.verdict


def check_grounded(scored: ScoredSample) -> None:
    """Raise where the contexts do not support an answer that was scored."""
    __tracebackhide__ = True
    if scored.verdict.verdict == "FAIL":
        raise AssertionError(_told("the contexts do not support the answer", scored))


def check_verdict(scored: ScoredSample, wanted: Outcome | Collection[Outcome]) -> None:
    """Raise where an answer that was scored has another verdict."""
    __tracebackhide__ = True
    outcomes = {wanted} if isinstance(wanted, str) else set(wanted)
    if not outcomes or not outcomes <= set(_OUTCOMES):
        raise UsageError(f"verdict must be one or several of {', '.join(_OUTCOMES)}, not {wanted!r:.60}")
    if scored.verdict.verdict not in outcomes:
        expected = " or ".join(outcome for outcome in _OUTCOMES if outcome in outcomes)
        raise AssertionError(_told(f"the verdict is {scored.verdict.verdict}, not {expected}", scored))


def _told(what: str, scored: ScoredSample) -> str:
    return "\n".join((what, *(f"  {line}" for line in evidence_lines(scored.sample, scored.verdict))))
