"""The items of a campaign for those who follow it: who holds, rated and adjudicated them, and how they ended."""

from dataclasses import dataclass
from datetime import datetime

from plumbrule.ledger.entry import utc_text
from plumbrule.reviews.campaigns.campaign import Campaign
from plumbrule.reviews.campaigns.campaign_decision import CampaignDecision, ItemDecision
from plumbrule.reviews.items import Claim, Item, Status

_ORDER = ("Fail", "Pass with notes", "Pass")  # of a closed campaign
_WAITING: tuple[Status, ...] = ("adjudication", "claimed", "open", "done")  # of an open one


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """Somebody who took a place of an item, until a moment."""

    person: str
    until: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowedItem:
    """One item: how far it is, with whom; never how it was rated while the campaign is open."""

    number: int
    trace_id: str
    query: str
    stratum: str | None
    status: Status
    rated: int
    of: int
    rated_by: tuple[str, ...]
    assigned: tuple[str, ...]
    holders: tuple[Holder, ...]
    adjudicating: Holder | None
    adjudicated_by: str | None
    revised_late: bool  # after others' ratings became visible
    earlier: str | None  # the trace id of the earlier model's answer
    decision: ItemDecision | None  # of a closed campaign


def follow_items(campaign: Campaign, decision: CampaignDecision | None, *, at: datetime) -> tuple[FollowedItem, ...]:
    """Return the items: those that fail first, then those with notes; of an open campaign those that wait first."""
    decided = {} if decision is None else {card.trace_id: card for card in decision.cards}
    followed = [
        _followed(number, item, campaign, decided.get(item.trace_id), at)
        for number, item in enumerate(campaign.items.values(), 1)
    ]
    return tuple(sorted(followed, key=_place))


def _followed(number: int, item: Item, campaign: Campaign, decision: ItemDecision | None, at: datetime) -> FollowedItem:
    adjudication, adjudicating = item.adjudication, item.adjudicator(at)
    return FollowedItem(
        number=number,
        trace_id=item.trace_id,
        query=item.query,
        stratum=item.stratum,
        status=campaign.status(item, at),
        rated=len(item.ratings),
        of=campaign.evaluators,
        rated_by=tuple(rated.first.evaluator or rated.person for rated in item.ratings.values()),
        assigned=tuple(item.assigned.values()),
        holders=tuple(map(_holder, item.holders(at).values())),
        adjudicating=None if adjudicating is None else _holder(adjudicating),
        adjudicated_by=None if adjudication is None else adjudication.first.evaluator or adjudication.person,
        revised_late=any(rated.late for rated in item.ratings.values()),
        earlier=item.earlier,
        decision=decision,
    )


def _holder(claim: Claim) -> Holder:
    return Holder(person=claim.evaluator, until=utc_text(claim.until))


def _place(item: FollowedItem) -> tuple[int, float, int]:
    if item.decision is not None:
        return _ORDER.index(item.decision.recommendation), item.decision.overall, item.number
    return _WAITING.index(item.status) - len(_WAITING), 0.0, item.number
