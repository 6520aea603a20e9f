"""A benchmark run on a terminal: its plan, its progress, and what to do where it did not come to its end."""

import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from plumbrule.cli.ledger_access import now, open_here
from plumbrule.cli.terminal_console import plain, print_json, stderr, stdout
from plumbrule.cli.views.run_tables import show_run
from plumbrule.errors import EvaluationError, InterruptedRunError
from plumbrule.reports.figure_text import figure
from plumbrule.runs.execution import Progress
from plumbrule.runs.plan import Plan, plan_run
from plumbrule.runs.session import begin_run, carry_out, find_run, reopen_run
from plumbrule.runs.summary import describe_run
from plumbrule.terminal import safe


def run_benchmark(
    config: Path, *, resume: str | None, accept_errors: bool, ledger_url: str | None, as_json: bool
) -> None:
    """Carry out a run, or the rest of one, and show it; where something is left to do, say how to go on."""
    # a function of the user's may print: standard output is for the result alone
    with open_here(ledger_url, make=True) as ledger, redirect_stdout(sys.stderr):
        plan = plan_run(config)
        run = begin_run(plan, ledger, now) if resume is None else reopen_run(resume, plan, ledger, now)
        words = ["plumbrule", "run", str(config), "--resume", run]
        further = shlex.join([*words, "--ledger", ledger.name] if ledger_url else words)  # the name has no password
        try:
            with _shown(plan, stderr()) as watch:
                progress = carry_out(run, plan, ledger, now, watch=watch, accept_errors=accept_errors)
        except KeyboardInterrupt:
            raise InterruptedRunError(f"interrupted; what was finished is kept; go on with: {further}") from None
        described = describe_run(ledger, find_run(ledger, run)) if progress.finished else None
    if progress.errors:
        said = f"{progress.errors} samples errored and do not pass; the first: {progress.first_error}"
        stderr().print(plain(said, "yellow"), soft_wrap=True)
    if described is not None and as_json:
        print_json(described)
    elif described is not None:
        show_run(stdout(), described)
    if progress.finished < progress.total:
        raise EvaluationError(f"{_said(progress)}; go on with: {further}")


def show_plan(config: Path, *, as_json: bool) -> None:
    """Show what a run would do and take; nobody is called and nothing is written."""
    with redirect_stdout(sys.stderr):
        plan = plan_run(config).to_dict()
    if as_json:
        print_json(plan)
        return
    console = stdout()
    table = Table(box=None, pad_edge=False, show_header=False)
    for name, value in _rows(plan):
        table.add_row(plain(name, "dim"), plain(value))
    console.print(table)
    console.print()
    estimate = Table(box=None, pad_edge=False)
    for heading in ("", "calls", "input tokens", "output tokens at most", "cost in USD at most"):
        estimate.add_column(heading, justify="right" if heading else "left")
    for role, figures in plan["estimate"].items():
        estimate.add_row(role, *(figure(value) if value is not None else "not known" for value in figures.values()))
    console.print(estimate)
    console.print(plain("Tokens are estimated at four characters each; retries come on top.", "dim"))


def _rows(plan: dict[str, Any]) -> Iterator[tuple[str, str]]:
    dataset, candidate, judge = plan["dataset"], plan["candidate"], plan["judge"]
    yield "run", plan["name"]
    yield "dataset", f"{dataset['id']}: {dataset['samples']} samples, sha256 {dataset['sha256'][:12]}"
    yield "candidate", f"{candidate['kind']}, model {candidate['model_id'] or 'not known'}"
    yield "judge", f"{judge['name']}, model {judge['model_id']}" if judge["model_id"] else judge["name"]
    yield "repeats", str(plan["repeats"])
    yield "generation", ", ".join(f"{name} {value}" for name, value in plan["generation"].items())
    yield "at once", f"{plan['concurrency']}, each call at most {plan['timeout_s']:g} s"
    if plan["rates"]:
        yield "rates", ", ".join(f"{name} {rate:g} a minute" for name, rate in plan["rates"].items())
    limits = {name: limit for name, limit in plan["budget"].items() if limit is not None}
    if limits:
        yield "budget", ", ".join(f"{name} {limit:g}" for name, limit in limits.items())
    if plan["floating_models_allowed"]:
        yield "allowed", "a model's name that may mean another model tomorrow"


def _said(progress: Progress) -> str:
    """Return how far a run came and what kept it."""
    parts = [f"{progress.finished} of {progress.total} samples are finished"]
    if progress.failed:
        parts.append(f"{progress.failed} could not be evaluated ({progress.last_failure})")
    if progress.stopped_by is not None:
        parts.append(f"stopped: {progress.stopped_by}")
    return "; ".join(parts)


@contextmanager
def _shown(plan: Plan, console: Console) -> Iterator[Callable[[Progress], None]]:
    """Give what shows the progress of a run, on a terminal only."""
    if not console.is_terminal:
        yield lambda _: None
        return
    from rich import progress as bars

    columns = (
        bars.SpinnerColumn(),
        bars.TextColumn("{task.description}", markup=False),
        bars.BarColumn(),
        bars.MofNCompleteColumn(),
        bars.TextColumn("{task.fields[figures]}", markup=False, style="dim"),
        bars.TimeRemainingColumn(),
    )
    with bars.Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(safe(plan.config.name), total=plan.pieces, figures="")

        def watch(progress: Progress) -> None:
            bar.update(task, completed=progress.finished, figures=_figures(progress))

        yield watch


def _figures(progress: Progress) -> str:
    spent = progress.spent
    parts = [f"{progress.errors} errors"]
    if progress.failed:
        parts.append(f"{progress.failed} to try again")
    if spent.calls:
        parts.append(f"{spent.calls:,.0f} calls, {spent.tokens:,.0f} tokens")
    if spent.cost_usd:
        parts.append(f"${spent.cost_usd:,.2f}")
    return ", ".join(parts)
