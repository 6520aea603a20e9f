"""The typed form of the suite's files: scenarios with their variations and near misses, criteria, and the world."""

from typing import Annotated, Literal

from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass

_CLOSED = ConfigDict(extra="forbid")

Key = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]*$", max_length=80)]
Text = Annotated[str, Field(pattern=r"\S")]
Texts = tuple[Text, ...]
Keys = tuple[Key, ...]
Outcome = Literal["answer", "refuse", "either"]
Presence = Literal["any", "some", "none"]
Compared = Literal["says", "never_says", "trace", "status"]


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class Criterion:
    """One pass criterion: the mechanical rules that decide it, or what of the scenario it compares with."""

    meaning: Text
    applies_to: Literal["any", "refusal", "answer"]
    rules: Keys = ()
    compares: Compared | None = None


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class Criteria:
    """All the criteria there are."""

    version: Text
    criteria: Annotated[dict[Key, Criterion], Field(min_length=1)]


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class Role:
    """Who asks, and what must be kept from them."""

    title: Text
    may_not_see: Texts


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class World:
    """The firm that the scenarios play in."""

    version: Text
    firm: Text
    roles: Annotated[dict[Key, Role], Field(min_length=1)]


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class SimulatedPassage:
    """A passage that retrieval is made to bring; one of the demo corpus is known by its id and needs no text."""

    id: Text
    score: Annotated[float, Field(ge=0, le=1)]
    text: Text | None = None
    source_id: Text | None = None
    title: Text | None = None
    collection: Text | None = None
    effective_date: Text | None = None


Passages = Literal["corpus"] | Annotated[tuple[SimulatedPassage, ...], Field(min_length=1)]


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class TraceExpectation:
    """What the trace must show; ``any``, no outcome or None: nothing is asked."""

    outcome: Texts = ()
    searched: Presence = "any"
    above_threshold: Presence = "any"
    conflict: bool | None = None
    escalation: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class Variation:
    """The scenario in other words; all else is the scenario's."""

    id: Key
    kind: Literal["paraphrase", "casing", "typo", "multi_turn", "adversarial"]
    query: Text


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class NearMiss:
    """A query that looks like the scenario's and must be answered."""

    id: Key
    why: Text
    query: Text
    says: Texts
    role: Key | None = None  # else the scenario's
    passages: Passages | None = None  # else the scenario's


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class Scenario:
    """One thing that is tried out, with what is expected of it."""

    id: Key
    title: Text
    tests: Text
    query: Text
    fails_if: Annotated[Texts, Field(min_length=1)]
    code: Text | None = None  # else the set's
    outcome: Outcome | None = None  # else the set's
    role: Key | None = None  # else the set's
    passages: Passages = "corpus"
    says: Texts = ()
    never_says: Texts = ()
    status: Texts = ()
    criteria: Keys = ()  # besides the set's
    trace: TraceExpectation | None = None  # else the set's
    variations: tuple[Variation, ...] = ()
    near_misses: tuple[NearMiss, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class SetFile:
    """One file of scenarios: a named test case of the scorecard's map."""

    name: Key
    version: Text
    title: Text
    about: Text
    code: Text | None
    role: Key
    outcome: Outcome
    criteria: Annotated[Keys, Field(min_length=1)]
    near_miss_criteria: Annotated[Keys, Field(min_length=1)]
    trace: TraceExpectation
    scenarios: Annotated[tuple[Scenario, ...], Field(min_length=1)]
    covers: Keys = ()  # dimensions that the scorecard's map leaves without a test case
