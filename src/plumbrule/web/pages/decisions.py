"""The decision of a campaign, for a release manager before a meeting, and on paper in the form of the template."""

from typing import get_args

from fastapi.responses import HTMLResponse

from plumbrule.reviews.campaigns.campaign_progress import describe_progress
from plumbrule.reviews.campaigns.campaign_store import name_versions
from plumbrule.reviews.decision_report import report_decision
from plumbrule.rubrics import weaker_differences
from plumbrule.rubrics.scorecard_rubric import Recommendation
from plumbrule.web.access.roles import Role
from plumbrule.web.addresses import path_part
from plumbrule.web.desk import campaign_words
from plumbrule.web.desk.campaign_access import find_standing
from plumbrule.web.page_numbers import page_of, page_start
from plumbrule.web.routes import Routes
from plumbrule.web.visit import Visiting

routes = Routes()

_RECORDS = 80  # on a page in print
_CARDS = 50  # of each recommendation, before a link to the list of items


@routes.page("/campaigns/{name}/decision", role=Role.VIEWER)
def show_decision(visit: Visiting, name: str) -> HTMLResponse:
    """Show the decision with its reasons, its warnings and what it rests on; of an open campaign what is missing."""
    with visit.ledger() as ledger:
        standing = find_standing(ledger, name)
        report = report_decision(ledger, standing)
        progress = describe_progress(standing.campaign, at=visit.now)
        last = ledger.checkpoint()
    may_close = visit.person is not None and visit.person.may(Role.RELEASE_MANAGER)
    if report is None:
        return visit.render("decision_open.html", name=name, progress=progress, last=last, may_close=may_close)
    return visit.render(
        "decision.html",
        name=name,
        report=report,
        decision=report.decision,
        weaker=weaker_differences(report.decision.policy),
        most=_CARDS,
        words=campaign_words,
    )


@routes.page("/campaigns/{name}/print", role=Role.VIEWER)
def show_print(visit: Visiting, name: str, page: int = 1) -> HTMLResponse:
    """Show the decision and its records as they are printed and signed: every field of the template."""
    with visit.ledger() as ledger:
        standing = find_standing(ledger, name)
        report = report_decision(ledger, standing)
        if report is None:
            progress = describe_progress(standing.campaign, at=visit.now)
            last = ledger.checkpoint()
            may_close = visit.person is not None and visit.person.may(Role.RELEASE_MANAGER)
            return visit.render("decision_open.html", name=name, progress=progress, last=last, may_close=may_close)
        name_versions(ledger, standing.campaign)
        start = page_start(page, _RECORDS)
        records = [record.exported() for record in standing.records(part=slice(start, start + _RECORDS))]
        rated = sum(1 for _ in standing.campaign.rated())
        triggers = {rule.key: rule.title for rule in standing.campaign.loaded.rubric.triggers}
        not_applicable = standing.campaign.loaded.rubric.not_applicable.name
    return visit.render(
        "decision_print.html",
        name=name,
        report=report,
        decision=report.decision,
        weaker=weaker_differences(report.decision.policy),
        page=page_of(records, page, size=_RECORDS, path=f"/campaigns/{path_part(name)}/print", found=rated),
        triggers=triggers,
        not_applicable=not_applicable,
        recommendations=get_args(Recommendation),
        words=campaign_words,
    )
