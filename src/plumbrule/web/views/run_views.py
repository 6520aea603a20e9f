"""Runs as the pages show them, each as a view that is made once and kept."""

from functools import partial

from plumbrule.api.reports import view_run
from plumbrule.api.runs import compare, list_runs
from plumbrule.errors import UsageError
from plumbrule.ledger import Entry, Ledger
from plumbrule.runs.comparison import RunComparison
from plumbrule.runs.report.sample_rows import RunView
from plumbrule.runs.run_entries import find_run
from plumbrule.runs.run_results import RunLine
from plumbrule.web.kept_views import View, newest, newest_of_runs
from plumbrule.web.visit_errors import AbsentError


def run_lines() -> View[tuple[RunLine, ...]]:
    """Return the view of the runs of the ledger, the newest first."""
    return View(
        name="runs",
        kind=tuple[RunLine, ...],
        stamp=partial(newest, kinds=("run", "decision", "label")),
        make=lambda ledger: list_runs(ledger)[::-1],
        weigh=len,
    )


def run_entry(ledger: Ledger, run_id: str) -> Entry:
    """Return a run by its id, the start of it, or last; a page that is not there else."""
    try:
        return find_run(ledger, run_id)
    except UsageError as error:
        raise AbsentError(str(error)) from None


def run_view(run: Entry) -> View[RunView]:
    """Return the view of a run with its report and a row for each of its results.

    The decisions on other runs belong to it, since looks at the same gates are counted by them.
    """
    return View(
        name=f"run {run.subject}",
        kind=RunView,
        stamp=partial(newest_of_runs, runs=(run.subject,), kinds=("decision",)),
        make=lambda ledger: view_run(ledger, run),
        weigh=lambda view: len(view.rows),
        rows="rows",
    )


def comparison(first: Entry, second: Entry, *, other_dataset: bool) -> View[RunComparison]:
    """Return the view of two runs compared."""
    named = first.subject, second.subject
    return View(
        name=f"comparison {' '.join(named)}{' of two datasets' if other_dataset else ''}",
        kind=RunComparison,
        stamp=partial(newest_of_runs, runs=named, kinds=("decision",)),
        make=lambda ledger: compare(*named, ledger, other_dataset=other_dataset),
        weigh=lambda compared: compared.samples,
    )
