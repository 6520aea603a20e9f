"""Runs as the pages show them: read from the ledger once, and kept while nothing was added that would change them."""

from plumbrule.api.reports import view_run
from plumbrule.api.runs import compare, list_runs
from plumbrule.errors import UsageError
from plumbrule.ledger import Entry, Ledger
from plumbrule.rubrics import Loaded, VerdictRubric
from plumbrule.runs.comparison import RunComparison
from plumbrule.runs.report.sample_rows import RunView
from plumbrule.runs.run_entries import find_run
from plumbrule.runs.run_results import RunLine
from plumbrule.verdicts import VerdictScorer
from plumbrule.web.bounded_cache import BoundedCache
from plumbrule.web.visit_errors import AbsentError

_MOST_ROWS = 100_000  # results of all runs that are kept, about a kilobyte each
_MOST_SCORERS = 4
_MOST_COMPARISONS = 16

_lines: BoundedCache[tuple[RunLine, ...]] = BoundedCache(most=4)
_views: BoundedCache[RunView] = BoundedCache(most=_MOST_ROWS, weigh=lambda view: len(view.rows))
_comparisons: BoundedCache[RunComparison] = BoundedCache(most=_MOST_COMPARISONS)
_scorers: BoundedCache[VerdictScorer] = BoundedCache(most=_MOST_SCORERS)


def run_lines(ledger: Ledger) -> tuple[RunLine, ...]:
    """Return the runs of a ledger, the newest first."""
    stamp = tuple(ledger.newest(kind=kind) for kind in ("run", "decision", "label"))
    return _lines.get(ledger.ledger_id, stamp, lambda: list_runs(ledger)[::-1])


def run_entry(ledger: Ledger, run_id: str) -> Entry:
    """Return a run by its id, the start of it, or last; a page that is not there else."""
    try:
        return find_run(ledger, run_id)
    except UsageError as error:
        raise AbsentError(str(error)) from None


def run_view(ledger: Ledger, run: Entry) -> RunView:
    """Return a run with its report and a row for each of its results."""
    return _views.get((ledger.ledger_id, run.subject), _stamp(ledger, run), lambda: view_run(ledger, run))


def comparison(ledger: Ledger, first: Entry, second: Entry, *, other_dataset: bool) -> RunComparison:
    """Return two runs compared."""
    key = ledger.ledger_id, first.subject, second.subject, other_dataset
    stamp = _stamp(ledger, first), _stamp(ledger, second)

    def make() -> RunComparison:
        return compare(first.subject, second.subject, ledger, other_dataset=other_dataset)

    return _comparisons.get(key, stamp, make)


def verdict_scorer(rubric: Loaded[VerdictRubric]) -> VerdictScorer:
    """Return the scorer of a rubric; threads may share it."""
    return _scorers.get(rubric.sha256, None, lambda: VerdictScorer(rubric))


def _stamp(ledger: Ledger, run: Entry) -> tuple[str | None, ...]:
    """Return how new a run is: its own entries, and the decisions by which looks at the same gates are counted."""
    return ledger.newest(run=run.subject), ledger.newest(kind="decision")
