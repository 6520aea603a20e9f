"""The aggregates of one run: every figure, the counts behind it, and how far it can be trusted.

Each aggregate is computed twice. Nulls are left out, or they count as zero: a score that is null as a score of 0,
a faithfulness that is null as a failure. Zero would be the best latency there is, so a latency that is null counts as
slower than all that were measured. Where the deciding rank falls on such a latency, the percentile itself is null.
"""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from fractions import Fraction
from typing import Any, TypeVar

from plumbrule.errors import InputError
from plumbrule.rubrics import BenchmarkRubric
from plumbrule.runs.run_results import (
    AggregateValues,
    Counts,
    FigureInterval,
    FigureValues,
    Interval,
    IntervalMethod,
    Intervals,
)
from plumbrule.runs.sample_results import GradedSample, SampleResult, exact, grade_all, rounded
from plumbrule.stats.intervals import wilson
from plumbrule.stats.percentiles import percentile, percentile_interval
from plumbrule.stats.spread import mean_of, mean_settles_at, sample_sd, share_mean_interval, share_settles_at

P50, P95 = Fraction(50, 100), Fraction(95, 100)
LEVEL = 0.95

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

    def values(self) -> FigureValues:
        """Return the figures for output: floats in place of fractions, sums as they are."""
        return FigureValues(**self.to_floats())

    def to_floats(self) -> dict[str, Any]:
        """Return the figures by name, floats in place of fractions."""
        figures = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: rounded(value) if isinstance(value, Fraction) else value for name, value in figures.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A figure that decides, its 95% interval, and how many samples would tell it from its limit.

    None for an end of the interval means that so few samples cannot bound it; None for ``settles_at`` that no
    number would, because the figure stands exactly at the limit or there is none.
    """

    value: Fraction | None
    samples: int
    low: float | None
    high: float | None
    method: IntervalMethod
    settles_at: int | None

    def interval(self) -> Interval:
        """Return the interval for output."""
        return Interval(low=self.low, high=self.high, level=LEVEL, method=self.method, samples=self.samples)


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimates:
    """The four figures that decide a release, with their uncertainty."""

    aggregate_score: Estimate
    pass_rate: Estimate
    faithfulness_failure_rate: Estimate
    latency_e2e_p95_ms: Estimate


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
        return Intervals(
            **{
                field.name: FigureInterval(
                    **asdict(getattr(self.estimates, field.name).interval()),
                    nulls_as_zero=getattr(self.estimates_nulls_as_zero, field.name).interval(),
                )
                for field in fields(Estimates)
            }
        )


def aggregate(results: Sequence[SampleResult], rubric: BenchmarkRubric) -> Aggregates:
    """Aggregate the results of one run, whatever their order."""
    return aggregate_graded(grade_all(results, rubric), rubric)


def aggregate_graded(graded: Sequence[GradedSample], rubric: BenchmarkRubric) -> Aggregates:
    """Aggregate samples that are graded already."""
    if len({sample.result.repeat for sample in graded}) > 1:
        # Repeats of one sample are not independent: pooled, they would make every interval too narrow.
        raise InputError("results of several repeats cannot be aggregated as one run: summarise them as a group")
    columns = _columns(graded)
    counts = Counts(
        attempted=len(graded),
        scored=sum(None not in {sample.result.accuracy_score, sample.result.faithfulness_score} for sample in graded),
        errored=sum(
            sample.result.evaluator_error is not None or sample.result.candidate_error is not None for sample in graded
        ),
        refused=sum(sample.result.refused for sample in graded),
        timed_out=sum(sample.result.timed_out for sample in graded),
    )
    zeroed = columns.with_nulls_as_zero()
    return Aggregates(
        figures=_figures(columns, rubric),
        nulls_as_zero=_figures(zeroed, rubric),
        counts=counts,
        scored=_scored(columns),
        estimates=_estimates(columns, rubric),
        estimates_nulls_as_zero=_estimates(zeroed, rubric),
    )


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
    )


def _known(values: Iterable[T | None]) -> tuple[T, ...]:
    return tuple(value for value in values if value is not None)


def _latencies(values: Iterable[float | None]) -> _Latencies:
    column = [exact(value) for value in values]
    known = tuple(sorted(_known(column)))
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
    )


def _scored(columns: _Columns) -> dict[str, int]:
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
    }


def _estimates(columns: _Columns, rubric: BenchmarkRubric) -> Estimates:
    limits = rubric.gates
    return Estimates(
        aggregate_score=_mean_estimate(columns.scores, limits.aggregate_score),
        pass_rate=_rate_estimate(columns.passed, columns.attempted, limits.pass_rate),
        faithfulness_failure_rate=_rate_estimate(
            _failures(columns, rubric), len(columns.faithfulness), limits.faithfulness_failure_rate
        ),
        latency_e2e_p95_ms=_latency_estimate(columns.latency_e2e, limits.latency_e2e_p95_ms),
    )


def _rate_estimate(count: int, total: int, limit: Fraction) -> Estimate:
    interval, share = wilson(count, total), _share(count, total)
    return Estimate(
        value=share,
        samples=total,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        method="wilson",
        settles_at=None if share is None else share_settles_at(share, limit),
    )


def _mean_estimate(values: Sequence[Fraction], limit: Fraction) -> Estimate:
    mean, deviation, interval = mean_of(values), sample_sd(values), share_mean_interval(values)
    return Estimate(
        value=mean,
        samples=len(values),
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        method="wilson" if deviation == 0 else "student_t",
        settles_at=None if mean is None or deviation is None else mean_settles_at(mean, deviation, limit),
    )


def _latency_estimate(latencies: _Latencies, limit: Fraction) -> Estimate:
    low, high = percentile_interval(latencies.known, P95, missing=latencies.slower)
    total = len(latencies.known) + latencies.slower
    within = _share(bisect_right(latencies.known, limit), total)
    return Estimate(
        value=latencies.percentile(P95),
        samples=total,
        low=rounded(low),
        high=rounded(high),
        method="order_statistics",
        settles_at=None if within is None else share_settles_at(within, P95),
    )


def _failures(columns: _Columns, rubric: BenchmarkRubric) -> int:
    return columns.faithfulness.count(rubric.faithfulness_score.lowest)


def _share(count: int, total: int) -> Fraction | None:
    return Fraction(count, total) if total else None


def _sum(values: Sequence[int]) -> int | None:
    return sum(values) if values else None
