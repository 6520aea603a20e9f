"""A run as other tools take it: every result with its texts, and what was evaluated of it under one set of names."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from plumbrule.ledger import Entry, Ledger
from plumbrule.runs.run_entries import (
    is_dataset_sample,
    read_answered,
    read_run,
    read_sample,
    run_results,
    task_key,
)
from plumbrule.runs.run_results import RunSummary, SampleSummary
from plumbrule.runs.summary import summarise_run
from plumbrule.samples import Sample


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """One evaluation of an answer: a number, a word for it, and why; ``error`` where it could not be made."""

    name: str
    value: float | None = None
    label: str | None = None
    explanation: str | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedResult:
    """One sample in one repeat, with its texts where the ledger keeps them."""

    summary: SampleSummary
    sample: Sample | None
    support_score: float | None
    support_band: str | None

    @property
    def evaluations(self) -> tuple[Evaluation, ...]:
        """What was evaluated of the answer: whether it passes, the judge's two scores, and the support."""
        summary = self.summary
        why = summary.rationale or (", ".join(summary.failed) or None)
        found = [
            Evaluation(
                name="plumbrule.result",
                value=summary.sample_score,
                label="pass" if summary.passed else "fail",
                explanation=why,
                error=summary.evaluator_error or summary.candidate_error,
            )
        ]
        for name, score in (("accuracy", summary.accuracy_score), ("faithfulness", summary.faithfulness_score)):
            if score is not None:
                found.append(Evaluation(name=f"plumbrule.{name}", value=float(score), explanation=why))
        if self.support_score is not None:
            found.append(Evaluation(name="plumbrule.support", value=self.support_score, label=self.support_band))
        return tuple(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedRun:
    """A run with all of its results, by sample and repeat."""

    run_id: str
    name: str
    ledger_id: str
    recorded_at_utc: str
    summary: RunSummary
    results: tuple[ExportedResult, ...]


def exported_run(ledger: Ledger, entry: Entry) -> ExportedRun:
    """Return a run with everything that other tools are given of it."""
    run, summary = read_run(entry), summarise_run(ledger, entry, samples=True)
    asked: dict[str, Sample] = {}
    said: dict[tuple[int, str], Sample] = {}
    for text in ledger.entries(kind="sample", run=entry.subject):
        if is_dataset_sample(text):
            sample = read_sample(text)
            asked[sample.id] = sample
        else:
            said[task_key(text)] = read_answered(text).answered.sample
    support = {result.key: result.judgement.any_support or {} for result in run_results(ledger, entry.subject)}

    def results() -> Iterator[ExportedResult]:
        for line in summary.samples or ():
            key = line.repeat, line.sample_id
            known, answered = asked.get(line.sample_id), said.get(key)
            if known is not None and run.live:
                known = replace(
                    known,
                    answer=None if answered is None else answered.answer,
                    refusal=None if answered is None else answered.refusal,
                    contexts=known.contexts if answered is None else answered.contexts,
                )
            given = support.get(key, {})
            yield ExportedResult(
                summary=line,
                sample=known or answered,
                support_score=given.get("score"),
                support_band=given.get("band"),
            )

    return ExportedRun(
        run_id=run.run_id,
        name=run.body.summary.name,
        ledger_id=ledger.ledger_id,
        recorded_at_utc=run.recorded_at_utc,
        summary=summary,
        results=tuple(results()),
    )
