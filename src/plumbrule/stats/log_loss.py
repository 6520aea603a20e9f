"""Log loss of probabilities, and whether one calibration is better than another on the same labels."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from plumbrule.stats.intervals import Interval
from plumbrule.stats.quantiles import t_quantile, t_tail

_BOUND = 1e-15  # a probability of 0 or 1 that was wrong would cost without end

Preference = Literal["first", "second", "no clear difference"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LogLossGap:
    """Mean log loss of two calibrations; second less first with its 95% interval and p-value, below 0 for the better.

    The interval and the p-value are None below two labels or, where all differences are alike, since that shows no
    spread to judge by.
    """

    first: float
    second: float
    difference: float
    interval: Interval | None
    p_value: float | None
    labels: int

    @property
    def better(self) -> Preference:
        """Which of the two is clearly the better."""
        if self.interval is None or self.interval.low <= 0 <= self.interval.high:
            return "no clear difference"
        return "second" if self.interval.high < 0 else "first"


def log_losses(probabilities: Sequence[float], positives: Sequence[bool]) -> list[float]:
    """Return minus the log of the probability that was given to what came true, for each label."""
    return [
        -math.log(min(1.0 - _BOUND, max(_BOUND, probability if positive else 1 - probability)))
        for probability, positive in zip(probabilities, positives, strict=True)
    ]


def log_loss_gap(first: Sequence[float], second: Sequence[float], positives: Sequence[bool]) -> LogLossGap | None:
    """Compare two calibrations by the paired t-test of their log losses on the same labels; None without labels.

    Log loss is a proper score, so that, other than the expected calibration error, it has no bias in favour of a curve
    that was fitted again (Gneiting and Raftery, 2007). Probabilities of the second must come from folds that it was not
    fitted to.
    """
    if not positives:
        return None
    before, after = log_losses(first, positives), log_losses(second, positives)
    moves = [late - early for early, late in zip(before, after, strict=True)]
    total = len(moves)
    mean = math.fsum(moves) / total
    interval, p_value = None, None
    square = math.fsum((move - mean) ** 2 for move in moves)
    if total > 1 and square > 0 and len(set(moves)) > 1:
        error = math.sqrt(square / (total - 1) / total)
        reach = t_quantile(0.975, total - 1) * error
        interval, p_value = Interval(mean - reach, mean + reach), 2 * t_tail(abs(mean) / error, total - 1)
    return LogLossGap(
        first=math.fsum(before) / total,
        second=math.fsum(after) / total,
        difference=mean,
        interval=interval,
        p_value=p_value,
        labels=total,
    )
