"""One run: its decision, its figures, and the table of all its samples."""

from functools import partial
from typing import Any

from fastapi.responses import HTMLResponse, Response, StreamingResponse

from plumbrule.api.reports import report_on
from plumbrule.reports import FORMATS, figure_text
from plumbrule.reports.charts import gate_chart, spread_words
from plumbrule.reports.html import heat_rows
from plumbrule.reports.sample_files import SAMPLE_FILES
from plumbrule.rubrics.benchmark_rubric import Confidence
from plumbrule.runs.archive.archived_run import ArchivedRun, find_archived
from plumbrule.runs.report.decision_reasons import decision_title
from plumbrule.runs.report.fix_first import CAUSES
from plumbrule.runs.report.gate_text import FIGURE_TITLES, gate_text
from plumbrule.runs.run_entries import read_run
from plumbrule.runs.run_metadata import RunMetadata
from plumbrule.web.access.roles import Role
from plumbrule.web.addresses import download_headers
from plumbrule.web.downloads import download
from plumbrule.web.kept_views import BeingMadeError
from plumbrule.web.page_numbers import page_of
from plumbrule.web.routes import Routes
from plumbrule.web.views import run_charts
from plumbrule.web.views.named_sentences import name_subject
from plumbrule.web.views.run_address import run_address, sample_address, samples_address
from plumbrule.web.views.run_charts import linked_gate
from plumbrule.web.views.run_query import AskedSamples
from plumbrule.web.views.run_views import run_entry, run_lines, run_view
from plumbrule.web.visit import Visit, Visiting
from plumbrule.web.visit_errors import AbsentError

routes = Routes()
_PAGE = 100
_REPORTS = {".html": "HTML", ".md": "Markdown", ".json": "JSON", ".xml": "JUnit XML"}


@routes.page("/runs/{run_id:run}", role=Role.VIEWER)
def show_run(visit: Visiting, run_id: str) -> HTMLResponse:
    """Show one run: the decision, what to fix first, every figure."""
    with visit.ledger() as ledger:
        entry = run_entry(ledger, run_id)
        if ledger.newest("result", run=entry.subject)[0] < 0:
            return visit.render("run_begun.html", run=read_run(entry))
        archived = find_archived(ledger, entry)
    if archived is not None:
        return _show_archived(visit, archived)
    lines = visit.recall(run_lines()).value
    view = visit.recall(run_view(entry)).value
    report = view.report
    line = next((line for line in lines if line.run_id == report.run_id), None)
    if line is None:  # the list is older than the run
        raise BeingMadeError
    earlier = [
        each for each in lines if each.dataset == line.dataset and each.run_id != line.run_id and each.at < line.at
    ]
    return visit.render(
        "run.html",
        report=report,
        line=line,
        earlier=earlier[0] if earlier else None,
        title=decision_title(report),
        charts=run_charts.run_charts(view),
        reasons=run_charts.linked_reasons(report),
        heat=heat_rows(report),
        tokens=view.tokens,
        choices=view.choices,
        causes=CAUSES,
        concern_gates=figure_text.concern_gates(report.gates),
        policy=figure_text.policy_text(report.decide_on, report.confidence, report.anchor),
        numbers=figure_text.numbers_text,
        labels_line=figure_text.labels_text,
        spread_words=spread_words,
        report_files=_REPORTS,
        sample_files=tuple(SAMPLE_FILES),
        address=run_address(report.run_id),
        samples_address=partial(samples_address, report.run_id),
        sample_address=partial(sample_address, report.run_id),
        **_shared_words(report.metadata, report.confidence),
    )


def _show_archived(visit: Visit, archived: ArchivedRun) -> HTMLResponse:
    """Show what the ledger still has of a run, and where the rest is."""
    decision, confidence = archived.decision, archived.decision.confidence or "fixed"
    return visit.render(
        "run_archived.html",
        archived=archived,
        charts={gate.name: gate_chart(gate) for gate in archived.gates},
        reasons=[linked_gate(gate_text(gate, confidence=confidence), gate) for gate in archived.against],
        policy=figure_text.policy_text(decision.decide_on or "point", confidence, decision.anchor or "judge"),
        **_shared_words(archived.run.body.metadata, confidence),
    )


def _shared_words(metadata: RunMetadata, confidence: Confidence) -> dict[str, Any]:
    """Return what the gates, the figures and the metadata of a run are told with."""
    return {
        "titles": FIGURE_TITLES,
        "methods": figure_text.METHODS,
        "signs": figure_text.SIGNS,
        "settling": partial(figure_text.settling_text, confidence=confidence),
        "worst": figure_text.worst_text,
        "counted": figure_text.counts_text,
        "metadata": figure_text.metadata_rows(metadata),
        "metadata_titles": figure_text.METADATA_TITLES,
        "warnings": [name_subject(warning, figure_text.METADATA_TITLES) for warning in metadata.warnings],
    }


@routes.page("/runs/{run_id:run}/report{suffix}", role=Role.VIEWER)
def download_report(visit: Visiting, run_id: str, suffix: str) -> Response:
    """Download the report of a run as one file, as ``plumbrule report`` writes it."""
    render = FORMATS.get(suffix)
    if render is None:
        raise AbsentError(f"A report is downloaded as {', '.join(FORMATS)}, not as {suffix[:20]}.")
    with visit.ledger() as ledger:
        report = report_on(ledger, run_entry(ledger, run_id))
    return download(render(report), f"{report.run_id}{suffix}")


@routes.page("/runs/{run_id:run}/samples", role=Role.VIEWER)
def show_samples(visit: Visiting, run_id: str, asked: AskedSamples) -> HTMLResponse:
    """Show the samples of a run that are asked for."""
    with visit.ledger() as ledger:
        entry = run_entry(ledger, run_id)
    view = visit.recall(run_view(entry)).value
    found = asked.select(view.rows)
    address = partial(samples_address, view.report.run_id)
    page = page_of(found, asked.page, size=_PAGE, path=address(), query=asked.query)
    return visit.render(
        "samples.html",
        report=view.report,
        page=page,
        asked=asked,
        total=len(view.rows),
        choices=view.choices,
        causes=CAUSES,
        address=address,
        sample_address=partial(sample_address, view.report.run_id),
        several=len(view.choices.repeat) > 1,
        downloads=tuple(SAMPLE_FILES),
    )


@routes.page("/runs/{run_id:run}/samples.{suffix}", role=Role.VIEWER)
def download_samples(visit: Visiting, run_id: str, suffix: str, asked: AskedSamples) -> Response:
    """Download the samples that are asked for, as a file."""
    kind = SAMPLE_FILES.get(suffix)
    if kind is None:
        raise AbsentError(f"Samples are downloaded as {', '.join(SAMPLE_FILES)}, not as {suffix[:20]}.")
    with visit.ledger() as ledger:
        entry = run_entry(ledger, run_id)
    view = visit.recall(run_view(entry)).value
    return StreamingResponse(
        kind.write(asked.select(view.rows)),
        media_type=kind.media_type,
        headers=download_headers(f"{view.report.run_id}-samples.{suffix}"),
    )
