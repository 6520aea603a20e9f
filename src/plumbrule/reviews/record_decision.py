"""The decision on one record: its overall score, band and action, what blocks, the recommendation."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from plumbrule.codec import take_fields, to_json
from plumbrule.reviews.levels import Scores, level_name, read_scores
from plumbrule.rubrics import Loaded, ScorecardRubric
from plumbrule.rubrics.exact_numbers import ExactNumber
from plumbrule.rubrics.scorecard_rubric import Band, BlockerRule, Recommendation

NOTED: Recommendation = "Pass with notes"  # between Fail and Pass; the reasons say what to note


@dataclass(frozen=True, slots=True, kw_only=True)
class Blocker:
    """A rule that blocks deployment, and the dimensions that set it off."""

    rule: str
    dimensions: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionResult:
    """The decision on a record, as JSON has it."""

    overall: float
    band: str
    action: str
    blockers: tuple[Blocker, ...]
    recommendation: Recommendation
    reasons: tuple[str, ...] = ()  # not there in older versions
    not_applicable: tuple[str, ...]
    remarks: tuple[str, ...]
    rubric: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The decision on a record, with the exact overall score."""

    scores: Scores
    overall: Fraction
    band: str
    action: str
    blockers: tuple[Blocker, ...]
    recommendation: Recommendation
    reasons: tuple[str, ...]  # why it is not a Pass
    not_applicable: tuple[str, ...]
    remarks: tuple[str, ...]
    rubric: Mapping[str, str]

    def result(self) -> DecisionResult:
        """Return the decision for JSON, with the overall score as a float."""
        return take_fields(DecisionResult, self, overall=float(self.overall), rubric=dict(self.rubric))

    def __getitem__(self, key: str) -> Any:  # noqa: ANN401 - as wide as JSON
        """Return one key of the JSON form: ``decision["band"]``."""
        return to_json(self.result())[key]


def decide(scores: Mapping[str, object], loaded: Loaded[ScorecardRubric]) -> Decision:
    """Return the decision on a record with these ratings, by the rubric in force."""
    rubric = loaded.rubric
    levels = read_scores(scores, rubric)
    overall = overall_of(levels, rubric)
    band = band_of(overall, rubric)
    blockers = tuple(blocker for rule in rubric.blockers if (blocker := _blocker(rule, levels, rubric)) is not None)
    missing = tuple(key for key, score in levels.items() if score is None)
    recommendation = recommend(
        overall, blocked=bool(blockers), levels=frozenset(levels.values()) - {None}, rubric=rubric
    )
    return Decision(
        scores=levels,
        overall=ExactNumber(overall),
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


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionSoFar:
    """The result of the levels that are there already, before every dimension is rated."""

    rated: int
    of: int
    overall: float | None  # over the dimensions that are rated and apply; None where there is none
    band: Band | None
    blockers: tuple[BlockerRule, ...]
    recommendation: Recommendation | None  # None until every dimension is rated


def decide_so_far(scores: Scores, loaded: Loaded[ScorecardRubric]) -> DecisionSoFar:
    """Return what can be said of a record that is being filled in; a dimension that is not there is not rated yet."""
    rubric = loaded.rubric
    keys = [dimension.key for dimension in rubric.dimensions]
    levels = {key: scores.get(key) for key in keys}
    rated = sum(key in scores for key in keys)
    given = frozenset(levels.values()) - {None}
    overall = overall_of(levels, rubric) if given else None
    blockers = tuple(rule for rule in rubric.blockers if dimensions_at(rule, levels, rubric))
    recommendation = None
    if overall is not None and rated == len(keys):
        recommendation = recommend(overall, blocked=bool(blockers), levels=given, rubric=rubric)
    return DecisionSoFar(
        rated=rated,
        of=len(keys),
        overall=None if overall is None else float(overall),
        band=None if overall is None else band_of(overall, rubric),
        blockers=blockers,
        recommendation=recommendation,
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
    """Return the recommendation for an overall score, with dimensions at these levels."""
    limits = rubric.recommendation
    if blocked or overall < limits.fail_below:
        return "Fail"
    if overall >= limits.pass_at_least and levels.isdisjoint(rubric.scores_of(limits.pass_with_none_at)):
        return "Pass"
    return NOTED


def too_low(name: str, overall: Fraction, recommendation: Recommendation, rubric: ScorecardRubric) -> list[str]:
    """Return the reason where a score is too low: below the limit of Fail, else below the limit of Pass."""
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
    """Return the dimensions that set off a rule; none where no more are at its levels than the rule allows."""
    counted = rubric.scores_of(rule.levels)
    dimensions = tuple(key for key in rubric.dimensions_of(rule.dimensions) if levels[key] in counted)
    return dimensions if len(dimensions) > rule.more_than else ()


def _noted(levels: Scores, rubric: ScorecardRubric) -> list[str]:
    """Return the dimensions at a level that rules out Pass."""
    ruled_out = rubric.scores_of(rubric.recommendation.pass_with_none_at)
    return [f"{key} is at {level_name(score, rubric)}" for key, score in levels.items() if score in ruled_out]


def _blocker(rule: BlockerRule, levels: Scores, rubric: ScorecardRubric) -> Blocker | None:
    dimensions = dimensions_at(rule, levels, rubric)
    return Blocker(rule=rule.rule, dimensions=dimensions) if dimensions else None


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
