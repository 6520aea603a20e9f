"""An interval that stays valid however often one looks: a confidence sequence by betting."""

import math
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from fractions import Fraction

from plumbrule.stats.intervals import Interval

_ALPHA = 0.05
_MOST_STAKE = 0.5  # of the capital that one bet may risk


def always_valid_interval(values: Sequence[Fraction | float | int], *, alpha: float = _ALPHA) -> Interval | None:
    """Return a 95% interval of the mean of values in [0, 1], valid at every look at once; None for no values.

    The hedged capital process of Waudby-Smith and Ramdas (Estimating means of bounded random variables by betting,
    2024, theorem 3) with their predictable plug-in bets: for each possible mean m one gambler bets that the values lie
    above it, another that they lie below. A mean against which either has made 2 / ``alpha`` of the stake at any time
    so far is left out for good, so the interval never widens as values are added. It depends on their order.
    """
    if not values:
        return None
    numbers = [float(value) for value in values]
    bets, goal = _bets(numbers), math.log(2 / alpha)
    low = _lower_end(numbers, bets, goal)
    high = 1 - _lower_end([1 - number for number in numbers], bets, goal)
    mean = _mean(numbers)
    return Interval(min(low, mean), max(high, mean))


def always_valid_p_value(values: Sequence[Fraction | float | int], mean: float) -> float:
    """Return the two-sided p-value of values in [0, 1] whose true mean is ``mean``, valid at every look at once.

    It is twice the inverse of the most that either gambler of ``always_valid_interval`` ever had (Ville's inequality),
    so that it is at most .05 where the 95% interval leaves the mean out.
    """
    numbers = [float(value) for value in values]
    bets = _bets(numbers)
    above = max(_gains(numbers, bets, mean), default=0.0)
    below = max(_gains([1 - number for number in numbers], bets, 1 - mean), default=0.0)
    return min(1.0, 2 * math.exp(-max(0.0, above, below)))


def always_valid_percentile(
    groups: Sequence[Sequence[Fraction | None]], share: Fraction, *, alpha: float = _ALPHA
) -> tuple[Fraction | None, Fraction | None]:
    """Return the 95% interval of a percentile that is valid at every look at once; None is an open end.

    A value may be the percentile where the share of values at or below it may be ``share``. Each of the groups, such
    as the repeats of one sample, counts once. None could be anything: for the low end it is at or below, for the high
    end it is not.
    """
    known = sorted({value for values in groups for value in values if value is not None})
    goal = math.log(2 / alpha)

    def at_or_below(place: Fraction, *, null: bool) -> list[float]:
        return [sum(null if value is None else value <= place for value in values) / len(values) for values in groups]

    def may_reach(place: Fraction) -> bool:
        """Whether the interval of the share at or below a place ends at ``share`` or above it."""
        shares = at_or_below(place, null=True)
        below = [1 - number for number in shares]
        return _mean(shares) >= share or not _is_beaten(below, _bets(shares), float(1 - share), goal)

    def must_reach(place: Fraction) -> bool:
        """Whether that interval begins at ``share`` or above it."""
        shares = at_or_below(place, null=False)
        return _mean(shares) >= share and _is_beaten(shares, _bets(shares), float(share), goal)

    low = bisect_left(known, x=True, key=may_reach)
    high = bisect_left(known, x=True, key=must_reach)
    return (known[low] if 0 < low < len(known) else None), (known[high] if high < len(known) else None)


def _mean(numbers: Sequence[float]) -> float:
    return math.fsum(numbers) / len(numbers)


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


def _gains(numbers: Sequence[float], bets: Sequence[float], mean: float) -> Iterator[float]:
    """Yield the logarithm of what the gambler for "above" has after each value."""
    gain, cap = 0.0, _MOST_STAKE / mean
    for number, bet in zip(numbers, bets, strict=True):
        gain += math.log1p(min(bet, cap) * (number - mean))
        yield gain


def _is_beaten(numbers: Sequence[float], bets: Sequence[float], mean: float, goal: float) -> bool:
    """Tell whether the gambler for "above" has ever made enough against a mean to leave it out."""
    return any(gain >= goal for gain in _gains(numbers, bets, mean))


def _lower_end(numbers: Sequence[float], bets: Sequence[float], goal: float) -> float:
    """Return the smallest mean against which the gambler for "above" never made enough: his gain falls as m rises."""
    low, high = 0.0, 1.0
    for _ in range(48):
        middle = (low + high) / 2
        if _is_beaten(numbers, bets, middle, goal):
            low = middle
        else:
            high = middle
    return low
