"""Reviews by the JSON API: campaigns, the queue, records, adjudication; each as the person who calls."""

from base64 import b64decode
from typing import Annotated, Any, Literal

import orjson
from fastapi import Body
from pydantic import BaseModel, ConfigDict, Field

from plumbrule.api import reviews
from plumbrule.errors import UsageError
from plumbrule.outcomes import DecideOn
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
from plumbrule.reviews.review_entries import ReleaseMode
from plumbrule.reviews.sample_draw import DrawResult
from plumbrule.reviews.sheets import Sheet
from plumbrule.web.access.roles import Role
from plumbrule.web.call_parameters import SOME_TRACE, CampaignName, TraceId
from plumbrule.web.desk.draft_campaign import changed_ids, draw_opening, open_from
from plumbrule.web.desk.opening_drafts import GivenFile, OpeningDraft
from plumbrule.web.routes import Routes
from plumbrule.web.visit import Visiting
from plumbrule.web.visit_errors import ForbiddenError

routes = Routes(tags=["reviews"])

_MOST_ITEMS = 10_000
_LONGEST = 10_000  # characters of a field
_FILES = ("interactions", "passages", "changed_file", "earlier", "rubric", "verdict_rubric")
_INTERACTION = {
    "response": {
        "trace_id": SOME_TRACE,
        "timestamp": "2025-03-31T09:12:00Z",
        "query": "What is the fee?",
        "grounding_status": "FULLY_GROUNDED",
        "answer": "It is $25 [1].",
        "citations": [{"citation_id": "1", "source_id": "OPS-014", "passage": "The fee is $25."}],
    }
}
_RULING = {"scores": {"grounding_integrity": "Adequate"}, "notes": "The fee is in the first passage."}
_RECORD = {
    "trace_id": SOME_TRACE,
    "scores": {
        "attribution_accuracy": "Strong",
        "retrieval_relevance": "Strong",
        "grounding_integrity": "Adequate",
        "response_completeness": "Strong",
        "refusal_appropriateness": "Strong",
        "compliance_alignment": "Strong",
    },
    "notes": "The fee is in the first passage.",
}


class Closing(BaseModel):
    """How a campaign is closed."""

    model_config = ConfigDict(extra="forbid")

    as_is: Annotated[bool, Field(examples=[False])] = False
    second: str | None = None


class Assignment(BaseModel):
    """Items, and who gets them."""

    model_config = ConfigDict(extra="forbid")

    trace_ids: Annotated[list[str], Field(max_length=_MOST_ITEMS, examples=[[SOME_TRACE]])]
    to: Annotated[str, Field(examples=["Fay Friday"])]


class Claiming(BaseModel):
    """Items by name, or so many of those that are free."""

    model_config = ConfigDict(extra="forbid")

    trace_ids: Annotated[list[str], Field(max_length=_MOST_ITEMS)] = []
    count: Annotated[Annotated[int, Field(ge=1, le=_MOST_ITEMS)] | None, Field(examples=[3])] = None


class Submission(BaseModel):
    """A record, and the reason where it revises one."""

    model_config = ConfigDict(extra="forbid")

    record: Annotated[dict[str, Any], Field(examples=[_RECORD])]
    reason: str | None = None


class Ruling(BaseModel):
    """What an adjudicator decides on the open dimensions."""

    model_config = ConfigDict(extra="forbid")

    record: Annotated[dict[str, Any], Field(examples=[_RULING])]


class SentFile(BaseModel):
    """A file, with its content as text or, where it is no text, as Base64."""

    model_config = ConfigDict(extra="forbid")

    name: Annotated[str, Field(min_length=1, max_length=500)]
    content: str
    encoding: Literal["utf-8", "base64"] = "utf-8"

    def given(self) -> GivenFile:
        """Return the file."""
        try:
            content = b64decode(self.content, validate=True) if self.encoding == "base64" else self.content.encode()
        except ValueError:
            raise UsageError(f"{self.name[:80]}: the content is not {self.encoding}") from None
        return GivenFile(name=self.name, content=content)


class Opening(BaseModel):
    """A campaign to open: what is reviewed, by which policy, and how it will decide."""

    model_config = ConfigDict(extra="forbid")

    trigger: Annotated[str, Field(max_length=_LONGEST, examples=["pre-deployment"])]
    interactions: Annotated[
        SentFile, Field(examples=[{"name": "interactions.jsonl", "content": orjson.dumps(_INTERACTION).decode()}])
    ]
    name: Annotated[str, Field(max_length=_LONGEST)] | None = None
    passages: SentFile | None = None
    seed: Annotated[int, Field(ge=0, lt=10**18)] = 42
    size: Annotated[Annotated[int, Field(ge=1, lt=10**18)] | None, Field(examples=[1])] = None
    week: Annotated[str, Field(max_length=_LONGEST)] | None = None
    trace: Annotated[str, Field(max_length=_LONGEST)] | None = None
    changed: Annotated[str, Field(max_length=_LONGEST)] | None = None
    changed_file: SentFile | None = None
    earlier: SentFile | None = None
    strict: bool = False
    claims: bool = True
    rubric: SentFile | None = None
    verdict_rubric: SentFile | None = None
    evaluators: Annotated[int, Field(ge=1, lt=10**18)] | None = None
    mode: ReleaseMode = "any_record"
    decide_on: DecideOn | None = None
    show_proposals: bool = False
    accept_weaker_policy: bool = False

    def draft(self) -> OpeningDraft:
        """Return it as the form on the page would give it, so that both are checked in one way."""
        texts = {name: getattr(self, name) for name in ("trigger", "name", "week", "trace", "changed", "mode")}
        counts = {name: getattr(self, name) for name in ("seed", "size", "evaluators", "decide_on")}
        ticked = {"strict": self.strict, "claims": self.claims, "proposals": self.show_proposals}
        sent = {name: getattr(self, name) for name in _FILES}
        files = {name: file.given() for name, file in sent.items() if file is not None}
        if self.changed:
            files["changed"] = changed_ids(self.changed)
        return OpeningDraft(
            fields={
                **{name: "" if value is None else str(value) for name, value in {**texts, **counts}.items()},
                **{name: "yes" if value else "no" for name, value in ticked.items()},
            },
            files=files,
        )


@routes.call("/campaigns", role=Role.VIEWER, result=tuple[CampaignProgress, ...], python="list_campaigns()")
def get_campaigns(visit: Visiting) -> tuple[CampaignProgress, ...]:
    """Return every campaign, the oldest first."""
    with visit.ledger() as ledger:
        return reviews.campaigns(ledger=ledger, at=visit.now)


@routes.call(
    "/campaigns",
    role=Role.RELEASE_MANAGER,
    method="POST",
    result=DrawResult,
    python='open_campaign(plumbrule.Request(trigger="pre-deployment", path="interactions.jsonl"))',
)
def post_campaign(visit: Visiting, given: Annotated[Opening, Body()]) -> DrawResult:
    """Draw a review sample from the interactions that are sent, and open a campaign on it."""
    with visit.ledger() as ledger:
        return open_from(
            given.draft(),
            accept_weaker_policy=given.accept_weaker_policy,
            author=visit.name,
            ledger=ledger,
            at=visit.now,
        )


@routes.call(
    "/draws",
    role=Role.RELEASE_MANAGER,
    method="POST",
    result=DrawResult,
    python='draw_sample(plumbrule.Request(trigger="pre-deployment", path="interactions.jsonl"))',
)
def post_draw(given: Annotated[Opening, Body()]) -> DrawResult:
    """Draw what a campaign would be opened on; nothing is opened and nothing is kept."""
    return draw_opening(given.draft())


@routes.call("/campaigns/{campaign}", role=Role.VIEWER, result=CampaignReport, python='campaign_progress("last")')
def get_campaign(visit: Visiting, campaign: CampaignName) -> CampaignReport:
    """Return how far a campaign is, and its decision where it is closed."""
    with visit.ledger() as ledger:
        return reviews.progress(campaign, ledger=ledger, at=visit.now)


@routes.call("/campaigns/{campaign}/items", role=Role.VIEWER, result=ItemList, python='list_items("last", mine=True)')
def get_items(visit: Visiting, campaign: CampaignName, *, mine: bool = False) -> ItemList:
    """Return the items of a campaign with their status."""
    with visit.ledger() as ledger:
        return reviews.items(campaign, viewer=visit.name, mine=mine, ledger=ledger, at=visit.now)


@routes.call(
    "/campaigns/{campaign}/agreement", role=Role.VIEWER, result=CampaignAgreement, python='campaign_agreement("last")'
)
def get_agreement(visit: Visiting, campaign: CampaignName, run: str | None = None) -> CampaignAgreement:
    """Return how far people agree with each other, with the pre-scores and with the judge of a run."""
    with visit.ledger() as ledger:
        return reviews.agreement(campaign, run=run, viewer=visit.name, ledger=ledger, at=visit.now)


@routes.call("/campaigns/{campaign}/records", role=Role.VIEWER, result=ExportedRecords, python='export_records("last")')
def get_records(visit: Visiting, campaign: CampaignName) -> ExportedRecords:
    """Return the records of a campaign that the caller may see."""
    with visit.ledger() as ledger:
        return reviews.export_records(campaign, viewer=visit.name, ledger=ledger, at=visit.now)


@routes.call(
    "/campaigns/{campaign}/close",
    role=Role.RELEASE_MANAGER,
    method="POST",
    result=CampaignDecision,
    python='close_campaign("last")',
)
def post_close(visit: Visiting, campaign: CampaignName, given: Annotated[Closing, Body()]) -> CampaignDecision:
    """Close a campaign, and return the decision with its reasons; in a team nobody signs for somebody else."""
    if visit.site.team and given.second is not None:
        raise ForbiddenError(f"Nobody signs for somebody else: {given.second[:60]} signs on the page of the closing.")
    with visit.ledger() as ledger:
        return reviews.close_campaign(
            campaign, as_is=given.as_is, second=given.second, author=visit.name, ledger=ledger, at=visit.now
        )


@routes.call(
    "/campaigns/{campaign}/assign",
    role=Role.RELEASE_MANAGER,
    method="POST",
    result=AssignedItems,
    python=f'assign_items(["{SOME_TRACE}"], "Fay Friday", campaign="last")',
)
def post_assign(visit: Visiting, campaign: CampaignName, given: Annotated[Assignment, Body()]) -> AssignedItems:
    """Reserve a place of each item for somebody."""
    with visit.ledger() as ledger:
        return reviews.assign_items(
            given.trace_ids, given.to, author=visit.name, campaign=campaign, ledger=ledger, at=visit.now
        )


@routes.call(
    "/campaigns/{campaign}/next",
    role=Role.EVALUATOR,
    method="POST",
    result=Sheet | NothingLeft,
    python='claim_next(campaign="last")',
)
def post_next(visit: Visiting, campaign: CampaignName) -> Sheet | NothingLeft:
    """Take the next item to rate, and return its sheet."""
    with visit.ledger() as ledger:
        return reviews.claim_next(visit.name, campaign=campaign, ledger=ledger, at=visit.now)


@routes.call(
    "/campaigns/{campaign}/claim",
    role=Role.EVALUATOR,
    method="POST",
    result=ClaimList,
    python='claim_items(count=3, campaign="last")',
)
def post_claim(visit: Visiting, campaign: CampaignName, given: Annotated[Claiming, Body()]) -> ClaimList:
    """Take items to rate."""
    with visit.ledger() as ledger:
        return reviews.claim_items(
            visit.name, given.trace_ids, count=given.count, campaign=campaign, ledger=ledger, at=visit.now
        )


@routes.call(
    "/campaigns/{campaign}/items/{trace_id}",
    role=Role.EVALUATOR,
    result=Sheet,
    python=f'show_sheet("{SOME_TRACE}", campaign="last")',
)
def get_sheet(visit: Visiting, campaign: CampaignName, trace_id: TraceId) -> Sheet:
    """Return the sheet of an item, with the ratings that the caller may see."""
    with visit.ledger() as ledger:
        return reviews.sheet(trace_id, visit.name, campaign=campaign, ledger=ledger, at=visit.now)


@routes.call(
    "/campaigns/{campaign}/items/{trace_id}/release",
    role=Role.EVALUATOR,
    method="POST",
    result=ReleasedItem,
    python=f'release_item("{SOME_TRACE}", campaign="last")',
)
def post_release(visit: Visiting, campaign: CampaignName, trace_id: TraceId) -> ReleasedItem:
    """Give an item back."""
    with visit.ledger() as ledger:
        return reviews.release_item(trace_id, visit.name, campaign=campaign, ledger=ledger, at=visit.now)


@routes.call(
    "/campaigns/{campaign}/records",
    role=Role.EVALUATOR,
    method="POST",
    result=ExportedRecord,
    python='submit_record({"trace_id": "...", "scores": {...}, "notes": "..."}, campaign="last")',
)
def post_record(visit: Visiting, campaign: CampaignName, given: Annotated[Submission, Body()]) -> ExportedRecord:
    """Keep a record of an item that the caller holds or, with a reason, a revision of one."""
    with visit.ledger() as ledger:
        submitted = reviews.submit_record(
            given.record, evaluator=visit.name, reason=given.reason, campaign=campaign, ledger=ledger, at=visit.now
        )
    return submitted.records[0].exported()


@routes.call(
    "/campaigns/{campaign}/adjudication",
    role=Role.ADJUDICATOR,
    result=Sheet | NothingLeft,
    python='show_adjudication(campaign="last")',
)
def get_adjudication(visit: Visiting, campaign: CampaignName, trace_id: str | None = None) -> Sheet | NothingLeft:
    """Return an item that waits for an adjudicator, with the ratings; nothing is taken."""
    with visit.ledger() as ledger:
        return reviews.show_adjudication(visit.name, trace_id, campaign=campaign, ledger=ledger, at=visit.now)


@routes.call(
    "/campaigns/{campaign}/items/{trace_id}/adjudicate",
    role=Role.ADJUDICATOR,
    method="POST",
    result=ExportedRecord,
    python=f'adjudicate({{"scores": {{...}}, "notes": "..."}}, trace_id="{SOME_TRACE}", campaign="last")',
)
def post_adjudication(
    visit: Visiting, campaign: CampaignName, trace_id: TraceId, given: Annotated[Ruling, Body()]
) -> ExportedRecord:
    """Decide an item on which the evaluators disagree."""
    with visit.ledger() as ledger:
        submitted = reviews.adjudicate(
            given.record, visit.name, trace_id=trace_id, campaign=campaign, ledger=ledger, at=visit.now
        )
    return submitted.records[0].exported()
