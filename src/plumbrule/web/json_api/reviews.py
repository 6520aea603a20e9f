"""Reviews by the JSON API: campaigns, the queue, records, adjudication; each as the person who calls."""

from typing import Annotated, Any

from fastapi import Body
from pydantic import BaseModel, ConfigDict, Field

from plumbrule.api import reviews
from plumbrule.reviews.campaigns.campaign_agreement import CampaignAgreement
from plumbrule.reviews.campaigns.campaign_decision import CampaignDecision
from plumbrule.reviews.campaigns.campaign_progress import (
    AssignedItems,
    CampaignProgress,
    CampaignReport,
    ClaimList,
    ExportedRecords,
    ItemList,
    ReleasedItem,
)
from plumbrule.reviews.queue import NothingLeft
from plumbrule.reviews.record_store import ExportedRecord
from plumbrule.reviews.sheets import Sheet
from plumbrule.web.access.roles import Role
from plumbrule.web.routes import Routes
from plumbrule.web.visit import Visiting
from plumbrule.web.visit_errors import ForbiddenError

routes = Routes(tags=["reviews"])

_MOST_ITEMS = 10_000


class Closing(BaseModel):
    """How a campaign is closed."""

    model_config = ConfigDict(extra="forbid")

    as_is: bool = False
    second: str | None = None


class Assignment(BaseModel):
    """Items, and who gets them."""

    model_config = ConfigDict(extra="forbid")

    trace_ids: Annotated[list[str], Field(max_length=_MOST_ITEMS)]
    to: str


class Claiming(BaseModel):
    """Items by name, or so many of those that are free."""

    model_config = ConfigDict(extra="forbid")

    trace_ids: Annotated[list[str], Field(max_length=_MOST_ITEMS)] = []
    count: Annotated[int, Field(ge=1, le=_MOST_ITEMS)] | None = None


class Submission(BaseModel):
    """A record, and the reason where it revises one."""

    model_config = ConfigDict(extra="forbid")

    record: dict[str, Any]
    reason: str | None = None


class Ruling(BaseModel):
    """What an adjudicator decides on the open dimensions."""

    model_config = ConfigDict(extra="forbid")

    record: dict[str, Any]


@routes.call("/campaigns", role=Role.VIEWER, result=tuple[CampaignProgress, ...])
def get_campaigns(visit: Visiting) -> tuple[CampaignProgress, ...]:
    """Return every campaign, the oldest first."""
    with visit.ledger() as ledger:
        return reviews.campaigns(ledger=ledger, at=visit.now)


@routes.call("/campaigns/{campaign}", role=Role.VIEWER, result=CampaignReport)
def get_campaign(visit: Visiting, campaign: str) -> CampaignReport:
    """Return how far a campaign is, and its decision where it is closed."""
    with visit.ledger() as ledger:
        return reviews.progress(campaign, ledger=ledger, at=visit.now)


@routes.call("/campaigns/{campaign}/items", role=Role.VIEWER, result=ItemList)
def get_items(visit: Visiting, campaign: str, *, mine: bool = False) -> ItemList:
    """Return the items of a campaign with their status."""
    with visit.ledger() as ledger:
        return reviews.items(campaign, viewer=visit.name, mine=mine, ledger=ledger, at=visit.now)


@routes.call("/campaigns/{campaign}/agreement", role=Role.VIEWER, result=CampaignAgreement)
def get_agreement(visit: Visiting, campaign: str, run: str | None = None) -> CampaignAgreement:
    """Return how far people agree with each other, with the pre-scores and with the judge of a run."""
    with visit.ledger() as ledger:
        return reviews.agreement(campaign, run=run, viewer=visit.name, ledger=ledger, at=visit.now)


@routes.call("/campaigns/{campaign}/records", role=Role.VIEWER, result=ExportedRecords)
def get_records(visit: Visiting, campaign: str) -> ExportedRecords:
    """Return the records of a campaign that the caller may see."""
    with visit.ledger() as ledger:
        return reviews.export_records(campaign, viewer=visit.name, ledger=ledger, at=visit.now)


@routes.call("/campaigns/{campaign}/close", role=Role.RELEASE_MANAGER, method="POST", result=CampaignDecision)
def post_close(visit: Visiting, campaign: str, given: Annotated[Closing, Body()]) -> CampaignDecision:
    """Close a campaign, and return the decision with its reasons; in a team nobody signs for somebody else."""
    if visit.site.team and given.second is not None:
        raise ForbiddenError(f"Nobody signs for somebody else: {given.second[:60]} signs on the page of the closing.")
    with visit.ledger() as ledger:
        return reviews.close_campaign(
            campaign, as_is=given.as_is, second=given.second, author=visit.name, ledger=ledger, at=visit.now
        )


@routes.call("/campaigns/{campaign}/assign", role=Role.RELEASE_MANAGER, method="POST", result=AssignedItems)
def post_assign(visit: Visiting, campaign: str, given: Annotated[Assignment, Body()]) -> AssignedItems:
    """Reserve a place of each item for somebody."""
    with visit.ledger() as ledger:
        return reviews.assign_items(
            given.trace_ids, given.to, author=visit.name, campaign=campaign, ledger=ledger, at=visit.now
        )


@routes.call("/campaigns/{campaign}/next", role=Role.EVALUATOR, method="POST", result=Sheet | NothingLeft)
def post_next(visit: Visiting, campaign: str) -> Sheet | NothingLeft:
    """Take the next item to rate, and return its sheet."""
    with visit.ledger() as ledger:
        return reviews.claim_next(visit.name, campaign=campaign, ledger=ledger, at=visit.now)


@routes.call("/campaigns/{campaign}/claim", role=Role.EVALUATOR, method="POST", result=ClaimList)
def post_claim(visit: Visiting, campaign: str, given: Annotated[Claiming, Body()]) -> ClaimList:
    """Take items to rate."""
    with visit.ledger() as ledger:
        return reviews.claim_items(
            visit.name, given.trace_ids, count=given.count, campaign=campaign, ledger=ledger, at=visit.now
        )


@routes.call("/campaigns/{campaign}/items/{trace_id}", role=Role.EVALUATOR, result=Sheet)
def get_sheet(visit: Visiting, campaign: str, trace_id: str) -> Sheet:
    """Return the sheet of an item, with the ratings that the caller may see."""
    with visit.ledger() as ledger:
        return reviews.sheet(trace_id, visit.name, campaign=campaign, ledger=ledger, at=visit.now)


@routes.call("/campaigns/{campaign}/items/{trace_id}/release", role=Role.EVALUATOR, method="POST", result=ReleasedItem)
def post_release(visit: Visiting, campaign: str, trace_id: str) -> ReleasedItem:
    """Give an item back."""
    with visit.ledger() as ledger:
        return reviews.release_item(trace_id, visit.name, campaign=campaign, ledger=ledger, at=visit.now)


@routes.call("/campaigns/{campaign}/records", role=Role.EVALUATOR, method="POST", result=ExportedRecord)
def post_record(visit: Visiting, campaign: str, given: Annotated[Submission, Body()]) -> ExportedRecord:
    """Keep a record of an item that the caller holds or, with a reason, a revision of one."""
    with visit.ledger() as ledger:
        submitted = reviews.submit_record(
            given.record, evaluator=visit.name, reason=given.reason, campaign=campaign, ledger=ledger, at=visit.now
        )
    return submitted.records[0].exported()


@routes.call("/campaigns/{campaign}/adjudication", role=Role.ADJUDICATOR, result=Sheet | NothingLeft)
def get_adjudication(visit: Visiting, campaign: str, trace_id: str | None = None) -> Sheet | NothingLeft:
    """Return an item that waits for an adjudicator, with the ratings; nothing is taken."""
    with visit.ledger() as ledger:
        return reviews.show_adjudication(visit.name, trace_id, campaign=campaign, ledger=ledger, at=visit.now)


@routes.call(
    "/campaigns/{campaign}/items/{trace_id}/adjudicate", role=Role.ADJUDICATOR, method="POST", result=ExportedRecord
)
def post_adjudication(
    visit: Visiting, campaign: str, trace_id: str, given: Annotated[Ruling, Body()]
) -> ExportedRecord:
    """Decide an item on which the evaluators disagree."""
    with visit.ledger() as ledger:
        submitted = reviews.adjudicate(
            given.record, visit.name, trace_id=trace_id, campaign=campaign, ledger=ledger, at=visit.now
        )
    return submitted.records[0].exported()
