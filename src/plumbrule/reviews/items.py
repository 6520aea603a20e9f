"""What a campaign is made of: its events, its items, who holds them, and the records on them with their revisions."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from plumbrule.reviews.evaluation_record import EvaluationRecord

Role = Literal["evaluator", "adjudicator"]
# open: nobody holds a free slot; claimed: somebody does; adjudication: rated in full, and too far apart; done
Status = Literal["open", "claimed", "adjudication", "done"]
STATUSES: tuple[Status, ...] = ("open", "claimed", "adjudication", "done")
# how an item was paired with an earlier model's answer: the same question, else the same id
PairedBy = Literal["question", "id"]
PAIRED_BY: tuple[PairedBy, ...] = ("question", "id")


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One entry of the chain, as far as a campaign is concerned."""

    sequence: int
    kind: str
    at: datetime
    author: str
    body: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """Somebody's hold on a slot of an item, until a moment."""

    person: str
    evaluator: str  # the name as it was given
    slot: int
    until: datetime
    sequence: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """A record as it was at one time."""

    record: EvaluationRecord
    at: datetime
    reason: str | None
    sequence: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Rated:
    """One person's record with all its revisions, the first first."""

    person: str
    slot: int
    revisions: tuple[Revision, ...]

    @property
    def record(self) -> EvaluationRecord:
        """The record as it stands."""
        return self.revisions[-1].record

    @property
    def first(self) -> EvaluationRecord:
        """The record as it was made, blind."""
        return self.revisions[0].record


@dataclass(slots=True, kw_only=True)
class Item:
    """One interaction under review; people are known by what their name comes to."""

    trace_id: str
    query: str
    stratum: str | None
    earlier: str | None  # the trace id of the earlier model's answer to the same
    why: tuple[str, ...]
    paired_by: PairedBy | None = None
    assigned: dict[str, str] = field(default_factory=dict)
    claims: dict[str, Claim] = field(default_factory=dict)
    ratings: dict[str, Rated] = field(default_factory=dict)
    adjudicating: Claim | None = None
    adjudication: Rated | None = None

    def holders(self, at: datetime) -> dict[str, Claim]:
        """Return the claims that hold at a moment."""
        return {key: claim for key, claim in self.claims.items() if claim.until > at}
