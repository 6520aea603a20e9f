"""The items of a campaign: who holds them, and the records on them with their revisions."""

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal

from plumbrule.reviews.adjudication import Rating, Settlement
from plumbrule.reviews.evaluation_record import EvaluationRecord
from plumbrule.reviews.interaction_archive import Wanted
from plumbrule.reviews.levels import named_scores
from plumbrule.reviews.review_entries import PairedBy
from plumbrule.rubrics import ScorecardRubric

# open: nobody holds a free place; claimed: somebody does; adjudication: all ratings are in and disagree too far; done
Status = Literal["open", "claimed", "adjudication", "done"]
STATUSES: tuple[Status, ...] = ("open", "claimed", "adjudication", "done")


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """Somebody's hold on a place of an item, until a moment."""

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
    late: bool = False  # others' ratings of the item were visible to the evaluator when it was made


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelChange:
    """A level that was changed after others' ratings became visible."""

    dimension: str
    blind: str
    revised: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rated:
    """One person's record with all its revisions, the first first."""

    person: str
    slot: int
    revisions: tuple[Revision, ...]

    @property
    def record(self) -> EvaluationRecord:
        """The record after its last revision."""
        return self.revisions[-1].record

    @property
    def first(self) -> EvaluationRecord:
        """The record as it was first made, blind."""
        return self.revisions[0].record

    @property
    def blind(self) -> EvaluationRecord:
        """The record as it was when others' ratings became visible to its evaluator: the blind rating."""
        return next(revision.record for revision in reversed(self.revisions) if not revision.late)

    @property
    def late(self) -> tuple[Revision, ...]:
        """The revisions that were made after that."""
        return tuple(revision for revision in self.revisions if revision.late)

    @property
    def rating(self) -> Rating:
        """The levels for the settlement: the blind ones, and those of every later revision."""
        return Rating(
            evaluator=self.record.evaluator or self.person,
            scores=self.blind.scores,
            late=tuple(revision.record.scores for revision in self.late),
        )

    def changes(self, rubric: ScorecardRubric) -> tuple[LevelChange, ...]:
        """Return what the revisions changed that were made after others' ratings became visible."""
        blind, revised = (named_scores(record.scores, rubric) for record in (self.blind, self.record))
        return tuple(
            LevelChange(dimension=key, blind=level, revised=revised[key])
            for key, level in blind.items()
            if revised[key] != level
        )


@dataclass(slots=True, kw_only=True)
class Item:
    """One interaction under review; people are known by the key of their name."""

    trace_id: str
    query: str
    stratum: str | None
    earlier: str | None  # the trace id of the earlier model's answer to the same question
    why: tuple[str, ...]
    paired_by: PairedBy | None = None
    opened: int  # the sequence of the entry that opened the campaign
    interaction: str | None = None  # the hash of the version that was drawn
    earlier_interaction: str | None = None
    answered: bool | None = None  # whether the assistant answered, or refused; None where an older plan does not say
    authors: tuple[str, ...] = ()  # who wrote the answer
    content: str | None = None  # the hash of question and answer, whatever the trace id
    assigned: dict[str, str] = field(default_factory=dict)
    claims: dict[str, Claim] = field(default_factory=dict)
    ratings: dict[str, Rated] = field(default_factory=dict)
    adjudicating: Claim | None = None
    adjudication: Rated | None = None
    settled: tuple[bool, Settlement] | None = field(default=None, repr=False, compare=False)  # for as long as it holds

    def copy(self) -> "Item":
        """Return an item that can be changed by itself."""
        return replace(
            self, assigned=dict(self.assigned), claims=dict(self.claims), ratings=dict(self.ratings), settled=None
        )

    @property
    def wanted(self) -> Wanted:
        """The version of the interaction that this item is about, whatever was kept later."""
        return Wanted(trace_id=self.trace_id, version=self.interaction, before=self.opened)

    @property
    def wanted_earlier(self) -> Wanted | None:
        """The version of the earlier model's answer; None where there is none."""
        if self.earlier is None:
            return None
        return Wanted(trace_id=self.earlier, version=self.earlier_interaction, before=self.opened)

    def holders(self, at: datetime) -> dict[str, Claim]:
        """Return the claims that are valid at a moment."""
        return {key: claim for key, claim in self.claims.items() if claim.until > at}

    def adjudicator(self, at: datetime) -> Claim | None:
        """Return the adjudicator's claim, where it is valid at a moment."""
        claim = self.adjudicating
        return claim if claim is not None and claim.until > at else None
