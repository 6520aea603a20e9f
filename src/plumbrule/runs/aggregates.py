"""The aggregates of one run: every figure, the counts behind it, and how far it can be trusted.

Each aggregate is computed twice. Nulls are left out, or they count as zero: a score that is null as a score of 0,
a faithfulness that is null as a failure. Zero would be the best latency there is, so a latency that is null counts as
slower than all that were measured. Where the deciding rank falls on such a latency, the percentile itself is null.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import Any, TypeVar

from plumbrule.errors import InputError
from plumbrule.rubrics import BenchmarkRubric
from plumbrule.runs.gate_estimates import (
    P95,
    Estimates,
    SampleDesign,
    estimate_figures,
    interval_values,
    unbounded,
)
from plumbrule.runs.run_results import AggregateValues, Counts, FigureValues, Intervals
from plumbrule.runs.sample_results import (
    COMPONENT_OF,
    JUDGED_SCORES,
    GradedSample,
    SampleResult,
    exact,
    grade_all,
    rounded,
)
from plumbrule.stats.percentiles import percentile
from plumbrule.stats.spread import mean_of

P50 = Fraction(50, 100)

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Every aggregate as an exact value; None is the mean, share, percentile or sum of nothing."""

    accuracy_mean: Fraction | None
    accuracy_full_credit_rate: Fraction | None
    faithfulness_mean: Fraction | None
    faithfulness_failure_rate: Fraction | None
    latency_e2e_p50_ms: Fraction | None
    latency_e2e_p95_ms: Fraction | None
    latency_model_p50_ms: Fraction | None
    latency_model_p95_ms: Fraction | None
    total_input_tokens: int | None
    total_output_tokens: int | None
    total_tokens: int | None
    token_efficiency_ratio_mean: Fraction | None
    tokens_per_correct_answer: Fraction | None
    pass_rate: Fraction | None
    aggregate_score: Fraction | None
    contradicted_rate: Fraction | None = None  # where the rubric has a gate for it, as the next
    unsupported_rate: Fraction | None = None

    def values(self) -> FigureValues:
        """Return the figures for output: floats in place of fractions, sums as they are."""
        return FigureValues(**self.to_floats())

    def to_floats(self) -> dict[str, Any]:
        """Return the figures by name, floats in place of fractions."""
        figures = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: rounded(value) if isinstance(value, Fraction) else value for name, value in figures.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Aggregates:
    """All aggregates of one repeat, with nulls left out and with nulls as zero."""

    figures: Figures
    nulls_as_zero: Figures
    counts: Counts
    scored: Mapping[str, int]  # by aggregate: how many samples are behind it where nulls are left out
    estimates: Estimates
    estimates_nulls_as_zero: Estimates

    def values(self) -> AggregateValues:
        """Return the aggregates for output."""
        return AggregateValues(
            **self.figures.to_floats(),
            nulls_as_zero=self.nulls_as_zero.values(),
            counts=self.counts,
            counts_by_aggregate={name: replace(self.counts, scored=scored) for name, scored in self.scored.items()},
        )

    def intervals(self) -> Intervals:
        """Return the intervals of the figures that decide, for output."""
        return interval_values(self.estimates, self.estimates_nulls_as_zero)


def aggregate(results: Sequence[SampleResult], rubric: BenchmarkRubric) -> Aggregates:
    """Aggregate the results of one run, whatever their order."""
    return aggregate_graded(grade_all(results, rubric), rubric)


def aggregate_graded(
    graded: Sequence[GradedSample],
    rubric: BenchmarkRubric,
    design: SampleDesign | None = None,
    *,
    intervals: bool = True,
) -> Aggregates:
    """Aggregate samples of one repeat that are graded already; ``intervals`` take most of the time."""
    if len({sample.result.repeat for sample in graded}) > 1:
        raise InputError("results of several repeats cannot be aggregated as one run: summarise them as a group")
    columns = _columns(graded)
    judged = [name for name in JUDGED_SCORES if COMPONENT_OF[name] in rubric.components]
    counts = Counts(
        attempted=len(graded),
        scored=sum(all(getattr(sample.result, name) is not None for name in judged) for sample in graded),
        errored=sum(
            sample.result.evaluator_error is not None or sample.result.candidate_error is not None for sample in graded
        ),
        refused=sum(sample.result.refused for sample in graded),
        timed_out=sum(sample.result.timed_out for sample in graded),
    )
    figures, as_zero = _figures(columns, rubric), _figures(columns.with_nulls_as_zero(), rubric)
    if intervals:
        estimates = estimate_figures(graded, rubric, design)
        zeroed = estimate_figures(graded, rubric, design, nulls_as_zero=True, left_out=estimates)
    else:
        estimates, zeroed = (_without_intervals(each, samples=len(graded)) for each in (figures, as_zero))
    return Aggregates(
        figures=figures,
        nulls_as_zero=as_zero,
        counts=counts,
        scored=_scored(columns, rubric),
        estimates=estimates,
        estimates_nulls_as_zero=zeroed,
    )


def _without_intervals(figures: Figures, *, samples: int) -> Estimates:
    """Return the figures that decide by themselves, for one of several repeats: nothing is bounded."""
    names = [field.name for field in fields(Estimates)]
    return Estimates(**{name: unbounded(getattr(figures, name), samples=samples) for name in names})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Latencies:
    """The latencies that are known, sorted, and how many unknown ones count as slower than these."""

    known: tuple[Fraction, ...]
    unknown: int
    slower: int = 0

    def percentile(self, share: Fraction) -> Fraction | None:
        return percentile(self.known, share, missing=self.slower)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Columns:
    """The fields of all samples; where a column is shorter than the run, its nulls are left out."""

    passed: int
    attempted: int
    accuracy: tuple[int, ...]
    faithfulness: tuple[int, ...]
    latency_e2e: _Latencies
    latency_model: _Latencies
    input_tokens: tuple[int, ...]
    output_tokens: tuple[int, ...]
    total_tokens: tuple[int, ...]
    ratios: tuple[Fraction, ...]
    scores: tuple[Fraction, ...]
    contradicted: tuple[bool, ...]
    unsupported: tuple[bool, ...]

    def with_nulls_as_zero(self) -> "_Columns":
        """Return the same with every null at its worst; a sum stays what was reported."""
        return replace(
            self,
            accuracy=self.accuracy + (0,) * (self.attempted - len(self.accuracy)),
            faithfulness=self.faithfulness + (0,) * (self.attempted - len(self.faithfulness)),
            latency_e2e=replace(self.latency_e2e, slower=self.latency_e2e.unknown),
            latency_model=replace(self.latency_model, slower=self.latency_model.unknown),
            ratios=self.ratios + (Fraction(),) * (self.attempted - len(self.ratios)),
            scores=self.scores + (Fraction(),) * (self.attempted - len(self.scores)),
            contradicted=self.contradicted + (True,) * (self.attempted - len(self.contradicted)),
            unsupported=self.unsupported + (True,) * (self.attempted - len(self.unsupported)),
        )


def _columns(graded: Sequence[GradedSample]) -> _Columns:
    results = [sample.result for sample in graded]
    return _Columns(
        passed=sum(sample.grade.passed for sample in graded),
        attempted=len(graded),
        accuracy=_known(result.accuracy_score for result in results),
        faithfulness=_known(result.faithfulness_score for result in results),
        latency_e2e=_latencies(result.latency_e2e_ms for result in results),
        latency_model=_latencies(result.latency_model_ms for result in results),
        input_tokens=_known(result.input_tokens for result in results),
        output_tokens=_known(result.output_tokens for result in results),
        total_tokens=_known(result.total_tokens for result in results),
        ratios=_known(result.token_efficiency_ratio for result in results),
        scores=_known(sample.grade.sample_score for sample in graded),
        contradicted=_known(result.contradicted for result in results),
        unsupported=_known(result.unsupported for result in results),
    )


def _known(values: Iterable[T | None]) -> tuple[T, ...]:
    return tuple(value for value in values if value is not None)


def _latencies(values: Iterable[float | None]) -> _Latencies:
    column = list(values)
    known = _known(exact(value) for value in sorted(_known(column)))  # sorted as floats, which is much faster
    return _Latencies(known=known, unknown=len(column) - len(known))


def _figures(columns: _Columns, rubric: BenchmarkRubric) -> Figures:
    full_credit = columns.accuracy.count(rubric.accuracy_score.highest)
    total_tokens = _sum(columns.total_tokens)
    return Figures(
        accuracy_mean=_share(sum(columns.accuracy), len(columns.accuracy)),
        accuracy_full_credit_rate=_share(full_credit, len(columns.accuracy)),
        faithfulness_mean=_share(sum(columns.faithfulness), len(columns.faithfulness)),
        faithfulness_failure_rate=_share(_failures(columns, rubric), len(columns.faithfulness)),
        latency_e2e_p50_ms=columns.latency_e2e.percentile(P50),
        latency_e2e_p95_ms=columns.latency_e2e.percentile(P95),
        latency_model_p50_ms=columns.latency_model.percentile(P50),
        latency_model_p95_ms=columns.latency_model.percentile(P95),
        total_input_tokens=_sum(columns.input_tokens),
        total_output_tokens=_sum(columns.output_tokens),
        total_tokens=total_tokens,
        token_efficiency_ratio_mean=mean_of(columns.ratios),
        tokens_per_correct_answer=None if total_tokens is None else Fraction(total_tokens, max(full_credit, 1)),
        pass_rate=_share(columns.passed, columns.attempted),
        aggregate_score=mean_of(columns.scores),
        **{name: _share(sum(column), len(column)) for name, column in _gated_concerns(columns, rubric)},
    )


def _gated_concerns(columns: _Columns, rubric: BenchmarkRubric) -> list[tuple[str, tuple[bool, ...]]]:
    """Return what the evidence has against answers, by the names of the rates that the rubric has gates for."""
    rates = (("contradicted_rate", columns.contradicted), ("unsupported_rate", columns.unsupported))
    return [(name, column) for name, column in rates if getattr(rubric.gates, name) is not None]


def _scored(columns: _Columns, rubric: BenchmarkRubric) -> dict[str, int]:
    accuracy, faithfulness = len(columns.accuracy), len(columns.faithfulness)
    e2e, model = len(columns.latency_e2e.known), len(columns.latency_model.known)
    return {
        "accuracy_mean": accuracy,
        "accuracy_full_credit_rate": accuracy,
        "faithfulness_mean": faithfulness,
        "faithfulness_failure_rate": faithfulness,
        "latency_e2e_p50_ms": e2e,
        "latency_e2e_p95_ms": e2e,
        "latency_model_p50_ms": model,
        "latency_model_p95_ms": model,
        "total_input_tokens": len(columns.input_tokens),
        "total_output_tokens": len(columns.output_tokens),
        "total_tokens": len(columns.total_tokens),
        "token_efficiency_ratio_mean": len(columns.ratios),
        "tokens_per_correct_answer": len(columns.total_tokens),
        "pass_rate": columns.attempted,
        "aggregate_score": len(columns.scores),
        **{name: len(column) for name, column in _gated_concerns(columns, rubric)},
    }


def _failures(columns: _Columns, rubric: BenchmarkRubric) -> int:
    return columns.faithfulness.count(rubric.faithfulness_score.lowest)


def _share(count: int, total: int) -> Fraction | None:
    return Fraction(count, total) if total else None


def _sum(values: Sequence[int]) -> int | None:
    return sum(values) if values else None
