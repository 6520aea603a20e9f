"""``plumbrule run``: carry out a benchmark run into the ledger."""

import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from plumbrule.cli.options import author_name, json_option, ledger_option, policy_options

if TYPE_CHECKING:
    from plumbrule.cli.views.run_progress import RunDisplay
    from plumbrule.outcomes import DecideOn
    from plumbrule.rubrics.benchmark_rubric import Confidence


@dataclass(frozen=True, slots=True, kw_only=True)
class _Labels:
    """The labels that a run is given, and who gave them."""

    file: Path
    seed: int
    author: str


@click.command("run")
@click.argument("config", type=click.Path(path_type=Path))
@click.option(
    "--dry-run", is_flag=True, help="Show the plan with calls, tokens and cost; nothing is called or written."
)
@click.option("--resume", metavar="RUN", help="Go on with an interrupted run: its id, the start of it, or last.")
@click.option(
    "--workers",
    type=click.IntRange(1, 256),
    help="Share the run between so many processes; others may join it, also from other machines.",
)
@click.option("--join", metavar="RUN", help="Work on a run that others share: its id, the start of it, or last.")
@click.option("--accept-errors", is_flag=True, help="Count a sample whose provider fails as errored; do not leave it.")
@click.option(
    "--labels",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="People's labels of recorded answers that 'label --draw' of an earlier run drew.",
)
@click.option("--seed", type=int, default=42, show_default=True, help="With --labels: the seed of that draw.")
@click.option("--as", "person", metavar="NAME", help="With --labels: who labelled; else user.name in your settings.")
@policy_options
@ledger_option
@json_option
def command(
    config: Path,
    dry_run: bool,
    resume: str | None,
    workers: int | None,
    join: str | None,
    accept_errors: bool,
    labels: Path | None,
    seed: int,
    person: str | None,
    decide_on: "DecideOn | None",
    confidence: "Confidence | None",
    ledger_url: str | None,
    as_json: bool,
) -> None:
    """Carry out the run that CONFIG describes: answer and judge every sample, keep each result as it is done.

    An interrupted run loses nothing that was finished: --resume does the rest. A sample whose provider cannot be
    reached is left for --resume, with exit code 4; so ends a run in which nothing could be judged. The outcome is shown
    and kept; 'plumbrule gate' turns it into an exit code. --decide-on and --confidence are kept with the run. --labels
    takes labels that people gave to the same recorded answers in an earlier run, for another judge or rubric.
    --workers and --join spread one run over processes and machines with one ledger: each sample is done once, and
    budget and rates hold for all of them together.

    \b
    Examples:
      plumbrule run run.yaml --dry-run
      plumbrule run run.yaml
      plumbrule run run.yaml --ledger sqlite:///runs.db --json
      plumbrule run run.yaml --resume last
      plumbrule run run.yaml --labels sheet.csv --as ada
      plumbrule run run.yaml --workers 4
      plumbrule run run.yaml --join last
    """
    if join is not None and (resume is not None or labels is not None):
        raise click.UsageError("--join goes neither with --resume nor with --labels.")
    if dry_run:
        _show_plan(config, as_json=as_json)
    else:
        _run(
            config,
            resume=resume,
            workers=workers,
            join=join,
            accept_errors=accept_errors,
            decide_on=decide_on,
            confidence=confidence,
            given=None if labels is None else _Labels(file=labels, seed=seed, author=author_name(person)),
            ledger_url=ledger_url,
            as_json=as_json,
        )


def _show_plan(config: Path, *, as_json: bool) -> None:
    from plumbrule.api.runs import plan
    from plumbrule.cli.terminal_console import print_result
    from plumbrule.cli.views.run_progress import show_plan

    print_result(plan(config), show_plan, as_json=as_json)


def _run(
    config: Path,
    *,
    resume: str | None,
    workers: int | None,
    join: str | None,
    accept_errors: bool,
    decide_on: "DecideOn | None",
    confidence: "Confidence | None",
    given: _Labels | None,
    ledger_url: str | None,
    as_json: bool,
) -> None:
    from plumbrule.api.ledger_access import open_here
    from plumbrule.api.run_labels import add_labels, check_labels, draw_labels
    from plumbrule.api.runs import run, show
    from plumbrule.cli.terminal_console import plain, print_json, stderr, stdout
    from plumbrule.cli.views.run_progress import RunDisplay, left_to_do
    from plumbrule.cli.views.run_tables import show_run
    from plumbrule.errors import EvaluationError

    def resume_command(run_id: str) -> str:
        address = ["--ledger", ledger.name] if ledger_url else []  # the name has no password
        how = "--resume" if workers is None and join is None else "--join"  # others may be at work on it
        return shlex.join(["plumbrule", "run", str(config), how, run_id, *address])

    count = 0 if given is None else check_labels(config, given.file, seed=given.seed)
    # a user's function may print: standard output is for the result alone
    with open_here(ledger_url, make=True) as ledger, redirect_stdout(sys.stderr), RunDisplay(stderr()) as display:
        with _say_how_to_go_on(display, resume_command):
            outcome = run(
                config,
                ledger,
                resume=resume,
                join=join,
                workers=workers,
                accept_errors=accept_errors,
                decide_on=decide_on,
                confidence=confidence,
                begun=display.begin,
                watch=display.update,
            )
        progress = outcome.progress
        summary = outcome.summary() if progress.finished else None
        if given is not None and progress.finished == progress.total:
            draw_labels(outcome.run_id, count, ledger, author=given.author, seed=given.seed)
            add_labels(given.file, outcome.run_id, ledger, author=given.author)
            summary = show(outcome.run_id, ledger)
    if progress.errors:
        message = f"{progress.errors} samples errored and do not pass; the first: {progress.first_error}"
        stderr().print(plain(message, "yellow"), soft_wrap=True)
    if summary is not None and as_json:
        print_json(summary)
    elif summary is not None:
        show_run(stdout(), summary)
    if progress.finished < progress.total:
        raise EvaluationError(f"{left_to_do(progress)}; go on with: {resume_command(outcome.run_id)}")
    if not outcome.judged:
        raise EvaluationError(f"{outcome.run_id}: nothing was judged: no sample has a score by a judge")


@contextmanager
def _say_how_to_go_on(display: "RunDisplay", resume_command: Callable[[str], str]) -> Iterator[None]:
    """Add the command that goes on to whatever stops a run that has begun: an interrupt, a full disk, a bug."""
    from plumbrule.cli.terminal_console import plain, stderr
    from plumbrule.errors import InterruptedRunError, PlumbruleError

    def further() -> str:
        return f"what was finished is kept; go on with: {resume_command(display.run_id or '')}"

    try:
        yield
    except BaseException as error:
        if display.run_id is None:
            raise
        if isinstance(error, KeyboardInterrupt):
            raise InterruptedRunError(f"interrupted; {further()}") from None
        if isinstance(error, PlumbruleError):
            error.args = (f"{error}; {further()}",)
        else:
            stderr().print(plain(further()), soft_wrap=True)
        raise
