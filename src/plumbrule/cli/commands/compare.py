"""``plumbrule compare``: two runs, sample by sample."""

import click

from plumbrule.cli.options import json_option, ledger_option


@click.command("compare")
@click.argument("first", metavar="RUN")
@click.argument("second", metavar="RUN")
@click.option("--other-dataset", is_flag=True, help="Compare by sample id, although the datasets are not the same.")
@click.option(
    "--fail-on",
    "fail_on",
    type=click.Choice(["worse"]),
    help="Exit with 1 if a figure of a gate is clearly worse in the second RUN, or a gate that held fails.",
)
@ledger_option
@json_option
def command(
    first: str, second: str, other_dataset: bool, fail_on: str | None, ledger_url: str | None, as_json: bool
) -> int:
    """Compare two runs of one dataset sample by sample: what is better or worse in the second RUN.

    Each difference has its 95% interval, and is called better or worse only where that excludes 0. RUN is a run's id,
    the start of one, or last.

    \b
    Examples:
      plumbrule compare run-20250101T120000-a1b2c3 last
      plumbrule compare run-20250101 last --fail-on worse
      plumbrule compare run-20250101 last --other-dataset --json
    """
    from plumbrule.api.runs import compare
    from plumbrule.cli.terminal_console import print_json, stdout
    from plumbrule.cli.views.comparison_table import show_comparison

    comparison = compare(first, second, ledger_url, other_dataset=other_dataset)
    if as_json:
        print_json(comparison)
    else:
        show_comparison(stdout(), comparison)
    return int(bool(comparison.regressions) and fail_on is not None)
