"""The file on one interaction as one HTML page, in the look and under the policy of the other reports."""

import orjson

from plumbrule.monitoring.incident_model import Incident
from plumbrule.reports.page import render_page

_LOOK = {"PROBLEMS FOUND": "refused", "LOOK AGAIN": "waiting", "NOTHING FOUND": "ready"}
_SIGN = {"PROBLEMS FOUND": "✗", "LOOK AGAIN": "…", "NOTHING FOUND": "✓"}


def render_incident(incident: Incident) -> bytes:
    """Return the incident as one HTML file."""
    return render_page(
        "incident.html",
        incident=incident,
        look=_LOOK[incident.finding],
        sign=_SIGN[incident.finding],
        as_text=_as_text,
    )


def _as_text(value: object) -> str:
    """Return a JSON value as text for people."""
    return orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS).decode()
