"""A report as JSON, for machines: every field of the model by its name, texts exactly as they were recorded."""

from plumbrule.codec import json_line
from plumbrule.monitoring.incident_model import Incident
from plumbrule.runs.report.run_report import Report


def render_json(report: Report | Incident) -> bytes:
    """Return the report as one indented JSON object."""
    return json_line(report, indent=True)
