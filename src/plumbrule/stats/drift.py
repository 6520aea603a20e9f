"""Drift: small moves in one direction that add up, by a one-sided CUSUM."""

from collections.abc import Iterable


def cusum(deviations: Iterable[float | None], *, slack: float) -> list[float]:
    """Return the running sum after each deviation, given in standard errors and positive for the worse.

    Each adds what it has beyond ``slack``; the sum never falls below 0, and what could not be measured leaves it.
    """
    sums = []
    current = 0.0
    for deviation in deviations:
        if deviation is not None:
            current = max(0.0, current + deviation - slack)
        sums.append(current)
    return sums
