"""Intervals for figures that decide something."""

import math
from typing import NamedTuple

_Z95 = 1.959963984540054  # the 97.5th percentile of the normal distribution


class Interval(NamedTuple):
    """A 95% interval."""

    low: float
    high: float


def wilson(successes: int, total: int) -> Interval | None:
    """Return the Wilson interval of a share; None where there is nothing to share."""
    if total <= 0:
        return None
    share = successes / total
    z2 = _Z95 * _Z95
    centre = share + z2 / (2 * total)
    spread = _Z95 * math.sqrt(share * (1 - share) / total + z2 / (4 * total * total))
    scale = 1 + z2 / total
    return Interval(max(0.0, (centre - spread) / scale), min(1.0, (centre + spread) / scale))
