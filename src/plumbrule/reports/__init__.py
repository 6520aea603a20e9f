"""Reports of runs: one model, built from what the ledger holds, written as HTML, Markdown, JSON or JUnit XML."""

from collections.abc import Callable
from pathlib import Path

from plumbrule.errors import UsageError
from plumbrule.reports.html import render_html
from plumbrule.reports.json import render_json
from plumbrule.reports.junit import render_junit
from plumbrule.reports.markdown import render_markdown
from plumbrule.runs.report.report_builder import build_report
from plumbrule.runs.report.run_report import Report

FORMATS: dict[str, Callable[[Report], bytes]] = {
    ".html": render_html,
    ".json": render_json,
    ".md": render_markdown,
    ".xml": render_junit,
}


def renderer_for(path: Path) -> Callable[[Report], bytes]:
    """Return what writes a report in the format that the file's name asks for."""
    renderer = FORMATS.get(path.suffix.lower())
    if renderer is None:
        raise UsageError(f"{path}: a report is written to {', '.join(FORMATS)}: name the file so")
    return renderer


__all__ = ["FORMATS", "Report", "build_report", "renderer_for"]
