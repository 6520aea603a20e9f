"""Makes the report of a run from its evaluation and the entries that the ledger holds of it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace

from plumbrule.codec import take_fields
from plumbrule.ledger import Entry
from plumbrule.rubrics import BenchmarkRubric
from plumbrule.runs.repeats import RepeatGroup
from plumbrule.runs.report.decision_reasons import reasons_for
from plumbrule.runs.report.distribution import break_down, heat_cells, spread_latencies, spread_scores, spread_tokens
from plumbrule.runs.report.fix_first import causes_of, fix_groups, worst_first
from plumbrule.runs.report.gate_text import GATE_TITLES
from plumbrule.runs.report.run_evidence import Evidence, read_evidence
from plumbrule.runs.report.run_report import (
    REPORT_VERSION,
    Failure,
    Repeats,
    Report,
    ReportAggregate,
    ReportGate,
    ReportInterval,
    ReportVariation,
    SampleLine,
)
from plumbrule.runs.report.sample_rows import LONGEST_QUESTION, LONGEST_SEARCHED, RunView, SampleRow, choices_of
from plumbrule.runs.run_entries import Key
from plumbrule.runs.run_results import GateResult, Interval, RepeatVariation, RunSummary, SampleSummary
from plumbrule.runs.sample_results import COMPONENT_OF, rounded
from plumbrule.runs.summary import EvaluatedRun
from plumbrule.support.kept_support import count_bands, stamps_of
from plumbrule.terminal import shortened


def build_report(run: EvaluatedRun, entries: Iterable[Entry], *, ledger_id: str) -> Report:
    """Return the report of a run; ``entries`` are all entries of the run, in the order of the chain."""
    summary = run.summary(samples=True)
    evidence = read_evidence(
        entries, _failing(summary), run.finished, ledger_id=ledger_id, longest_text=LONGEST_QUESTION + 1
    )
    return _report(run, summary, evidence, _lines(summary.samples or (), evidence))


def build_view(run: EvaluatedRun, entries: Iterable[Entry], *, ledger_id: str) -> RunView:
    """Return the report of a run without the texts of its failures, and a row for each of its results."""
    summary = run.summary(samples=True)
    evidence = read_evidence(
        entries, _failing(summary), run.finished, ledger_id=ledger_id, longest_text=LONGEST_SEARCHED
    )
    by_sample = _lines(summary.samples or (), evidence)
    lines = {(line.repeat, line.sample_id): line for of_sample in by_sample.values() for line in of_sample}
    report = _report(run, summary, evidence, by_sample)
    samples = sorted(summary.samples or (), key=lambda sample: (sample.sample_id, sample.repeat))
    rows = tuple(_row(sample, lines[sample.repeat, sample.sample_id], evidence) for sample in samples)
    return RunView(
        report=replace(report, failures=()),
        rows=rows,
        choices=choices_of(rows),
        tokens=spread_tokens(report.samples, limit=report.pass_limits.get("total_tokens")),
    )


def _row(sample: SampleSummary, line: SampleLine, evidence: Evidence) -> SampleRow:
    question = evidence.questions.get(sample.sample_id, "")
    answer = evidence.answer(sample.repeat, sample.sample_id)
    searched = "\n".join((sample.sample_id, question, answer, sample.rationale or "")).casefold()
    return SampleRow(sample=sample, line=line, searched=searched)


def _failing(summary: RunSummary) -> set[Key]:
    return {(sample.repeat, sample.sample_id) for sample in summary.samples or () if not sample.passed}


def _report(
    run: EvaluatedRun, summary: RunSummary, evidence: Evidence, by_sample: Mapping[str, Sequence[SampleLine]]
) -> Report:
    graded, rubric = summary.samples or (), run.rubric
    repeats = _repeats(summary, run.group)
    samples = [line for lines in by_sample.values() for line in lines if line.repeat == repeats.decisive]
    failures = _failures(by_sample, repeats.decisive, evidence)
    gates = tuple(map(report_gate, summary.gates))
    aggregates = summary.aggregates
    limits, pass_limits = rubric.gates.limits, _pass_limits(rubric)
    return take_fields(
        Report,
        summary,
        report_version=REPORT_VERSION,
        name=run.run.body.summary.name,
        decision=summary.outcome,
        reasons=reasons_for(
            summary,
            finished=len(graded),
            planned=run.run.tasks,
            gates=gates,
            repeats=repeats,
            corrections=evidence.place.corrections,
        ),
        fix_first=fix_groups(samples, {failure.sample.sample_id: failure.number for failure in failures}),
        counts=aggregates.counts,
        finished=len(graded),
        planned=run.run.tasks,
        pass_limits=pass_limits,
        gates=gates,
        aggregates=_aggregates(summary, run.group),
        repeats=repeats,
        scores=spread_scores(samples, mean=aggregates.aggregate_score, limit=rounded(limits.get("aggregate_score"))),
        latencies=spread_latencies(
            samples,
            p50=aggregates.latency_e2e_p50_ms,
            p95=aggregates.latency_e2e_p95_ms,
            limits={
                "limit of a sample": pass_limits.get("latency_e2e_ms"),
                "limit of p95": rounded(limits.get("latency_e2e_p95_ms")),
            },
        ),
        heat=heat_cells(
            samples,
            accuracy_highest=rubric.accuracy_score.highest,
            faithfulness_highest=rubric.faithfulness_score.highest,
        ),
        categories=break_down(samples),
        failures=failures,
        samples=tuple(samples),
        judges=evidence.judges,
        support=count_bands((line.support_band for line in samples), stamps_of(evidence.supports.values())),
        rubrics=evidence.rubrics,
        ledger=evidence.place,
    )


def _pass_limits(rubric: BenchmarkRubric) -> dict[str, float]:
    limits = {
        "accuracy_score": rubric.accuracy_score.pass_at_least,
        "faithfulness_score": rubric.faithfulness_score.pass_at_least,
        "latency_e2e_ms": float(rubric.latency_e2e_ms.pass_at_most),
        "total_tokens": float(rubric.total_tokens.pass_at_most),
    }
    return {name: limit for name, limit in limits.items() if COMPONENT_OF[name] in rubric.components}


def _repeats(summary: RunSummary, group: RepeatGroup) -> Repeats:
    repeats = summary.repeats
    return Repeats(
        wanted=repeats.repeats_wanted,
        enough=repeats.enough_repeats,
        decisive=summary.decisive_repeat,
        each=tuple(repeat.figures() for repeat in group.repeats),
        variations=(
            _variation("aggregate_score", repeats.aggregate_score),
            _variation("latency_e2e_p95_ms", repeats.latency_e2e_p95_ms),
        ),
        compared=repeats.compared,
        flip_rate=repeats.flip_rate,
        flips=group.flips,
    )


def _variation(name: str, variation: RepeatVariation) -> ReportVariation:
    return ReportVariation(
        name=name,
        mean=variation.mean,
        sd=variation.sd,
        mean_nulls_as_zero=variation.nulls_as_zero.mean,
        sd_nulls_as_zero=variation.nulls_as_zero.sd,
    )


def _lines(graded: Sequence[SampleSummary], evidence: Evidence) -> dict[str, list[SampleLine]]:
    """Return every result as a line, by sample and in the order of the repeats."""
    by_sample: dict[str, list[SampleSummary]] = {}
    for sample in graded:
        by_sample.setdefault(sample.sample_id, []).append(sample)
    return {
        sample_id: [_line(sample, samples, evidence) for sample in samples] for sample_id, samples in by_sample.items()
    }


def _line(sample: SampleSummary, repeats: Sequence[SampleSummary], evidence: Evidence) -> SampleLine:
    support = evidence.supports.get((sample.repeat, sample.sample_id), {})
    return take_fields(
        SampleLine,
        sample,
        question=shortened(evidence.questions.get(sample.sample_id, ""), LONGEST_QUESTION),
        answer=shortened(evidence.answer(sample.repeat, sample.sample_id), LONGEST_QUESTION),
        category=evidence.categories.get(sample.sample_id),
        causes=causes_of(sample),
        support_score=support.get("score"),
        support_band=support.get("band"),
        passed_in=tuple(repeat.repeat for repeat in repeats if repeat.passed),
        failed_in=tuple(repeat.repeat for repeat in repeats if not repeat.passed),
    )


def _failures(by_sample: Mapping[str, Sequence[SampleLine]], decisive: int, evidence: Evidence) -> tuple[Failure, ...]:
    """Return every sample that failed in some repeat: those of the decisive repeat first, the worst first."""
    shown = []
    for lines in by_sample.values():
        failing = sorted((line for line in lines if not line.passed), key=lambda line: line.repeat != decisive)
        shown += failing[:1]
    ordered = sorted(worst_first(shown), key=lambda line: line.repeat != decisive)
    return tuple(evidence.failure(number, line) for number, line in enumerate(ordered, start=1))


def report_gate(gate: GateResult) -> ReportGate:
    """Return a gate as a report has it."""
    return take_fields(ReportGate, gate, title=GATE_TITLES[gate.name], interval=_interval(gate.interval))


def _aggregates(summary: RunSummary, group: RepeatGroup) -> tuple[ReportAggregate, ...]:
    figures, as_zero = summary.aggregates, summary.aggregates.nulls_as_zero
    intervals = group.worst.aggregates.intervals()
    with_interval = {field.name for field in fields(intervals)}
    return tuple(
        ReportAggregate(
            name=name,
            value=getattr(figures, name),
            nulls_as_zero=getattr(as_zero, name),
            counts=counts,
            interval=_interval(getattr(intervals, name)) if name in with_interval else None,
        )
        for name, counts in figures.counts_by_aggregate.items()
    )


def _interval(interval: Interval) -> ReportInterval:
    return take_fields(ReportInterval, interval)
