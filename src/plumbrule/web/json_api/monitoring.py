"""Monitoring by the JSON API: the weekly figures with their alerts, feedback and incidents."""

from typing import Annotated

from fastapi import Body, Query
from pydantic import BaseModel, ConfigDict, Field

from plumbrule.api.monitoring import MonitoringView, Reviews, acknowledge_alert, feedback, incident, monitor
from plumbrule.monitoring.acknowledgements import LONGEST_OWNER, LONGEST_REMEDY
from plumbrule.monitoring.feedback_patterns import Feedback
from plumbrule.monitoring.incident_model import Incident
from plumbrule.monitoring.monitoring_report import Acknowledgement, MonitoringReport
from plumbrule.outcomes import DecideOn
from plumbrule.rubrics import load_scorecard
from plumbrule.web.access.roles import Role
from plumbrule.web.call_parameters import SOME_TRACE, AlertId, TraceId
from plumbrule.web.routes import Routes
from plumbrule.web.views.monitored_figures import Filtering, recall_view
from plumbrule.web.visit import Visiting

routes = Routes(tags=["monitoring"])

_MOST_WORDS = 100  # triggers, or strata
_Words = Annotated[list[Annotated[str, Field(max_length=200)]], Field(max_length=_MOST_WORDS)]


class Monitoring(BaseModel):
    """Which reviews count, and which weeks are shown."""

    model_config = ConfigDict(extra="forbid")

    first: Annotated[str | None, Field(description="An ISO week, such as 2025-W03.")] = None
    last: Annotated[str | None, Field(description="Another.")] = None
    triggers: Annotated[_Words, Field(examples=[["monitoring"]])] = []
    strata: _Words = []
    decide_on: DecideOn | None = None


class Owner(BaseModel):
    """Who sees to an alert, and what is done about it."""

    model_config = ConfigDict(extra="forbid")

    owner: Annotated[str, Field(max_length=LONGEST_OWNER, examples=["Fay Friday"])]
    remedy: Annotated[str, Field(max_length=LONGEST_REMEDY, examples=["The new chunker is taken back."])]
    after: Annotated[
        Annotated[int, Field(ge=0)] | None,
        Field(description="The number of the last acknowledgement that you saw, 0 for none; a later one is an error."),
    ] = None


@routes.call("/monitoring", role=Role.VIEWER, result=MonitoringView, python='view_monitoring(triggers=["monitoring"])')
def get_monitoring(visit: Visiting, filters: Filtering) -> MonitoringView:
    """Return the figures by week with their alerts, the reviews of every week, and the patterns; nothing is kept."""
    return recall_view(visit, filters).value


@routes.call(
    "/monitoring",
    role=Role.RELEASE_MANAGER,
    method="POST",
    result=MonitoringReport,
    python='monitor(triggers=["monitoring"])',
)
def post_monitoring(visit: Visiting, given: Annotated[Monitoring, Body()]) -> MonitoringReport:
    """Return the figures by week with their alerts, and keep new alerts in the ledger."""
    with visit.ledger() as ledger:
        monitored = monitor(
            Reviews(
                ledger=ledger,
                triggers=tuple(given.triggers),
                strata=tuple(given.strata),
                loaded=load_scorecard(),
            ),
            first=given.first,
            last=given.last,
            decide_on=given.decide_on,
            now=lambda: visit.now,
        )
    if monitored.failure is not None:
        raise monitored.failure
    return monitored.report


@routes.call(
    "/alerts/{alert_id}/acknowledgement",
    role=Role.RELEASE_MANAGER,
    method="POST",
    result=Acknowledgement,
    python='acknowledge_alert("alert-id", owner="Fay Friday", remedy="The new chunker is taken back.")',
)
def post_acknowledgement(visit: Visiting, alert_id: AlertId, given: Annotated[Owner, Body()]) -> Acknowledgement:
    """Keep who sees to an alert and what is done about it."""
    with visit.ledger() as ledger:
        return acknowledge_alert(
            Reviews(ledger=ledger, loaded=load_scorecard()),
            alert_id,
            owner=given.owner,
            remedy=given.remedy,
            author=visit.name,
            after=given.after,
            at=visit.now,
        )


@routes.call("/feedback", role=Role.VIEWER, result=Feedback, python='feedback(triggers=["monitoring"])')
def get_feedback(visit: Visiting, trigger: Annotated[list[str] | None, Query()] = None) -> Feedback:
    """Return the patterns in what was reviewed, with their remedies."""
    with visit.ledger() as ledger:
        return feedback(Reviews(ledger=ledger, triggers=tuple(trigger or ()), loaded=load_scorecard()))


@routes.call(
    "/incidents/{trace_id}",
    role=Role.VIEWER,
    result=Incident,
    python=f'incident("{SOME_TRACE}")',
)
def get_incident(visit: Visiting, trace_id: TraceId) -> Incident:
    """Return everything that is known of one interaction."""
    with visit.ledger() as ledger:
        return incident(trace_id, ledger=ledger)
