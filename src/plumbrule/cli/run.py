"""``plumbrule run``: carry out a benchmark run into the ledger."""

from pathlib import Path

import click

from plumbrule.cli.options import json_option, ledger_option


@click.command("run")
@click.argument("config", type=click.Path(path_type=Path))
@click.option("--resume", metavar="RUN", help="Go on with an interrupted run: its id, the start of it, or last.")
@ledger_option
@json_option
def command(config: Path, resume: str | None, ledger_url: str | None, as_json: bool) -> None:
    """Carry out the run that CONFIG describes: judge every sample, keep each result before it counts as done.

    Recorded answers and the offline rules judge can be run today. An interrupted run loses nothing that was
    finished: --resume does the rest.

    \b
    Examples:
      plumbrule run run.yaml
      plumbrule run run.yaml --ledger sqlite:///runs.db --json
      plumbrule run run.yaml --resume last
    """
    from plumbrule.cli.benchmarks import carry_out

    carry_out(config, resume=resume, ledger_url=ledger_url, as_json=as_json)
