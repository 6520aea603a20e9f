"""Reports of runs, written to files."""

from pathlib import Path

from plumbrule.files import written_whole
from plumbrule.ledger import Entry, Ledger
from plumbrule.outcomes import DecideOn
from plumbrule.reports import Report, build_report, renderer_for
from plumbrule.rubrics.benchmark_rubric import Anchor, Confidence
from plumbrule.runs.gates import GatePolicy
from plumbrule.runs.report.report_builder import build_view
from plumbrule.runs.report.sample_rows import RunView
from plumbrule.runs.run_entries import find_run
from plumbrule.runs.summary import evaluate_run


def write_report(
    ledger: Ledger,
    run: Entry | str,
    path: Path,
    *,
    decide_on: DecideOn | None = None,
    confidence: Confidence | None = None,
    anchor: Anchor | None = None,
) -> Report:
    """Write the report of a run to ``path``, in the format that its suffix names; return it.

    ``run`` is an id, the start of one, or ``last``. ``decide_on``, ``confidence`` and ``anchor`` are as for ``gate``.
    """
    render = renderer_for(path)
    policy = GatePolicy(decide_on=decide_on, confidence=confidence, anchor=anchor)
    report = report_on(ledger, find_run(ledger, run) if isinstance(run, str) else run, policy)
    with written_whole(path) as file:
        file.write(render(report))
    return report


def report_on(ledger: Ledger, run: Entry, policy: GatePolicy | None = None) -> Report:
    """Return the report of a run, in no format yet."""
    return build_report(evaluate_run(ledger, run, policy), ledger.entries(run=run.subject), ledger_id=ledger.ledger_id)


def view_run(ledger: Ledger, run: Entry) -> RunView:
    """Return the report of a run with a row for each of its results, to filter, sort and page."""
    return build_view(evaluate_run(ledger, run), ledger.entries(run=run.subject), ledger_id=ledger.ledger_id)
