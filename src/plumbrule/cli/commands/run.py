"""``plumbrule run``: carry out a benchmark run into the ledger."""

from pathlib import Path

import click

from plumbrule.cli.options import json_option, ledger_option


@click.command("run")
@click.argument("config", type=click.Path(path_type=Path))
@click.option("--dry-run", is_flag=True, help="Show the plan with calls, tokens and cost; call nobody, write nothing.")
@click.option("--resume", metavar="RUN", help="Go on with an interrupted run: its id, the start of it, or last.")
@click.option("--accept-errors", is_flag=True, help="Count a sample whose provider fails as errored; do not leave it.")
@ledger_option
@json_option
def command(
    config: Path, dry_run: bool, resume: str | None, accept_errors: bool, ledger_url: str | None, as_json: bool
) -> None:
    """Carry out the run that CONFIG describes: answer and judge every sample, keep each result as it is done.

    An interrupted run loses nothing that was finished: --resume does the rest. A sample whose provider cannot be
    reached is left for --resume, with exit code 4.

    \b
    Examples:
      plumbrule run run.yaml --dry-run
      plumbrule run run.yaml
      plumbrule run run.yaml --ledger sqlite:///runs.db --json
      plumbrule run run.yaml --resume last
    """
    from plumbrule.api.runs import plan
    from plumbrule.cli.terminal_console import print_json, stdout
    from plumbrule.cli.views.run_progress import run_benchmark, show_plan, stdout_kept_clear

    if not dry_run:
        run_benchmark(config, resume=resume, accept_errors=accept_errors, ledger_url=ledger_url, as_json=as_json)
        return
    with stdout_kept_clear():
        summary = plan(config)
    if as_json:
        print_json(summary)
    else:
        show_plan(stdout(), summary)
