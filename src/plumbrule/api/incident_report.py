"""Everything known of one interaction, written to a file."""

from collections.abc import Callable
from pathlib import Path

from plumbrule.errors import UsageError
from plumbrule.files import written_whole
from plumbrule.interactions.interaction_reader import Source
from plumbrule.ledger import Ledger
from plumbrule.monitoring.incident_file import incident_on
from plumbrule.monitoring.incident_model import Incident
from plumbrule.reports.incident_html import render_incident
from plumbrule.reports.json import render_json


def incident_renderer(path: Path) -> Callable[[Incident], bytes]:
    """Return what writes an incident in the format that the file's name asks for."""
    renderer = FORMATS.get(path.suffix.lower())
    if renderer is None:
        raise UsageError(f"{path}: an incident is written to {' or '.join(FORMATS)}: name the file so")
    return renderer


def write_incident(
    trace_id: str,
    path: Path,
    *,
    ledger: Ledger | None,
    source: Source | None = None,
    passages: Source | None = None,
    verdict_rubric: Source | None = None,
) -> Incident:
    """Write all that is known of an interaction to ``path``, in the format that its suffix names; return it."""
    render = incident_renderer(path)
    incident = incident_on(trace_id, ledger=ledger, source=source, passages=passages, verdict_rubric=verdict_rubric)
    with written_whole(path) as file:
        file.write(render(incident))
    return incident


FORMATS: dict[str, Callable[[Incident], bytes]] = {".html": render_incident, ".json": render_json}
