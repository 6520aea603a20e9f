"""The list of runs."""

from fastapi.responses import HTMLResponse

from plumbrule.web.access.roles import Role
from plumbrule.web.page_numbers import page_of
from plumbrule.web.routes import Routes
from plumbrule.web.views.run_query import AskedRuns, run_choices
from plumbrule.web.views.run_views import run_lines
from plumbrule.web.visit import Visiting

routes = Routes()
_PAGE = 50


@routes.page("/runs", role=Role.VIEWER)
def show_runs(visit: Visiting, asked: AskedRuns) -> HTMLResponse:
    """Show the runs that are asked for, the newest first."""
    with visit.ledger() as ledger:
        lines = visit.recall(run_lines()).value
        head = ledger.checkpoint()
    page = page_of(asked.select(lines), asked.page, size=_PAGE, path="/runs", query=asked.query)
    return visit.render("runs.html", runs=lines, page=page, asked=asked, choices=run_choices(lines), head=head)
