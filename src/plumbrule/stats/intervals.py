"""What an interval is, and the quantile that makes it one of 95%."""

from typing import NamedTuple

Z95 = 1.959963984540054  # the 97.5th percentile of the normal distribution


class Interval(NamedTuple):
    """A 95% interval."""

    low: float
    high: float
