"""The figures that are followed week by week, each against its target and its alert threshold."""

import datetime as dt
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from plumbrule.codec import take_fields
from plumbrule.errors import InputError
from plumbrule.interactions.weeks import monday_of, week_of, weeks_over
from plumbrule.monitoring.monitoring_report import (
    AlertState,
    DriftPoint,
    EstimateResult,
    FigureResult,
    Status,
    WeekResult,
)
from plumbrule.monitoring.refusal_counts import RefusalCounts, RefusalFacts, count_refusals
from plumbrule.monitoring.reviewed_interactions import ReviewedInteractions
from plumbrule.names import key_of_trace
from plumbrule.reviews.levels import Scores
from plumbrule.rubrics import Loaded, ScorecardRubric
from plumbrule.rubrics.scorecard_rubric import FigureRule
from plumbrule.stats.drift import cusum, week_deviations
from plumbrule.stats.intervals import Interval
from plumbrule.stats.mean_intervals import MeanEstimate, mean_estimate
from plumbrule.stats.sample_sizes import mean_power_samples, share_power_samples
from plumbrule.stats.spread import mean_of
from plumbrule.stats.strata import WeighedMean, stratified_mean

_WORSE: tuple[Status, ...] = ("ON_TARGET", "WATCH", "ALERT")
_STATES: tuple[AlertState, ...] = ("ok", "inconclusive", "alert")
_MEANS = ("overall", "dimension")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewed:
    """One review: its scores, its date, the draw and stratum it came from, what is known of refusing.

    Reviews with the same ``interaction`` are of one, which counts once; None is an interaction of its own.
    """

    date: dt.date
    scores: Scores
    overall: Fraction
    draw: str | None = None
    stratum: str | None = None
    refusal: RefusalFacts = field(default_factory=RefusalFacts)
    interaction: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A figure with its 95% interval; None is a figure of nothing.

    ``state`` is what the interval says of the alert threshold, ``settles_at`` how many reviews would settle it with a
    power of 80% if the figure were the true one; None where no number would.
    """

    value: Fraction | None
    interval: Interval | None
    status: Status | None
    state: AlertState | None = None
    settles_at: int | None = None

    def result(self) -> EstimateResult:
        """Return the estimate in decimals."""
        value = None if self.value is None else float(self.value)
        return EstimateResult(value=value, interval_95=self.interval, status=self.status)


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
        estimates = [self.raw] if self.reweighted is None else [self.raw, self.reweighted]
        statuses = [estimate.status for estimate in estimates if estimate.status is not None]
        return max(statuses, key=_WORSE.index, default=None)

    @property
    def state(self) -> AlertState | None:
        """What the intervals say of the alert threshold: the worse of the two."""
        states = [estimate.state for estimate in (self.raw, self.reweighted) if estimate and estimate.state is not None]
        return max(states, key=_STATES.index, default=None)

    @property
    def reviews_to_settle(self) -> int | None:
        """About how many more reviews of the week would settle an inconclusive state; None where none would."""
        estimates = [estimate for estimate in (self.raw, self.reweighted) if estimate is not None]
        needed = [estimate.settles_at for estimate in estimates if estimate.state == "inconclusive"]
        if self.state != "inconclusive" or None in needed:
            return None
        return max(1, max(count for count in needed if count is not None) - self.total)

    def result(self) -> FigureResult:
        """Return the figure in decimals."""
        raw = self.raw.result()
        reweighted = None if self.reweighted is None else self.reweighted.result()
        return take_fields(FigureResult, self, value=raw.value, interval_95=raw.interval_95, reweighted=reweighted)


@dataclass(frozen=True, slots=True, kw_only=True)
class Week:
    """All figures of one ISO week."""

    week: str
    reviewed: int
    interactions: int | None  # all there were, reviewed or not; None where nobody counted
    figures: tuple[Figure, ...]
    refusals: RefusalCounts

    def result(self) -> WeekResult:
        """Return the week in decimals."""
        return WeekResult(
            week=self.week,
            reviewed=self.reviewed,
            interactions=self.interactions,
            figures=tuple(figure.result() for figure in self.figures),
            refusals=self.refusals.result(),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Monitoring:
    """The weeks in order, including those without a review, and the drift of each figure that is a mean."""

    weeks: tuple[Week, ...]
    drift: Mapping[str, tuple[DriftPoint, ...]]
    refusals: RefusalCounts  # over all the weeks
    rubric: Mapping[str, str]
    remarks: tuple[str, ...]

    @property
    def inconclusive(self) -> tuple[Figure, ...]:
        """The figures of the last week with reviews whose intervals hold their alert thresholds."""
        reviewed = [week for week in self.weeks if week.reviewed]
        return tuple(figure for figure in reviewed[-1].figures if figure.state == "inconclusive") if reviewed else ()


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

    ``populations`` gives the number of interactions in each stratum of a draw, as its manifest does; the figures of
    what was drawn are then weighed to the population, beside the raw ones. ``interactions`` counts all that there were
    in a week. What is normal, for drift, is learnt from the earliest weeks, whether they are shown or not. Of several
    reviews of one interaction the worst counts, so that neither a later nor an earlier one can hide it; to weigh a
    draw, its own review of the interaction counts.
    """
    rubric = loaded.rubric
    once, repeated = _once(reviewed)
    asked = [monday_of(week) for week in (first, last) if week is not None]
    known = [monday_of(week) for week in interactions or {}]
    grouped: dict[str, list[Reviewed]] = {
        week: [] for week in weeks_over([*(review.date for review in reviewed), *known, *asked])
    }
    for review in once:
        grouped[week_of(review.date)].append(review)
    shown = {week: members for week, members in grouped.items() if (first or week) <= week <= (last or week)}
    populations = populations or {}
    drawn = _by_draw(reviewed, populations)
    return Monitoring(
        weeks=tuple(
            Week(
                week=week,
                reviewed=len(members),
                interactions=None if interactions is None else max(interactions.get(week, 0), len(members)),
                figures=tuple(_figure(rule, week, members, drawn, populations, rubric) for rule in rubric.figures),
                refusals=count_refusals([review.refusal for review in members], rubric),
            )
            for week, members in shown.items()
        ),
        drift={
            rule.key: tuple(point for point in _drift(rule, grouped, rubric) if point.week in shown)
            for rule in rubric.figures
            if rule.of in _MEANS
        },
        refusals=count_refusals([review.refusal for members in shown.values() for review in members], rubric),
        rubric=loaded.stamp(),
        remarks=(f"reviewed more than once, counted once by the worst review: {repeated} interactions",)
        if repeated
        else (),
    )


def _once(reviewed: Sequence[Reviewed]) -> tuple[list[Reviewed], int]:
    """Return one review of each interaction, the worst, and how many interactions had several."""
    worst: dict[object, Reviewed] = {}
    several = set()
    for number, review in enumerate(reviewed):
        key = number if review.interaction is None else review.interaction
        if key in worst:
            several.add(key)
        worst[key] = min(worst.get(key, review), review, key=_severity)
    return list(worst.values()), len(several)


def _severity(review: Reviewed) -> tuple[int, Fraction]:
    """Return what reviews are ordered by, the worst first: the lowest level, then the overall score."""
    levels = [score for score in review.scores.values() if score is not None]
    return min(levels, default=0), review.overall


def figures_over(
    reviewed: ReviewedInteractions,
    loaded: Loaded[ScorecardRubric],
    *,
    first: str | None = None,
    last: str | None = None,
) -> Monitoring:
    """Return the figures by week of what was reviewed."""
    return monitor(
        [
            Reviewed(
                date=review.date,
                scores=review.settlement.scores,
                overall=review.decision.overall,
                draw=review.draw,
                stratum=review.stratum,
                refusal=review.refusal,
                interaction=None if review.trace_id is None else key_of_trace(review.trace_id),
            )
            for review in reviewed.reviewed
        ],
        loaded,
        populations=reviewed.populations,
        interactions=reviewed.traffic,
        first=first,
        last=last,
    )


def status_of(value: Fraction | None, rule: FigureRule) -> Status | None:
    """Compare a figure with its rule: on target, else at or past the alert threshold, else in between."""
    if value is None:
        return None
    if rule.target.met_by(value):
        return "ON_TARGET"
    past = value <= rule.alert if rule.target.higher_is_better else value >= rule.alert
    return "ALERT" if past else "WATCH"


def worst_of(figures: Sequence[FigureResult], rule: FigureRule) -> FigureResult:
    """Return the worst of a figure's weeks, the first of several; a week without a value is never the worst of some."""
    sign = 1 if rule.target.higher_is_better else -1
    return min(figures, key=lambda figure: (figure.value is None, sign * (figure.value or 0)))


def _by_draw(reviewed: Sequence[Reviewed], populations: Mapping[str, Mapping[str, int]]) -> dict[str, list[Reviewed]]:
    """Return what was reviewed of each draw whose populations are known."""
    drawn: dict[str, list[Reviewed]] = {}
    for review in reviewed:
        if review.draw is None or review.draw not in populations:
            continue
        if review.stratum is None or not populations[review.draw].get(review.stratum):
            raise InputError(
                f"a review of {review.date} was drawn from stratum '{review.stratum}', which has no population in "
                f"'{review.draw}'; give the counts of that draw"
            )
        drawn.setdefault(review.draw, []).append(review)
    return drawn


def _observed(rule: FigureRule, review: Reviewed, rubric: ScorecardRubric) -> Fraction | None:
    """Return what one interaction adds to a figure; None where the figure is not about it."""
    refusal = review.refusal
    match rule.of:
        case "overall":
            return review.overall
        case "dimension":
            score = review.scores[rule.dimension or ""]
            return None if score is None else Fraction(score)
        case "levels":
            return Fraction(not rubric.scores_of(rule.levels).isdisjoint(review.scores.values()))
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
    values = [value for review in members if (value := _observed(rule, review, rubric)) is not None]
    value = mean_of(values)
    low, high = scale_of(rule, rubric)
    estimate = mean_estimate([(score - low) / (high - low) for score in values])
    interval = None if estimate is None else _on_scale(estimate.interval, low, high)
    here = [draw for draw in dict.fromkeys(review.draw for review in members) if draw is not None and draw in drawn]
    return Figure(
        key=rule.key,
        total=len(values),
        raw=Estimate(
            value=value,
            interval=interval,
            status=status_of(value, rule),
            state=state_of(value, interval, rule, rubric),
            settles_at=None if estimate is None else _settles_at(estimate, (rule.alert - low) / (high - low)),
        ),
        reweighted=_reweighted(rule, week, {draw: drawn[draw] for draw in here}, populations, rubric) if here else None,
    )


def state_of(
    value: Fraction | None, interval: Interval | None, rule: FigureRule, rubric: ScorecardRubric
) -> AlertState | None:
    """Tell whether the whole interval of a figure is past its alert threshold, or none of it is.

    A threshold at the end of the scale, such as no Unsafe at all, is kept by every review or by none: no interval could
    exclude it, so what was seen decides.
    """
    if value is None:
        return None
    past = status_of(value, rule) == "ALERT"
    if rule.alert in scale_of(rule, rubric):
        return "alert" if past else "ok"
    if interval is None:
        return "inconclusive"
    within = {status_of(Fraction(end), rule) == "ALERT" for end in interval} | {past}
    if len(within) > 1:
        return "inconclusive"
    return "alert" if past else "ok"


def _settles_at(estimate: MeanEstimate, limit: Fraction) -> int | None:
    """Return how many reviews would tell a figure from its threshold, both on the scale from 0 to 1."""
    if estimate.method == "clopper_pearson":
        return share_power_samples(estimate.value, limit)
    return mean_power_samples(estimate.value, estimate.spread, limit, skewness=estimate.skewness)


def _reweighted(
    rule: FigureRule,
    week: str,
    drawn: Mapping[str, Sequence[Reviewed]],
    populations: Mapping[str, Mapping[str, int]],
    rubric: ScorecardRubric,
) -> Estimate:
    """Weigh a figure of one week; reviews of other weeks from the same draws count for the weights only."""
    low, high = scale_of(rule, rubric)
    by_stratum: dict[str, list[Fraction | None]] = {}
    for draw, members in drawn.items():
        for review in members:
            value = _observed(rule, review, rubric) if week_of(review.date) == week else None
            scaled = None if value is None else (value - low) / (high - low)
            by_stratum.setdefault(f"{draw}/{review.stratum}", []).append(scaled)
    counts = {f"{draw}/{stratum}": count for draw in drawn for stratum, count in populations[draw].items()}
    weighed = stratified_mean(by_stratum, counts)
    if weighed is None:
        return Estimate(value=None, interval=None, status=None)
    value = low + weighed.value * (high - low)
    interval = _on_scale(weighed.interval, low, high)
    return Estimate(
        value=value,
        interval=interval,
        status=status_of(value, rule),
        state=state_of(value, interval, rule, rubric),
        settles_at=_weighed_settles_at(by_stratum, weighed, (rule.alert - low) / (high - low)),
    )


def _weighed_settles_at(
    values: Mapping[str, Sequence[Fraction | None]], weighed: WeighedMean, limit: Fraction
) -> int | None:
    """Return how many reviews would settle a weighed share, drawn as these were; None for a mean."""
    known = [value for sampled in values.values() for value in sampled if value is not None]
    needed = share_power_samples(weighed.value, limit) if all(value in {0, 1} for value in known) else None
    return None if needed is None else math.ceil(needed * len(known) / weighed.effective)


def _drift(
    rule: FigureRule, grouped: Mapping[str, Sequence[Reviewed]], rubric: ScorecardRubric
) -> tuple[DriftPoint, ...]:
    """Return the running sum after each week that follows the baseline; none before there is a baseline."""
    low, high = scale_of(rule, rubric)
    weekly = {
        week: [
            (value - low) / (high - low) for review in members if (value := _observed(rule, review, rubric)) is not None
        ]
        for week, members in grouped.items()
    }
    deviations = week_deviations(
        list(weekly.values()), baseline=rubric.drift.baseline_weeks, higher_is_better=rule.target.higher_is_better
    )
    after = list(weekly)[len(weekly) - len(deviations) :]
    sums = cusum(deviations, slack=float(rubric.drift.slack))
    alarm_at = float(rubric.drift.alarm_at)
    return tuple(
        DriftPoint(week=week, sum=total, alarm=total >= alarm_at) for week, total in zip(after, sums, strict=True)
    )


def scale_of(rule: FigureRule, rubric: ScorecardRubric) -> tuple[Fraction, Fraction]:
    """Return the least and the most that a figure can be."""
    if rule.of in _MEANS:
        return Fraction(rubric.levels[-1].score), Fraction(rubric.levels[0].score)
    return Fraction(0), Fraction(1)


def _on_scale(interval: Interval | None, low: Fraction, high: Fraction) -> Interval | None:
    if interval is None:
        return None
    width = float(high - low)
    return Interval(float(low) + width * interval.low, float(low) + width * interval.high)
