"""Drift: small moves in one direction that add up, by a one-sided CUSUM."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist

from plumbrule.stats.quantiles import t_tail

Value = Fraction | float | int
_LEAST_TAIL = 1e-15  # beyond, a score is as large as a score can be
_LEAST_SKEW = 1e-6


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


def week_deviations(
    weeks: Sequence[Sequence[Value]], *, baseline: int, higher_is_better: bool = True
) -> list[float | None]:
    """Return for each week after the baseline how far it lies on the worse side of all weeks before it.

    Values are in [0, 1]; the baseline is the first ``baseline`` weeks that have any. Each deviation is a standard
    normal score while nothing changes, and independent of those before: the self-starting CUSUM (Hawkins, 1987), which
    compares a week with the mean of all values before it and counts that mean's own uncertainty. Added up by ``cusum``,
    a baseline that was high by chance thus raises no alarm. The spread is that of all values so far with one
    pseudo-value at either end of the scale; scores are normal after Wilson and Hilferty's cube root, which takes the
    skewness out of weeks with few, rare failures. None is a week without values. Empty before there is a baseline.
    """
    sums = _PowerSums()
    deviations: list[float | None] = []
    measured = 0
    for week in weeks:
        values = [float(value) if higher_is_better else 1 - float(value) for value in week]
        before = sums
        sums = sums.plus(values)
        if measured >= baseline:
            deviations.append(_deviation(before, sums, values) if values else None)
        measured += bool(values)
    return deviations


@dataclass(frozen=True, slots=True, kw_only=True)
class _PowerSums:
    """How many values there are so far, and the sums of their first three powers."""

    count: int = 0
    first: float = 0.0
    second: float = 0.0
    third: float = 0.0

    def plus(self, values: Sequence[float]) -> "_PowerSums":
        return _PowerSums(
            count=self.count + len(values),
            first=math.fsum([self.first, *values]),
            second=math.fsum([self.second, *(value**2 for value in values)]),
            third=math.fsum([self.third, *(value**3 for value in values)]),
        )


def _deviation(before: _PowerSums, so_far: _PowerSums, values: Sequence[float]) -> float:
    total, few, many = so_far.count + 2, len(values), before.count
    mean, second, third = ((power + 1) / total for power in (so_far.first, so_far.second, so_far.third))
    variance = second - mean**2
    skewness = (third - 3 * mean * second + 2 * mean**3) / math.pow(variance, 1.5)
    moved = before.first / many - math.fsum(values) / few
    scale = 1 / few + 1 / many
    t = moved / math.sqrt(variance * total / (total - 1) * scale)
    tail = max(t_tail(abs(t), total - 1), _LEAST_TAIL)
    score = math.copysign(-NormalDist().inv_cdf(tail), t)
    skew = -skewness * (1 / few**2 - 1 / many**2) / math.pow(scale, 1.5)
    if abs(skew) < _LEAST_SKEW:
        return score
    return 6 / skew * (math.cbrt(max(0.0, 1 + skew * score / 2)) - 1) + skew / 6
