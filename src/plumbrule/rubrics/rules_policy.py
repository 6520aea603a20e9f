"""The typed form of the rules judge's policy."""

from typing import Annotated, Literal

from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass

from plumbrule.rubrics.verdict_rubric import Share, Words

_CLOSED = ConfigDict(extra="forbid")

Score = Annotated[int, Field(strict=True, ge=0, le=2)]


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class RefusalScores:
    """The accuracy of each way in which a refusal meets, or misses, what was expected."""

    as_expected: Score
    wrong_code: Score
    unneeded: Score
    missing: Score


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class AccuracyRules:
    """How much of the reference an answer must say."""

    full_share: Share
    spare_words: Annotated[int, Field(strict=True, ge=0, le=100)]
    partial_share: Share
    contradiction_overlap: Share
    opens_yes: Words
    opens_no: Words
    refusal: RefusalScores


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class SupportCaps:
    """How low the support score of an answer may be."""

    minor_below: Share
    major_below: Share

    def __post_init__(self) -> None:
        if self.major_below > self.minor_below:
            raise ValueError("major_below may not be above minor_below")


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class FaithfulnessRules:
    """How much of an answer may lack support."""

    minor_up_to: Share
    drift_cost: Score
    support: SupportCaps | None


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class RationaleRules:
    """How long a rationale may be, and how much evidence it quotes."""

    words: Annotated[int, Field(strict=True, ge=20, le=1000)]
    evidence: Annotated[int, Field(strict=True, ge=1, le=20)]
    evidence_words: Annotated[int, Field(strict=True, ge=1, le=100)]


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class RulesPolicy:
    """The whole policy of the rules judge."""

    name: Literal["rules"]
    version: Annotated[str, Field(min_length=1)]
    accuracy: AccuracyRules
    faithfulness: FaithfulnessRules
    rationale: RationaleRules
