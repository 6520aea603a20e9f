"""How many samples or labels it takes: to settle a gate, to see a difference, to reach a margin."""

import math
from bisect import bisect_left
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from statistics import NormalDist

from plumbrule.stats.intervals import Z95
from plumbrule.stats.mean_intervals import clopper_pearson
from plumbrule.stats.quantiles import beta_cdf, t_quantile

POWER = 0.8
_MOST = 10**12
_EXACT = 100_000  # samples, up to which the power of a share is summed exactly
_NEAR = 8  # numbers of events that rounding to whole samples can put out of order
_TAIL = 0.025


@lru_cache(maxsize=1_024)  # the repeats of a run ask for the same few again and again
def share_power_samples(share: Fraction | float, limit: Fraction | float, *, power: float = POWER) -> int | None:
    """Return the fewest samples whose exact interval (Clopper and Pearson) excludes ``limit`` with this power.

    The share is taken to be the true one; None where it is the limit, or so near that it takes more than a million
    million. The power is the exact sum of the binomial distribution. It falls a little with each sample more until the
    interval excludes the limit with one failure more, so that a few larger numbers have slightly less. Beyond 100,000
    samples it is by the normal approximation.
    """
    true, fixed = float(share), float(limit)
    if true == fixed:
        return None
    rough = _rough_power_samples(true, fixed, power)
    if rough > _EXACT:
        return rough if rough <= _MOST else None
    totals = range(1, 2 * rough + 16)
    # the interval excludes the limit where there are few events of one kind, or many of the other: the rarer is counted
    rate, bound = (1 - true, 1 - fixed) if true > fixed else (true, fixed)
    if bound <= 0.5:
        return _fewest_by_few(rate, bound, totals, power)
    return _fewest_by_many(1 - rate, 1 - bound, totals, power)


def _fewest_by_few(rate: float, bound: float, totals: range, power: float) -> int:
    """Return the fewest samples that have few enough events with this power: the true rate is below the bound."""

    def fewest(events: int) -> int:
        """Return the fewest samples in which so many events exclude the bound."""
        return 1 + bisect_left(totals, x=True, key=lambda total: _at_most(events, total, bound) <= _TAIL)

    return fewest(_first(range(len(totals)), lambda events: _at_most(events, fewest(events), rate) >= power))


def _fewest_by_many(rate: float, bound: float, totals: range, power: float) -> int:
    """Return the fewest samples that have events enough with this power: the true rate is above the bound."""

    def most(events: int) -> int:
        """Return the most samples in which so many events exclude the bound."""
        return bisect_left(totals, x=True, key=lambda total: _at_most(events - 1, total, bound) < 1 - _TAIL)

    def enough(events: int) -> bool:
        total = most(events)
        return total == len(totals) or _at_most(events - 1, total, rate) <= 1 - power

    events = _first(totals, enough)
    return 1 + bisect_left(totals, x=True, key=lambda total: _at_most(events - 1, total, rate) <= 1 - power)


def _first(numbers: range, enough: Callable[[int], bool]) -> int:
    """Return the first number that is enough, where they are in order but for what rounding does."""
    place = bisect_left(numbers, x=True, key=enough)
    before = numbers[max(0, place - _NEAR) : place]
    return next((number for number in before if enough(number)), numbers[min(place, len(numbers) - 1)])


def _at_most(events: int, total: int, rate: float) -> float:
    """Return the probability of at most so many events among ``total``."""
    return 1.0 if events >= total else beta_cdf(1 - rate, total - events, events + 1)


def _rough_power_samples(true: float, fixed: float, power: float) -> int:
    """Return the number by the normal approximation for one share against a fixed value.

    n = ((z_a sqrt(p0 q0) + z_b sqrt(p1 q1)) / (p1 - p0))^2, with the correction for continuity that the exact interval
    needs (Fleiss, Levin and Paik, 2003, section 2.6).
    """
    gap, z = abs(true - fixed), NormalDist().inv_cdf(power)
    plain = ((Z95 * math.sqrt(fixed * (1 - fixed)) + z * math.sqrt(true * (1 - true))) / gap) ** 2
    return math.ceil(plain / 4 * (1 + math.sqrt(1 + 2 / (plain * gap))) ** 2) if plain else 1


def mean_power_samples(
    mean: Fraction | float, spread: float, limit: Fraction | float, *, skewness: float = 0.0, power: float = POWER
) -> int | None:
    """Return how many samples make the interval of a mean in [0, 1] exclude ``limit`` with this power; None for none.

    Mean, spread and skewness, as a ``MeanEstimate`` has them, are taken to be the true ones. The interval is that of
    ``mean_estimate``: Student's t with two pseudo-samples and Johnson's shift for the skewness.
    """
    true, fixed = float(mean), float(limit)
    if true == fixed:
        return None
    z = NormalDist().inv_cdf(power)

    def settled(total: int) -> bool:
        more = total + 2
        centre = (total * true + 1) / more
        off = true - centre
        squares = spread**2 * (total - 1) + total * off**2 + centre**2 + (1 - centre) ** 2
        cubes = total * (skewness * spread**3 + 3 * off * spread**2 + off**3) - centre**3 + (1 - centre) ** 3
        variance, quantile = squares / (more - 1) / more, t_quantile(0.975, more - 1)
        shift = cubes / more**3 / (6 * variance) * (1 + 2 * quantile**2)
        reach = quantile * math.sqrt(variance)
        above = true > fixed
        margin = min(true, centre) - fixed + min(0.0, shift) if above else fixed - max(true, centre) - max(0.0, shift)
        # a skewed mean and its spread err together, so that the end of the interval varies more than the mean
        together = quantile * skewness / math.sqrt(total) * (-1 if above else 1)
        return margin >= reach + z * spread * math.sqrt(total * max(1.0, 1 + together)) / more

    found = bisect_left(range(2, _MOST), x=True, key=settled) + 2
    return None if found >= _MOST else found


def minimum_detectable_effect(deviation: float, pairs: int, *, power: float = POWER) -> float | None:
    """Return the smallest true mean difference that so many pairs would show with this power; None below two pairs.

    (z_0.975 + z_power) * sd / sqrt(n), which is 2.80 * sd / sqrt(n) for 80%.
    """
    if pairs < 2:
        return None
    return (Z95 + NormalDist().inv_cdf(power)) * deviation / math.sqrt(pairs)


def share_margin_samples(share: Fraction | float, margin: float) -> int:
    """Return how many samples make the exact interval of a share reach no further than ``margin`` to either side."""
    true = float(share)

    def reaches(total: int) -> bool:
        interval = clopper_pearson(true * total, total)
        return interval is not None and max(true - interval.low, interval.high - true) <= margin

    counts = range(1, _EXACT)
    found = bisect_left(counts, x=True, key=reaches)
    if found < len(counts):
        return counts[found]
    return math.ceil(Z95**2 * true * (1 - true) / margin**2)  # so many that the normal approximation does


def prediction_correlation(share: Fraction | float, sensitivity: float, specificity: float) -> float | None:
    """Return Pearson's r of labels and a judge's passes, from the judge's sensitivity and specificity.

    None where labels or predictions would all be alike.
    """
    true = float(share)
    predicted = true * sensitivity + (1 - true) * (1 - specificity)
    spread = math.sqrt(true * (1 - true) * predicted * (1 - predicted))
    return true * (1 - true) * (sensitivity + specificity - 1) / spread if spread else None
