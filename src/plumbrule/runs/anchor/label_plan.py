"""Before a run: how many samples and how many labels by people a figure needs to be told from its limit."""

import math
from dataclasses import dataclass

from plumbrule.errors import UsageError
from plumbrule.stats.prediction_powered import AnsweredShare, LabelOutlook
from plumbrule.stats.sample_sizes import (
    POWER,
    prediction_correlation,
    share_margin_samples,
    share_power_samples,
)

_MULTIPLES = (1, 2, 5, 10)  # of the labels that it takes without a judge: sample sizes to choose from


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedJudge:
    """A judge with this sensitivity and specificity: what it would show of such answers, and what its word is worth."""

    sensitivity: float  # of the answers that people pass, the share that the judge passes
    specificity: float  # of the answers that people fail, the share that the judge fails
    shows: float  # the rate that the judge alone shows, however many samples there are
    bias: float  # by how much that differs from the rate by people
    correlation: float
    misleads: bool  # the rate that it shows is on the other side of the limit


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedSize:
    """So many samples, and so many of them labelled; None where so many samples cannot be enough."""

    samples: int
    labels: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelPlan:
    """How many samples and labels tell a rate from its limit with 80% power, or reach a margin.

    ``samples_by_judge`` is for a judge that is always right. ``labels_alone`` is without any judge. ``sizes`` are pairs
    that do, with this judge; ``asked`` is the pair for the samples or the labels that were given.
    """

    rate: float
    limit: float | None
    margin: float | None  # how far the 95% interval may reach to either side, where there is no limit
    power: float | None  # where there is a limit
    judge: PlannedJudge | None
    samples_by_judge: int
    labels_alone: int
    asked: PlannedSize | None
    sizes: tuple[PlannedSize, ...]


def plan_labels(
    *,
    rate: float,
    limit: float | None = None,
    margin: float | None = None,
    sensitivity: float | None = None,
    specificity: float | None = None,
    samples: int | None = None,
    labels: int | None = None,
) -> LabelPlan:
    """Return how many samples and labels it takes for a rate that is expected to be ``rate``.

    Give a ``limit`` that the rate must be told from, or a ``margin`` that its interval must keep.
    """
    _check_shares(rate=rate, limit=limit, sensitivity=sensitivity, specificity=specificity)
    if not 0 < rate < 1:
        raise UsageError(f"the rate must be between 0 and 1, not {rate:g}: what never varies needs no plan")
    if (limit is None) == (margin is None):
        raise UsageError("give a limit or a margin, one of them")
    if margin is not None and not 0 < margin < 1:
        raise UsageError("the margin must be between 0 and 1")
    if (sensitivity is None) != (specificity is None):
        raise UsageError("give both sensitivity and specificity, or neither")
    if samples is not None and labels is not None:
        raise UsageError("give samples or labels, and the plan says how many of the other")
    if limit == rate:
        raise UsageError("the rate is expected at its limit: no number of samples tells one from the other")
    judge = None
    if sensitivity is not None and specificity is not None:
        judge = _planned_judge(rate, limit, sensitivity, specificity)
    goal = _Goal(outlook=_outlook(rate, judge), limit=limit, margin=margin)
    alone = goal.labels(None)
    by_judge = _samples_by_judge(rate, limit, margin)
    if alone is None or by_judge is None:
        raise UsageError("the rate is expected so near its limit that no number of samples tells one from the other")
    asked = None
    if samples is not None:
        asked = PlannedSize(samples=samples, labels=goal.labels(samples))
    elif labels is not None:
        enough = goal.samples(labels)
        asked = None if enough is None else PlannedSize(samples=enough, labels=labels)
    counts = [_rounded_up(alone * multiple) for multiple in (_MULTIPLES if judge else ())]
    return LabelPlan(
        rate=rate,
        limit=limit,
        margin=margin,
        power=None if limit is None else POWER,
        judge=judge,
        samples_by_judge=by_judge,
        labels_alone=alone,
        asked=asked,
        sizes=tuple(PlannedSize(samples=count, labels=goal.labels(count)) for count in counts),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Goal:
    """What the interval that decides must do: exclude a limit with 80% power, or keep a margin."""

    outlook: LabelOutlook
    limit: float | None
    margin: float | None

    def labels(self, samples: int | None) -> int | None:
        """Return how many labels it takes among so many samples, or without a judge."""
        if self.limit is not None:
            return self.outlook.labels_for_power(self.limit, samples=samples, power=POWER)
        assert self.margin is not None  # noqa: S101 - one of the two is given
        return self.outlook.labels_for_margin(self.margin, samples=samples)

    def samples(self, labels: int) -> int | None:
        """Return how many samples it takes with so many labels."""
        if self.limit is not None:
            return self.outlook.samples_for_power(self.limit, labels=labels, power=POWER)
        assert self.margin is not None  # noqa: S101 - one of the two is given
        return self.outlook.samples_for_margin(self.margin, labels=labels)


def _outlook(rate: float, judge: PlannedJudge | None) -> LabelOutlook:
    """Return what people and the judge are expected to say; without a judge, predictions that tell nothing."""
    sensitivity, specificity = (judge.sensitivity, judge.specificity) if judge else (0.0, 1.0)
    shares = {
        (1.0, 1.0): rate * sensitivity,
        (1.0, 0.0): rate * (1 - sensitivity),
        (0.0, 1.0): (1 - rate) * (1 - specificity),
        (0.0, 0.0): (1 - rate) * specificity,
    }
    return LabelOutlook(
        value=rate,
        answers=[
            AnsweredShare(label=label, prediction=prediction, share=share)
            for (label, prediction), share in shares.items()
        ],
    )


def _samples_by_judge(rate: float, limit: float | None, margin: float | None) -> int | None:
    """Return how many samples it takes with a judge that is always right, by the exact interval of a share."""
    if limit is not None:
        return share_power_samples(rate, limit)
    assert margin is not None  # noqa: S101 - one of the two is given
    return share_margin_samples(rate, margin)


def _planned_judge(rate: float, limit: float | None, sensitivity: float, specificity: float) -> PlannedJudge:
    shows = rate * sensitivity + (1 - rate) * (1 - specificity)
    return PlannedJudge(
        sensitivity=sensitivity,
        specificity=specificity,
        shows=shows,
        bias=shows - rate,
        correlation=prediction_correlation(rate, sensitivity, specificity) or 0.0,
        misleads=limit is not None and (rate - limit) * (shows - limit) < 0,
    )


def _check_shares(**shares: float | None) -> None:
    for name, share in shares.items():
        if share is not None and not 0 <= share <= 1:
            raise UsageError(f"{name} must be between 0 and 1, not {share:g}")


def _rounded_up(count: int) -> int:
    """Return a count with two digits that count, such as 1,300 for 1,234."""
    step = int("1" + "0" * max(0, len(str(count)) - 2))
    return math.ceil(count / step) * step
