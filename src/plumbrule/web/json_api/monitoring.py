"""Monitoring by the JSON API: incidents and feedback."""

from typing import Annotated

from fastapi import Query

from plumbrule.api.monitoring import Reviews, feedback, incident
from plumbrule.monitoring.feedback_patterns import Feedback
from plumbrule.monitoring.incident_model import Incident
from plumbrule.rubrics import load_scorecard
from plumbrule.web.access.roles import Role
from plumbrule.web.routes import Routes
from plumbrule.web.visit import Visiting

routes = Routes(tags=["monitoring"])


@routes.call("/feedback", role=Role.VIEWER, result=Feedback)
def get_feedback(visit: Visiting, trigger: Annotated[list[str] | None, Query()] = None) -> Feedback:
    """Return the patterns in what was reviewed, with their remedies."""
    with visit.ledger() as ledger:
        return feedback(Reviews(ledger=ledger, triggers=tuple(trigger or ()), loaded=load_scorecard()))


@routes.call("/incidents/{trace_id}", role=Role.VIEWER, result=Incident)
def get_incident(visit: Visiting, trace_id: str) -> Incident:
    """Return everything that is known of one interaction."""
    with visit.ledger() as ledger:
        return incident(trace_id, ledger=ledger)
