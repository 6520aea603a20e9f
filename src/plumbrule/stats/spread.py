"""Means, how far they spread, and how many samples it takes to tell one from a limit."""

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from plumbrule.stats.intervals import Z95
from plumbrule.stats.quantiles import t_tail

_EXACT_DENOMINATORS = 2_000
_PLACES = 256
_MOST = 10**12  # samples, beyond which no plan goes


def mean_of(values: Sequence[Fraction]) -> Fraction | None:
    """Return the mean, exactly and whatever the order; None where there is nothing.

    A sum of many unlike fractions grows without bound. Past 2,000 different denominators each is therefore taken
    to 256 binary places, which moves the mean by less than 1e-76.
    """
    if len(values) < 2:
        return values[0] if values else None
    by_denominator: Counter[int] = Counter()
    for value in values:
        by_denominator[value.denominator] += value.numerator
    if len(by_denominator) > _EXACT_DENOMINATORS:
        places = (((value.numerator << _PLACES + 1) // value.denominator + 1) >> 1 for value in values)
        return Fraction(sum(places), 2**_PLACES * len(values))
    parts = [Fraction(numerator, denominator) for denominator, numerator in sorted(by_denominator.items())]
    while len(parts) > 1:  # in pairs, so that only the last few sums are of large numbers
        parts = [sum(parts[index : index + 2], Fraction()) for index in range(0, len(parts), 2)]
    return parts[0] / len(values)


def sample_sd(values: Sequence[Fraction]) -> float | None:
    """Return the sample standard deviation (n - 1 below the line); None for fewer than two values."""
    mean = mean_of(values)
    if mean is None or len(values) < 2:
        return None
    if len(set(values)) == 1:
        return 0.0  # exactly, where the floats below could leave a trace of rounding
    centre = float(mean)
    return math.sqrt(math.fsum((float(value) - centre) ** 2 for value in values) / (len(values) - 1))


def mean_settles_at(mean: Fraction, deviation: float, limit: Fraction) -> int | None:
    """Return how many samples of this spread, above 0, make the mean's t interval exclude ``limit``.

    None where no number of samples does it, or only more than a million million.
    """
    gap = float(abs(mean - limit))
    if Z95 * deviation >= gap * math.sqrt(_MOST):
        return None
    ratio = (deviation / gap) ** 2
    total = max(2, math.ceil(Z95**2 * ratio))
    while total < 1_000 and t_quantile_975(total - 1) ** 2 * ratio > total:  # beyond, t is the normal distribution
        total += 1
    return total


@lru_cache(maxsize=1_024)  # a run asks for the same few again and again
def t_quantile_975(freedom: int) -> float:
    """Return the 97.5th percentile of Student's t distribution."""
    low, high = 1.0, 16.0  # that of one degree of freedom is 12.7, that of endless many 1.96
    for _ in range(60):
        middle = (low + high) / 2
        if t_tail(middle, freedom) > 0.025:
            low = middle
        else:
            high = middle
    return round((low + high) / 2, 8)  # what the mathematical libraries of all platforms agree on
