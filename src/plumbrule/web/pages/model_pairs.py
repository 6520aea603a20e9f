"""A model change pair by pair: the figures over all pairs, and both answers side by side with the words that differ."""

from fastapi.responses import HTMLResponse

from plumbrule.reviews.campaigns.campaign_progress import report_campaign
from plumbrule.reviews.campaigns.campaign_store import load_item
from plumbrule.reviews.model_change import ModelChange, PairedComparison, PairLine, compare_pair
from plumbrule.reviews.sheets import EarlierAnswer, Sheet, sheet_of
from plumbrule.web.access.roles import Role
from plumbrule.web.addresses import path_part
from plumbrule.web.desk import campaign_words
from plumbrule.web.desk.campaign_access import check_campaign, find_standing
from plumbrule.web.page_numbers import page_of
from plumbrule.web.routes import Routes
from plumbrule.web.views.word_differences import word_differences
from plumbrule.web.visit import Visiting
from plumbrule.web.visit_errors import AbsentError

routes = Routes()

_NO_PAIRS = "'{name}' compares no two models: only a campaign on a model change does."


@routes.page("/campaigns/{name}/pairs", role=Role.VIEWER)
def show_pairs(visit: Visiting, name: str, page: int = 1) -> HTMLResponse:
    """Show the figures over all pairs, and the pairs, those first that became worse."""
    with visit.ledger() as ledger:
        campaign = find_standing(ledger, name).campaign
        report = report_campaign(ledger, campaign, at=visit.now)
        change = report.paired if report.decision is None else report.decision.paired
        queries = {item.trace_id: item.query for item in campaign.items.values()}
        last = ledger.checkpoint()
    if change is None:
        raise AbsentError(_NO_PAIRS.format(name=name[:100]))
    pairs = sorted(change.pairs, key=_worst_first)
    return visit.render(
        "model_change.html",
        name=name,
        closed=report.closed,
        change=change,
        compared=_compared(change),
        queries=queries,
        page=page_of(pairs, page, path=f"/campaigns/{path_part(name)}/pairs"),
        last=last,
        words=campaign_words,
    )


@routes.page("/campaigns/{name}/pairs/{trace_id:path}", role=Role.VIEWER)
def show_pair(visit: Visiting, name: str, trace_id: str) -> HTMLResponse:
    """Show the new answer beside the earlier one, with the words that differ and the levels of both."""
    viewer = "" if visit.person is None else visit.person.name or ""
    with visit.ledger() as ledger:
        check_campaign(ledger, name)
        campaign, item = load_item(ledger, name, trace_id)
        sheet = sheet_of(ledger, campaign, item, viewer, at=visit.now)
        pair = compare_pair(ledger, campaign, item) if item.earlier is not None else None
        last = ledger.checkpoint()
    if sheet.earlier is None or pair is None:
        raise AbsentError(f"'{item.trace_id[:100]}' has no earlier answer beside it.")
    before, after = word_differences(_said(sheet.earlier), _said(sheet))
    return visit.render(
        "model_change_pair.html",
        name=name,
        closed=campaign.closed is not None,
        sheet=sheet,
        earlier=sheet.earlier,
        pair=pair,
        before=before,
        after=after,
        last=last,
        words=campaign_words,
    )


def _said(answer: Sheet | EarlierAnswer) -> str:
    """Return what the assistant said: its answer, or why it refused."""
    if answer.answer:
        return answer.answer
    refusal = answer.refusal
    return "" if refusal is None else f"Refused ({refusal.code or 'no code'}): {refusal.reason or 'no reason'}"


def _compared(change: ModelChange) -> list[tuple[str, PairedComparison]]:
    given = (("People's records", change.people), ("Pre-scores", change.prescores))
    return [(title, compared) for title, compared in given if compared is not None]


def _worst_first(pair: PairLine) -> tuple[bool, float, str]:
    difference = pair.people if pair.people is not None else pair.prescores
    return difference is None, difference or 0.0, pair.trace_id
