"""The decision on a deployment over many records: what blocks, the average overall score, and how sure that is."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import get_args

from plumbrule.errors import UsageError
from plumbrule.outcomes import DecideOn, Outcome, Settled
from plumbrule.reviews.levels import level_name
from plumbrule.reviews.record_decision import NOTED, Decision, band_of, dimensions_at, recommend, shown, too_low
from plumbrule.reviews.review_entries import ReleaseMode
from plumbrule.rubrics import Loaded, ScorecardRubric
from plumbrule.rubrics.scorecard_rubric import BlockerRule, Recommendation
from plumbrule.stats.mean_intervals import MeanEstimate, mean_estimate
from plumbrule.stats.sample_sizes import mean_power_samples, share_power_samples
from plumbrule.stats.spread import mean_of
from plumbrule.terminal import listed

_SHOWN = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseBlocker:
    """A rule that blocks, the dimensions that set it off, and in which records; none where the means did."""

    rule: str
    dimensions: tuple[str, ...]
    records: tuple[int, ...]  # their numbers, from 1


@dataclass(frozen=True, slots=True, kw_only=True)
class OverallEstimate:
    """How sure the average overall score is: its 95% interval over the items, against the limit of a release."""

    interval_95: tuple[float, float]
    limit: float
    state: Settled
    more_items: int | None  # to settle it with 80% power, were the average the true one; None where it is settled


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseDecision:
    """The decision over many records; the overall score is the mean of theirs, None where there are none."""

    mode: ReleaseMode
    records: int
    overall: Fraction | None
    band: str | None
    action: str | None
    dimension_means: dict[str, Fraction | None]
    blockers: tuple[ReleaseBlocker, ...]
    recommendation: Recommendation
    reasons: tuple[str, ...]
    outcome: Outcome
    estimate: OverallEstimate | None

    @property
    def release(self) -> bool:
        """Whether nothing speaks against deployment."""
        return self.outcome == "RELEASE"


def decide_release(
    decisions: Sequence[Decision],
    loaded: Loaded[ScorecardRubric],
    mode: ReleaseMode = "any_record",
    decide_on: DecideOn = "point",
) -> ReleaseDecision:
    """Decide on a deployment over many records.

    ``any_record``: a blocker of any record blocks. ``run_mean``: a rule for which the rubric allows it is applied to
    the mean of each dimension over all records, which is at the highest level that it reaches; the other rules are
    applied to every record. Without records there is no release.

    ``point``: the average overall score is compared with the limits as it is. ``bound``: the lower end of its interval.
    """
    check_mode(mode)
    if any(decision.rubric != loaded.stamp() for decision in decisions):
        raise UsageError("records that were decided by different rubrics decide nothing together; decide them again")
    rubric = loaded.rubric
    overall = mean_of([decision.overall for decision in decisions])
    means = _means(decisions, rubric)
    reached = {key: _reached(mean, rubric) for key, mean in means.items()}
    blockers = [
        blocker
        for rule in rubric.blockers
        for blocker in (
            _over_means(rule, reached, rubric)
            if mode == "run_mean" and rule.run_mean
            else _over_records(rule, decisions, rubric)
        )
    ]
    if mode == "run_mean":
        levels = frozenset(reached.values()) - {None}
    else:
        levels = frozenset(score for decision in decisions for score in decision.scores.values()) - {None}
    band = None if overall is None else band_of(overall, rubric)
    recommendation: Recommendation = (
        "Fail" if overall is None else recommend(overall, blocked=bool(blockers), levels=levels, rubric=rubric)
    )
    estimate = _estimate([decision.overall for decision in decisions], rubric)
    outcome: Outcome = "NO RELEASE" if recommendation == "Fail" else "RELEASE"
    unsure: list[str] = []
    if decide_on == "bound" and estimate is not None and not blockers:
        outcome = _BY_STATE[estimate.state]
        if recommendation == "Pass" and estimate.interval_95[0] < rubric.recommendation.pass_at_least:
            recommendation = NOTED
            needed = shown(rubric.recommendation.pass_at_least)
            unsure = [f"the interval of the average overall score reaches below {needed}, which Pass needs"]
    reasons = _reasons(overall, blockers, means, recommendation, rubric) + unsure
    if recommendation == NOTED:
        reasons += _noted_means(means, reached, rubric) if mode == "run_mean" else _noted_records(decisions, rubric)
    return ReleaseDecision(
        mode=mode,
        records=len(decisions),
        overall=overall,
        band=None if band is None else band.key,
        action=None if band is None else band.action,
        dimension_means=means,
        blockers=tuple(blockers),
        recommendation=recommendation,
        reasons=tuple(reasons),
        outcome=outcome,
        estimate=estimate,
    )


_BY_STATE: dict[Settled, Outcome] = {"holds": "RELEASE", "fails": "NO RELEASE", "inconclusive": "INCONCLUSIVE"}


def _estimate(overall: Sequence[Fraction], rubric: ScorecardRubric) -> OverallEstimate | None:
    """Return the interval of the average overall score against the limit of Fail, which is that of a release."""
    lowest, highest = rubric.levels[-1].score, rubric.levels[0].score
    scale, limit = highest - lowest, rubric.recommendation.fail_below
    estimate = mean_estimate([(score - lowest) / scale for score in overall])
    if estimate is None:
        return None
    low, high = (lowest + scale * end for end in estimate.interval)
    state: Settled = "holds" if low >= limit else "fails" if high < limit else "inconclusive"
    return OverallEstimate(
        interval_95=(low, high),
        limit=float(limit),
        state=state,
        more_items=_more_items(estimate, (limit - lowest) / scale) if state == "inconclusive" else None,
    )


def _more_items(estimate: MeanEstimate, limit: Fraction) -> int | None:
    """Return how many more items would settle it; None where no number would, at this average."""
    if estimate.method == "clopper_pearson":
        needed = share_power_samples(estimate.value, limit)
    else:
        needed = mean_power_samples(estimate.value, estimate.spread, limit, skewness=estimate.skewness)
    return None if needed is None else max(1, needed - estimate.samples)


def check_mode(mode: str) -> None:
    """Raise where there is no such mode."""
    if mode not in get_args(ReleaseMode):
        raise UsageError(f"there is no mode '{mode}' of a release; there are: {', '.join(get_args(ReleaseMode))}")


def _means(decisions: Sequence[Decision], rubric: ScorecardRubric) -> dict[str, Fraction | None]:
    return {
        dimension.key: mean_of(
            [Fraction(score) for decision in decisions if (score := decision.scores[dimension.key]) is not None]
        )
        for dimension in rubric.dimensions
    }


def _reached(mean: Fraction | None, rubric: ScorecardRubric) -> int | None:
    """Return the highest level that a mean reaches."""
    return None if mean is None else next(level.score for level in rubric.levels if mean >= level.score)


def _over_means(rule: BlockerRule, reached: dict[str, int | None], rubric: ScorecardRubric) -> list[ReleaseBlocker]:
    dimensions = dimensions_at(rule, reached, rubric)
    return [ReleaseBlocker(rule=rule.rule, dimensions=dimensions, records=())] if dimensions else []


def _over_records(rule: BlockerRule, decisions: Sequence[Decision], rubric: ScorecardRubric) -> list[ReleaseBlocker]:
    by_record = {
        number: dimensions
        for number, decision in enumerate(decisions, 1)
        if (dimensions := dimensions_at(rule, decision.scores, rubric))
    }
    if not by_record:
        return []
    named = tuple(key for key in rubric.dimensions_of("all") if any(key in keys for keys in by_record.values()))
    return [ReleaseBlocker(rule=rule.rule, dimensions=named, records=tuple(by_record))]


def _reasons(
    overall: Fraction | None,
    blockers: Sequence[ReleaseBlocker],
    means: dict[str, Fraction | None],
    recommendation: Recommendation,
    rubric: ScorecardRubric,
) -> list[str]:
    if overall is None:
        return ["there are no records"]
    reasons = []
    for blocker in blockers:
        if blocker.records:
            reasons.append(f"{blocker.rule}: {', '.join(blocker.dimensions)} ({_where(blocker.records)})")
        else:
            averages = [f"{key} averages {shown(means[key])}" for key in blocker.dimensions]
            reasons.append(f"{blocker.rule}: {', '.join(averages)}")
    return reasons + too_low("the average overall score", overall, recommendation, rubric)


def _noted_means(
    means: dict[str, Fraction | None], reached: dict[str, int | None], rubric: ScorecardRubric
) -> list[str]:
    """Return the dimensions whose mean is at a level that rules out Pass."""
    ruled_out = rubric.scores_of(rubric.recommendation.pass_with_none_at)
    return [
        f"{key} averages {shown(means[key])}, at {level_name(score, rubric)}"
        for key, score in reached.items()
        if score in ruled_out
    ]


def _noted_records(decisions: Sequence[Decision], rubric: ScorecardRubric) -> list[str]:
    """Return the dimensions that are in some record at a level that rules out Pass, and in which."""
    ruled_out = rubric.scores_of(rubric.recommendation.pass_with_none_at)
    noted: dict[tuple[str, int | None], list[int]] = {}
    for number, decision in enumerate(decisions, 1):
        for key, score in decision.scores.items():
            if score in ruled_out:
                noted.setdefault((key, score), []).append(number)
    return [f"{key} is at {level_name(score, rubric)} ({_where(noted[key, score])})" for key, score in noted]


def _where(records: Sequence[int]) -> str:
    return f"record {listed([str(record) for record in records], _SHOWN)}"
