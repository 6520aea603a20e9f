"""The summary of a run in the ledger: metadata, aggregates, gates, intervals, repeats and usage."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any, Protocol

from plumbrule.errors import InputError
from plumbrule.judges.judgement import total, total_cost
from plumbrule.ledger import Entry, Ledger
from plumbrule.rubrics import BenchmarkRubric
from plumbrule.runs.candidate import Answered
from plumbrule.runs.repeats import RepeatGroup, summarise
from plumbrule.runs.run_entries import (
    KeptJudgement,
    RunEntry,
    read_run,
    rubric_of,
    run_answers,
    run_notes,
    run_results,
)
from plumbrule.runs.run_metadata import RunMetadata
from plumbrule.runs.run_results import CompletedMetadata, RoleUsage, RunLine, RunSummary, RunUsage
from plumbrule.runs.sample_results import SampleResult, grade_all


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatedRun:
    """A run read from the ledger once and evaluated by its own rubric; summary, comparison and report start here."""

    run: RunEntry
    rubric: BenchmarkRubric
    results: tuple[SampleResult, ...]
    judgements: tuple[KeptJudgement, ...]
    answers: tuple[Answered, ...]
    group: RepeatGroup
    calls_failed: int

    @property
    def complete(self) -> bool:
        """Whether every task has a result."""
        return len(self.results) == self.run.tasks

    def summary(self, *, samples: bool = False) -> RunSummary:
        """Return the summary; the figures are those of the worst repeat."""
        worst = self.group.worst
        metadata, missing = self._metadata()
        return RunSummary(
            run_id=self.run.run_id,
            complete=self.complete,
            metadata=metadata,
            missing_metadata=missing,
            floating_models_allowed=self.run.body.floating_models_allowed,
            decisive_repeat=worst.repeat,
            aggregates=worst.aggregates.values(),
            gates=tuple(gate.result() for gate in worst.decision.gates),
            release_ready=self.complete and self.group.release_ready,
            intervals=worst.aggregates.intervals(),
            repeats=self.group.summary(),
            usage=self._usage(),
            samples=tuple(graded.summary() for graded in grade_all(self.results, self.rubric)) if samples else None,
        )

    def _metadata(self) -> tuple[CompletedMetadata, tuple[str, ...]]:
        """Return the metadata with the models that the providers reported, and what is still missing.

        A reported model is its own version where the configured name has none.
        """
        metadata: dict[str, Any] = {
            field.name: getattr(self.run.body.metadata, field.name) for field in fields(RunMetadata)
        }
        missing = list(self.run.body.missing_metadata)
        roles: tuple[tuple[str, Sequence[_Reporting]], ...] = (
            ("model", self.answers),
            ("evaluator_model", self.judgements),
        )
        for role, calls in roles:
            reported = _distinct(call.reported_model for call in calls)
            metadata[f"{role}_reported"] = reported
            metadata[f"{role}_fingerprints"] = _distinct(call.fingerprint for call in calls)
            version = f"{role}_version"
            if metadata[version] is None and len(reported) == 1:
                metadata[version] = reported[0]
                missing.remove(version)
                metadata["warnings"] = tuple(
                    warning for warning in metadata["warnings"] if not warning.startswith(f"{version}:")
                )
            if len(reported) > 1:
                warning = f"{role}: several were reported: {', '.join(reported)}"
                metadata["warnings"] = (*metadata["warnings"], warning)
        return CompletedMetadata(**metadata), tuple(missing)

    def _usage(self) -> RunUsage:
        called = [answered for answered in self.answers if answered.requests]
        judged = [judgement for judgement in self.judgements if judgement.requests]
        return RunUsage(
            candidate=RoleUsage(
                requests=sum(answered.requests for answered in called),
                input_tokens=total([answered.sample.input_tokens for answered in called]),
                output_tokens=total([answered.sample.output_tokens for answered in called]),
                cost_usd=total_cost([answered.cost_usd for answered in called]),
            ),
            judge=RoleUsage(
                requests=sum(judgement.requests for judgement in judged),
                input_tokens=total([judgement.input_tokens for judgement in judged]),
                output_tokens=total([judgement.output_tokens for judgement in judged]),
                cost_usd=total_cost([judgement.cost_usd for judgement in judged]),
            ),
            calls_failed=self.calls_failed,
            calls_repeated=sum("call_repeated" in result.flags for result in self.results),
        )


class _Reporting(Protocol):
    """Something that may tell which model was called."""

    @property
    def reported_model(self) -> str | None: ...

    @property
    def fingerprint(self) -> str | None: ...


def evaluate_run(ledger: Ledger, run: Entry) -> EvaluatedRun:
    """Read a run from the ledger and evaluate it by the rubric that it was made with."""
    results = tuple(run_results(ledger, run.subject))
    if not results:
        raise InputError(f"{run.subject}: has no results yet; 'plumbrule run CONFIG --resume {run.subject}' goes on")
    begun = read_run(run)
    rubric = rubric_of(ledger, run.subject)
    measured = tuple(entry.result for entry in results)
    answers = run_answers(ledger, run.subject) if begun.live else ()
    failed = (note.spent.calls for note in run_notes(ledger, run.subject) if note.event == "failed")
    return EvaluatedRun(
        run=begun,
        rubric=rubric,
        results=measured,
        judgements=tuple(entry.judgement for entry in results),
        answers=tuple(entry.answered for entry in answers),
        group=summarise(measured, rubric, recorded=not begun.live),
        calls_failed=sum(int(calls) for calls in failed),
    )


def summarise_run(ledger: Ledger, run: Entry, *, samples: bool = False) -> RunSummary:
    """Return the summary of a run, with its samples where they are asked for."""
    return evaluate_run(ledger, run).summary(samples=samples)


def run_lines(ledger: Ledger) -> tuple[RunLine, ...]:
    """Return the runs of a ledger, the oldest first."""
    return tuple(_line(read_run(entry)) for entry in ledger.runs())


def _line(run: RunEntry) -> RunLine:
    outline = run.body.summary
    return RunLine(
        run_id=run.run_id,
        at=run.recorded_at_utc,
        candidate=outline.candidate,
        dataset=outline.dataset,
        judge=outline.judge,
        model=outline.model,
        name=outline.name,
        repeats=outline.repeats,
        samples=outline.samples,
    )


def _distinct(names: Iterable[str | None]) -> tuple[str, ...]:
    return tuple(sorted({name for name in names if name is not None}))
