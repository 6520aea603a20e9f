"""The typed form of the scorecard rubric: what its file may say, part by part; it knows no dimension by name."""

from fractions import Fraction
from typing import Annotated, Any, Literal, Self

from pydantic import (
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)
from pydantic.dataclasses import dataclass

from plumbrule.outcomes import DecideOn
from plumbrule.rubrics.exact_numbers import exact
from plumbrule.rubrics.review_rules import ClaimRules, JudgedScore, Key, Text, TraitRule
from plumbrule.rubrics.scorecard_checks import check_scorecard
from plumbrule.rubrics.verdict_rubric import Count, Share

_CLOSED = ConfigDict(extra="forbid")
_MOST = 1_000_000

Recommendation = Literal["Pass", "Pass with notes", "Fail"]
# all of the scope; a part of it in its own proportions; what a change of the corpus touches; by the strata; one
DrawKind = Literal["all", "representative", "affected", "stratified", "one"]
FigureKind = Literal["overall", "dimension", "levels", "refusal_precision", "refusal_recall"]


def _number(value: object) -> Fraction:
    number = exact(value)
    if abs(number) > _MOST:
        raise ValueError(f"must be at most {_MOST}")
    return number


def _weight(value: object) -> Fraction:
    weight = exact(value)
    if not 0 < weight <= 1:
        raise ValueError("must be above 0 and at most 1")
    return weight


def _dimensions(value: object) -> Literal["all"] | tuple[str, ...]:
    if value == "all":
        return "all"
    if not isinstance(value, list | tuple) or not value or not all(isinstance(key, str) for key in value):
        raise ValueError("must be all, or a list of dimensions")
    return tuple(value)


Number = Annotated[Fraction, BeforeValidator(_number), PlainSerializer(float)]
Weight = Annotated[Fraction, BeforeValidator(_weight), PlainSerializer(float)]
Score = Annotated[int, Field(strict=True, ge=0, le=100)]
Some = Annotated[tuple[Text, ...], Field(min_length=1)]
Dimensions = Annotated[Literal["all"] | tuple[str, ...], BeforeValidator(_dimensions)]


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class Purpose:
    """One use of the scorecard."""

    title: Text
    question: Text


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class Level:
    """One level of the scale, and what it counts."""

    name: Text
    score: Score


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class NeededLevel:
    """A dimension and the level it must reach."""

    dimension: Key
    at_least: Text


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class NotApplicable:
    """What a dimension that does not apply is called, where that is allowed, and what a card with one should show."""

    name: Text
    needs: NeededLevel | None
    allowed_on: Literal["refusals", "any"] = "refusals"  # not there in older versions


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class CaseCoverage:
    """The test cases of a dimension: patterns of their names, and the words of the specification."""

    patterns: tuple[Text, ...]
    text: Text | None


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class Dimension:
    """One thing that is rated."""

    key: Key
    title: Text
    measures: Text
    asks: Text
    weight: Weight
    may_be_not_applicable: bool
    key_questions: Some
    descriptors: dict[str, Text]
    artifacts: Some
    test_cases: CaseCoverage


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class Band:
    """A stretch of overall scores, and what to do in it."""

    key: Key
    title: Text
    at_least: Number
    action: Text


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class BlockerRule:
    """Blocks where more than so many of these dimensions stand at one of these levels."""

    rule: Key
    title: Text
    dimensions: Dimensions
    levels: Some
    more_than: Annotated[int, Field(strict=True, ge=0, le=_MOST)]
    run_mean: bool


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class RecommendationLimits:
    """What fails and what passes without notes."""

    fail_below: Number
    pass_at_least: Number
    pass_with_none_at: tuple[Text, ...]


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class Adjudication:
    """When ratings of one interaction go to somebody who made none of them."""

    levels_apart: Count
    any_at: tuple[Text, ...]


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class Trigger:
    """An occasion to evaluate."""

    key: Key
    title: Text
    scope: Text
    depth: Text
    in_view: Dimensions
    evaluators: Count
    sample_size: Count | None
    draw: DrawKind = "all"


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class Stratum:
    """A share of the monitoring sample, kept for interactions with one of these traits; no trait named takes all."""

    key: Key
    title: Text
    share: Share
    any_of: tuple[Text, ...]


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class Guideline:
    """One rule for evaluators."""

    title: Text
    text: Text


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class RefusalCode:
    """One reason for which the assistant may refuse."""

    key: Key
    text: Text


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class Target:
    """Where a figure should be: one bound, with or without the bound itself."""

    above: Number | None = None
    at_least: Number | None = None
    below: Number | None = None
    at_most: Number | None = None

    @model_validator(mode="after")
    def _one_bound(self) -> Self:
        if [self.above, self.at_least, self.below, self.at_most].count(None) != 3:
            raise ValueError("must have exactly one of above, at_least, below and at_most")
        return self

    @property
    def higher_is_better(self) -> bool:
        """Whether the bound is a lower one."""
        return self.above is not None or self.at_least is not None

    @property
    def bound(self) -> Fraction:
        """The one number."""
        return next(x for x in (self.above, self.at_least, self.below, self.at_most) if x is not None)

    def met_by(self, value: Fraction) -> bool:
        """Tell whether ``value`` is where it should be."""
        if value == self.bound:
            return self.at_least is not None or self.at_most is not None
        return (value > self.bound) == self.higher_is_better


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class FigureRule:
    """A figure that is followed over time."""

    key: Key
    title: Text
    of: FigureKind
    target: Target
    alert: Number
    dimension: Key | None = None
    levels: tuple[Text, ...] = ()

    @model_validator(mode="after")
    def _holds_together(self) -> Self:
        if (self.of == "dimension") != (self.dimension is not None):
            raise ValueError("must name a dimension exactly where it is of: dimension")
        if (self.of == "levels") != bool(self.levels):
            raise ValueError("must name levels exactly where it is of: levels")
        past = self.alert < self.target.bound if self.target.higher_is_better else self.alert > self.target.bound
        if not past and self.alert != self.target.bound:
            raise ValueError(f"alert {float(self.alert):g} must lie past the target, {float(self.target.bound):g}")
        return self


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class Drift:
    """When small moves in one direction add up to an alarm."""

    baseline_weeks: Count
    slack: Number
    alarm_at: Annotated[Number, Field(gt=0)]


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class FeedbackPattern:
    """A pattern in the ratings, and its remedy."""

    key: Key
    title: Text
    dimensions: Dimensions
    levels: Some
    remedy: Text


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class Related:
    """Something to read beside the scorecard."""

    name: Text
    text: Text


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class ScorecardRubric:
    """The whole scorecard rubric."""

    name: Literal["scorecard"]
    version: Annotated[str, Field(min_length=1)]
    title: Text
    about: Text
    purposes: tuple[Purpose, ...]
    principles: tuple[Text, ...]
    levels: Annotated[tuple[Level, ...], Field(min_length=2)]
    not_applicable: NotApplicable
    note_required_at: tuple[Text, ...]
    dimensions: Annotated[tuple[Dimension, ...], Field(min_length=1)]
    bands: Annotated[tuple[Band, ...], Field(min_length=1)]
    blockers: tuple[BlockerRule, ...]
    recommendation: RecommendationLimits
    decide_on: DecideOn = "point"  # not there in older versions
    adjudication: Adjudication
    triggers: Annotated[tuple[Trigger, ...], Field(min_length=1)]
    traits: tuple[TraitRule, ...]
    strata: Annotated[tuple[Stratum, ...], Field(min_length=1)]
    claims: ClaimRules
    guidelines: tuple[Guideline, ...]
    refusal_codes: tuple[RefusalCode, ...]
    figures: tuple[FigureRule, ...]
    drift: Drift
    feedback: tuple[FeedbackPattern, ...]
    judged: tuple[JudgedScore, ...]
    related: tuple[Related, ...]
    review: Text

    @model_validator(mode="after")
    def _holds_together(self) -> Self:
        check_scorecard(self)
        return self

    @model_serializer(mode="wrap")
    def _without_default(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave out what older versions did not have, where it says what they did: the hash stays the same."""
        content: dict[str, Any] = handler(self)
        if content["decide_on"] == "point":
            del content["decide_on"]
        return content

    def dimensions_of(self, named: Literal["all"] | tuple[str, ...]) -> tuple[str, ...]:
        """Return the keys that a part of the rubric names, ``all`` spelt out."""
        return tuple(dimension.key for dimension in self.dimensions) if named == "all" else named

    def scores_of(self, names: tuple[str, ...]) -> frozenset[int]:
        """Return what the named levels count."""
        return frozenset(level.score for level in self.levels if level.name in names)
