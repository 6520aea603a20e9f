"""Campaigns: the list, and one campaign with its items, people, terms and downloads."""

from collections.abc import Callable
from datetime import datetime
from functools import partial

from fastapi import Response
from fastapi.responses import HTMLResponse
from starlette.datastructures import FormData

from plumbrule.api import reviews
from plumbrule.codec import json_line
from plumbrule.errors import PlumbruleError
from plumbrule.reports.record_table import records_csv
from plumbrule.reviews.campaigns.campaign_agreement import CampaignAgreement, measure_agreement
from plumbrule.reviews.campaigns.campaign_decision import SAME_ITEMS
from plumbrule.reviews.campaigns.campaign_history import describe_history
from plumbrule.reviews.campaigns.campaign_list import (
    CAMPAIGN_STATES,
    CampaignOutline,
    outline_campaigns,
    outlines_stamp,
)
from plumbrule.reviews.campaigns.campaign_progress import ExportedRecords, report_campaign
from plumbrule.reviews.campaigns.campaign_store import earlier_campaigns
from plumbrule.reviews.decision_report import remark_sentence
from plumbrule.reviews.followed_items import FollowedItem, follow_items
from plumbrule.web.access.roles import Role
from plumbrule.web.addresses import path_part, with_query
from plumbrule.web.desk import campaign_words
from plumbrule.web.desk.campaign_access import GivenForm, check_campaign, find_standing, text_in
from plumbrule.web.desk.pending_closings import find_pending
from plumbrule.web.downloads import download
from plumbrule.web.kept_views import View, newest
from plumbrule.web.page_numbers import page_of, page_start
from plumbrule.web.routes import Routes
from plumbrule.web.visit import Visit, Visiting
from plumbrule.web.visit_errors import visitor_words

routes = Routes()

_SHOWN_EARLIER = 20
_FILTERS: dict[str, Callable[[FollowedItem], bool]] = {  # of the items, by the word in the address
    "waiting": lambda item: item.status in {"open", "claimed"},
    "claimed": lambda item: bool(item.holders) or item.adjudicating is not None,
    "adjudication": lambda item: item.status == "adjudication",
    "done": lambda item: item.status == "done",
    "fail": lambda item: item.decision is not None and item.decision.recommendation == "Fail",
    "notes": lambda item: item.decision is not None and item.decision.recommendation == "Pass with notes",
    "pass": lambda item: item.decision is not None and item.decision.recommendation == "Pass",
    "revised": lambda item: item.revised_late,
}


@routes.page("/campaigns", role=Role.VIEWER)
def show_campaigns(visit: Visiting, state: str = "", trigger: str = "", page: int = 1) -> HTMLResponse:
    """Show the campaigns, the open ones first."""
    wanted = next((known for known in CAMPAIGN_STATES if known == state), None)
    outlines = visit.recall(campaign_outlines())
    with visit.ledger() as ledger:
        listed = reviews.campaign_page(
            state=wanted,
            trigger=trigger or None,
            start=page_start(page),
            outlines=outlines.value,
            ledger=ledger,
            at=visit.now,
        )
    filters = {"state": wanted or "", "trigger": trigger}
    return visit.render(
        "campaigns.html",
        listed=listed,
        page=page_of(listed.lines, page, path="/campaigns", query=filters, found=listed.found),
        filters=filters,
        recalled=outlines,
        now=visit.now,
        words=campaign_words,
    )


def campaign_outlines() -> View[tuple[CampaignOutline, ...]]:
    """Return the view of the campaigns of the ledger as they were opened and decided."""
    return View(
        name="campaigns",
        kind=tuple[CampaignOutline, ...],
        stamp=outlines_stamp,
        make=outline_campaigns,
        weigh=len,
    )


@routes.page("/campaigns/{name}", role=Role.VIEWER)
def show_campaign(visit: Visiting, name: str, show: str = "", find: str = "", page: int = 1) -> HTMLResponse:
    """Show how far a campaign is, item by item."""
    return _campaign(visit, name, show=show, find=find, page=page)


def _campaign(
    visit: Visit,
    name: str,
    *,
    show: str = "",
    find: str = "",
    page: int = 1,
    problem: str | None = None,
    given: FormData | None = None,
    status: int = 200,
) -> HTMLResponse:
    with visit.ledger() as ledger:
        standing = find_standing(ledger, name)
        campaign = standing.campaign
        report = report_campaign(ledger, campaign, at=visit.now)
        items = follow_items(campaign, report.decision, at=visit.now)
        history = describe_history(ledger, standing)
        plan = campaign.plan
        earlier = (
            report.decision.earlier
            if report.decision is not None
            else earlier_campaigns(
                ledger,
                {key: item.content for key, item in campaign.items.items()},
                (plan.same_items or ())[-_SHOWN_EARLIER:],
            )
        )
    counts = {word: sum(map(fits, items)) for word, fits in _FILTERS.items()}
    found = [item for item in items if _FILTERS.get(show, _everything)(item) and _has(item, find)]
    filters = {"show": show if show in _FILTERS else "", "find": find}
    return visit.render(
        "campaign.html",
        status=status,
        report=report,
        plan=plan,
        items=items,
        counts=counts,
        page=page_of(found, page, path=f"/campaigns/{path_part(name)}", query=filters),
        filters=filters,
        history=history,
        earlier=earlier,
        remarks=[remark_sentence(remark) for remark in plan.remarks if not remark.startswith(f"{SAME_ITEMS}:")],
        pending=find_pending(visit.site.store, name) if not report.closed else None,
        people=sorted({person.evaluator for person in report.evaluators}),
        problem=problem,
        given_person="" if given is None else text_in(given, "person"),
        given_items=() if given is None else given.getlist("item"),
        may_manage=visit.person is not None and visit.person.may(Role.RELEASE_MANAGER),
        words=campaign_words,
    )


def _everything(_item: FollowedItem) -> bool:
    return True


def _has(item: FollowedItem, text: str) -> bool:
    """Tell whether a text stands in the question, the trace id, or a name on an item."""
    named = (*item.rated_by, *item.assigned, *(holder.person for holder in item.holders))
    return any(text.casefold() in part.casefold() for part in (item.query, item.trace_id, *named))


@routes.action("/campaigns/{name}/assign", role=Role.RELEASE_MANAGER)
def assign(visit: Visiting, name: str, form: GivenForm) -> Response:
    """Reserve items for somebody."""
    author, person = visit.name, text_in(form, "person")
    chosen = [str(item) for item in form.getlist("item")]
    with visit.ledger() as ledger:
        check_campaign(ledger, name)
        problem = "Name whom the items are for." if not person else None if chosen else "Choose one item or more."
        if problem is None:
            try:
                reviews.assign_items(chosen, person, author=author, campaign=name, ledger=ledger, at=visit.now)
            except PlumbruleError as error:
                problem = visitor_words(error)
    show, find = text_in(form, "show"), text_in(form, "find")
    if problem is not None:
        return _campaign(visit, name, show=show, find=find, problem=problem, given=form, status=422)
    return visit.redirect(f"{with_query(f'/campaigns/{path_part(name)}', {'show': show, 'find': find})}#items")


@routes.page("/campaigns/{name}/agreement", role=Role.VIEWER)
def show_agreement(visit: Visiting, name: str) -> HTMLResponse:
    """Show how far people agree with each other and with the pre-scores."""
    viewer = None if visit.person is None else visit.person.name
    with visit.ledger() as ledger:
        campaign = find_standing(ledger, name).campaign
        closed = campaign.closed is not None
        titles = {dimension.key: dimension.title for dimension in campaign.loaded.rubric.dimensions}
        last = ledger.checkpoint()
    agreement = None
    if closed or viewer is not None:
        agreement = visit.recall(_agreement(name, None if closed else viewer, at=visit.now)).value
    return visit.render(
        "campaign_agreement.html", name=name, closed=closed, agreement=agreement, titles=titles, last=last
    )


def _agreement(name: str, viewer: str | None, *, at: datetime) -> View[CampaignAgreement]:
    """Return the view of how far people agree, of an open campaign in what the viewer may see of it."""
    return View(
        name=f"agreement in {name}{'' if viewer is None else f' for {viewer}'}",
        kind=CampaignAgreement,
        stamp=partial(newest, kinds=("campaign", "claim", "record", "interaction")),
        make=lambda ledger: measure_agreement(ledger, find_standing(ledger, name).campaign, viewer=viewer, at=at),
    )


@routes.page("/campaigns/{name}/records.jsonl", role=Role.VIEWER)
def download_lines(visit: Visiting, name: str) -> Response:
    """Give the records that the visitor may see as JSON Lines, with every field of the template."""
    records = _records(visit, name)
    return download(b"".join(map(json_line, records.records)), f"{name}.jsonl")


@routes.page("/campaigns/{name}/records.csv", role=Role.VIEWER)
def download_table(visit: Visiting, name: str) -> Response:
    """Give the records that the visitor may see as CSV."""
    records = _records(visit, name)
    return download(records_csv(records.records).encode(), f"{name}.csv")


def _records(visit: Visit, name: str) -> ExportedRecords:
    viewer = None if visit.person is None else visit.person.name
    with visit.ledger() as ledger:
        check_campaign(ledger, name)
        return reviews.export_records(name, viewer=viewer, ledger=ledger, at=visit.now)
