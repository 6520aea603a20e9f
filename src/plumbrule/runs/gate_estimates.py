"""The figures that decide a release, estimated over all repeats, each with its 95% interval.

Every result of every repeat weighs the same: a mean is over all of them, with an interval that knows clusters of
samples and the difference between repeats, and the 95th percentile is that of all latencies together. As in the
aggregates, nulls are left out or count as the worst there is.
"""

import math
from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from fractions import Fraction
from typing import TypeVar

from plumbrule.rubrics import BenchmarkRubric
from plumbrule.runs.anchor.anchor_results import JUDGED, AnchorSummary
from plumbrule.runs.run_results import FigureInterval, Interval, IntervalMethod, Intervals
from plumbrule.runs.sample_results import GradedSample, exact, rounded
from plumbrule.stats.mean_intervals import MeanEstimate, Measurement, effective_size, measured_mean
from plumbrule.stats.percentiles import percentile, percentile_bounds
from plumbrule.stats.sample_sizes import mean_power_samples, share_power_samples
from plumbrule.stats.sequential_means import always_valid_interval, always_valid_percentile
from plumbrule.stats.spread import mean_of
from plumbrule.verdicts.headline import Concern

_T = TypeVar("_T")
P95 = Fraction(95, 100)
LEVEL = 0.95
CHANCE = 0.05  # how often a test may see a difference where there is none


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleDesign:
    """How the samples of a run belong together.

    ``clusters`` names by sample id what it shares with others, such as a document; a sample that is not in it is a
    cluster of its own. ``sequential`` intervals are valid however often one looks; they depend on ``order``, the ids in
    the order of the dataset.
    """

    clusters: Mapping[str, str] = field(default_factory=dict)
    order: Sequence[str] = ()
    sequential: bool = False

    def cluster_of(self, sample: str) -> Hashable:
        """Return what a sample shares with others, or what is its own."""
        return self.clusters.get(sample, (sample,))

    def in_order(self, values: Iterable[tuple[str, _T]]) -> list[list[_T]]:
        """Return values of samples by their clusters, in the order of the dataset."""
        places = {sample: place for place, sample in enumerate(self.order)}
        groups: dict[Hashable, list[_T]] = {}
        for sample, value in sorted(values, key=lambda each: places.get(each[0], len(places))):
            groups.setdefault(self.cluster_of(sample), []).append(value)
        return list(groups.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A figure that decides, its 95% interval, and how many samples in all would tell it from its limit.

    None for an end of the interval means that so few samples cannot bound it. ``settles_at`` is for 80% power if the
    figure is the true one; None where no number of samples would do, or nobody can tell.
    """

    value: Fraction | None
    samples: int
    low: float | None
    high: float | None
    method: IntervalMethod
    settles_at: int | None
    clusters: int | None = None
    labels: int | None = None
    labels_to_power: int | None = None
    by_judge: float | None = None
    waits_for: str | None = None  # why people's labels cannot give it yet
    nulls: int | None = None  # how many null latencies the interval allows for

    def interval(self) -> Interval:
        """Return the interval for output."""
        return Interval(
            low=self.low,
            high=self.high,
            level=LEVEL,
            method=self.method,
            samples=self.samples,
            clusters=self.clusters,
            labels=self.labels,
            nulls=self.nulls,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimates:
    """The figures that can decide a release, with their uncertainty; the last two are there where they are gates."""

    aggregate_score: Estimate
    pass_rate: Estimate
    faithfulness_failure_rate: Estimate
    latency_e2e_p95_ms: Estimate
    contradicted_rate: Estimate | None = None
    unsupported_rate: Estimate | None = None

    def by_name(self) -> dict[str, Estimate]:
        """Return the figures that are there, by their names."""
        figures = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: estimate for name, estimate in figures.items() if estimate is not None}


def unbounded(value: Fraction | None, *, samples: int) -> Estimate:
    """Return a figure without an interval."""
    return Estimate(value=value, samples=samples, low=None, high=None, method="clopper_pearson", settles_at=None)


def interval_values(left_out: Estimates, nulls_as_zero: Estimates) -> Intervals:
    """Return the intervals of the figures that decide, for output."""
    return Intervals(
        **{
            name: FigureInterval(**asdict(estimate.interval()), nulls_as_zero=getattr(nulls_as_zero, name).interval())
            for name, estimate in left_out.by_name().items()
        }
    )


def estimate_figures(
    graded: Sequence[GradedSample],
    rubric: BenchmarkRubric,
    design: SampleDesign | None = None,
    *,
    nulls_as_zero: bool = False,
    left_out: Estimates | None = None,
) -> Estimates:
    """Return the figures that decide, over the results of all repeats, in any order.

    Given the estimates with nulls ``left_out``, those with nulls as zero are computed only where there are nulls.
    """
    design = design or SampleDesign()
    limits, lowest = rubric.gates, rubric.faithfulness_score.lowest

    def measured(name: str, read: Callable[[GradedSample], Fraction | int | None], *, worst: int) -> Estimate:
        values = [(sample, read(sample)) for sample in graded]
        if left_out is not None and all(value is not None for _, value in values):
            same: Estimate = getattr(left_out, name)
            return same
        column = [
            _measurement(sample, worst if value is None else value, design)
            for sample, value in values
            if value is not None or nulls_as_zero
        ]
        return _mean_estimate(column, getattr(limits, name), design)

    def failure(sample: GradedSample) -> int | None:
        score = sample.result.faithfulness_score
        return None if score is None else int(score == lowest)

    def concern(name: Concern) -> Estimate | None:
        if getattr(limits, f"{name}_rate") is None:
            return None
        return measured(f"{name}_rate", lambda sample: getattr(sample.result, name), worst=1)

    timed = all(sample.result.latency_e2e_ms is not None for sample in graded)
    return Estimates(
        aggregate_score=measured("aggregate_score", lambda sample: sample.grade.sample_score, worst=0),
        pass_rate=measured("pass_rate", lambda sample: int(sample.grade.passed), worst=0),
        faithfulness_failure_rate=measured("faithfulness_failure_rate", failure, worst=1),
        latency_e2e_p95_ms=left_out.latency_e2e_p95_ms
        if left_out is not None and timed
        else _latency_estimate(graded, limits.latency_e2e_p95_ms, design, nulls_as_zero=nulls_as_zero),
        contradicted_rate=concern("contradicted"),
        unsupported_rate=concern("unsupported"),
    )


def anchored_estimates(estimates: Estimates, summary: AnchorSummary, *, nulls_as_zero: bool = False) -> Estimates:
    """Return the estimates with every judged figure as people have it; one that waits for labels has no value."""

    def anchored(name: str, estimate: Estimate) -> Estimate:
        figure = summary.figures.get(name)
        if figure is None:
            return Estimate(
                value=None,
                samples=estimate.samples,
                low=None,
                high=None,
                method="prediction_powered",
                settles_at=None,
                by_judge=rounded(estimate.value),
                waits_for=summary.unavailable[name],
            )
        found = figure.nulls_as_zero if nulls_as_zero else figure
        return Estimate(
            value=exact(found.value),
            samples=found.samples,
            low=found.low,
            high=found.high,
            method="prediction_powered",
            settles_at=None,
            clusters=estimate.clusters,
            labels=found.labels,
            labels_to_power=found.labels_to_power,
            by_judge=rounded(estimate.value),
        )

    known = estimates.by_name()
    return replace(estimates, **{name: anchored(name, known[name]) for name in known if name in JUDGED})


def latency_p95(latencies: Sequence[Fraction | None], *, nulls_as_zero: bool) -> Fraction | None:
    """Return the 95th percentile of all latencies, those of all repeats together: the figure of the gate.

    A null latency is left out, or counts as slower than all that were measured.
    """
    known = sorted(latency for latency in latencies if latency is not None)
    return percentile(known, P95, missing=len(latencies) - len(known) if nulls_as_zero else 0)


def _measurement(sample: GradedSample, value: Fraction | int, design: SampleDesign) -> Measurement:
    result = sample.result
    cluster = design.clusters.get(result.sample_id)
    return Measurement(value=value, sample=result.sample_id, repeat=result.repeat, cluster=cluster)


def _mean_estimate(column: Sequence[Measurement], limit: Fraction | None, design: SampleDesign) -> Estimate:
    found = measured_mean(column)
    if found is None:
        return unbounded(None, samples=0)
    value = Fraction(found.value)
    clusters = found.clusters if design.clusters else None
    if design.sequential:
        groups = design.in_order((str(each.sample), Fraction(each.value)) for each in column)
        interval = always_valid_interval([mean for values in groups if (mean := mean_of(values)) is not None])
        assert interval is not None  # noqa: S101 - there are values
        low, high = min(interval.low, float(value)), max(interval.high, float(value))
        return Estimate(
            value=value, samples=found.samples, low=low, high=high, method="betting", settles_at=None, clusters=clusters
        )
    return Estimate(
        value=value,
        samples=found.samples,
        low=found.interval.low,
        high=found.interval.high,
        method=found.method,
        settles_at=None if limit is None else _settles_at(found, column, limit),
        clusters=clusters,
    )


def _settles_at(found: MeanEstimate, column: Sequence[Measurement], limit: Fraction) -> int | None:
    """Return how many samples in all settle a mean; clusters and repeats stay as they are."""
    if found.method == "pseudo_samples":
        return mean_power_samples(found.value, found.spread, limit, skewness=found.skewness)
    needed = share_power_samples(found.value, limit)
    return None if needed is None else math.ceil(needed * found.samples / effective_size(column))


def _latency_estimate(
    graded: Sequence[GradedSample], limit: Fraction | None, design: SampleDesign, *, nulls_as_zero: bool
) -> Estimate:
    """Return the 95th percentile of all latencies; null ones bound it from both sides where they are not left out."""
    latencies = [(sample, sample.result.latency_e2e_ms) for sample in graded]
    if not nulls_as_zero:
        latencies = [(sample, latency) for sample, latency in latencies if latency is not None]
    known = [Fraction(str(latency)) for latency in sorted(latency for _, latency in latencies if latency is not None)]
    total, missing = len(latencies), len(latencies) - len(known)
    value = percentile(known, P95, missing=missing)
    samples = len({sample.result.sample_id for sample, _ in latencies})
    clusters = len({design.cluster_of(name) for name in {s.result.sample_id for s, _ in latencies}})
    if not known:
        return Estimate(
            value=None,
            samples=samples,
            low=None,
            high=None,
            method="betting" if design.sequential else "order_statistics",
            settles_at=None,
            clusters=clusters if design.clusters else None,
            nulls=missing or None,
        )

    settles_at = None
    if design.sequential:
        groups = design.in_order((sample.result.sample_id, exact(latency)) for sample, latency in latencies)
        low, high = always_valid_percentile(groups, P95)
    else:
        most = float(known[-1] if value is None else value)
        within_most = (
            _measurement(sample, int(latency is not None and latency <= most), design) for sample, latency in latencies
        )
        worth = effective_size(list(within_most))
        low, high = percentile_bounds(known, P95, missing=missing, effective=worth)
        within = total if limit is None else bisect_right(known, limit)
        # missing latencies could be anything: more of the like settle it only where that makes no difference
        slowest, fastest = Fraction(within, total), Fraction(within + missing, total)
        share = slowest if slowest > P95 else fastest
        needed = None if slowest <= P95 <= fastest else share_power_samples(share, P95)
        settles_at = None if needed is None or limit is None else math.ceil(needed * samples / worth)
    return Estimate(
        value=value,
        samples=samples,
        low=rounded(low),
        high=rounded(high),
        method="betting" if design.sequential else "order_statistics",
        settles_at=settles_at,
        clusters=clusters if design.clusters else None,
        nulls=missing or None,
    )
