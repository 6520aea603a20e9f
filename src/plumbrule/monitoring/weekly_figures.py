"""The figures that are followed week by week, each against its target and its alert threshold."""

import datetime as dt
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal

from plumbrule.errors import InputError
from plumbrule.monitoring.refusal_counts import RefusalCounts, RefusalFacts, count_refusals
from plumbrule.reviews.levels import Scores
from plumbrule.reviews.weeks import monday_of, week_of, weeks_over
from plumbrule.rubrics import Loaded, ScorecardRubric
from plumbrule.rubrics.scorecard_rubric import FigureRule
from plumbrule.stats.drift import cusum
from plumbrule.stats.intervals import Z95, Interval, wilson, wilson_of_share
from plumbrule.stats.spread import mean_of, sample_sd, share_mean_interval
from plumbrule.stats.strata import weighed_mean

Status = Literal["ON_TARGET", "WATCH", "ALERT"]

_WORSE: tuple[Status, ...] = ("ON_TARGET", "WATCH", "ALERT")
_MEANS = ("overall", "dimension")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewed:
    """One reviewed interaction: its card, when it was, the draw and stratum it came from, what is known of refusing."""

    date: dt.date
    scores: Scores
    overall: Fraction
    draw: str | None = None
    stratum: str | None = None
    refusal: RefusalFacts = field(default_factory=RefusalFacts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A figure with its 95% interval; None is a figure of nothing."""

    value: Fraction | None
    interval: Interval | None
    status: Status | None

    def to_dict(self) -> dict[str, Any]:
        """Return the estimate as JSON holds it."""
        return {
            "value": None if self.value is None else float(self.value),
            "interval_95": None if self.interval is None else list(self.interval),
            "status": self.status,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One figure of one week: as sampled and, where the sample was stratified, weighed to the population."""

    key: str
    total: int  # interactions that the figure is about
    raw: Estimate
    reweighted: Estimate | None

    @property
    def status(self) -> Status | None:
        """The worse of the two, None where there is nothing to judge."""
        found = [each.status for each in (self.raw, self.reweighted) if each is not None and each.status is not None]
        return max(found, key=_WORSE.index, default=None)

    def to_dict(self) -> dict[str, Any]:
        """Return the figure as JSON holds it."""
        return {
            "key": self.key,
            "total": self.total,
            **self.raw.to_dict(),
            "status": self.status,
            "reweighted": None if self.reweighted is None else self.reweighted.to_dict(),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftPoint:
    """The running sum of a figure's moves for the worse, in standard errors."""

    week: str
    sum: float
    alarm: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Week:
    """All figures of one ISO week."""

    week: str
    reviewed: int
    interactions: int | None  # all there were, reviewed or not; None where nobody counted
    figures: tuple[Figure, ...]
    refusals: RefusalCounts

    def to_dict(self) -> dict[str, Any]:
        """Return the week as JSON holds it."""
        return {
            "week": self.week,
            "reviewed": self.reviewed,
            "interactions": self.interactions,
            "figures": [figure.to_dict() for figure in self.figures],
            "refusals": self.refusals.to_dict(),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Monitoring:
    """The weeks in order, those without a review among them, and the drift of each figure that is a mean."""

    weeks: tuple[Week, ...]
    drift: Mapping[str, tuple[DriftPoint, ...]]
    refusals: RefusalCounts  # over all the weeks
    rubric: Mapping[str, str]

    @property
    def alerts(self) -> tuple[tuple[str, str], ...]:
        """The week and key of each figure at alert, drift among them."""
        figures = [(week.week, each.key) for week in self.weeks for each in week.figures if each.status == "ALERT"]
        drifting = [(each.week, f"{key} drift") for key, line in self.drift.items() for each in line if each.alarm]
        return (*figures, *drifting)

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as JSON holds it."""
        return {
            "weeks": [week.to_dict() for week in self.weeks],
            "drift": {
                key: [{"week": each.week, "sum": each.sum, "alarm": each.alarm} for each in line]
                for key, line in self.drift.items()
            },
            "refusals": self.refusals.to_dict(),
            "alerts": [list(alert) for alert in self.alerts],
            "rubric": dict(self.rubric),
        }


def monitor(
    reviewed: Sequence[Reviewed],
    loaded: Loaded[ScorecardRubric],
    *,
    populations: Mapping[str, Mapping[str, int]] | None = None,
    interactions: Mapping[str, int] | None = None,
    first: str | None = None,
    last: str | None = None,
) -> Monitoring:
    """Return the figures of every week from the first review to the last, or from week ``first`` to week ``last``.

    ``populations`` says for a draw how many interactions each stratum had, as its manifest does; the figures of what
    was drawn are then weighed to the population, beside the raw ones. ``interactions`` counts all that there were in a
    week. What is normal, for drift, is learnt from the earliest weeks, whether they are shown or not.
    """
    rubric = loaded.rubric
    asked = [monday_of(week) for week in (first, last) if week is not None]
    known = [monday_of(week) for week in interactions or {}]
    grouped: dict[str, list[Reviewed]] = {
        week: [] for week in weeks_over([*(each.date for each in reviewed), *known, *asked])
    }
    for each in reviewed:
        grouped[week_of(each.date)].append(each)
    shown = {week: members for week, members in grouped.items() if (first or week) <= week <= (last or week)}
    populations = populations or {}
    drawn = _by_draw(reviewed, populations)
    return Monitoring(
        weeks=tuple(
            Week(
                week=week,
                reviewed=len(members),
                interactions=None if interactions is None else interactions.get(week, 0),
                figures=tuple(_figure(rule, week, members, drawn, populations, rubric) for rule in rubric.figures),
                refusals=count_refusals([each.refusal for each in members], rubric),
            )
            for week, members in shown.items()
        ),
        drift={
            rule.key: tuple(point for point in _drift(rule, grouped, rubric) if point.week in shown)
            for rule in rubric.figures
            if rule.of in _MEANS
        },
        refusals=count_refusals([each.refusal for members in shown.values() for each in members], rubric),
        rubric=loaded.stamp(),
    )


def status_of(value: Fraction | None, rule: FigureRule) -> Status | None:
    """Hold a figure against its rule: on target, else at or past the alert threshold, else in between."""
    if value is None:
        return None
    if rule.target.met_by(value):
        return "ON_TARGET"
    past = value <= rule.alert if rule.target.higher_is_better else value >= rule.alert
    return "ALERT" if past else "WATCH"


def _by_draw(reviewed: Sequence[Reviewed], populations: Mapping[str, Mapping[str, int]]) -> dict[str, list[Reviewed]]:
    """Return what was reviewed of each draw whose populations are known."""
    drawn: dict[str, list[Reviewed]] = {}
    for each in reviewed:
        if each.draw is None or each.draw not in populations:
            continue
        if each.stratum is None or not populations[each.draw].get(each.stratum):
            raise InputError(
                f"a review of {each.date} was drawn from stratum '{each.stratum}', which has no population in "
                f"'{each.draw}'; give the counts of that draw"
            )
        drawn.setdefault(each.draw, []).append(each)
    return drawn


def _observed(rule: FigureRule, each: Reviewed, rubric: ScorecardRubric) -> Fraction | None:
    """Return what one interaction adds to a figure; None where the figure is not about it."""
    refusal = each.refusal
    match rule.of:
        case "overall":
            return each.overall
        case "dimension":
            score = each.scores[rule.dimension or ""]
            return None if score is None else Fraction(score)
        case "levels":
            return Fraction(not rubric.scores_of(rule.levels).isdisjoint(each.scores.values()))
        case "refusal_precision":
            return Fraction(bool(refusal.should_refuse)) if refusal.judged and refusal.did_refuse else None
        case "refusal_recall":
            return Fraction(bool(refusal.did_refuse)) if refusal.judged and refusal.should_refuse else None


def _figure(
    rule: FigureRule,
    week: str,
    members: Sequence[Reviewed],
    drawn: Mapping[str, Sequence[Reviewed]],
    populations: Mapping[str, Mapping[str, int]],
    rubric: ScorecardRubric,
) -> Figure:
    values = [value for each in members if (value := _observed(rule, each, rubric)) is not None]
    value = mean_of(values)
    low, high = _scale(rule, rubric)
    if rule.of in _MEANS:
        interval = share_mean_interval([(each - low) / (high - low) for each in values])
    else:
        interval = wilson(sum(map(int, values)), len(values))
    here = [draw for draw in dict.fromkeys(each.draw for each in members) if draw is not None and draw in drawn]
    return Figure(
        key=rule.key,
        total=len(values),
        raw=Estimate(value=value, interval=_on_scale(interval, low, high), status=status_of(value, rule)),
        reweighted=_reweighted(rule, week, {draw: drawn[draw] for draw in here}, populations, rubric) if here else None,
    )


def _reweighted(
    rule: FigureRule,
    week: str,
    drawn: Mapping[str, Sequence[Reviewed]],
    populations: Mapping[str, Mapping[str, int]],
    rubric: ScorecardRubric,
) -> Estimate:
    """Weigh a figure of one week; what the same draws brought of other weeks counts for the weights alone."""
    low, high = _scale(rule, rubric)
    by_stratum: dict[str, list[Fraction | None]] = {}
    for draw, members in drawn.items():
        for each in members:
            value = _observed(rule, each, rubric) if week_of(each.date) == week else None
            scaled = None if value is None else (value - low) / (high - low)
            by_stratum.setdefault(f"{draw}/{each.stratum}", []).append(scaled)
    counts = {f"{draw}/{stratum}": count for draw in drawn for stratum, count in populations[draw].items()}
    found = weighed_mean(by_stratum, counts)
    if found is None:
        return Estimate(value=None, interval=None, status=None)
    value = low + found.value * (high - low)
    return Estimate(value=value, interval=_on_scale(found.interval, low, high), status=status_of(value, rule))


def _drift(
    rule: FigureRule, grouped: Mapping[str, Sequence[Reviewed]], rubric: ScorecardRubric
) -> tuple[DriftPoint, ...]:
    """Return the running sum after each week that follows the baseline; none before there is a baseline."""
    weekly = {
        week: [value for each in members if (value := _observed(rule, each, rubric)) is not None]
        for week, members in grouped.items()
    }
    measured = [week for week, values in weekly.items() if values]
    settled = measured[: rubric.drift.baseline_weeks]
    if len(settled) < rubric.drift.baseline_weeks:
        return ()
    normal = mean_of([mean for week in settled if (mean := mean_of(weekly[week])) is not None])
    after = [week for week in weekly if week > settled[-1]]
    deviations = [_deviation(weekly[week], normal, rule, rubric) for week in after]
    sums = cusum(deviations, slack=float(rubric.drift.slack))
    alarm_at = float(rubric.drift.alarm_at)
    return tuple(
        DriftPoint(week=week, sum=total, alarm=total >= alarm_at) for week, total in zip(after, sums, strict=True)
    )


def _deviation(
    values: Sequence[Fraction], normal: Fraction | None, rule: FigureRule, rubric: ScorecardRubric
) -> float | None:
    """Return how far a week lies on the worse side of normal, in standard errors; None where it cannot be told."""
    mean, spread = mean_of(values), sample_sd(values)
    if mean is None or spread is None or normal is None:
        return None
    error = spread / math.sqrt(len(values))
    if error == 0:  # cards that are all alike do not show how far they could have been apart
        low, high = _scale(rule, rubric)
        within = wilson_of_share(float((mean - low) / (high - low)), len(values))
        error = float(high - low) * (within.high - within.low) / (2 * Z95)
    moved = float(normal - mean) / error
    return moved if rule.target.higher_is_better else -moved


def _scale(rule: FigureRule, rubric: ScorecardRubric) -> tuple[Fraction, Fraction]:
    if rule.of in _MEANS:
        return Fraction(rubric.levels[-1].score), Fraction(rubric.levels[0].score)
    return Fraction(0), Fraction(1)


def _on_scale(interval: Interval | None, low: Fraction, high: Fraction) -> Interval | None:
    if interval is None:
        return None
    width = float(high - low)
    return Interval(float(low) + width * interval.low, float(low) + width * interval.high)
