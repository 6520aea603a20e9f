"""Several tests at once: p-values adjusted so that looking at many figures or groups makes no false alarm likelier."""

import math
from collections.abc import Sequence

ALPHA = 0.05


def holm(p_values: Sequence[float]) -> list[float]:
    """Return the p-values adjusted by Holm (1979): at most 5% that any true null hypothesis has one below 0.05."""
    adjusted = [1.0] * len(p_values)
    largest = 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = largest
    return adjusted


def can_be_positive(least_p_values: Sequence[float]) -> list[bool]:
    """Tell which tests could be positive at all, by the smallest p-value that each can have (Tarone, 1990).

    A group of two can never show an excess, so that it was looked at makes no false alarm likelier. The smallest
    p-values must not depend on what was counted in the groups, only on how many there are in each and of all.
    """
    tests = 1
    while sum(least < ALPHA / tests for least in least_p_values) > tests:
        tests += 1
    return [least < ALPHA / tests for least in least_p_values]


def excess_p_value(count: int, total: int, all_count: int, all_total: int) -> float:
    """Return the probability that a group of ``total`` has ``count`` events or more when it is like all the others.

    Fisher's exact test, one-sided: ``all_count`` of ``all_total`` have the event, the group among them.
    """
    rest, others = all_total - total, all_count - count

    def log_ways(events: int) -> float:
        return _log_comb(total, events) + _log_comb(rest, all_count - events)

    if others > rest or others < 0 or count > total:
        raise ValueError("the group must be part of the whole")
    most, least = min(total, all_count), max(0, all_count - rest)
    if count <= least:
        return 1.0
    whole = _log_comb(all_total, all_count)
    return min(1.0, math.fsum(math.exp(log_ways(events) - whole) for events in range(count, most + 1)))


def _log_comb(total: int, count: int) -> float:
    return math.lgamma(total + 1) - math.lgamma(count + 1) - math.lgamma(total - count + 1)
