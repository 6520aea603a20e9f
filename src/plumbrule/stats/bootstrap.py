"""Intervals by resampling items: for figures that no formula gives an interval for.

Items are what was drawn independently: an interaction with all its ratings, an answer with its label. Rows of one item
stay together. Reference: Efron and Tibshirani, An Introduction to the Bootstrap, chapters 13 and 14.
"""

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal, TypeVar

from plumbrule.stats.intervals import Interval

RESAMPLES = 2_000
BootstrapMethod = Literal["percentile", "bca", "basic"]
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Resampled:
    """A figure over items with its 95% interval; ``undefined`` resamples had no such figure."""

    value: float | None
    interval: Interval | None
    items: int
    undefined: int


def resample_items(
    items: Sequence[T],
    figure: Callable[[Sequence[T]], float | None],
    *,
    seed: int,
    resamples: int = RESAMPLES,
    method: BootstrapMethod = "percentile",
) -> Resampled:
    """Return a figure with the interval of a seeded bootstrap over its items.

    ``percentile`` takes the middle 95% of the resampled figures; ``bca`` corrects them for bias and skewness (Efron,
    1987); ``basic`` reflects them at the figure, fit for a figure that a resample makes larger on average, such as an
    expected calibration error. The interval is None below two items, or where fewer than half of the resamples have a
    figure.
    """
    count = len(items)
    value = figure(items) if count else None
    if value is None or count < 2 or resamples == 0:
        return Resampled(value=value, interval=None, items=count, undefined=0)
    draw = random.Random(seed).random  # noqa: S311 - a resample is no secret; random() is the same in every Python
    drawn = [figure([items[int(draw() * count)] for _ in range(count)]) for _ in range(resamples)]
    found = sorted(each for each in drawn if each is not None)
    undefined = resamples - len(found)
    if 2 * len(found) < resamples:
        return Resampled(value=value, interval=None, items=count, undefined=undefined)
    if method == "bca":
        without = [figure([*items[:place], *items[place + 1 :]]) for place in range(count)]
        interval = bca_interval(value, found, [each for each in without if each is not None])
    else:
        interval = Interval(at_share(found, 0.025), at_share(found, 0.975))
        if method == "basic":
            interval = Interval(2 * value - interval.high, 2 * value - interval.low)
    return Resampled(value=value, interval=interval, items=count, undefined=undefined)


def bca_interval(value: float, resampled: Sequence[float], without_one: Sequence[float]) -> Interval:
    """Return the bias-corrected and accelerated interval from sorted resamples and the figures without one item."""
    normal = NormalDist()
    below = sum(each < value for each in resampled) + sum(each == value for each in resampled) / 2
    share = below / len(resampled)
    if not 0 < share < 1:  # the figure lies beyond all resamples: nothing to correct by
        return Interval(at_share(resampled, 0.025), at_share(resampled, 0.975))
    bias = normal.inv_cdf(share)
    mean = math.fsum(without_one) / len(without_one)
    moves = [mean - each for each in without_one]
    squares = math.fsum(move * move for move in moves)
    acceleration = math.fsum(move**3 for move in moves) / (6 * squares**1.5) if squares > 0 else 0.0

    def moved(probability: float) -> float:
        z = bias + normal.inv_cdf(probability)
        return normal.cdf(bias + z / (1 - acceleration * z))

    return Interval(at_share(resampled, moved(0.025)), at_share(resampled, moved(0.975)))


def at_share(ordered: Sequence[float], share: float) -> float:
    """Return the value of sorted ones that this share is at or below, by nearest rank."""
    return ordered[min(len(ordered) - 1, max(0, math.ceil(share * len(ordered)) - 1))]
