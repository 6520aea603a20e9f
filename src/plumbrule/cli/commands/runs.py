"""``plumbrule runs``: list the runs of the ledger."""

import click

from plumbrule.cli.options import json_option, ledger_option


@click.command("runs")
@ledger_option
@json_option
def command(ledger_url: str | None, as_json: bool) -> None:
    """List the runs of the ledger, the oldest first.

    \b
    Examples:
      plumbrule runs
      plumbrule runs --json
    """
    from plumbrule.cli.views.run_tables import list_runs

    list_runs(ledger_url=ledger_url, as_json=as_json)
