"""The typed form of what the scorecard rubric says of reviewing: traits, claims, and a judge beside people."""

from typing import Annotated

from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass

from plumbrule.rubrics.verdict_rubric import Count

_CLOSED = ConfigDict(extra="forbid")

Text = Annotated[str, Field(pattern=r"\S")]
Key = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_-]*$", max_length=100)]
Names = tuple[Text, ...]


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class TraitRule:
    """What tells that an interaction has a trait: any one of these."""

    key: Key
    refusal: bool = False  # the response declares one
    conflict: bool = False  # the trace says that sources disagree
    escalation: bool = False  # the trace says that somebody was called in
    statuses: Names = ()  # of the response or its trace
    outcomes: Names = ()  # of the trace's decision
    findings: Names = ()  # of the reading
    tags: Names = ()
    categories: Names = ()
    question_words: Names = ()  # in the question, as whole words


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class ClaimRules:
    """How long an evaluator may keep an item."""

    minutes: Count


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class JudgedScore:
    """A score of a run's judge, the dimension that it speaks of, and what each level is on its scale."""

    score: Key
    dimension: Key
    levels: dict[str, Annotated[int, Field(strict=True, ge=0, le=100)]]
