"""Monitoring: the figures over time, their alerts and who sees to them, and the reviews behind a week."""

from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Annotated

from fastapi import Form, Query
from fastapi.responses import HTMLResponse, RedirectResponse

from plumbrule.api.monitoring import Reviews, acknowledge_alert, acknowledged
from plumbrule.api.overview import recent_agreement
from plumbrule.errors import UsageError
from plumbrule.interactions.weeks import monday_of
from plumbrule.monitoring.acknowledgements import LONGEST_OWNER, LONGEST_REMEDY, OvertakenError
from plumbrule.monitoring.monitoring_report import MonitoringReport, interval_says
from plumbrule.monitoring.week_reviews import WeekReview
from plumbrule.reports.week_charts import Address, drift_chart, figure_chart
from plumbrule.reviews.campaigns.campaign_agreement import CampaignAgreement
from plumbrule.rubrics import load_scorecard
from plumbrule.web.access.roles import Role
from plumbrule.web.addresses import path_part
from plumbrule.web.desk.campaign_words import stratum_words, trigger_words
from plumbrule.web.kept_views import View, newest
from plumbrule.web.page_numbers import page_of
from plumbrule.web.routes import Routes
from plumbrule.web.views.monitored_figures import (
    FigureChart,
    Filtering,
    Filters,
    alert_rows,
    last_results,
    recall_view,
)
from plumbrule.web.visit import Visit, Visiting
from plumbrule.web.visit_errors import AbsentError, visitor_words

routes = Routes()

_MOST_WEEKS = 40  # on one page; the address has the others
_MOST_ALERTS = 12
_MOST_TEXT = 20_000


@routes.page("/monitoring", role=Role.VIEWER)
def show_monitoring(visit: Visiting, filters: Filtering) -> HTMLResponse:
    """Show the figures over time."""
    return _show(visit, filters)


@routes.action("/monitoring/alerts/{alert_id}", role=Role.RELEASE_MANAGER)
def acknowledge(
    visit: Visiting,
    alert_id: str,
    filters: Filtering,
    owner: Annotated[str, Form(max_length=_MOST_TEXT)] = "",
    remedy: Annotated[str, Form(max_length=_MOST_TEXT)] = "",
    after: Annotated[int, Form(ge=0)] = 0,
) -> HTMLResponse | RedirectResponse:
    """Keep who sees to an alert and what is done about it."""
    try:
        with visit.ledger() as ledger:
            acknowledge_alert(
                Reviews(ledger=ledger, loaded=load_scorecard()),
                alert_id,
                owner=owner,
                remedy=remedy,
                author=visit.name,
                after=after,
                at=visit.now,
            )
    except OvertakenError as error:
        return _show(
            visit, filters, alert_id=alert_id, owner=owner, remedy=remedy, problem=visitor_words(error), status=409
        )
    except UsageError as error:
        return _show(
            visit, filters, alert_id=alert_id, owner=owner, remedy=remedy, problem=visitor_words(error), status=422
        )
    return visit.redirect(f"/monitoring{filters.query()}#alert-{path_part(alert_id)}")


@routes.page("/monitoring/{week}", role=Role.VIEWER)
def show_week(
    visit: Visiting, week: str, filters: Filtering, page: Annotated[int, Query(ge=1, le=1_000_000)] = 1
) -> HTMLResponse:
    """Show the reviews of one week, the worst first."""
    try:
        monday = monday_of(week)
    except UsageError as error:
        raise AbsentError(str(error)) from None
    within = Filters(triggers=filters.triggers, strata=filters.strata)
    recalled = recall_view(visit, within)
    view = recalled.value
    names = [each.week for each in view.report.weeks]
    place = names.index(week) if week in names else None
    reviews = view.weeks.get(week)
    lines = () if reviews is None else reviews.reviews
    return visit.render(
        "week.html",
        week=week,
        monday=monday,
        before=names[place - 1] if place else None,
        after=names[place + 1] if place is not None and place + 1 < len(names) else None,
        result=None if place is None else view.report.weeks[place],
        report=view.report,
        reviews=reviews,
        page=page_of(lines, page, path=f"/monitoring/{path_part(week)}", query=within.fields()),
        alerts=[alert for alert in view.report.alerts if alert.week == week],
        filters=within,
        titles=_dimension_titles(),
        stratum_words=stratum_words,
        trigger_words=trigger_words,
        by_level=_by_level,
        low=_low_levels(),
        recalled=recalled,
    )


def _by_level(line: WeekReview) -> list[tuple[str, list[str]]]:
    """Return the dimensions of each level that a review has, the lowest first; what does not apply is left out."""
    rubric = load_scorecard().rubric
    levels = [level.name for level in reversed(rubric.levels)]
    by_level = {level: [key for key, given in line.levels.items() if given == level] for level in levels}
    return [(level, keys) for level, keys in by_level.items() if keys]


def _low_levels() -> dict[str, str]:
    """Return the look of the levels that need a note; the lowest of all is a failure."""
    rubric = load_scorecard().rubric
    lowest = rubric.levels[-1].name
    return {level: "fail" if level == lowest else "unsure" for level in rubric.note_required_at}


def _show(
    visit: Visit,
    filters: Filters,
    *,
    alert_id: str = "",
    owner: str = "",
    remedy: str = "",
    problem: str | None = None,
    status: int = 200,
) -> HTMLResponse:
    recalled = recall_view(visit, filters)
    view = recalled.value
    report = view.report
    with visit.ledger() as ledger:
        rows = alert_rows(report.alerts, acknowledged(report.alerts, ledger))
    weeks = report.weeks[-_MOST_WEEKS:]
    charts = [
        FigureChart(
            definition=definition,
            result=result,
            chart=figure_chart(definition, weeks, name=f"chart-{definition.key}", address=_week_address(filters)),
        )
        for definition, result in zip(report.figures, last_results(report), strict=True)
    ]
    rubric = load_scorecard().rubric
    earlier = report.weeks[: -len(weeks)]
    return visit.render(
        "monitoring.html",
        before=replace(filters, last=earlier[-1].week) if earlier else None,
        status=status,
        report=report,
        charts=charts,
        weeks=weeks,
        drift=_drift(report, weeks[0].week if weeks else "", filters),
        alerts=rows[:_MOST_ALERTS],
        more_alerts=max(0, len(rows) - _MOST_ALERTS),
        waiting=sum(row.acknowledgement is None for row in rows),
        reviewed=[week for week in report.weeks if week.reviewed],
        filters=filters,
        triggers=rubric.triggers,
        strata=view.strata,
        says=interval_says,
        agreement=visit.recall(_agreement(visit.now)).value,
        titles=_dimension_titles(),
        stratum_words=stratum_words,
        trigger_words=trigger_words,
        codes={code.key: code.text for code in rubric.refusal_codes},
        typed={"alert": alert_id, "owner": owner, "remedy": remedy, "problem": problem},
        longest={"owner": LONGEST_OWNER, "remedy": LONGEST_REMEDY},
        recalled=recalled,
    )


def _agreement(at: datetime) -> View[tuple[CampaignAgreement, ...]]:
    return View(
        name="agreement",
        kind=tuple[CampaignAgreement, ...],
        stamp=partial(newest, kinds=("decision",)),
        make=lambda ledger: recent_agreement(ledger, at=at),
    )


def _drift(report: MonitoringReport, first: str, filters: Filters) -> list[FigureChart]:
    """Return the chart of each figure that is a mean and has weeks after its baseline."""
    titles = {definition.key: definition for definition in report.figures}
    last = dict(zip((definition.key for definition in report.figures), last_results(report), strict=True))
    charts: list[FigureChart] = []
    for key, points in report.drift.items():
        shown = [point for point in points if point.week >= first]
        if shown:
            chart = drift_chart(
                titles[key].title,
                shown,
                alarm_at=report.drift_alarm_at,
                name=f"drift-{key}",
                address=_week_address(filters),
            )
            charts.append(FigureChart(definition=titles[key], result=last[key], chart=chart))
    return charts


def _week_address(filters: Filters) -> Address:
    """Return what gives the address of a week's page, with the filters that its figures were made with."""
    query = Filters(triggers=filters.triggers, strata=filters.strata).query()
    return lambda week: f"/monitoring/{week}{query}"


def _dimension_titles() -> dict[str, str]:
    return {dimension.key: dimension.title for dimension in load_scorecard().rubric.dimensions}
