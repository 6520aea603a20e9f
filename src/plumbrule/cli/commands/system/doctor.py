"""``plumbrule doctor``: what is installed, what is missing, whether the ledger is sound."""

import click

from plumbrule.cli.options import json_option, ledger_option


@click.command("doctor")
@ledger_option
@json_option
def command(ledger_url: str | None, as_json: bool) -> int:
    """Say what is installed, what is missing and how to get it, and whether the ledger is sound.

    Nothing is written and nothing is sent. Exit code 1 where a package that is always needed is missing, or the ledger
    is not sound; an extra that is missing is no fault.

    \b
    Examples:
      plumbrule doctor
      plumbrule doctor --json
    """
    from plumbrule.api.installation import examine_installation
    from plumbrule.cli.terminal_console import print_json, stdout
    from plumbrule.cli.views.installation_view import show_installation

    found = examine_installation(ledger_url)
    if as_json:
        print_json(found)
    else:
        show_installation(stdout(), found)
    return int(not found.healthy)
