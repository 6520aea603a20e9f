"""The JSON API for people: what it offers, with examples, from its own description."""

from fastapi.responses import HTMLResponse

from plumbrule.web.access.roles import Role
from plumbrule.web.routes import API, Routes
from plumbrule.web.views.api_description import describe_api
from plumbrule.web.visit import Visiting

routes = Routes()


@routes.page("/api", role=Role.VIEWER)
def show_api(visit: Visiting) -> HTMLResponse:
    """Show every call of the JSON API."""
    server = f"{'https' if visit.secure else 'http'}://{visit.request.headers['host']}"
    groups = describe_api(visit.request.app.openapi(), server=server, token=visit.site.team)
    return visit.render("api.html", groups=groups, server=server, description=f"{API}/openapi.json")
