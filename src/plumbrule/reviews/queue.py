"""Which item an evaluator is likely to get next, and what waits for others where nothing is left for them."""

from collections import defaultdict
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from plumbrule.ledger import Ledger, escaped
from plumbrule.names import key_of_trace
from plumbrule.reviews.adjudication import person_key
from plumbrule.reviews.campaign import Campaign
from plumbrule.reviews.items import Item, Role


@dataclass(frozen=True, slots=True, kw_only=True)
class Likely:
    """The items that somebody may hold, and those that may be free, the likeliest first."""

    held: tuple[str, ...]
    free: tuple[str, ...]


def likely_items(ledger: Ledger, campaign: Campaign, evaluator: str) -> Likely:
    """Return what to try for an evaluator: kept for him, then free places, then places that others seem to hold."""
    keys: dict[str, str] = {}
    rated, claimed = (
        _people_at(ledger, kind, f"{room}/{campaign.name}", keys)
        for kind, room in (("record", "records"), ("claim", "campaigns"))
    )
    person = person_key(evaluator)
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
    free.sort(key=lambda each: each[:2])  # in the order of the campaign, otherwise
    return Likely(held=tuple(held), free=tuple(trace_id for _, _, trace_id in free))


def _people_at(ledger: Ledger, kind: str, room: str, keys: dict[str, str]) -> defaultdict[str, set[str]]:
    """Return who has entries on each item, by the item's part of the subject; ``keys`` spares reading a name twice."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for subject, author in ledger.outlines(kind=kind, run=room):
        if author not in keys:
            keys[author] = person_key(author)
        found[subject.split("/")[2]].add(keys[author])
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """The items that wait for others in one role, as they are to the one who asked."""

    role: Role
    closed: bool
    items: int
    rated: int  # by the one who asked
    held: int  # taken by others, or kept for them
    holders: tuple[str, ...]
    shown: bool  # the one who asked was shown the ratings, and so rates nothing
    unrated: int  # items that lack ratings, which an adjudicator has to wait for

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        return {**asdict(self), "holders": list(self.holders)}


def waiting_for_others(campaign: Campaign, person: str, *, at: datetime, role: Role = "evaluator") -> Waiting:
    """Return what waits in a role that somebody cannot, or need not, take."""
    key = person_key(person)
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
    )


def _holders(item: Item, key: str, at: datetime, role: Role) -> list[str]:
    """Return who has an item, or a place of it, but for the one who asked."""
    if role == "adjudicator":
        claim = item.adjudicating
        return [claim.evaluator] if claim is not None and claim.until > at and claim.person != key else []
    kept = {person: name for person, name in item.assigned.items() if person not in item.ratings}
    held = {**kept, **{person: claim.evaluator for person, claim in item.holders(at).items()}}
    return [name for person, name in held.items() if person != key]
