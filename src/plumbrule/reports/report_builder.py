"""Makes the report of a run from its description and the entries that the ledger holds of it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any

from plumbrule.ledger import Entry
from plumbrule.reports.decision_reasons import reasons_for
from plumbrule.reports.distribution import break_down, heat_cells, spread_latencies, spread_scores
from plumbrule.reports.figure_text import GATE_TITLES
from plumbrule.reports.fix_first import causes_of, fix_groups, worst_first
from plumbrule.reports.run_evidence import Evidence, read_evidence
from plumbrule.reports.run_report import (
    REPORT_VERSION,
    Aggregate,
    Counts,
    Decision,
    Failure,
    Flip,
    Gate,
    Interval,
    Repeat,
    Repeats,
    Report,
    SampleLine,
    Variation,
)
from plumbrule.rubrics import BenchmarkRubric, load_benchmark
from plumbrule.runs.aggregates import aggregate
from plumbrule.runs.sample_results import SampleResult
from plumbrule.support.kept_support import count_bands, stamps_of

Described = Mapping[str, Any]

_RESULT_FIELDS = tuple(field.name for field in fields(SampleResult))
_MADE_HERE = {"category", "causes", "support_score", "support_band", "passed_in", "failed_in"}
_LINE_FIELDS = tuple(field.name for field in fields(SampleLine) if field.name not in _MADE_HERE)


def build_report(described: Described, run: Entry, entries: Iterable[Entry], *, ledger_id: str) -> Report:
    """Return the report of a run.

    ``described`` is the run with its samples, as ``show --json --samples`` prints it; ``entries`` are all of the run,
    in the order of the chain.
    """
    graded = sorted(described["samples"], key=lambda each: (each["sample_id"], each["repeat"]))
    failing = {(each["sample_id"], each["repeat"]) for each in graded if not each["passed"]}
    evidence = read_evidence(entries, failing, ledger_id=ledger_id)
    rubric = _rubric(evidence)
    repeats = _repeats(described, graded, rubric)
    by_sample = _lines(graded, evidence)
    samples = [line for lines in by_sample.values() for line in lines if line.repeat == repeats.decisive]
    failures = _failures(by_sample, repeats.decisive, evidence)
    gates = tuple(_gate(each) for each in described["gates"])
    aggregates = described["aggregates"]
    about = run.value
    planned = about["summary"]["samples"] * about["summary"]["repeats"]
    return Report(
        report_version=REPORT_VERSION,
        run_id=described["run_id"],
        name=str(about["summary"]["name"]),
        decision=_decision(described),
        reasons=reasons_for(
            described,
            missing=0 if described["complete"] else planned - len(graded),
            planned=planned,
            gates=gates,
            repeats=repeats,
            corrections=evidence.place.corrections,
        ),
        fix_first=fix_groups(samples, {each.sample.sample_id: each.number for each in failures}),
        counts=_counts(aggregates["counts"]),
        finished=len(graded),
        planned=planned,
        pass_limits=_pass_limits(rubric),
        gates=gates,
        aggregates=_aggregates(described),
        repeats=repeats,
        scores=spread_scores(samples, mean=aggregates["aggregate_score"], limit=float(rubric.gates.aggregate_score)),
        latencies=spread_latencies(
            samples,
            p50=aggregates["latency_e2e_p50_ms"],
            p95=aggregates["latency_e2e_p95_ms"],
            limits={
                "limit of a sample": float(rubric.latency_e2e_ms.pass_at_most),
                "limit of p95": float(rubric.gates.latency_e2e_p95_ms),
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
        support=count_bands((each.support_band for each in samples), stamps_of(evidence.supports.values())),
        usage=described["usage"],
        metadata=described["metadata"],
        missing_metadata=tuple(described["missing_metadata"]),
        rubrics=evidence.rubrics,
        ledger=evidence.place,
    )


def _decision(described: Described) -> Decision:
    if not described["complete"]:
        return "INCOMPLETE"
    return "RELEASE-READY" if described["release_ready"] else "NOT RELEASE-READY"


def _rubric(evidence: Evidence) -> BenchmarkRubric:
    """Return the benchmark rubric that the run was made with, as the ledger keeps it."""
    return load_benchmark(overrides={key: value for key, value in evidence.benchmark.items() if key != "name"}).rubric


def _pass_limits(rubric: BenchmarkRubric) -> dict[str, float]:
    return {
        "accuracy_score": rubric.accuracy_score.pass_at_least,
        "faithfulness_score": rubric.faithfulness_score.pass_at_least,
        "latency_e2e_ms": float(rubric.latency_e2e_ms.pass_at_most),
        "total_tokens": float(rubric.total_tokens.pass_at_most),
    }


def _repeats(described: Described, graded: Sequence[Described], rubric: BenchmarkRubric) -> Repeats:
    told = described["repeats"]
    ready = {each["repeat"]: each["release_ready"] for each in told["release_ready_by_repeat"]}
    figures = _figures_by_repeat(described, graded, rubric)
    flipped: dict[str, list[Described]] = {sample: [] for sample in sorted(told["flipped"])}
    for each in graded:
        if each["sample_id"] in flipped:
            flipped[each["sample_id"]].append(each)
    return Repeats(
        wanted=told["repeats_wanted"],
        enough=told["enough_repeats"],
        decisive=described["decisive_repeat"],
        each=tuple(
            Repeat(
                repeat=repeat,
                attempted=found["counts"]["attempted"],
                release_ready=ready[repeat],
                aggregate_score=found["aggregate_score"],
                aggregate_score_nulls_as_zero=found["nulls_as_zero"]["aggregate_score"],
                pass_rate=found["pass_rate"],
                faithfulness_failure_rate=found["faithfulness_failure_rate"],
                latency_e2e_p95_ms=found["latency_e2e_p95_ms"],
            )
            for repeat, found in figures.items()
        ),
        variations=tuple(_variation(name, told[name]) for name in ("aggregate_score", "latency_e2e_p95_ms")),
        compared=told["compared"],
        flip_rate=told["flip_rate"],
        flips=tuple(
            Flip(sample_id=sample, passed=_in_repeats(results, passed=True), failed=_in_repeats(results, passed=False))
            for sample, results in flipped.items()
        ),
    )


def _figures_by_repeat(
    described: Described, graded: Sequence[Described], rubric: BenchmarkRubric
) -> dict[int, dict[str, Any]]:
    """Return the aggregates of each repeat; of a single one they are known already."""
    by_repeat: dict[int, list[Described]] = {}
    for each in graded:
        by_repeat.setdefault(each["repeat"], []).append(each)
    if len(by_repeat) == 1:
        [repeat] = by_repeat
        return {repeat: described["aggregates"]}
    return {
        repeat: aggregate([_result(each) for each in members], rubric).to_dict()
        for repeat, members in sorted(by_repeat.items())
    }


def _result(graded: Described) -> SampleResult:
    known = {name: graded[name] for name in _RESULT_FIELDS}
    return SampleResult(**{**known, "flags": tuple(known["flags"])})


def _in_repeats(results: Iterable[Described], *, passed: bool) -> tuple[int, ...]:
    return tuple(each["repeat"] for each in results if each["passed"] is passed)


def _variation(name: str, told: Described) -> Variation:
    as_zero = told["nulls_as_zero"]
    return Variation(
        name=name,
        mean=told["mean"],
        sd=told["sd"],
        mean_nulls_as_zero=as_zero["mean"],
        sd_nulls_as_zero=as_zero["sd"],
    )


def _lines(graded: Sequence[Described], evidence: Evidence) -> dict[str, list[SampleLine]]:
    """Return every result as a line, by sample and in the order of the repeats."""
    by_sample: dict[str, list[Described]] = {}
    for each in graded:
        by_sample.setdefault(each["sample_id"], []).append(each)
    return {sample: [_line(each, results, evidence) for each in results] for sample, results in by_sample.items()}


def _line(graded: Described, results: Sequence[Described], evidence: Evidence) -> SampleLine:
    support = evidence.supports.get((graded["sample_id"], graded["repeat"])) or {}
    return SampleLine(
        category=evidence.categories.get(graded["sample_id"]),
        causes=causes_of(graded),
        support_score=support.get("score"),
        support_band=support.get("band"),
        passed_in=_in_repeats(results, passed=True),
        failed_in=_in_repeats(results, passed=False),
        **{name: graded[name] for name in _LINE_FIELDS},
    )


def _failures(by_sample: Mapping[str, Sequence[SampleLine]], decisive: int, evidence: Evidence) -> tuple[Failure, ...]:
    """Return every sample that failed in some repeat: those of the decisive repeat first, the worst first."""
    shown = []
    for lines in by_sample.values():
        failing = sorted((line for line in lines if not line.passed), key=lambda line: line.repeat != decisive)
        shown += failing[:1]
    ordered = sorted(worst_first(shown), key=lambda line: line.repeat != decisive)
    return tuple(
        Failure(number=number, sample=line, **evidence.texts((line.sample_id, line.repeat)))
        for number, line in enumerate(ordered, start=1)
    )


def _gate(told: Described) -> Gate:
    limit, value, as_zero = told["limit"], told["value"], told["value_nulls_as_zero"]
    known = [each for each in (value, as_zero) if each is not None]
    at_least = told["direction"] == "at_least"
    return Gate(
        name=told["name"],
        title=GATE_TITLES[told["name"]],
        direction=told["direction"],
        limit=limit,
        value=value,
        value_nulls_as_zero=as_zero,
        deciding=(min(known) if at_least else max(known)) if len(known) == 2 else None,
        passed=told["passed"],
        interval=_interval(told["interval"]),
        inconclusive=told["inconclusive"],
        samples_to_settle=told["samples_to_settle"],
    )


def _aggregates(described: Described) -> tuple[Aggregate, ...]:
    told, intervals = described["aggregates"], described["intervals"]
    return tuple(
        Aggregate(
            name=name,
            value=told[name],
            nulls_as_zero=told["nulls_as_zero"][name],
            counts=_counts(counts),
            interval=_interval(intervals[name]) if name in intervals else None,
        )
        for name, counts in told["counts_by_aggregate"].items()
    )


def _interval(told: Described) -> Interval:
    return Interval(low=told["low"], high=told["high"], method=told["method"], samples=told["samples"])


def _counts(told: Described) -> Counts:
    return Counts(**{field.name: told[field.name] for field in fields(Counts)})
