"""An interval that stays valid however often one looks: a confidence sequence by betting."""

import math
from collections.abc import Sequence
from fractions import Fraction

from plumbrule.stats.intervals import Interval

_ALPHA = 0.05
_MOST_STAKE = 0.5  # of the capital that one bet may risk


def always_valid_interval(values: Sequence[Fraction | float | int]) -> Interval | None:
    """Return a 95% interval of the mean of values in [0, 1], valid at every look at once; None for no values.

    The hedged capital process of Waudby-Smith and Ramdas (Estimating means of bounded random variables by betting,
    2024, theorem 3) with their predictable plug-in bets: for each possible mean m one gambler bets that the values lie
    above it, another that they lie below. A mean against which either has made 1 / 0.025 of the stake at any time so
    far is left out for good, so the interval never widens as values are added. It depends on their order.
    """
    if not values:
        return None
    numbers = [float(value) for value in values]
    bets = _bets(numbers)
    low = _lower_end(numbers, bets)
    high = 1 - _lower_end([1 - number for number in numbers], bets)
    mean = math.fsum(numbers) / len(numbers)
    return Interval(min(low, mean), max(high, mean))


def _bets(numbers: Sequence[float]) -> list[float]:
    """Return each value's bet, from the values before it only."""
    bets = []
    total, squares = 0.5, 0.25
    for place, number in enumerate(numbers, 1):
        variance = squares / place
        bets.append(math.sqrt(2 * math.log(2 / _ALPHA) / (variance * place * math.log(place + 1))))
        total += number
        squares += (number - total / (place + 1)) ** 2
    return bets


def _lower_end(numbers: Sequence[float], bets: Sequence[float]) -> float:
    """Return the smallest mean against which the gambler for "above" never made enough: his gain falls as m rises."""
    goal = math.log(2 / _ALPHA)

    def left_out(mean: float) -> bool:
        gain, cap = 0.0, _MOST_STAKE / mean
        for number, bet in zip(numbers, bets, strict=True):
            gain += math.log1p(min(bet, cap) * (number - mean))
            if gain >= goal:
                return True
        return False

    low, high = 0.0, 1.0
    for _ in range(48):
        middle = (low + high) / 2
        if left_out(middle):
            low = middle
        else:
            high = middle
    return low
