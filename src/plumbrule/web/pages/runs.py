"""The list of runs."""

from fastapi.responses import HTMLResponse

from plumbrule.api.runs import list_runs
from plumbrule.web.roles import Role
from plumbrule.web.routes import Routes
from plumbrule.web.visit import Visiting

routes = Routes()


@routes.page("/runs", role=Role.VIEWER)
def show_runs(visit: Visiting) -> HTMLResponse:
    """Show every run, the newest first."""
    with visit.ledger() as ledger:
        lines = list_runs(ledger)
    return visit.render("runs.html", runs=lines[::-1])
