"""``plumbrule show``: one run's figures and gates."""

from typing import TYPE_CHECKING

import click

from plumbrule.cli.options import anchor_option, json_option, ledger_option

if TYPE_CHECKING:
    from plumbrule.rubrics.benchmark_rubric import Anchor


@click.command("show")
@click.argument("run")
@click.option("--samples", is_flag=True, help="With --json, every sample too.")
@anchor_option
@ledger_option
@json_option
def command(run: str, samples: bool, anchor: "Anchor | None", ledger_url: str | None, as_json: bool) -> None:
    """Show the figures of RUN: its id, the start of it, or last.

    \b
    Examples:
      plumbrule show last
      plumbrule show last --json --samples
    """
    from plumbrule.api.runs import show
    from plumbrule.cli.terminal_console import print_result
    from plumbrule.cli.views.run_tables import show_run

    summary = show(run, ledger_url, samples=samples, anchor=anchor)
    print_result(summary, show_run, as_json=as_json)
