"""Two measurements of the same samples: how far they lie apart, and whether chance alone could have done it."""

import math
from bisect import bisect_left, insort
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, repeat
from random import Random
from typing import Literal, TypeVar

from plumbrule.stats.intervals import Z95, Interval
from plumbrule.stats.mean_intervals import Measurement, effective_size
from plumbrule.stats.percentiles import interval_ranks, percentile, percentile_rank
from plumbrule.stats.quantiles import t_tail
from plumbrule.stats.spread import mean_of, mean_settles_at, sample_sd, t_quantile_975

_T = TypeVar("_T")
RESAMPLES = 2_000
SEED = 42
# No exact test of paired differences can reject with fewer that are not 0: 2 * 0.5 ** 5 is above 0.05.
LEAST_THAT_DIFFER = 6
_CHANCE = Fraction(5, 100)
_MOST = 10**15

Method = Literal["student_t", "bonett_price", "sign_test", "clustered_t", "bootstrap", "betting"]
NonInferiority = Literal["non-inferior", "inferior", "inconclusive"]
Repeated = Sequence[Sequence[Fraction | None]]  # for each sample, its values in all repeats


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """The mean of paired differences, its 95% interval, and at how many pairs that would exclude 0.

    The interval is None where so few pairs cannot bound it; ``settles_at`` where no number of pairs would do.
    """

    mean: Fraction | None
    interval: Interval | None
    method: Method
    settles_at: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """How many differences are above, below and at 0."""

    above: int
    below: int
    level: int


def tally(differences: Iterable[Fraction | int]) -> Tally:
    """Count the differences by their sign."""
    signs = [(value > 0) - (value < 0) for value in differences]
    return Tally(above=signs.count(1), below=signs.count(-1), level=signs.count(0))


def sign_test(above: int, below: int) -> Fraction:
    """Return the exact two-sided chance of so uneven a split by the toss of a coin.

    Of the pairs that changed from pass to fail and from fail to pass, it is McNemar's exact test.
    """
    tosses, ways, term = above + below, 0, 1
    for heads in range(min(above, below) + 1):
        ways += term
        term = term * (tosses - heads) // (heads + 1)
    return min(Fraction(1), Fraction(2 * ways, 2**tosses))


def mean_gap(
    differences: Sequence[Fraction], *, bound: Fraction | None = None, clusters: Sequence[Hashable] | None = None
) -> Gap:
    """Return the mean difference with its interval; ``bound`` is the largest difference there can be.

    Student's t. It is not fit where every difference is all or nothing, as of pass and fail, or all are alike: then
    one gain and one loss of the full bound are added (Bonett and Price), or, without a bound, the difference that all
    pairs show is taken as it is. An interval excludes 0 only where the exact test could, too: McNemar's for all or
    nothing; else any, which takes six pairs that differ. Pairs that share one of the ``clusters`` are not independent:
    the interval is then by the clusters, and takes six of them that differ.
    """
    clustered = _Clustered.of(differences, clusters, bound)
    if clustered is not None:
        return clustered.gap()
    mean, deviation, counts = mean_of(differences), sample_sd(differences), tally(differences)
    if mean is None or deviation is None:
        return Gap(mean=mean, interval=None, method="student_t", settles_at=None)
    total, differing = len(differences), counts.above + counts.below
    all_or_nothing = bound is not None and all(abs(value) in {0, bound} for value in differences)
    unequal = max(counts.above, counts.below), min(counts.above, counts.below)
    least = math.ceil(Fraction(LEAST_THAT_DIFFER * total, differing)) if mean else None
    if deviation > 0 and not all_or_nothing:
        reach = t_quantile_975(total - 1) * deviation / math.sqrt(total)
        most = math.inf if bound is None else float(bound)
        interval = Interval(max(-most, float(mean) - reach), min(most, float(mean) + reach))
        needed = mean_settles_at(mean, deviation, Fraction())
        method: Method = "student_t"
    elif bound is not None:
        square = sum((value * value for value in differences), Fraction()) / total
        interval = _bonett_price(mean, square, total, bound)
        needed = _bonett_price_settles_at(mean, square, bound, unequal if all_or_nothing else None, total)
        method = "bonett_price"
    else:
        if total < LEAST_THAT_DIFFER:
            return Gap(mean=mean, interval=None, method="sign_test", settles_at=least)
        interval, needed, method = Interval(float(mean), float(mean)), least, "sign_test"
    if sign_test(*(unequal if all_or_nothing else (differing, 0))) > _CHANCE:
        interval = Interval(min(interval.low, 0.0), max(interval.high, 0.0))
    settles_at = None if least is None or needed is None else max(least, needed)
    return Gap(mean=mean, interval=interval, method=method, settles_at=settles_at)


def percentile_gap(
    first: Sequence[Fraction | None], second: Sequence[Fraction | None], share: Fraction
) -> tuple[float | None, float | None]:
    """Return the 95% interval of second's high percentile less first's, from a seeded bootstrap; None is an open end.

    Pairs are drawn together. A value that is None stands above all others, as for ``percentile``. So few pairs that
    they could not bound either percentile from above leave both ends open.
    """
    total = len(first)
    if interval_ranks(total, share)[1] > total:
        return None, None
    wanted = total - percentile_rank(total, share) + 1  # counted from the top
    # The percentile of a drawing lies among the highest; lower values are drawn, too, but need not be looked at.
    lowest = max(0, total - wanted - 6 * math.isqrt(wanted) - 12)
    ranked = [_Ranked.of(values) for values in (first, second)]
    high = [index for index in range(total) if any(each.places[index] >= lowest for each in ranked)]
    places = [[each.places[index] for index in high] for each in ranked]
    draw, looked_at = Random(SEED).random, len(high)  # noqa: S311 - a sequence that is always the same, no secret
    lows, highs = [], []
    for _ in range(RESAMPLES):
        drawn = [int(number) for _ in repeat(None, total) if (number := draw() * total) < looked_at]
        before, after = (
            each.values[max([lowest, *sorted([place[index] for index in drawn])[-wanted:][:1]])]
            for each, place in zip(ranked, places, strict=True)
        )
        known = before < math.inf or after < math.inf
        lows.append(after - before if known else -math.inf)
        highs.append(after - before if known else math.inf)
    cut = RESAMPLES // 40
    low, top = sorted(lows)[cut], sorted(highs)[-1 - cut]
    return (low if math.isfinite(low) else None), (top if math.isfinite(top) else None)


def repeated_percentile_gap(
    first: Repeated, second: Repeated, share: Fraction, *, clusters: Sequence[Hashable] | None = None
) -> tuple[float | None, float | None]:
    """Return the interval of ``percentile_gap`` for samples with any number of values each; None is an open end.

    The percentiles are of all values of a run together. Values of one sample are not independent, so samples are drawn
    with all of theirs, and clusters with all of their samples; a sample may have values in one of the runs alone.
    """
    worth = len(first)
    if clusters is not None and len(set(clusters)) < len(first):
        worth = math.floor(min(worth, *(_worth(samples, clusters, share) for samples in (first, second))))
        first, second = joined(first, clusters), joined(second, clusters)
    elif all(len(values) == 1 for values in (*first, *second)):
        return percentile_gap([value for [value] in first], [value for [value] in second], share)
    count = len(first)
    sides = [_Pooled.of(values, share) for values in (first, second)]
    if interval_ranks(worth, share)[1] > worth or not all(side.values for side in sides):
        return None, None
    draw = Random(SEED).random  # noqa: S311 - a sequence that is always the same, no secret
    lows, highs = [], []
    for _ in range(RESAMPLES):
        drawn = [int(draw() * count) for _ in range(count)]
        before, after = (side.drawn_percentile(drawn, share) for side in sides)
        known = before < math.inf or after < math.inf
        lows.append(after - before if known else -math.inf)
        highs.append(after - before if known else math.inf)
    cut = RESAMPLES // 40
    low, top = sorted(lows)[cut], sorted(highs)[-1 - cut]
    return (low if math.isfinite(low) else None), (top if math.isfinite(top) else None)


def gathered(values: Sequence[_T], clusters: Sequence[Hashable]) -> list[list[_T]]:
    """Return the values of each cluster together, in the order of the first of each."""
    groups: dict[Hashable, list[_T]] = {}
    for value, cluster in zip(values, clusters, strict=True):
        groups.setdefault(cluster, []).append(value)
    return list(groups.values())


def joined(samples: Repeated, clusters: Sequence[Hashable]) -> list[list[Fraction | None]]:
    """Return the values of all samples of each cluster together."""
    return [list(chain(*group)) for group in gathered(samples, clusters)]


def _worth(samples: Repeated, clusters: Sequence[Hashable], share: Fraction) -> float:
    """Return how many independent values the percentile of clustered ones rests on."""
    everything = [value for values in samples for value in values]
    known = sorted(value for value in everything if value is not None)
    limit = percentile(known, share, missing=len(everything) - len(known))
    return effective_size(
        [
            Measurement(
                value=int(value is not None and (limit is None or value <= limit)), sample=place, cluster=cluster
            )
            for place, (values, cluster) in enumerate(zip(samples, clusters, strict=True))
            for value in values
        ]
    )


def mean_gap_p_value(
    differences: Sequence[Fraction], *, bound: Fraction | None = None, clusters: Sequence[Hashable] | None = None
) -> float | None:
    """Return the two-sided p-value of paired differences whose true mean is 0; None below two pairs.

    McNemar's exact test where every difference is all or nothing, the exact sign test where all that differ are
    alike, else the paired t-test, by the clusters where pairs share one. As for ``mean_gap``, it is never below what
    the fewest pairs or clusters that differ allow.
    """
    clustered = _Clustered.of(differences, clusters, bound)
    if clustered is not None:
        return clustered.p_value()
    deviation, counts, total = sample_sd(differences), tally(differences), len(differences)
    if deviation is None:
        return None
    differing = counts.above + counts.below
    if (bound is not None and all(abs(value) in {0, bound} for value in differences)) or deviation == 0:
        return float(sign_test(counts.above, counts.below))
    mean = mean_of(differences)
    assert mean is not None  # noqa: S101 - there are two or more
    t = abs(float(mean)) / (deviation / math.sqrt(total))
    return min(1.0, max(2 * t_tail(t, total - 1), float(sign_test(differing, 0))))


def percentile_moves(first: Repeated, second: Repeated, share: Fraction) -> list[Fraction]:
    """Return for each sample how much more of its second values than of its first are above the common percentile.

    The mean of these is 0 where both percentiles are alike, which ``mean_gap_p_value`` tests: the paired quantile test.
    For samples that were measured once it is McNemar's, exact at any number of pairs and with ties, where a bootstrap
    of percentiles is not (Conover, Practical Nonparametric Statistics, section 3.5). None is above all others. A sample
    without a value on either side is left out. Where no value is above the percentile, as where many are tied at the
    top, those at it are counted.
    """
    everything = [value for values in (*first, *second) for value in values]
    known = sorted(value for value in everything if value is not None)
    missing = len(everything) - len(known)
    limit = percentile(known, share, missing=missing)
    at_the_top = bool(known) and missing == 0 and limit == known[-1]

    def above(value: Fraction | None) -> bool:
        return value is None or (limit is not None and (value > limit or (at_the_top and value == limit)))

    def beyond(values: Sequence[Fraction | None]) -> Fraction:
        return Fraction(sum(map(above, values)), len(values))

    return [beyond(after) - beyond(before) for before, after in zip(first, second, strict=True) if before and after]


def percentile_bets(
    first: Repeated, second: Repeated, share: Fraction, *, clusters: Sequence[Hashable]
) -> list[Fraction]:
    """Return what ``percentile_moves`` does, each by the percentile of those before it, for a test at every look.

    A limit that knows the values that it is compared with would let a gambler look ahead. Each cluster is one of the
    samples, with the values of all of them, in the order of the first of its samples.
    """
    seen: list[float] = []
    missing = 0
    moves = []
    for before, after in zip(joined(first, clusters), joined(second, clusters), strict=True):
        if before and after and seen:
            rank = percentile_rank(len(seen) + missing, share)
            limit = seen[rank - 1] if rank <= len(seen) else math.inf
            at_the_top = missing == 0 and limit == seen[-1]
            beyond = [
                Fraction(sum(value is None or value > limit or (at_the_top and value == limit) for value in values))
                / len(values)
                for values in (before, after)
            ]
            moves.append(beyond[1] - beyond[0])
        for value in (*before, *after):
            if value is None:
                missing += 1
            else:
                insort(seen, float(value))
    return moves


def non_inferiority(low: float | None, high: float | None, *, margin: float, higher_is_better: bool) -> NonInferiority:
    """Tell from the 95% interval of second less first whether second is worse by at most ``margin``.

    Non-inferior where the whole interval lies on the right side of the margin, inferior where none of it does, else
    inconclusive (ICH E9, section 3.3.2: the two-sided 95% interval, so a one-sided test at 2.5%). None is an open end.
    """
    worst, best = (low, high) if higher_is_better else (_negated(high), _negated(low))
    if worst is not None and worst > -margin:
        return "non-inferior"
    if best is not None and best < -margin:
        return "inferior"
    return "inconclusive"


def _negated(end: float | None) -> float | None:
    return None if end is None else -end


def spread_of(
    differences: Sequence[Fraction], *, bound: Fraction | None = None, clusters: Sequence[Hashable] | None = None
) -> float | None:
    """Return the standard deviation that as many independent pairs would need for the same error; None below two.

    Where no pair differs from another they show no spread: a gain and a loss of the full bound are added, as for the
    interval. Without a bound it is not known.
    """
    clustered = _Clustered.of(differences, clusters, bound)
    if clustered is not None:
        return clustered.spread or None
    deviation = sample_sd(differences)
    if deviation == 0:
        return None if bound is None else sample_sd([*differences, bound, -bound])
    return deviation


@dataclass(frozen=True, slots=True, kw_only=True)
class _Clustered:
    """Paired differences in clusters: the error of their mean by the clusters' sums.

    SE^2 = K / (K - 1) * sum_c (sum_i (d_i - m))^2 / N^2, not less than that of independent pairs, with K - 1 degrees of
    freedom. Where a difference has a bound, two more clusters of the average size, a gain and a loss of the full bound,
    keep few clusters that are alike from showing no spread at all.
    """

    mean: Fraction
    centre: float
    error: float
    total: int
    clusters: int
    differing: int  # clusters whose differences do not add up to 0
    bound: Fraction | None

    @classmethod
    def of(
        cls, differences: Sequence[Fraction], clusters: Sequence[Hashable] | None, bound: Fraction | None
    ) -> "_Clustered | None":
        """Return the differences by their clusters; None where every pair is a cluster of its own."""
        mean, total = mean_of(differences), len(differences)
        if clusters is None or mean is None or len(set(clusters)) == total:
            return None
        groups = gathered(differences, clusters)
        sums = [(float(sum(values, Fraction())), float(len(values))) for values in groups]
        differing = sum(sum(values, Fraction()) != 0 for values in groups)
        if bound is not None:
            size = total / len(sums)
            sums += [(size * float(bound), size), (-size * float(bound), size)]
        weight = math.fsum(size for _, size in sums)
        centre = math.fsum(value for value, _ in sums) / weight
        square = math.fsum((value - size * centre) ** 2 for value, size in sums) / weight**2
        error = math.sqrt(square * len(sums) / max(1, len(sums) - 1))
        alone = sample_sd(differences)
        return cls(
            mean=mean,
            centre=centre,
            error=max(error, 0.0 if alone is None else alone / math.sqrt(total)),
            total=total,
            clusters=len(groups),
            differing=differing,
            bound=bound,
        )

    @property
    def spread(self) -> float:
        """The standard deviation that as many independent pairs would need for the same error."""
        return self.error * math.sqrt(self.total)

    def gap(self) -> Gap:
        """Return the mean with its interval; one cluster says nothing of others."""
        if self.clusters < 2:
            return Gap(mean=self.mean, interval=None, method="clustered_t", settles_at=None)
        reach = t_quantile_975(self.clusters - 1) * self.error
        most = math.inf if self.bound is None else float(self.bound)
        low, high = min(float(self.mean), self.centre) - reach, max(float(self.mean), self.centre) + reach
        interval = Interval(max(-most, low), min(most, high))
        least = None
        if self.mean:
            least = math.ceil(Fraction(LEAST_THAT_DIFFER * self.total, max(1, self.differing)))
        needed = mean_settles_at(self.mean, self.spread, Fraction()) if self.spread else least
        if sign_test(self.differing, 0) > _CHANCE:
            interval = Interval(min(interval.low, 0.0), max(interval.high, 0.0))
        settles_at = None if least is None or needed is None else max(least, needed)
        return Gap(mean=self.mean, interval=interval, method="clustered_t", settles_at=settles_at)

    def p_value(self) -> float | None:
        """Return the two-sided p-value of a true mean of 0; None for one cluster."""
        if self.clusters < 2:
            return None
        few = float(sign_test(self.differing, 0))
        if self.error == 0:
            return few
        return min(1.0, max(2 * t_tail(abs(self.centre) / self.error, self.clusters - 1), few))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ranked:
    """Values in order, and the place of each among them; None is the greatest."""

    values: list[float]
    places: list[int]

    @classmethod
    def of(cls, values: Sequence[Fraction | None]) -> "_Ranked":
        floats = [math.inf if value is None else float(value) for value in values]
        order = sorted(range(len(floats)), key=floats.__getitem__)
        places = [0] * len(floats)
        for place, index in enumerate(order):
            places[index] = place
        return cls(values=[floats[index] for index in order], places=places)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pooled:
    """All values of one run in order, and for each sample how many it has and the places of its highest."""

    values: list[float]
    sizes: list[int]
    high: list[list[int]]
    lowest: int  # the percentile of a drawing lies at or above this place

    @classmethod
    def of(cls, samples: Repeated, share: Fraction) -> "_Pooled":
        ranked = _Ranked.of([value for values in samples for value in values])
        sizes = [len(values) for values in samples]
        total, most = len(ranked.values), max(sizes, default=0)
        wanted = total - percentile_rank(total, share) + 1
        lowest = max(0, total - wanted - 6 * math.isqrt(wanted * most) - 12 * most)
        places = iter(ranked.places)
        high = [[place for place in (next(places) for _ in range(size)) if place >= lowest] for size in sizes]
        return cls(values=ranked.values, sizes=sizes, high=high, lowest=lowest)

    def drawn_percentile(self, drawn: Sequence[int], share: Fraction) -> float:
        """Return the percentile of the samples drawn, each as often as it was."""
        total = sum(self.sizes[index] for index in drawn)
        if not total:
            return math.inf  # nothing known: it could be anything
        wanted = total - percentile_rank(total, share) + 1
        places = sorted(place for index in drawn for place in self.high[index])
        return self.values[max([self.lowest, *places[-wanted:][:1]])]


def _bonett_price(mean: Fraction, square: Fraction, total: int, bound: Fraction) -> Interval:
    """Return the interval of ``total`` differences with this mean and mean square, and two more of the full bound."""
    more = total + 2
    centre = mean * total / more
    variance = (square * total + 2 * bound * bound) / more - centre * centre
    reach = Z95 * math.sqrt(variance / more)
    return Interval(max(-float(bound), float(centre) - reach), min(float(bound), float(centre) + reach))


def _bonett_price_settles_at(
    mean: Fraction, square: Fraction, bound: Fraction, unequal: tuple[int, int] | None, seen: int
) -> int | None:
    """Return how many pairs like those seen would do; for all or nothing McNemar's test must reject, too."""
    if mean == 0:
        return None

    def settled(total: int) -> bool:
        interval = _bonett_price(abs(mean), square, total, bound)
        if unequal is None or interval.low <= 0:
            return interval.low > 0
        more, fewer = (Fraction(count * total, seen) for count in unequal)
        # with the correction for continuity, which comes close to the exact test at any scale
        return more - fewer > 1 and (more - fewer - 1) ** 2 >= Fraction(Z95) ** 2 * (more + fewer)

    return bisect_left(range(1, _MOST), x=True, key=settled) + 1
