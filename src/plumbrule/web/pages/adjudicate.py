"""Adjudicating: the items on which evaluators disagree, and the screen on which one is decided."""

from typing import Annotated

from fastapi import Query
from fastapi.responses import HTMLResponse, Response

from plumbrule.api import reviews
from plumbrule.web.access.roles import Role
from plumbrule.web.desk.rating_desk import RatingDesk
from plumbrule.web.desk.rating_screen import Fields
from plumbrule.web.page_numbers import page_of
from plumbrule.web.routes import Routes
from plumbrule.web.visit import Visiting

routes = Routes()

_DESK = RatingDesk(role="adjudicator", path="/adjudicate", template="adjudicate.html")


@routes.page("/adjudicate", role=Role.ADJUDICATOR)
def show_inbox(
    visit: Visiting, page: Annotated[int, Query(ge=1)] = 1, kept: str = "", returned: str = ""
) -> HTMLResponse:
    """Show what waits for an adjudicator, the most alarming first; take nothing."""
    with visit.ledger() as ledger:
        lines = reviews.adjudications(visit.name, ledger=ledger, at=visit.now)
    return visit.render(
        "adjudicate_inbox.html",
        page=page_of(lines, page, path="/adjudicate"),
        mine=sum(line.objection is None for line in lines),
        kept=kept,
        returned=returned,
        now=visit.now,
    )


@routes.page("/adjudicate/{campaign}/{trace_id:path}", role=Role.ADJUDICATOR)
def show_item(
    visit: Visiting, campaign: str, trace_id: str, *, revise: bool = False, whole: bool = False, after: str = ""
) -> Response:
    """Show one item with the ratings, side by side; take nothing."""
    return _DESK.show(visit, campaign, trace_id, revise=revise, whole=whole, after=after)


@routes.action("/adjudicate/{campaign}/{trace_id:path}", role=Role.ADJUDICATOR)
def change_item(visit: Visiting, campaign: str, trace_id: str, fields: Fields) -> Response:
    """Save a draft, take or give back the item, or submit the decision."""
    return _DESK.change(visit, campaign, trace_id, fields)
