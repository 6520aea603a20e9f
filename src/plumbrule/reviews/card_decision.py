"""What one card comes to: the overall score, its band and action, the blockers, the recommendation."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from plumbrule.reviews.levels import Scores, level_name, read_scores
from plumbrule.rubrics import Loaded, ScorecardRubric
from plumbrule.rubrics.scorecard_rubric import Band, BlockerRule, Recommendation

NOTED: Recommendation = "Pass with notes"  # neither Fail nor Pass: the reasons say what to note


@dataclass(frozen=True, slots=True, kw_only=True)
class Blocker:
    """A rule that blocks deployment, and the dimensions that set it off."""

    rule: str
    dimensions: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the blocker as JSON holds it."""
        return {"rule": self.rule, "dimensions": list(self.dimensions)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What a card comes to; the overall score is exact."""

    scores: Scores
    overall: Fraction
    band: str
    action: str
    blockers: tuple[Blocker, ...]
    recommendation: Recommendation
    reasons: tuple[str, ...]  # what stands against Pass
    not_applicable: tuple[str, ...]
    remarks: tuple[str, ...]
    rubric: Mapping[str, str]

    def to_dict(self) -> dict[str, Any]:
        """Return the decision as it is written to JSON."""
        return {
            "overall": float(self.overall),
            "band": self.band,
            "action": self.action,
            "blockers": [blocker.to_dict() for blocker in self.blockers],
            "recommendation": self.recommendation,
            "reasons": list(self.reasons),
            "not_applicable": list(self.not_applicable),
            "remarks": list(self.remarks),
            "rubric": dict(self.rubric),
        }

    def __getitem__(self, key: str) -> Any:  # noqa: ANN401 - as wide as JSON
        """Return one key of the JSON form: ``decision["band"]``."""
        return self.to_dict()[key]


def decide(scores: Mapping[str, object], loaded: Loaded[ScorecardRubric]) -> Decision:
    """Return what a card with these ratings comes to, by the rubric in force."""
    rubric = loaded.rubric
    levels = read_scores(scores, rubric)
    overall = overall_of(levels, rubric)
    band = band_of(overall, rubric)
    blockers = tuple(found for rule in rubric.blockers if (found := _blocker(rule, levels, rubric)) is not None)
    missing = tuple(key for key, score in levels.items() if score is None)
    recommendation = recommend(
        overall, blocked=bool(blockers), levels=frozenset(levels.values()) - {None}, rubric=rubric
    )
    return Decision(
        scores=levels,
        overall=overall,
        band=band.key,
        action=band.action,
        blockers=blockers,
        recommendation=recommendation,
        reasons=(
            *(f"blocked by {blocker.rule}: {', '.join(blocker.dimensions)}" for blocker in blockers),
            *too_low("the overall score", overall, recommendation, rubric),
            *(_noted(levels, rubric) if recommendation == NOTED else ()),
        ),
        not_applicable=missing,
        remarks=tuple(_remarks(levels, missing, rubric)),
        rubric=loaded.stamp(),
    )


def overall_of(levels: Scores, rubric: ScorecardRubric) -> Fraction:
    """Return the weighted mean over the dimensions that apply, exactly."""
    applying = [
        (dimension.weight, score) for dimension in rubric.dimensions if (score := levels[dimension.key]) is not None
    ]
    total = sum((weight for weight, _ in applying), Fraction())
    return sum((weight * score for weight, score in applying), Fraction()) / total


def band_of(overall: Fraction, rubric: ScorecardRubric) -> Band:
    """Return the first band whose lower end the exact score reaches."""
    return next(band for band in rubric.bands if overall >= band.at_least)


def recommend(
    overall: Fraction, *, blocked: bool, levels: frozenset[int | None], rubric: ScorecardRubric
) -> Recommendation:
    """Return Fail, Pass or what lies between, where dimensions stand at these levels."""
    limits = rubric.recommendation
    if blocked or overall < limits.fail_below:
        return "Fail"
    if overall >= limits.pass_at_least and levels.isdisjoint(rubric.scores_of(limits.pass_with_none_at)):
        return "Pass"
    return NOTED


def too_low(name: str, overall: Fraction, recommendation: Recommendation, rubric: ScorecardRubric) -> list[str]:
    """Return in words that a score is below what would not fail or, where it has passed, below what needs no note."""
    limits = rubric.recommendation
    if overall < limits.fail_below:
        return [f"{name}, {shown(overall)}, is below {shown(limits.fail_below)}"]
    if recommendation == NOTED and overall < limits.pass_at_least:
        return [f"{name}, {shown(overall)}, is below {shown(limits.pass_at_least)}, which Pass needs"]
    return []


def shown(value: Fraction | None) -> str:
    """Return a score in digits."""
    return "none" if value is None else f"{float(value):.6g}"


def dimensions_at(rule: BlockerRule, levels: Scores, rubric: ScorecardRubric) -> tuple[str, ...]:
    """Return the dimensions that set off a rule; none where they are not more than it lets pass."""
    counted = rubric.scores_of(rule.levels)
    found = tuple(key for key in rubric.dimensions_of(rule.dimensions) if levels[key] in counted)
    return found if len(found) > rule.more_than else ()


def _noted(levels: Scores, rubric: ScorecardRubric) -> list[str]:
    """Return the dimensions at a level that Pass does not go with."""
    against = rubric.scores_of(rubric.recommendation.pass_with_none_at)
    return [f"{key} is at {level_name(score, rubric)}" for key, score in levels.items() if score in against]


def _blocker(rule: BlockerRule, levels: Scores, rubric: ScorecardRubric) -> Blocker | None:
    found = dimensions_at(rule, levels, rubric)
    return Blocker(rule=rule.rule, dimensions=found) if found else None


def _remarks(levels: Scores, missing: tuple[str, ...], rubric: ScorecardRubric) -> list[str]:
    if not missing:
        return []
    name = rubric.not_applicable.name
    remarks = [f"{name}: {', '.join(missing)}; the weights of the other dimensions were renormalised"]
    needs = rubric.not_applicable.needs
    if needs is not None:
        score = levels[needs.dimension]
        [least] = rubric.scores_of((needs.at_least,))
        if score is None or score < least:
            remarks.append(
                f"{name} is for correct refusals, and {needs.dimension} is at {level_name(score, rubric)}: look again"
            )
    return remarks
