"""Figures over a stratified sample, weighed so that they speak of the population it was drawn from."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from plumbrule.stats.intervals import Z95, Interval, wilson_of_share
from plumbrule.stats.mean_intervals import mean_estimate
from plumbrule.stats.spread import t_quantile_975


@dataclass(frozen=True, slots=True, kw_only=True)
class WeighedMean:
    """A mean over the population, with its 95% interval and the number of equally weighed values it is worth."""

    value: Fraction
    interval: Interval | None
    effective: float


def weighed_mean(values: Mapping[str, Sequence[Fraction | None]], population: Mapping[str, int]) -> WeighedMean | None:
    """Return the mean of values in [0, 1], each stratum weighed by its population.

    None among the values is something that was sampled but that the figure is not about. The answer is None where the
    figure is about nothing, or where a stratum has a population but nothing of it was sampled. The interval comes from
    the spread within the strata: Student's t or, for a share, Wilson's of as many values as would spread like that. It
    is None where a stratum with one value hides its spread; where nothing spreads at all, it is Wilson's of as many
    values as the weights leave.
    """
    if any(count > 0 and not values.get(key) for key, count in population.items()):
        return None
    weights = {key: Fraction(population[key], len(sampled)) for key, sampled in values.items() if sampled}
    weighed = [
        (weight, value) for key, weight in weights.items() for value in values[key] if value is not None and weight
    ]
    total = sum((weight for weight, _ in weighed), Fraction())
    if not total:
        return None
    mean = sum((weight * value for weight, value in weighed), Fraction()) / total
    effective = total**2 / sum((weight**2 for weight, _ in weighed), Fraction())
    return WeighedMean(
        value=mean, interval=_interval(mean, total, float(effective), values, population), effective=float(effective)
    )


def stratified_mean(
    values: Mapping[str, Sequence[Fraction | None]], population: Mapping[str, int]
) -> WeighedMean | None:
    """Return the mean of values in [0, 1], each stratum weighed by its population, with limits of each combined.

    The value is that of ``weighed_mean``. The interval is made by MOVER (Zou and Donner, 2008): each stratum has its
    own interval, Clopper and Pearson's for a share and that of ``mean_estimate`` otherwise, and the distances from
    estimate to limit add up as squares, each side by itself. A stratum without an event thus has a bound of its own,
    and one event more never narrows it. Where the figure is about a part of a stratum only, the uncertainty of that
    part's size is added (the ratio estimator's variance).
    """
    found = weighed_mean(values, population)
    if found is None:
        return None
    sizes = {key: Fraction(population[key], len(sampled)) for key, sampled in values.items() if sampled}
    about = {key: [value for value in values[key] if value is not None] for key, size in sizes.items() if size}
    total = float(sum((sizes[key] * len(known) for key, known in about.items()), Fraction()))
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
        move = population[key] * (mean - float(found.value)) / total
        ratio.append(Z95**2 * move**2 * part * (1 - part) / sampled)
    low = float(found.value) - math.sqrt(math.fsum(below + ratio))
    high = float(found.value) + math.sqrt(math.fsum(above + ratio))
    return replace(found, interval=Interval(max(0.0, low), min(1.0, high)))


def _interval(
    mean: Fraction,
    total: Fraction,
    effective: float,
    values: Mapping[str, Sequence[Fraction | None]],
    population: Mapping[str, int],
) -> Interval | None:
    variances: list[float] = []
    freedoms: list[int] = []
    for key, sampled in values.items():
        if not sampled or not population[key]:
            continue
        # what each value moves the mean by; one that the figure is not about moves it by nothing
        moves = [float(value - mean) if value is not None else 0.0 for value in sampled]
        count = len(moves)
        if count < 2:
            return None
        centre = math.fsum(moves) / count
        within = math.fsum((move - centre) ** 2 for move in moves) / (count - 1)
        variances.append(population[key] ** 2 * within / count)
        freedoms.append(count - 1)
    variance = math.fsum(variances) / float(total) ** 2
    if variance == 0:
        return wilson_of_share(float(mean), effective)
    # Satterthwaite's degrees of freedom: one large stratum is worth no more than its own
    freedom = math.fsum(variances) ** 2 / math.fsum(v * v / f for v, f in zip(variances, freedoms, strict=True))
    quantile = t_quantile_975(max(1, round(freedom)))
    if all(value in {None, 0, 1} for sampled in values.values() for value in sampled):
        worth = float(mean * (1 - mean)) / variance * (Z95 / quantile) ** 2
        return wilson_of_share(float(mean), worth)
    reach = quantile * math.sqrt(variance)
    return Interval(max(0.0, float(mean) - reach), min(1.0, float(mean) + reach))
