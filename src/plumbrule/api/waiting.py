"""What waits in a campaign where nothing is left for somebody: how many items, and why they are for others.

Only who did what is told here, never how: a rating that one may not see changes nothing but whether an item waits for
an adjudicator, which every list of items shows.
"""

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from plumbrule.scorecards.adjudication import person_key
from plumbrule.scorecards.campaigns import Campaign
from plumbrule.scorecards.items import Item, Role


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
