"""A report as JSON, for machines: every field of the model by its name, texts exactly as they were recorded."""

from dataclasses import asdict

import orjson

from plumbrule.monitoring.incident_model import Incident
from plumbrule.reports.run_report import Report


def render_json(report: Report | Incident) -> bytes:
    """Return the report as one indented JSON object."""
    return orjson.dumps(asdict(report), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
