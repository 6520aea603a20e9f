"""The typed form of the refusal taxonomy: each code, what it means and what must hold where it is given."""

from typing import Annotated, Literal

from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass

_CLOSED = ConfigDict(extra="forbid")

Need = Literal["required", "optional"]
Presence = Literal["any", "some", "none"]
Name = Annotated[str, Field(min_length=1)]


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class TraceNeeds:
    """What the trace and the passages of a refusal must show."""

    searched: Presence
    above_threshold: Presence
    conflict: Literal["any", "some"]
    coverage: Literal["any", "low"]


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class RefusalCode:
    """One reason for not answering."""

    meaning: Name
    severity: Literal["info", "warning", "critical"]
    guidance: Need
    next_steps: Need
    conflict_summary: Need
    escalation: Need
    discloses: Annotated[bool, Field(strict=True)]
    trace: TraceNeeds


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class RefusalTaxonomy:
    """All the reasons there are."""

    name: Literal["refusals"]
    version: Name
    codes: Annotated[dict[Name, RefusalCode], Field(min_length=1)]
