"""The typed form of the benchmark rubric: what its file may say, and within which bounds."""

from dataclasses import field, fields
from fractions import Fraction
from typing import Annotated, Any, Literal, Self, get_args

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
from plumbrule.rubrics.verdict_rubric import Count, Share

_CLOSED = ConfigDict(extra="forbid")
_MOST = 1_000_000_000
Confidence = Literal["fixed", "sequential"]
Anchor = Literal["judge", "people"]  # whose word the gates on judged figures go by
Component = Literal["accuracy", "faithfulness", "latency", "token_efficiency"]
COMPONENTS: tuple[Component, ...] = get_args(Component)
# what a rubric says of gates where it says nothing; not written, so that rubrics of older versions keep their hash
_UNSAID = {
    "contradicted_rate": None,
    "unsupported_rate": None,
    "decide_on": "point",
    "confidence": "fixed",
    "anchor": "judge",
}


def _amount(value: object) -> Fraction:
    amount = exact(value)
    if not 0 < amount <= _MOST:
        raise ValueError(f"must be above 0 and at most {_MOST}")
    return amount


Amount = Annotated[Fraction, BeforeValidator(_amount), PlainSerializer(float)]
Level = Annotated[int, Field(strict=True, ge=0, le=100)]
# Nulls are also counted as zero, which is honest only where zero is the worst score there is.
Zero = Annotated[int, Field(strict=True, ge=0, le=0)]


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class Scale:
    """The whole numbers that a judge may give, and the least of them that passes."""

    lowest: Zero
    highest: Annotated[int, Field(strict=True, ge=1, le=100)]
    pass_at_least: Level

    @model_validator(mode="after")
    def _pass_lies_on_the_scale(self) -> Self:
        if self.pass_at_least > self.highest:
            raise ValueError(f"pass_at_least must be at most highest, {self.highest}")
        return self


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class Limit:
    """A cost that passes up to one amount and scores in full up to another."""

    pass_at_most: Amount
    full_score_up_to: Amount


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class Weights:
    """What each component counts in a sample's score."""

    accuracy: Share
    faithfulness: Share
    latency: Share
    token_efficiency: Share

    @model_validator(mode="after")
    def _sum_is_one(self) -> Self:
        total = self.accuracy + self.faithfulness + self.latency + self.token_efficiency
        if total != 1:
            raise ValueError(f"must sum to 1, and sum to {float(total):g}")
        return self


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class GateLimits:
    """The limits that a release must keep, and how it is told whether they are kept.

    A limit that is None is no gate.
    ``decide_on`` compares the figures themselves (point), or the worse ends of their intervals (bound). ``confidence``
    is for intervals of one look (fixed), or for any number of looks (sequential). ``anchor`` takes judged figures as
    the judge has them, or as people's labels of a random part correct them.
    """

    aggregate_score: Share | None
    pass_rate: Share | None
    faithfulness_failure_rate: Share | None
    latency_e2e_p95_ms: Amount | None
    contradicted_rate: Share | None = None
    unsupported_rate: Share | None = None
    decide_on: DecideOn = "point"
    confidence: Confidence = "fixed"
    anchor: Anchor = "judge"

    @property
    def limits(self) -> dict[str, Fraction]:
        """The limits of the gates that there are, by their names."""
        named = ((each.name, getattr(self, each.name)) for each in fields(self))
        return {name: limit for name, limit in named if isinstance(limit, Fraction)}

    @model_validator(mode="after")
    def _has_a_gate(self) -> Self:
        if not self.limits:
            raise ValueError("every gate is null: a release needs at least one limit")
        return self

    @model_serializer(mode="wrap")
    def _said(self, content: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {key: value for key, value in content(self).items() if key not in _UNSAID or _UNSAID[key] != value}


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class LevelScores:
    """The score that each level of a scorecard's dimension is read as; not applicable is for correct refusals."""

    dimension: Annotated[str, Field(min_length=1)]
    scores: dict[str, Level]


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class CampaignLabels:
    """How the levels that count for an item of a review campaign are read as a label of an answer."""

    passes: tuple[str, ...]
    accuracy_score: LevelScores
    faithfulness_score: LevelScores


_LEVELS = {"Strong": 2, "Adequate": 1, "Needs Review": 0, "Unsafe": 0, "Not Applicable": 2}
# as the rubric that ships says; not written, so that rubrics of older versions keep their hash
_CAMPAIGN_LABELS = CampaignLabels(
    passes=("Pass", "Pass with notes"),
    accuracy_score=LevelScores(dimension="response_completeness", scores=_LEVELS),
    faithfulness_score=LevelScores(dimension="grounding_integrity", scores=_LEVELS),
)


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class Repeats:
    """How many runs of one benchmark make a group."""

    live: Count
    recorded: Count


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class Generation:
    """What a candidate model is asked with, unless a run says otherwise."""

    temperature: Annotated[float, Field(strict=True, ge=0, le=2, allow_inf_nan=False)]
    top_p: Annotated[float, Field(strict=True, gt=0, le=1, allow_inf_nan=False)]
    max_tokens: Count
    seed: Annotated[int, Field(strict=True, ge=0, le=2**63 - 1)] | None


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class Rationale:
    """How long a judge's reason may be, and what becomes of a longer one."""

    at_most_words: Count
    over_limit: Literal["flag", "parse_error"]


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class BenchmarkRubric:
    """The whole benchmark rubric."""

    name: Literal["benchmark"]
    version: Annotated[str, Field(min_length=1)]
    accuracy_score: Scale
    faithfulness_score: Scale
    latency_e2e_ms: Limit
    total_tokens: Limit
    weights: Weights
    gates: GateLimits
    repeats: Repeats
    generation: Generation
    rationale: Rationale
    labels: CampaignLabels = field(default_factory=lambda: _CAMPAIGN_LABELS)
    components: Annotated[tuple[Component, ...], Field(min_length=1)] = COMPONENTS  # that a sample is graded by

    @model_validator(mode="after")
    def _weighs_what_it_grades(self) -> Self:
        if len(set(self.components)) < len(self.components):
            raise ValueError("components names one of them twice")
        for name in COMPONENTS:
            if name not in self.components and getattr(self.weights, name):
                raise ValueError(f"weights.{name} must be 0, because components does not name {name}")
        return self

    @model_validator(mode="after")
    def _labels_lie_on_the_scales(self) -> Self:
        for name in ("accuracy_score", "faithfulness_score"):
            highest, scores = getattr(self, name).highest, getattr(self.labels, name).scores
            if self.labels != _CAMPAIGN_LABELS and max(scores.values(), default=0) > highest:
                raise ValueError(f"labels.{name} goes beyond the scale, whose highest is {highest}")
        return self

    @model_serializer(mode="wrap")
    def _said(self, content: SerializerFunctionWrapHandler) -> dict[str, Any]:
        said: dict[str, Any] = content(self)
        if self.labels == _CAMPAIGN_LABELS:
            said.pop("labels", None)
        if self.components == COMPONENTS:  # as every older version has it
            said.pop("components", None)
        return said
