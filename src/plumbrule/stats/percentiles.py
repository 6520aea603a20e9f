"""Percentiles by nearest rank, and the ranks between which the true one lies."""

import math
from collections.abc import Sequence
from fractions import Fraction

from plumbrule.stats.intervals import Z95

_Z95 = Fraction(Z95)


def percentile(values: Sequence[Fraction], share: Fraction, *, missing: int = 0) -> Fraction | None:
    """Return the smallest of the sorted ``values`` that at least ``share`` of all are at or below.

    ``missing`` values are known to exist but not how large they are: they stand above all others, and where
    the rank falls on one of them, as where there is no value at all, the percentile is None.
    """
    return _at(values, percentile_rank(len(values) + missing, share))


def percentile_interval(
    values: Sequence[Fraction], share: Fraction, *, missing: int = 0
) -> tuple[Fraction | None, Fraction | None]:
    """Return the 95% interval of the percentile, from the ranks of the sorted ``values``; None is an open end.

    It holds every x for which "``share`` of the population is at or below x" is not rejected by the score test,
    so that it excludes a limit exactly when Wilson's interval of the share within that limit excludes ``share``.
    No distribution is assumed; few values cannot bound a high percentile from above, and the end stays open.
    """
    low, high = interval_ranks(len(values) + missing, share)
    return _at(values, low), _at(values, high)


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
