"""One item of a campaign to be read: the interaction, the records that the viewer may see, how they were settled."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from plumbrule.ledger import Ledger
from plumbrule.reviews.adjudication import SettlementResult
from plumbrule.reviews.campaigns.campaign_store import item_of, load_items
from plumbrule.reviews.evaluation_record import DecidedRecord, EvaluationRecord
from plumbrule.reviews.items import Status
from plumbrule.reviews.record_decision import decide
from plumbrule.reviews.record_store import ExportedRecord
from plumbrule.reviews.review_entries import Role
from plumbrule.reviews.sheets import Sheet, sheet_of


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemReport:
    """An item with the records that the viewer may see, and the decision on it where they may see all of them."""

    sheet: Sheet
    status: Status
    closed: bool
    named: bool  # the evaluators' names may be shown: the campaign is closed, or the viewer rated the item too
    revisable: Role | None  # in which role the viewer can revise a record of theirs
    rated: int
    of: int
    records: tuple[ExportedRecord, ...]
    settlement: SettlementResult | None
    decision: DecidedRecord | None  # by the levels that count
    rules: Mapping[str, str]  # the titles of the rules that block


def report_item(ledger: Ledger, name: str, trace_id: str, viewer: str, *, at: datetime) -> ItemReport:
    """Return one item, by its trace id or the start of it, as ``viewer`` may see it."""
    found = item_of(load_items(ledger, name, ()).campaign, trace_id).trace_id
    standing = load_items(ledger, name, [found])
    campaign = standing.campaign
    item = item_of(campaign, found)
    visible = {rated.revisions[-1].sequence for rated in campaign.visible(item, viewer, at)}
    records = tuple(record.exported() for record in standing.records([found]) if record.entry.sequence in visible)
    settled = campaign.settlement(item) if visible and campaign.full(item) else None
    decided = None
    if settled is not None:
        record = EvaluationRecord(scores=settled.scores, trace_id=item.trace_id)
        decided = record.decided(decide(record.scores, campaign.loaded))
    person = campaign.key_of(viewer)
    roles: tuple[Role, ...] = ("evaluator", "adjudicator")
    objections = {role: campaign.objection_to_record(item, viewer, at, role=role, revises=True) for role in roles}
    return ItemReport(
        sheet=sheet_of(ledger, campaign, item, viewer, at=at),
        status=campaign.status(item, at),
        closed=campaign.closed is not None,
        named=campaign.closed is not None or person in item.ratings,
        revisable=next((role for role, objection in objections.items() if objection is None), None),
        rated=len(item.ratings),
        of=campaign.evaluators,
        records=records,
        settlement=None if settled is None else settled.result(campaign.loaded.rubric),
        decision=decided,
        rules={rule.rule: rule.title for rule in campaign.loaded.rubric.blockers},
    )
