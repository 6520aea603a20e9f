"""Benchmark runs for Python callers and the command line: plan, run, list, show, gate, compare, judge."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from plumbrule.ledger import Ledger, open_ledger
from plumbrule.runs.comparison import RunComparison, compare_runs
from plumbrule.runs.gates import GateDecision, decide_release
from plumbrule.runs.plan import Plan, PlanSummary, plan_run
from plumbrule.runs.run_entries import find_run
from plumbrule.runs.run_results import RunLine, RunSummary, SingleJudgement
from plumbrule.runs.session import Begun, RunOutcome, Watch, execute
from plumbrule.runs.single_judgement import judge_sample
from plumbrule.runs.summary import run_lines, summarise_run
from plumbrule.samples import Sample
from plumbrule.settings import ledger_address

Store = Ledger | str | None  # an open ledger, the address of one, or None for the one that the settings name


def _ignore_beginning(run: str, plan: Plan) -> None:
    """Do nothing when a run begins."""


def _ignore_progress(progress: object) -> None:
    """Do nothing after a task."""


def plan(config: Path | str) -> PlanSummary:
    """Return what the run that a configuration file describes would do and use; nobody is called."""
    return plan_run(Path(config)).summary()


def run(
    config: Path | str,
    ledger: Store = None,
    *,
    resume: str | None = None,
    accept_errors: bool = False,
    begun: Begun = _ignore_beginning,
    watch: Watch = _ignore_progress,
) -> RunOutcome:
    """Execute the run that a configuration file describes, or ``resume`` one: its id, the start of it, or last.

    A ledger that does not exist is made. ``begun`` is called with the run's id before the first task, ``watch`` with
    the progress after every task.
    """
    with _opened(ledger, make=True) as store:
        return execute(
            plan_run(Path(config)),
            store,
            _now,
            resume=resume,
            accept_errors=accept_errors,
            begun=begun,
            watch=watch,
        )


def list_runs(ledger: Store = None) -> tuple[RunLine, ...]:
    """Return the runs of a ledger, the oldest first."""
    with _opened(ledger) as store:
        return run_lines(store)


def show(reference: str = "last", ledger: Store = None, *, samples: bool = False) -> RunSummary:
    """Return the summary of a run: its id, the start of it, or last; with its samples where they are asked for."""
    with _opened(ledger) as store:
        return summarise_run(store, find_run(store, reference), samples=samples)


def gate(reference: str = "last", ledger: Store = None, *, strict: bool = False) -> GateDecision:
    """Decide whether a run may be released; ``strict`` also asks for metadata and repeats."""
    return decide_release(show(reference, ledger), strict=strict)


def compare(first: str, second: str, ledger: Store = None, *, other_dataset: bool = False) -> RunComparison:
    """Compare two runs of one dataset, or with ``other_dataset`` of two, sample by sample."""
    with _opened(ledger) as store:
        return compare_runs(store, find_run(store, first), find_run(store, second), other_dataset=other_dataset)


def judge(sample: Sample, config: Path | str | None = None) -> SingleJudgement:
    """Judge one recorded answer as the run of ``config`` would, or by the rules that ship; nothing is kept."""
    return judge_sample(sample, None if config is None else Path(config))


@contextmanager
def _opened(ledger: Store, *, make: bool = False) -> Iterator[Ledger]:
    """Open the ledger that is meant; one that the caller opened stays open."""
    if isinstance(ledger, Ledger):
        yield ledger
        return
    with open_ledger(ledger_address(ledger), at=_now() if make else None) as opened:
        yield opened


def _now() -> datetime:
    return datetime.now(UTC)
