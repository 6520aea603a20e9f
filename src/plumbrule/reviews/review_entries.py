"""The ledger entries of campaigns and records, each with its type: what is written, and the one way to read it back.

The fields of a type are the keys of the entry's body. The types of an interaction and of a decision are in
``interaction_archive`` and ``campaign_decision``; they are read by ``read_entry`` as well.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, ValidationError

from plumbrule.codec import from_json, optional_key
from plumbrule.errors import InputError
from plumbrule.ledger import Entry
from plumbrule.outcomes import DecideOn
from plumbrule.reviews.evaluation_record import WrittenRecord
from plumbrule.reviews.record_decision import DecisionResult
from plumbrule.reviews.sampling import ManifestResult
from plumbrule.rubrics import Loaded, PolicyDifference, ScorecardRubric, kept_rubric

T = TypeVar("T")

Role = Literal["evaluator", "adjudicator"]
ReleaseMode = Literal["any_record", "run_mean"]
# how an item was paired with an earlier model's answer: by the same question, else by the same id
PairedBy = Literal["question", "id"]
PAIRED_BY: tuple[PairedBy, ...] = ("question", "id")

_VERSION = 1  # of the bodies; one that does not say is of version 1


def _moment(text: str) -> str:
    datetime.fromisoformat(text)
    return text


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedItem:
    """An interaction that a campaign reviews, as the draw gave it."""

    trace_id: str
    query: str
    stratum: str | None
    earlier: str | None  # the trace id of the earlier model's answer to the same question
    paired_by: PairedBy | None = None  # not there in older versions
    why: tuple[str, ...]
    authors: tuple[str, ...] | None = optional_key()  # who wrote the answer, where the interaction names them
    interaction: str | None = None  # the hash of the version that was drawn; not there in older versions
    earlier_interaction: str | None = optional_key()  # the same of the earlier answer
    content: str | None = optional_key()  # the hash of question and answer, whatever the trace id
    answered: bool | None = None  # whether the assistant answered, or refused; not there in older versions


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignPlan:
    """A campaign was opened: on which occasion, on which items, by how many evaluators, by which rubric."""

    event: Literal["opened"] = "opened"
    trigger: str
    scope: str
    depth: str
    draw: str | None = None  # not there in older versions
    in_view: tuple[str, ...]
    evaluators: int
    read: int
    weeks: Mapping[str, int] | None = optional_key()  # interactions read of each week; not there in older versions
    week: str | None
    changed: str | None
    remarks: tuple[str, ...]
    manifest: ManifestResult
    claim_minutes: int
    items: tuple[PlannedItem, ...]
    rubric: Mapping[str, str]
    # what follows is not there in older versions
    mode: ReleaseMode | None = optional_key()
    decide_on: DecideOn | None = optional_key()
    names: Literal["look_alikes"] | None = optional_key()  # how names are compared: person_names.person_key
    in_scope: int | None = optional_key()  # how many interactions the trigger is about, read or not
    same_items: tuple[str, ...] | None = optional_key()  # earlier campaigns on some of the same items
    policy: tuple[PolicyDifference, ...] | None = optional_key()  # how the rubric differs from the one that ships
    proposals: Literal["shown"] | None = optional_key()  # to evaluators before they rated; they may take them over


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """A place of an item was reserved for somebody."""

    event: Literal["assigned"] = "assigned"
    evaluator: str
    trace_id: str
    campaign: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Disclosure:
    """Somebody was shown the ratings of an open campaign, and therefore rates nothing in it."""

    event: Literal["disclosed"] = "disclosed"
    evaluator: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Closure:
    """A campaign was closed; ``open`` names the items that were not done."""

    event: Literal["closed"] = "closed"
    as_is: bool
    mode: ReleaseMode = "any_record"
    open: tuple[str, ...] = ()
    second: str | None = optional_key()  # who signed beside the one who closed it; not there in older versions
    by_blind_ratings: bool = False  # they decided what was open, and no later revision; not there in older versions


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimMade:
    """Somebody took a place of an item, until a moment."""

    event: Literal["claimed"] = "claimed"
    evaluator: str
    role: Role
    until: Annotated[str, AfterValidator(_moment)]
    trace_id: str
    campaign: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimReleased:
    """Somebody gave an item back."""

    event: Literal["released"] = "released"
    role: Role
    evaluator: str
    trace_id: str
    campaign: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordEntry:
    """A record, or with a reason a revision of one, and the decision on it.

    ``interaction`` is the hash of the version that it is about.
    """

    record: WrittenRecord
    decision: DecisionResult
    revision: int
    reason: str | None
    campaign: str | None
    role: Role
    rubric: Mapping[str, str]
    interaction: str | None = None  # not there in older versions


@dataclass(frozen=True, slots=True, kw_only=True)
class RubricEntry:
    """A rubric, kept for as long as anything was decided by it."""

    name: str
    version: str
    sha256: str
    content: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownEvent:
    """An event that this version does not know."""

    event: str


Body = CampaignPlan | Assignment | Disclosure | Closure | ClaimMade | ClaimReleased | RecordEntry | UnknownEvent

_BODIES: dict[tuple[str, str], type[Body]] = {
    ("campaign", "opened"): CampaignPlan,
    ("campaign", "assigned"): Assignment,
    ("campaign", "disclosed"): Disclosure,
    ("campaign", "closed"): Closure,
    ("claim", "claimed"): ClaimMade,
    ("claim", "released"): ClaimReleased,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One entry of the chain that concerns a campaign."""

    sequence: int
    at: datetime
    author: str
    body: Body


def read_event(entry: Entry) -> Event:
    """Return an entry of kind campaign, claim or record as an event."""
    at = datetime.fromisoformat(entry.recorded_at_utc)
    return Event(sequence=entry.sequence, at=at, author=entry.author, body=_read_body(entry))


def read_record_entry(entry: Entry) -> RecordEntry:
    """Return an entry of kind record."""
    return read_entry(RecordEntry, entry)


def read_rubric_entry(entry: Entry) -> Loaded[ScorecardRubric]:
    """Return a rubric as it was kept, under the version and hash that it was kept by."""
    kept = read_entry(RubricEntry, entry)
    try:
        loaded: Loaded[ScorecardRubric] = kept_rubric(kept.name, kept.content)
    except ValidationError as error:
        key = ".".join(str(part) for part in error.errors()[0]["loc"])
        raise InputError(f"{_place(entry)}: 'content.{key}' cannot be read: {error.errors()[0]['msg']}") from None
    return replace(loaded, name=kept.name, version=kept.version, sha256=kept.sha256)


def read_entry(kind: type[T], entry: Entry) -> T:
    """Return the body of an entry by its type; one that cannot be read is an error with sequence and key."""
    return _read(kind, entry.value, entry)


def _read_body(entry: Entry) -> Body:
    if entry.kind == "record":
        return read_record_entry(entry)
    content = entry.value
    name = str(content.get("event", "claimed")) if isinstance(content, Mapping) else ""
    known = _BODIES.get((entry.kind, name))
    return UnknownEvent(event=name) if known is None else _read(known, content, entry)


def _read(kind: type[T], content: object, entry: Entry) -> T:
    version = content.get("version", _VERSION) if isinstance(content, Mapping) and kind is not RubricEntry else _VERSION
    if version != _VERSION:
        raise InputError(f"{_place(entry)}: 'version' is {version}, and this Plumbrule reads version {_VERSION}")
    return from_json(kind, content, where=_place(entry))


def _place(entry: Entry) -> str:
    return f"ledger entry {entry.sequence} ({entry.kind} {entry.subject})"
