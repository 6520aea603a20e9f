"""The campaigns that an interaction is in, as far as they concern it: nothing of what else they look at."""

from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import unquote

from plumbrule.codec import to_json
from plumbrule.ledger import Entry, Ledger
from plumbrule.ledger.entry import utc_text
from plumbrule.monitoring.incident_model import Event, Involvement
from plumbrule.names import key_of_trace
from plumbrule.reviews.campaign_decision import CampaignDecision
from plumbrule.reviews.campaign_store import load_campaign
from plumbrule.reviews.closing_decision import kept_decision

# Of a decision, what is said of all items at once; its cards, pairs and remarks tell of each.
_OF_A_DECISION = ("release", "recommendation", "mode", "records", "overall", "band", "action", "reasons", "as_is")


def involvements(ledger: Ledger, trace_id: str, names: Iterable[str]) -> Iterator[Involvement]:
    """Yield what the campaigns with these names have to do with an interaction, in their order."""
    key = key_of_trace(trace_id)
    for name in names:
        standing = load_campaign(ledger, name)
        campaign = standing.campaign
        item = campaign.item(trace_id)
        paired = any(key_of_trace(each.earlier) == key for each in campaign.items.values() if each.earlier is not None)
        if campaign.opened is None or (item is None and not paired):
            continue
        plan, closed = campaign.plan, campaign.closed
        yield Involvement(
            campaign=name,
            trigger=plan.trigger,
            scope=plan.scope,
            depth=plan.depth,
            evaluators=campaign.evaluators,
            rubric=dict(plan.rubric),
            opened_at_utc=utc_text(campaign.opened.at),
            opened_by=campaign.opened.author,
            closed_at_utc=None if closed is None else utc_text(closed.at),
            closed_by=None if closed is None else closed.author,
            taken_as="earlier" if item is None else "item",
            stratum=None if item is None else item.stratum,
            why=() if item is None else item.why,
            work=tuple(event_of(entry) for entry in standing.entries if _is_work_on(key, entry)),
            decision=None if closed is None else _decided(kept_decision(ledger, name)),
        )


def event_of(entry: Entry) -> Event:
    """Return an entry as an incident tells it."""
    return Event(
        kind=entry.kind,
        subject=unquote(entry.subject),
        author=entry.author,
        recorded_at_utc=entry.recorded_at_utc,
        sequence=entry.sequence,
        body=entry.value,
    )


def _is_work_on(key: str, entry: Entry) -> bool:
    """Tell whether an entry gives this one item to somebody, or takes it back; records are told elsewhere."""
    return entry.kind in {"campaign", "claim"} and key_of_trace(entry.value.get("trace_id") or "") == key


def _decided(decision: CampaignDecision | None) -> dict[str, Any] | None:
    return None if decision is None else {name: to_json(getattr(decision, name)) for name in _OF_A_DECISION}
