"""Which item an evaluator is likely to get next, and what waits for others where nothing is left for them."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from plumbrule.ledger import Ledger, escaped
from plumbrule.names import key_of_trace
from plumbrule.reviews.campaigns.campaign import Campaign
from plumbrule.reviews.items import Item
from plumbrule.reviews.review_entries import Role


@dataclass(frozen=True, slots=True, kw_only=True)
class Likely:
    """The items that somebody may hold, and those that may be free, the most likely first."""

    held: tuple[str, ...]
    free: tuple[str, ...]


def likely_items(ledger: Ledger, campaign: Campaign, evaluator: str) -> Likely:
    """Return what to try for an evaluator: reserved places, then free ones, then places that others seem to hold."""
    keys = _Keys(campaign.key_of)
    rated, claimed = (
        _people_at(ledger, kind, f"{room}/{campaign.name}", keys)
        for kind, room in (("record", "records"), ("claim", "campaigns"))
    )
    person = campaign.key_of(evaluator)
    held: list[str] = []
    free: list[tuple[bool, bool, str]] = []
    for key, item in campaign.items.items():
        part = escaped(key_of_trace(key), part=True)
        done = rated[part]
        if person in done:
            continue
        if person in claimed[part]:
            held.append(item.trace_id)
        if len(done) < campaign.evaluators:
            taken = len(done | claimed[part] - {person}) >= campaign.evaluators
            free.append((person not in item.assigned, taken, item.trace_id))
    free.sort(key=lambda place: place[:2])  # in the order of the campaign, otherwise
    return Likely(held=tuple(held), free=tuple(trace_id for _, _, trace_id in free))


class _Keys(dict[str, str]):
    """The keys of names, each made once."""

    def __init__(self, key_of: Callable[[str], str]) -> None:
        super().__init__()
        self._key_of = key_of

    def __missing__(self, name: str) -> str:
        self[name] = self._key_of(name)
        return self[name]


def _people_at(ledger: Ledger, kind: str, room: str, keys: _Keys) -> defaultdict[str, set[str]]:
    """Return who has entries on each item, by the item's part of the subject."""
    people: defaultdict[str, set[str]] = defaultdict(set)
    for subject, author in ledger.outlines(kind=kind, run=room):
        people[subject.split("/")[2]].add(keys[author])
    return people


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """The items that wait for other people in one role, counted for the person who asked."""

    role: Role
    closed: bool
    items: int
    rated: int  # by the person who asked
    held: int  # taken by others, or reserved for them
    holders: tuple[str, ...]
    shown: bool  # the person who asked was shown the ratings, and so rates nothing
    unrated: int  # items that lack ratings, which an adjudicator has to wait for
    written: int = 0  # whose answer the person who asked wrote


@dataclass(frozen=True, slots=True, kw_only=True)
class NothingLeft:
    """Nothing is left for somebody to take, and what waits for others."""

    campaign: str
    trace_id: None = None
    waiting: Waiting


def waiting_for_others(campaign: Campaign, person: str, *, at: datetime, role: Role = "evaluator") -> Waiting:
    """Return what waits in a role that somebody cannot, or need not, take."""
    key = campaign.key_of(person)
    unrated = [item for item in campaign.items.values() if not campaign.full(item)]
    if campaign.closed is not None:
        items = []
    elif role == "adjudicator":
        items = [item for item in campaign.items.values() if campaign.status(item, at) == "adjudication"]
    else:
        items = unrated
    others = [_holders(item, key, at, role) for item in items if key not in item.ratings]
    return Waiting(
        role=role,
        closed=campaign.closed is not None,
        items=len(items),
        rated=sum(key in item.ratings for item in items),
        held=sum(map(bool, others)),
        holders=tuple(sorted({name for holders in others for name in holders})),
        shown=role == "evaluator" and key in campaign.disclosed,
        unrated=len(unrated),
        written=sum(campaign.wrote(item, key) for item in items),
    )


def _holders(item: Item, key: str, at: datetime, role: Role) -> list[str]:
    """Return who has an item, or a place of it, other than the person who asked."""
    if role == "adjudicator":
        adjudicator = item.adjudicator(at)
        return [adjudicator.evaluator] if adjudicator is not None and adjudicator.person != key else []
    reserved = {person: name for person, name in item.assigned.items() if person not in item.ratings}
    held = {**reserved, **{person: claim.evaluator for person, claim in item.holders(at).items()}}
    return [name for person, name in held.items() if person != key]
