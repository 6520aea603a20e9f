"""The ledger by the JSON API, and the description of the API itself."""

from typing import Any

from plumbrule.api.ledger import verify_ledger
from plumbrule.ledger.chain import Verification
from plumbrule.web.access.roles import Role
from plumbrule.web.routes import Routes
from plumbrule.web.visit import Visiting

routes = Routes(tags=["ledger"])


@routes.call("/ledger/verification", role=Role.VIEWER, result=Verification, python="verify_ledger()")
def get_verification(visit: Visiting) -> Verification:
    """Verify the whole ledger, and return what was found; this takes long on a large one."""
    with visit.ledger() as ledger:
        return verify_ledger(ledger)


@routes.call("/openapi.json", role=Role.VIEWER, result=dict[str, Any])
def get_description(visit: Visiting) -> Any:  # noqa: ANN401 - JSON
    """Return the OpenAPI description of these calls."""
    return visit.request.app.openapi()
