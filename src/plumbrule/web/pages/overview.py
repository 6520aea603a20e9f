"""The overview: what may be released and why, what is open, what is at alert, and the state of the ledger."""

from dataclasses import dataclass
from datetime import datetime
from functools import partial

from fastapi.responses import HTMLResponse

from plumbrule.api.monitoring import acknowledged
from plumbrule.api.overview import KINDS, Overview, ledger_state, overview
from plumbrule.errors import InputError
from plumbrule.ledger import AbsentLedgerError
from plumbrule.reports.week_charts import small_figure_chart
from plumbrule.rubrics import load_scorecard
from plumbrule.web.access.roles import Role
from plumbrule.web.desk.campaign_words import reason_words
from plumbrule.web.kept_views import View, newest
from plumbrule.web.routes import Routes
from plumbrule.web.views.monitored_figures import (
    AlertRow,
    FigureChart,
    Filters,
    alert_rows,
    last_results,
    recall_view,
)
from plumbrule.web.visit import Visit, Visiting
from plumbrule.web.visit_errors import visitor_words

routes = Routes()

_MOST_LINES = 20
_MOST_ALERTS = 5
_CHART_WEEKS = 26


@routes.page("/", role=Role.VIEWER)
def show_overview(visit: Visiting) -> HTMLResponse:
    """Show where everything stands."""
    try:
        with visit.ledger() as ledger:
            state = ledger_state(ledger)
    except AbsentLedgerError:
        return visit.render("no_ledger.html")
    standing = visit.recall(overview_view(visit.now)).value
    return visit.render(
        "overview.html",
        overview=standing,
        releases=standing.releases[:_MOST_LINES],
        assistants=standing.assistants,
        triggers={trigger.key: trigger.title for trigger in load_scorecard().rubric.triggers},
        state=state,
        reason_words=reason_words,
        monitored=_monitored(visit),
    )


def overview_view(at: datetime) -> View[Overview]:
    """Return the view of where everything stands."""
    return View(
        name="overview",
        kind=Overview,
        stamp=partial(newest, kinds=KINDS),
        make=lambda ledger: overview(ledger, at=at),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Monitored:
    """What the page shows of monitoring."""

    problem: str | None = None
    week: str | None = None  # the last one with reviews
    charts: tuple[FigureChart, ...] = ()
    alerts: tuple[AlertRow, ...] = ()  # those that nobody sees to first
    waiting: int = 0  # alerts that nobody sees to
    more: int = 0  # alerts that are not shown


def _monitored(visit: Visit) -> _Monitored:
    """Return what the page shows of monitoring; a problem with it leaves the rest of the page whole."""
    try:
        view = recall_view(visit, Filters()).value
    except InputError as error:
        return _Monitored(problem=visitor_words(error))
    report = view.report
    with visit.ledger() as ledger:
        alerts = alert_rows(report.alerts, acknowledged(report.alerts, ledger))
    reviewed = [number for number, week in enumerate(report.weeks) if week.reviewed]
    shown = reviewed[-1] + 1 if reviewed else 0  # weeks without a review may follow
    weeks = report.weeks[max(0, shown - _CHART_WEEKS) : shown]
    charts = [
        FigureChart(
            definition=definition,
            result=result,
            chart=small_figure_chart(definition, weeks, name=f"small-{definition.key}"),
        )
        for definition, result in zip(report.figures, last_results(report), strict=True)
    ]
    waiting = [row for row in alerts if row.acknowledgement is None]
    ordered = [*waiting, *(row for row in alerts if row.acknowledgement is not None)]
    return _Monitored(
        week=report.weeks[reviewed[-1]].week if reviewed else None,
        charts=tuple(charts) if reviewed else (),
        alerts=tuple(ordered[:_MOST_ALERTS]),
        waiting=len(waiting),
        more=max(0, len(ordered) - _MOST_ALERTS),
    )
