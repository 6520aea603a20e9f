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
    return _at(values, max(1, math.ceil(share * (len(values) + missing))))


def percentile_interval(
    values: Sequence[Fraction], share: Fraction, *, missing: int = 0
) -> tuple[Fraction | None, Fraction | None]:
    """Return the 95% interval of the percentile, from the ranks of the sorted ``values``; None is an open end.

    It holds every x for which "``share`` of the population is at or below x" is not rejected by the score test,
    so that it excludes a limit exactly when Wilson's interval of the share within that limit excludes ``share``.
    No distribution is assumed; few values cannot bound a high percentile from above, and the end stays open.
    """
    total = len(values) + missing
    centre = share * total
    reach = math.sqrt(_Z95 * _Z95 * centre * (1 - share))
    low, high = math.ceil(centre - Fraction(reach)), math.floor(centre + Fraction(reach)) + 1
    return _at(values, low), _at(values, high)


def _at(values: Sequence[Fraction], rank: int) -> Fraction | None:
    return values[rank - 1] if 1 <= rank <= len(values) else None
