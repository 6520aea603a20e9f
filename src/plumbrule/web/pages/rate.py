"""Rating: the queue of one evaluator over all open campaigns, and the one screen on which an item is rated."""

from fastapi.responses import HTMLResponse, Response

from plumbrule.api import reviews
from plumbrule.web.access.roles import Role
from plumbrule.web.desk.rating_desk import RatingDesk
from plumbrule.web.desk.rating_screen import Fields, minutes_left
from plumbrule.web.routes import Routes
from plumbrule.web.visit import Visiting

routes = Routes()

_DESK = RatingDesk(role="evaluator", path="/rate", template="rate.html")
_MOST = 50  # records that are listed


@routes.page("/rate", role=Role.EVALUATOR)
def show_queue(visit: Visiting, campaign: str = "", kept: str = "", returned: str = "") -> HTMLResponse:
    """Show what the visitor has to rate, what they submitted, and where others disagree.

    First stands the campaign that they come from, then those in which an item is theirs.
    """
    with visit.ledger() as ledger:
        work = reviews.work_lists(visit.name, ledger=ledger, at=visit.now)
    ordered = sorted(work, key=lambda each: (each.campaign != campaign, not each.to_rate))
    submitted = [(each.campaign, line) for each in work for line in each.submitted]
    submitted.sort(key=lambda pair: pair[1].at, reverse=True)
    return visit.render(
        "rate_queue.html",
        work=ordered,
        submitted=submitted[:_MOST],
        kept=kept,
        returned=returned,
        minutes_left=minutes_left,
        now=visit.now,
    )


@routes.action("/rate", role=Role.EVALUATOR)
def take_next(visit: Visiting, fields: Fields) -> Response:
    """Take the next item of a campaign, and go to it."""
    with visit.ledger() as ledger:
        address = _DESK.next_address(visit, ledger, str(fields.get("campaign", "")))
    return visit.redirect(address or "/rate")


@routes.page("/rate/{campaign}/{trace_id:path}", role=Role.EVALUATOR)
def show_item(
    visit: Visiting, campaign: str, trace_id: str, *, revise: bool = False, whole: bool = False, after: str = ""
) -> Response:
    """Show one item to rate it; take nothing."""
    return _DESK.show(visit, campaign, trace_id, revise=revise, whole=whole, after=after)


@routes.action("/rate/{campaign}/{trace_id:path}", role=Role.EVALUATOR)
def change_item(visit: Visiting, campaign: str, trace_id: str, fields: Fields) -> Response:
    """Save a draft, take or give back the item, or submit the record."""
    return _DESK.change(visit, campaign, trace_id, fields)
