"""Intervals for figures that decide something."""

import math
from typing import NamedTuple

Z95 = 1.959963984540054  # the 97.5th percentile of the normal distribution


class Interval(NamedTuple):
    """A 95% interval."""

    low: float
    high: float


def wilson(successes: int, total: int) -> Interval | None:
    """Return the Wilson interval of a share; None where there is nothing to share."""
    return wilson_of_share(successes / total, total) if total > 0 else None


def wilson_of_share(share: float, total: float) -> Interval:
    """Return the Wilson interval of a share that need not be a count of whole successes, nor of whole trials."""
    z2 = Z95 * Z95
    centre = share + z2 / (2 * total)
    spread = Z95 * math.sqrt(share * (1 - share) / total + z2 / (4 * total * total))
    scale = 1 + z2 / total
    return Interval(max(0.0, (centre - spread) / scale), min(1.0, (centre + spread) / scale))
