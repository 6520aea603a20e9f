"""One sample of a run whole: its texts, its result, the judge's exchange; and what became of it in other runs."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError

from plumbrule.errors import InputError, UsageError
from plumbrule.ledger import Entry, Ledger, ResultKey, escaped
from plumbrule.rubrics import BenchmarkRubric, Loaded, VerdictRubric, kept_rubric
from plumbrule.runs.report.fix_first import causes_of
from plumbrule.runs.run_entries import (
    SAMPLES,
    KeptJudgement,
    RunEntry,
    read_answered,
    read_result,
    read_rubric,
    read_run,
    read_sample,
    rubric_of,
    task_key,
)
from plumbrule.runs.run_results import RunLine, SampleSummary
from plumbrule.runs.sample_results import GradedSample, grade
from plumbrule.samples import Sample


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptExchange:
    """One call to a model as the ledger keeps it."""

    role: str  # candidate or judge
    url: str
    request: Mapping[str, Any]
    status: int | None
    response: str | None
    elapsed_ms: float | None
    error: str | None
    cached: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleDetail:
    """One result of a run with everything that the ledger keeps of it."""

    run: RunEntry
    summary: SampleSummary
    causes: tuple[str, ...]
    rubric: BenchmarkRubric  # by which it passes or fails
    sample: Sample | None  # with what the candidate of this repeat answered; None: the ledger keeps no texts
    judgement: KeptJudgement
    exchanges: tuple[KeptExchange, ...]
    verdict_rubric: Loaded[VerdictRubric] | None  # the one that the run was made with, where it was kept
    entry: Entry  # of the result
    corrections: int

    @property
    def support(self) -> Mapping[str, Any]:
        """What the judge kept of the support score; empty where it gave none."""
        return self.judgement.any_support or {}


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleOutcome:
    """What became of one sample in one run: in which repeats it passed, and in which it failed."""

    run_id: str
    name: str
    model: str | None
    at: str
    passed: tuple[int, ...]
    failed: tuple[int, ...]


def read_sample_detail(ledger: Ledger, run: Entry, sample_id: str, repeat: int) -> SampleDetail:
    """Return one sample in one repeat of a run."""
    key = ResultKey(run=run.subject, repeat=repeat, sample=sample_id)
    entry = ledger.result(key)
    if entry is None:
        raise UsageError(f"{run.subject}: there is no result of '{sample_id}' in repeat {repeat}")
    rubric, result = rubric_of(ledger, run.subject), read_result(entry)
    summary = GradedSample(result=result.result, grade=grade(result.result, rubric)).summary()
    begun = read_run(run)
    return SampleDetail(
        run=begun,
        summary=summary,
        causes=causes_of(summary),
        rubric=rubric,
        sample=find_sample(ledger, begun, sample_id, repeat),
        judgement=result.judgement,
        exchanges=tuple(map(_exchange, ledger.entries(kind="exchange", subject=key.subject))),
        verdict_rubric=_verdict_rubric(ledger, run.subject),
        entry=entry,
        corrections=len(ledger.corrections(entry)),
    )


def find_sample(ledger: Ledger, run: RunEntry, sample_id: str, repeat: int) -> Sample | None:
    """Return a sample with the answer that it got in a repeat; None where the ledger keeps no texts of it."""
    subject = f"{run.run_id}/{SAMPLES}/{escaped(sample_id)}"
    asked = next(map(read_sample, ledger.entries(kind="sample", subject=subject)), None)
    if not run.live:
        return asked
    key = ResultKey(run=run.run_id, repeat=repeat, sample=sample_id)
    entry = next(iter(ledger.entries(kind="sample", subject=key.subject)), None)
    if entry is None:  # it was never answered
        return None if asked is None else replace(asked, answer=None, citations=(), refusal=None)
    answered = read_answered(entry).answered.sample
    if asked is None:
        return answered
    return replace(
        asked,
        answer=answered.answer,
        refusal=answered.refusal,
        contexts=answered.contexts,
        citations=answered.citations,
        grounding_status=answered.grounding_status,
    )


def sample_history(ledger: Ledger, sample_id: str, runs: Sequence[RunLine]) -> tuple[SampleOutcome, ...]:
    """Return what became of a sample in each of these runs that has a result of it, each by its own rubric."""
    keys = [
        ResultKey(run=run.run_id, repeat=repeat, sample=sample_id).subject
        for run in runs
        for repeat in range(run.repeats)
    ]
    by_run: dict[str, list[Entry]] = {}
    for entry in ledger.glance("result", keys):
        by_run.setdefault(entry.subject.partition("/")[0], []).append(entry)
    return tuple(_outcome(ledger, run, by_run[run.run_id]) for run in runs if run.run_id in by_run)


def _outcome(ledger: Ledger, run: RunLine, entries: Iterable[Entry]) -> SampleOutcome:
    rubric = rubric_of(ledger, run.run_id)
    passed = {task_key(entry)[0]: grade(read_result(entry).result, rubric).passed for entry in entries}
    return SampleOutcome(
        run_id=run.run_id,
        name=run.name,
        model=run.model,
        at=run.at,
        passed=tuple(sorted(repeat for repeat, held in passed.items() if held)),
        failed=tuple(sorted(repeat for repeat, held in passed.items() if not held)),
    )


def _verdict_rubric(ledger: Ledger, run: str) -> Loaded[VerdictRubric] | None:
    entries = list(ledger.entries(kind="rubric", subject=f"{run}/rubrics/verdict"))
    if not entries:
        return None
    try:
        return kept_rubric("verdict", read_rubric(entries[0]).content)
    except (ValidationError, InputError):  # of a version that this Plumbrule cannot score by
        return None


def _exchange(entry: Entry) -> KeptExchange:
    body = entry.value
    return KeptExchange(
        role=str(body.get("role", "")),
        url=str(body.get("url", "")),
        request=body.get("request") or {},
        status=body.get("status"),
        response=body.get("response"),
        elapsed_ms=body.get("elapsed_ms"),
        error=body.get("error"),
        cached=bool(body.get("cached")),
    )
