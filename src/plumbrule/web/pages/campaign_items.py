"""One item of a campaign to be read: the interaction, the records that the visitor may see, and the decision on it."""

from fastapi.responses import HTMLResponse

from plumbrule.api import reviews
from plumbrule.errors import InputError, UsageError
from plumbrule.web.access.roles import Role
from plumbrule.web.routes import Routes
from plumbrule.web.views.evidence_links import link_texts
from plumbrule.web.visit import Visiting
from plumbrule.web.visit_errors import AbsentError

routes = Routes()


@routes.page("/campaigns/{campaign}/items/{trace_id:path}", role=Role.VIEWER)
def show_item(visit: Visiting, campaign: str, trace_id: str, *, whole: bool = False) -> HTMLResponse:
    """Show one item with its records, as far as the visitor may see them."""
    viewer = (visit.person.name if visit.person is not None else None) or ""
    with visit.ledger() as ledger:
        try:
            report = reviews.item_report(trace_id, viewer, campaign=campaign, ledger=ledger, at=visit.now)
        except (InputError, UsageError) as error:
            raise AbsentError(str(error)) from None
    sheet = report.sheet
    return visit.render(
        "campaign_item.html",
        report=report,
        sheet=sheet,
        texts=link_texts(sheet, whole=whole),
        earlier=None if sheet.earlier is None else link_texts(sheet.earlier, prefix="e", whole=whole),
        viewer=viewer,
    )
