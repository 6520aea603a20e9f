"""How far a campaign is: its items, its counts, what was claimed, and the records that somebody may see."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Literal

from plumbrule.errors import UsageError
from plumbrule.ledger import Ledger
from plumbrule.ledger.entry import utc_text
from plumbrule.outcomes import DecideOn
from plumbrule.reviews.campaigns.campaign import Campaign
from plumbrule.reviews.campaigns.campaign_decision import CampaignDecision, RevisedRecord, policy_of, revised_records
from plumbrule.reviews.campaigns.campaign_store import Standing, decision_entry, newer_versions
from plumbrule.reviews.items import STATUSES, Claim, Item, Status
from plumbrule.reviews.model_change import ModelChange, compare_answers
from plumbrule.reviews.record_store import ExportedRecord
from plumbrule.reviews.review_entries import ReleaseMode, read_entry
from plumbrule.rubrics import PolicyDifference

Mine = Literal["adjudicated", "adjudicating", "rated", "claimed", "assigned"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemLine:
    """One item: who rated it, never how; ``mine`` is what it is to the viewer."""

    trace_id: str
    query: str
    stratum: str | None
    status: Status
    rated: int
    of: int
    rated_by: tuple[str | None, ...]
    assigned: tuple[str, ...]
    mine: Mine | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemList:
    """The items of a campaign."""

    campaign: str
    items: tuple[ItemLine, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimLine:
    """An item that somebody took."""

    trace_id: str
    query: str
    until: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimList:
    """The items that somebody took at once."""

    campaign: str
    claims: tuple[ClaimLine, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleasedItem:
    """An item that was given back."""

    campaign: str
    released: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AssignedItems:
    """Items with a place reserved for somebody."""

    campaign: str
    assigned: tuple[str, ...]
    to: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatorProgress:
    """How much one person did."""

    evaluator: str
    rated: int
    claimed: int
    adjudicated: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignProgress:
    """How far a campaign is, in counts alone."""

    campaign: str
    trigger: str
    scope: str
    depth: str
    week: str | None
    opened_at: str | None
    closed: bool
    items: int
    evaluators_per_item: int
    ratings: int
    ratings_wanted: int
    status: Mapping[Status, int]
    evaluators: tuple[EvaluatorProgress, ...]
    remarks: tuple[str, ...]
    mode: ReleaseMode | None = None  # None: of an older version, and chosen at its close
    decide_on: DecideOn = "point"
    policy: tuple[PolicyDifference, ...] = ()  # how the rubric differs from the one that ships, the weaker first

    @property
    def unrated(self) -> int:
        """How many items lack ratings."""
        return self.status["open"] + self.status["claimed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignReport(CampaignProgress):
    """How far a campaign is, and the decision where it is closed; ``paired`` is of a model change that is open."""

    paired: ModelChange | None
    decision: CampaignDecision | None
    newer_versions: tuple[str, ...] = ()  # the items that were kept again with another content after they were drawn
    revised: tuple[RevisedRecord, ...] = ()  # after others' ratings became visible; what changed once it is closed


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedRecords:
    """The records that somebody may see, and how many are held back."""

    records: tuple[ExportedRecord, ...]
    held_back: int


def describe_items(campaign: Campaign, viewer: str | None, *, at: datetime) -> tuple[ItemLine, ...]:
    """Return the items with their status; who rated them, never how."""
    person = None if viewer is None else campaign.key_of(viewer)
    return tuple(
        ItemLine(
            trace_id=item.trace_id,
            query=item.query,
            stratum=item.stratum,
            status=campaign.status(item, at),
            rated=len(item.ratings),
            of=campaign.evaluators,
            rated_by=tuple(rated.first.evaluator for rated in item.ratings.values()),
            assigned=tuple(item.assigned.values()),
            mine=_mine(item, person, at),
        )
        for item in campaign.items.values()
    )


def describe_claims(campaign: str, taken: Iterable[tuple[Item, Claim]]) -> ClaimList:
    """Return what was claimed."""
    claims = (ClaimLine(trace_id=item.trace_id, query=item.query, until=utc_text(claim.until)) for item, claim in taken)
    return ClaimList(campaign=campaign, claims=tuple(claims))


def describe_progress(campaign: Campaign, *, at: datetime) -> CampaignProgress:
    """Return how far a campaign is."""
    plan, opened = campaign.plan, campaign.opened
    items = campaign.items.values()
    statuses = Counter(campaign.status(item, at) for item in items)
    return CampaignProgress(
        campaign=campaign.name,
        trigger=plan.trigger,
        scope=plan.scope,
        depth=plan.depth,
        week=plan.week,
        opened_at=None if opened is None else utc_text(opened.at),
        closed=campaign.closed is not None,
        items=len(items),
        evaluators_per_item=campaign.evaluators,
        ratings=sum(len(item.ratings) for item in items),
        ratings_wanted=len(items) * campaign.evaluators,
        status={status: statuses[status] for status in STATUSES},
        evaluators=_people(campaign, at),
        remarks=plan.remarks,
        mode=plan.mode,
        decide_on=plan.decide_on or "point",
        policy=policy_of(campaign),
    )


def report_campaign(ledger: Ledger, campaign: Campaign, *, at: datetime) -> CampaignReport:
    """Return how far a campaign is, with its decision or, while it is open, the pre-scores of a model change."""
    progress = describe_progress(campaign, at=at)
    decided = decision_entry(ledger, campaign)
    return CampaignReport(
        **{field.name: getattr(progress, field.name) for field in fields(progress)},
        paired=compare_answers(ledger, campaign, people=False) if campaign.closed is None else None,
        decision=None if decided is None else read_entry(CampaignDecision, decided),
        newer_versions=newer_versions(ledger, campaign),
        revised=_revised(campaign),
    )


def _revised(campaign: Campaign) -> tuple[RevisedRecord, ...]:
    """Return who revised what after others' ratings became visible; no level and no reason while others rate blind."""
    revised = revised_records(campaign)
    return revised if campaign.closed is not None else tuple(replace(one, changes=(), reasons=()) for one in revised)


def exported_records(standing: Standing, viewer: str | None, *, at: datetime) -> ExportedRecords:
    """Return the records that ``viewer`` may see: all of a closed campaign, else of the items that they rated."""
    campaign = standing.campaign
    if campaign.closed is None and viewer is None:
        raise UsageError(
            f"{campaign.name}: is open, and its evaluators rate blind: --as NAME exports what NAME may see, or close it"
        )
    visible = {
        rated.revisions[-1].sequence for item in campaign.items.values() for rated in campaign.visible(item, viewer, at)
    }
    records = standing.records()
    exported = tuple(record.exported() for record in records if record.entry.sequence in visible)
    return ExportedRecords(records=exported, held_back=len(records) - len(exported))


def _people(campaign: Campaign, at: datetime) -> tuple[EvaluatorProgress, ...]:
    names: dict[str, str] = {}
    rated: Counter[str] = Counter()
    claimed: Counter[str] = Counter()
    adjudicated: Counter[str] = Counter()
    for item in campaign.items.values():
        for person, rating in item.ratings.items():
            names.setdefault(person, str(rating.first.evaluator))
            rated[person] += 1
        for person, claim in item.holders(at).items():
            names.setdefault(person, claim.evaluator)
            claimed[person] += 1
        if item.adjudication is not None:
            names.setdefault(item.adjudication.person, str(item.adjudication.first.evaluator))
            adjudicated[item.adjudication.person] += 1
    return tuple(
        EvaluatorProgress(
            evaluator=names[person], rated=rated[person], claimed=claimed[person], adjudicated=adjudicated[person]
        )
        for person in sorted(names)
    )


def _mine(item: Item, person: str | None, at: datetime) -> Mine | None:
    """Return what an item is to one evaluator."""
    if person is None:
        return None
    adjudicator = item.adjudicator(at)
    if item.adjudication is not None and item.adjudication.person == person:
        return "adjudicated"
    if adjudicator is not None and adjudicator.person == person:
        return "adjudicating"
    if person in item.ratings:
        return "rated"
    if person in item.holders(at):
        return "claimed"
    return "assigned" if person in item.assigned else None
