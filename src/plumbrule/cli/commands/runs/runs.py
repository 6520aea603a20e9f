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
    from plumbrule.api.runs import list_runs
    from plumbrule.cli.terminal_console import print_json, stdout
    from plumbrule.cli.views.run_tables import runs_table

    runs = list_runs(ledger_url)
    if as_json:
        print_json(runs)
    else:
        stdout().print(runs_table(runs))
