"""What many cards decide on a deployment: fail-closed on any record, or on the means of a run where that is chosen."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, get_args

from plumbrule.errors import UsageError
from plumbrule.reviews.card_decision import NOTED, Decision, band_of, dimensions_at, recommend, shown, too_low
from plumbrule.reviews.levels import level_name
from plumbrule.rubrics import Loaded, ScorecardRubric
from plumbrule.rubrics.scorecard_rubric import BlockerRule, Recommendation
from plumbrule.stats.spread import mean_of

ReleaseMode = Literal["any_record", "run_mean"]

_SHOWN = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseBlocker:
    """A rule that blocks, the dimensions that set it off, and in which records; none where the means did."""

    rule: str
    dimensions: tuple[str, ...]
    records: tuple[int, ...]  # their numbers, from 1

    def to_dict(self) -> dict[str, Any]:
        """Return the blocker as JSON holds it."""
        return {"rule": self.rule, "dimensions": list(self.dimensions), "records": list(self.records)}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseDecision:
    """What the cards of a run decide; the overall score is the mean of theirs, None where there are none."""

    mode: ReleaseMode
    records: int
    overall: Fraction | None
    band: str | None
    action: str | None
    dimension_means: dict[str, Fraction | None]
    blockers: tuple[ReleaseBlocker, ...]
    recommendation: Recommendation
    reasons: tuple[str, ...]

    @property
    def release(self) -> bool:
        """Whether nothing stands against deployment."""
        return self.recommendation != "Fail"

    def to_dict(self) -> dict[str, Any]:
        """Return the decision as it is written to JSON."""
        return {
            "release": self.release,
            "mode": self.mode,
            "records": self.records,
            "overall": None if self.overall is None else float(self.overall),
            "band": self.band,
            "action": self.action,
            "dimension_means": {
                key: None if mean is None else float(mean) for key, mean in self.dimension_means.items()
            },
            "blockers": [blocker.to_dict() for blocker in self.blockers],
            "recommendation": self.recommendation,
            "reasons": list(self.reasons),
        }


def decide_release(
    decisions: Sequence[Decision], loaded: Loaded[ScorecardRubric], mode: ReleaseMode = "any_record"
) -> ReleaseDecision:
    """Decide on a deployment over many cards.

    ``any_record``: a blocker of any record blocks. ``run_mean``: a rule that the rubric allows it for is held against
    the mean of each dimension over the run, which stands at the highest level that it reaches; the others are held
    against every record all the same. No records decide nothing, so they do not release.
    """
    if mode not in get_args(ReleaseMode):
        raise UsageError(f"there is no mode '{mode}' of a release; there are: {', '.join(get_args(ReleaseMode))}")
    if any(decision.rubric != loaded.stamp() for decision in decisions):
        raise UsageError("cards that were decided by different rubrics decide nothing together; decide them anew")
    rubric = loaded.rubric
    overall = mean_of([decision.overall for decision in decisions])
    means = _means(decisions, rubric)
    reached = {key: _reached(mean, rubric) for key, mean in means.items()}
    blockers = [
        found
        for rule in rubric.blockers
        for found in (
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
    reasons = _reasons(overall, blockers, means, recommendation, rubric)
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
    )


def _means(decisions: Sequence[Decision], rubric: ScorecardRubric) -> dict[str, Fraction | None]:
    return {
        dimension.key: mean_of(
            [Fraction(score) for decision in decisions if (score := decision.scores[dimension.key]) is not None]
        )
        for dimension in rubric.dimensions
    }


def _reached(mean: Fraction | None, rubric: ScorecardRubric) -> int | None:
    """Return the highest level that a mean reaches, half-open as the bands are."""
    return None if mean is None else next(level.score for level in rubric.levels if mean >= level.score)


def _over_means(rule: BlockerRule, reached: dict[str, int | None], rubric: ScorecardRubric) -> list[ReleaseBlocker]:
    found = dimensions_at(rule, reached, rubric)
    return [ReleaseBlocker(rule=rule.rule, dimensions=found, records=())] if found else []


def _over_records(rule: BlockerRule, decisions: Sequence[Decision], rubric: ScorecardRubric) -> list[ReleaseBlocker]:
    found = {
        number: dimensions
        for number, decision in enumerate(decisions, 1)
        if (dimensions := dimensions_at(rule, decision.scores, rubric))
    }
    if not found:
        return []
    named = tuple(key for key in rubric.dimensions_of("all") if any(key in keys for keys in found.values()))
    return [ReleaseBlocker(rule=rule.rule, dimensions=named, records=tuple(found))]


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
    """Return the dimensions whose mean is at a level that Pass does not go with."""
    against = rubric.scores_of(rubric.recommendation.pass_with_none_at)
    return [
        f"{key} averages {shown(means[key])}, at {level_name(score, rubric)}"
        for key, score in reached.items()
        if score in against
    ]


def _noted_records(decisions: Sequence[Decision], rubric: ScorecardRubric) -> list[str]:
    """Return the dimensions that are in some record at a level that Pass does not go with, and in which."""
    against = rubric.scores_of(rubric.recommendation.pass_with_none_at)
    found: dict[tuple[str, int | None], list[int]] = {}
    for number, decision in enumerate(decisions, 1):
        for key, score in decision.scores.items():
            if score in against:
                found.setdefault((key, score), []).append(number)
    return [f"{key} is at {level_name(score, rubric)} ({_where(found[key, score])})" for key, score in found]


def _where(records: Sequence[int]) -> str:
    return f"record {', '.join(map(str, records[:_SHOWN]))}{', …' if len(records) > _SHOWN else ''}"
