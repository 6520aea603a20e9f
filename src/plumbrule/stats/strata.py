"""Figures over a stratified sample, weighed so that they speak of the population it was drawn from."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from plumbrule.stats.intervals import Z95, Interval
from plumbrule.stats.mean_intervals import mean_estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class WeighedMean:
    """A mean over the population, with its 95% interval and the number of equally weighed values it is worth."""

    value: Fraction
    interval: Interval
    effective: float


def stratified_mean(
    values: Mapping[str, Sequence[Fraction | None]], population: Mapping[str, int]
) -> WeighedMean | None:
    """Return the mean of values in [0, 1], each stratum weighed by its population, with limits of each combined.

    None among the values is something that was sampled but that the figure is not about. The answer is None where the
    figure is about nothing, or where a stratum has a population but nothing of it was sampled. The interval is made by
    MOVER (Zou and Donner, 2008): each stratum has its own interval, Clopper and Pearson's for a share and that of
    ``mean_estimate`` otherwise, and the distances from estimate to limit add up as squares, each side by itself. A
    stratum without an event thus has a bound of its own, and one event more never narrows it. Where the figure is about
    a part of a stratum only, the uncertainty of that part's size is added (the ratio estimator's variance).
    """
    if any(count > 0 and not values.get(key) for key, count in population.items()):
        return None
    sizes = {key: Fraction(population[key], len(sampled)) for key, sampled in values.items() if sampled}
    about = {key: [value for value in values[key] if value is not None] for key, size in sizes.items() if size}
    whole = sum((sizes[key] * len(known) for key, known in about.items()), Fraction())
    if not whole:
        return None
    value = sum((sizes[key] * sum(known, Fraction()) for key, known in about.items()), Fraction()) / whole
    effective = whole**2 / sum((sizes[key] ** 2 * len(known) for key, known in about.items()), Fraction())
    total = float(whole)
    below, above, ratio = [], [], []
    for key, known in about.items():
        if not known:
            continue
        sampled = len(values[key])
        estimate = mean_estimate(known)
        assert estimate is not None  # noqa: S101 - there are values
        weight, mean = float(sizes[key] * len(known)) / total, float(estimate.value)
        below.append((weight * (mean - estimate.interval.low)) ** 2)
        above.append((weight * (estimate.interval.high - mean)) ** 2)
        part = len(known) / sampled
        move = population[key] * (mean - float(value)) / total
        ratio.append(Z95**2 * move**2 * part * (1 - part) / sampled)
    low = float(value) - math.sqrt(math.fsum(below + ratio))
    high = float(value) + math.sqrt(math.fsum(above + ratio))
    return WeighedMean(value=value, interval=Interval(max(0.0, low), min(1.0, high)), effective=float(effective))
