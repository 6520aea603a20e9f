"""Intervals that decide: of shares and of means of values in [0, 1], with clusters and repeats.

An interval for a decision must hold near the edges, where few samples show no spread or one rare failure makes the
whole difference. Shares of independent samples get the exact interval of Clopper and Pearson (1934), which never covers
less than 95%; shares with clusters or repeats the same of their effective sample size (Korn and Graubard, 1998). Means
get Student's t interval of the samples with one pseudo-sample at either end of the scale (in the manner of Agresti and
Coull, 1998), its ends moved outwards by what the skewness asks for (Johnson, 1978): near the ceiling t alone misses on
the optimistic side, because rare failures that were not drawn raise the mean and hide the spread at once. Neither
correction ever moves an end inwards.
"""

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from plumbrule.stats.intervals import Interval
from plumbrule.stats.quantiles import beta_quantile, t_quantile
from plumbrule.stats.spread import mean_of

Value = Fraction | float | int
IntervalMethod = Literal["clopper_pearson", "korn_graubard", "pseudo_samples"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """One value in [0, 1] of one sample in one repeat; samples with the same cluster share a document or template."""

    value: Value
    sample: Hashable
    repeat: Hashable = 0
    cluster: Hashable | None = None  # None: the sample is a cluster of its own


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanEstimate:
    """A mean with its 95% interval.

    ``clusters`` counts the independent parts that the interval rests on. ``spread`` is the standard deviation that as
    many independent samples would need for the same standard error, ``skewness`` the same for the third moment: what
    sample sizes are planned with. Both count the pseudo-samples, where there are any.
    """

    value: Fraction | float
    interval: Interval
    samples: int
    clusters: int
    repeats: int
    spread: float
    skewness: float
    method: IntervalMethod


def clopper_pearson(successes: float, total: float) -> Interval | None:
    """Return the exact interval of a share (Clopper and Pearson, 1934); None where there is nothing to share.

    It covers at least 95% whatever the share. Counts need not be whole: with an effective sample size it is the
    interval of Korn and Graubard (1998).
    """
    if total <= 0:
        return None
    low = beta_quantile(0.025, successes, total - successes + 1) if successes > 0 else 0.0
    high = beta_quantile(0.975, successes + 1, total - successes) if successes < total else 1.0
    return Interval(low, high)


def share_estimate(successes: int, total: int) -> MeanEstimate | None:
    """Return the share of independent samples with its exact interval; None where there is nothing to share."""
    interval = clopper_pearson(successes, total)
    if interval is None:
        return None
    share = Fraction(successes, total)
    spread = math.sqrt(share * (1 - share))
    return MeanEstimate(
        value=share,
        interval=interval,
        samples=total,
        clusters=total,
        repeats=1,
        spread=spread,
        skewness=float(1 - 2 * share) / spread if spread else 0.0,
        method="clopper_pearson",
    )


def mean_estimate(values: Sequence[Value]) -> MeanEstimate | None:
    """Return the mean of independent samples in [0, 1] with its interval; None where there is nothing."""
    return measured_mean([Measurement(value=value, sample=place) for place, value in enumerate(values)])


def measured_mean(measurements: Sequence[Measurement]) -> MeanEstimate | None:
    """Return the mean of values in [0, 1] with an interval that allows for clusters and repeats; None for nothing.

    Every value weighs the same. Values that share a cluster, or a sample where there are no clusters, are not
    independent: the standard error is SE^2 = K / (K - 1) * sum_c (sum_i (x_i - m))^2 / N^2 over the clusters with two
    pseudo-clusters of the average size, one at 0 and one at 1, and t has K - 1 degrees of freedom. Repeats may be
    better or worse as a whole, so their mean square in the two-way analysis of variance is added, with Satterthwaite's
    degrees of freedom. What samples alone explain of it is not taken off again: two or three repeats show so little of
    how far repeats differ that the difference of the two would often be 0 where they do. Where all values are 0 or 1
    the same standard error gives an effective sample size for the exact interval; independent samples that were
    measured once are worth themselves.
    """
    if not measurements:
        return None
    clusters = _grouped(measurements)
    values = [each.value for each in measurements]
    all_or_nothing = all(value == 0 or value == 1 for value in values)  # noqa: PLR1714 - a hash of a fraction is slow
    if all_or_nothing and len(clusters) == len(values):
        return share_estimate(sum(map(int, values)), len(values))
    mean, error = _mean(values), _error_of(measurements, clusters)
    if all_or_nothing:
        worth = _worth(error, len(clusters), len(values))
        interval = clopper_pearson(float(mean) * worth, worth)
        assert interval is not None  # noqa: S101 - it is worth something
    else:
        quantile = t_quantile(0.975, round(error.freedom, 3))
        reach = quantile * math.sqrt(error.square)
        shift = error.cube / (6 * error.square) * (1 + 2 * quantile**2)
        low = min(float(mean), error.centre) + min(0.0, shift) - reach
        high = max(float(mean), error.centre) + max(0.0, shift) + reach
        interval = Interval(max(0.0, low), min(1.0, high))
    samples = len({each.sample for each in measurements})
    return MeanEstimate(
        value=mean,
        interval=interval,
        samples=samples,
        clusters=len(clusters),
        repeats=len({each.repeat for each in measurements}),
        spread=math.sqrt(error.square * samples),
        skewness=error.cube / math.pow(error.square, 1.5) * math.sqrt(samples),
        method="korn_graubard" if all_or_nothing else "pseudo_samples",
    )


def effective_size(measurements: Sequence[Measurement]) -> float:
    """Return how many independent samples a share over these values of 0 and 1 is worth; at most their number."""
    clusters = _grouped(measurements)
    if len(clusters) == len(measurements):
        return float(len(measurements))
    return _worth(_error_of(measurements, clusters), len(clusters), len(measurements))


@dataclass(frozen=True, slots=True, kw_only=True)
class _PseudoError:
    """Centre, squared standard error and third moment of a mean with its two pseudo-clusters."""

    centre: float
    square: float
    cube: float
    freedom: float


def _error_of(measurements: Sequence[Measurement], clusters: Sequence[Sequence[float]]) -> _PseudoError:
    """Return the error over the clusters, and the between-repeat component with it."""
    error, between = _pseudo_error(clusters), _between_repeats(measurements)
    if not between:
        return error
    square = error.square + between
    repeats = len({each.repeat for each in measurements})
    freedom = square**2 / (error.square**2 / error.freedom + between**2 / (repeats - 1))
    return replace(error, square=square, freedom=freedom)


def _worth(error: _PseudoError, clusters: int, values: int) -> float:
    """Return the effective sample size of a share, with Korn and Graubard's factor for few degrees of freedom.

    The factor (K - 2) / (K - 1) takes back what the pseudo-clusters add: clusters of one value are worth themselves.
    """
    worth = min(values, error.centre * (1 - error.centre) / error.square * clusters / (clusters + 1))
    freedom = max(1.0, min(clusters - 1.0, error.freedom))
    return worth * (t_quantile(0.975, values - 1) / t_quantile(0.975, round(freedom, 3))) ** 2


def _pseudo_error(clusters: Sequence[Sequence[float]]) -> _PseudoError:
    size = sum(map(len, clusters)) / len(clusters)
    sums = [(math.fsum(cluster), float(len(cluster))) for cluster in clusters]
    sums += [(0.0, size), (size, size)]
    count, total = len(sums), math.fsum(weight for _, weight in sums)
    centre = math.fsum(value for value, _ in sums) / total
    moves = [(value - weight * centre) / total for value, weight in sums]
    return _PseudoError(
        centre=centre,
        square=count / (count - 1) * math.fsum(move * move for move in moves),
        cube=math.fsum(move**3 for move in moves),
        freedom=count - 1,
    )


def _between_repeats(measurements: Sequence[Measurement]) -> float:
    """Return what repeats add to the variance of the mean: their mean square, samples taken out, over all values."""
    by_sample: dict[Hashable, list[float]] = {}
    for each in measurements:
        by_sample.setdefault(each.sample, []).append(float(each.value))
    centres = {sample: math.fsum(values) / len(values) for sample, values in by_sample.items()}
    by_repeat: dict[Hashable, list[float]] = {}
    for each in measurements:
        by_repeat.setdefault(each.repeat, []).append(float(each.value) - centres[each.sample])
    if len(by_repeat) < 2:
        return 0.0
    of_repeats = math.fsum(math.fsum(moves) ** 2 / len(moves) for moves in by_repeat.values())
    return of_repeats / (len(by_repeat) - 1) / len(measurements)


def _grouped(measurements: Iterable[Measurement]) -> list[list[float]]:
    groups: dict[tuple[bool, Hashable], list[float]] = {}
    for each in measurements:
        own = each.cluster is None
        groups.setdefault((own, each.sample if own else each.cluster), []).append(float(each.value))
    return list(groups.values())


def _mean(values: Sequence[Value]) -> Fraction | float:
    """Return the mean, exactly where every value is exact."""
    if any(isinstance(value, float) for value in values):
        return math.fsum(values) / len(values)
    if all(isinstance(value, int) for value in values):
        return Fraction(sum(map(int, values)), len(values))
    exact = mean_of([value if isinstance(value, Fraction) else Fraction(value) for value in values])
    assert exact is not None  # noqa: S101 - there are values
    return exact
