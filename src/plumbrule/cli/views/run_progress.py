"""A benchmark run on a terminal: its plan, its progress, and what is left to do."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import asdict
from typing import TYPE_CHECKING, Self

from rich.console import Console
from rich.table import Table
from rich.text import Text

from plumbrule.cli.terminal_console import plain, table
from plumbrule.runs.execution import Progress
from plumbrule.runs.plan import Plan, PlanSummary
from plumbrule.terminal import safe
from plumbrule.text.figure_format import figure

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID


def show_plan(console: Console, plan: PlanSummary) -> None:
    """Print what a run would do and use."""
    facts = Table(box=None, pad_edge=False, show_header=False)
    for name, value in _rows(plan):
        facts.add_row(plain(name, "dim"), plain(value))
    console.print(facts)
    console.print()
    estimate = table("", ">calls", ">input tokens", ">output tokens at most", ">cost in USD at most")
    for role, figures in asdict(plan.estimate).items():
        estimate.add_row(role, *(figure(value) if value is not None else "not known" for value in figures.values()))
    console.print(estimate)
    console.print(plain("Tokens are estimated at four characters each; retries come on top.", "dim"))
    for line in _gap_lines(plan):
        console.print(line, soft_wrap=True)


def _gap_lines(plan: PlanSummary) -> Iterator[Text]:
    """Yield what is missing for the gates, and what would give it."""
    if not plan.gaps:
        return
    yield plain("")
    yield plain("Missing for the gates; a sample without it counts against them:", "yellow")
    for gap in plan.gaps:
        lack = f"{gap.samples} of {plan.dataset.samples} samples without {gap.missing}"
        lack = f"no {gap.missing}" if gap.missing == "rules judge" else lack
        yield plain(f"  {lack}: {', '.join(gap.gates)}")
        yield plain(f"    given by {', '.join(gap.keys)}", "dim")
    yield plain("Columns of other names are named in 'dataset.map'.")
    if any(gap.missing in {"reference", "latency", "tokens"} for gap in plan.gaps):
        yield plain("'rubric: {benchmark: grounding}' has gates that need only questions, answers and contexts.")


def _rows(plan: PlanSummary) -> Iterator[tuple[str, str]]:
    dataset, candidate, judge = plan.dataset, plan.candidate, plan.judge
    yield "run", plan.name
    yield "dataset", f"{dataset.id}: {dataset.samples} samples, sha256 {dataset.sha256[:12]}"
    yield "candidate", f"{candidate.kind}, model {candidate.model_id or 'not known'}"
    yield "judge", f"{judge.name}, model {judge.model_id}" if judge.model_id else judge.name
    yield "repeats", str(plan.repeats)
    for place, sent in plan.generation.items():
        yield f"{place} is sent", ", ".join(f"{name} {value}" for name, value in sent.items())
    yield "at once", f"{plan.concurrency}, each call at most {plan.timeout_s:g} s"
    if plan.rates:
        yield "rates", ", ".join(f"{name} {rate:g} a minute" for name, rate in plan.rates.items())
    limits = {name: limit for name, limit in asdict(plan.budget).items() if limit is not None}
    if limits:
        yield "budget", ", ".join(f"{name} {limit:g}" for name, limit in limits.items())
    if plan.floating_models_allowed:
        yield "allowed", "a model's name that may mean another model tomorrow"


def left_to_do(progress: Progress) -> str:
    """Return how far a run got and what stopped it."""
    parts = [f"{progress.finished} of {progress.total} samples are finished"]
    if progress.failed:
        parts.append(f"{progress.failed} could not be evaluated ({progress.last_failure})")
    if progress.stopped_by is not None:
        parts.append(f"stopped: {progress.stopped_by}")
    return "; ".join(parts)


class RunDisplay:
    """Shows the progress of a run, on a terminal only; knows the run's id from its beginning."""

    def __init__(self, console: Console) -> None:
        self.run_id: str | None = None
        self._console = console
        self._open = ExitStack()
        self._bar: tuple[Bar, TaskID] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def begin(self, run_id: str, plan: Plan) -> None:
        """Show an empty bar."""
        self.run_id = run_id
        if not self._console.is_terminal:
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
        bar = self._open.enter_context(bars.Progress(*columns, console=self._console, transient=True))
        self._bar = bar, bar.add_task(safe(plan.config.name), total=plan.tasks, figures="")

    def update(self, progress: Progress) -> None:
        """Show how far the run is."""
        if self._bar is not None:
            bar, task = self._bar
            bar.update(task, completed=progress.finished, figures=_figures(progress))


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
