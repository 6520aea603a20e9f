"""Percentiles by nearest rank, and the ranks between which the true one lies."""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from fractions import Fraction

from plumbrule.stats.intervals import Z95
from plumbrule.stats.quantiles import beta_cdf

_Z95 = Fraction(Z95)
_TAIL = 0.025


def percentile(values: Sequence[Fraction], share: Fraction, *, missing: int = 0) -> Fraction | None:
    """Return the smallest of the sorted ``values`` that at least ``share`` of all are at or below.

    ``missing`` values are known to exist but not how large they are: they stand above all others, and where
    the rank falls on one of them, as where there is no value at all, the percentile is None.
    """
    return _at(values, percentile_rank(len(values) + missing, share))


def percentile_bounds(
    values: Sequence[Fraction], share: Fraction, *, missing: int = 0, effective: float | None = None
) -> tuple[Fraction | None, Fraction | None]:
    """Return the 95% interval of the percentile of sorted ``values`` when some are missing; None is an open end.

    The low end is what the interval would be if the missing values were the smallest of all, the high end if they were
    the largest: they could be anything, so they can neither fail a limit nor meet it for certain. The ranks are exact
    by the binomial distribution (David and Nagaraja, Order Statistics, section 7.1), so that at least 95% are covered
    whatever the distribution, and more where values are tied. ``effective`` is the number of independent values that
    clustered or repeated ones are worth (Woodruff, 1952): ``effective_size`` of the values at or below the percentile.
    """
    total = len(values) + missing
    if total == 0:
        return None, None
    low, high = exact_ranks(total, share, effective=effective)
    return _at(values, low - missing), _at(values, high)


def exact_ranks(total: int, share: Fraction, *, effective: float | None = None) -> tuple[int, int]:
    """Return the ranks that hold the true percentile between them in 95%; 0 and ``total`` + 1 are open ends."""
    worth = float(total) if effective is None else min(effective, float(total))
    above = 1 - float(share)

    def at_or_below(rank: int) -> float:
        """Return the probability that the percentile has at most ``rank`` values at or below it."""
        count = rank * worth / total
        return 1.0 if rank >= total else beta_cdf(above, worth - count, count + 1)

    def surely_at_or_below(rank: int) -> float:
        """Return the same, where the last of the independent values is there or not: a part of it bounds nothing."""
        count = min(rank * worth / total, worth - 1)
        return 1.0 if rank >= total else beta_cdf(above, worth - count, count + 1) if count > -1 else 0.0

    low = bisect_right(range(total), _TAIL, key=at_or_below)
    high = bisect_left(range(total + 1), 1 - _TAIL, key=surely_at_or_below) + 1
    return low, high


def percentile_rank(total: int, share: Fraction) -> int:
    """Return the rank of the percentile among ``total`` values, from 1."""
    return max(1, math.ceil(share * total))


def interval_ranks(total: int, share: Fraction) -> tuple[int, int]:
    """Return the ranks between which the true percentile lies; one that is not among 1 to ``total`` is an open end."""
    centre = share * total
    reach = Fraction(math.sqrt(_Z95 * _Z95 * centre * (1 - share)))
    return math.ceil(centre - reach), math.floor(centre + reach) + 1


def _at(values: Sequence[Fraction], rank: int) -> Fraction | None:
    return values[rank - 1] if 1 <= rank <= len(values) else None
