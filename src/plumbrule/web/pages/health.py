"""Whether the server lives, and whether it can read its ledger."""

from fastapi.responses import PlainTextResponse

from plumbrule.errors import PlumbruleError
from plumbrule.web.access.roles import Role
from plumbrule.web.routes import Routes
from plumbrule.web.visit import Visiting

routes = Routes()


@routes.page("/health", role=Role.PUBLIC)
def health() -> PlainTextResponse:
    """Tell that the process answers."""
    return PlainTextResponse("ok\n")


@routes.page("/ready", role=Role.PUBLIC)
def ready(visit: Visiting) -> PlainTextResponse:
    """Tell whether the ledger can be read."""
    try:
        with visit.ledger():
            return PlainTextResponse("ready\n")
    except PlumbruleError:
        return PlainTextResponse("the ledger cannot be read\n", status_code=503)
