"""``plumbrule gate``: the release decision as exit code."""

import click

from plumbrule.cli.options import json_option, ledger_option


@click.command("gate")
@click.argument("run")
@click.option("--strict", is_flag=True, help="Also refuse a run with incomplete metadata or too few repeats.")
@ledger_option
@json_option
def command(run: str, strict: bool, ledger_url: str | None, as_json: bool) -> int:
    """Decide whether RUN may be released, with the reasons: exit code 0 if every gate holds, else 1.

    \b
    Examples:
      plumbrule gate last
      plumbrule gate last --strict --json
    """
    from plumbrule.api.runs import gate
    from plumbrule.cli.terminal_console import print_json, stdout
    from plumbrule.cli.views.run_tables import show_decision

    decision = gate(run, ledger_url, strict=strict)
    if as_json:
        print_json(decision)
    else:
        show_decision(stdout(), decision)
    return int(not decision.release_ready)
