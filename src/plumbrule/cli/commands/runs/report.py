"""``plumbrule report``: the report of a run as a file."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from plumbrule.cli.options import anchor_option, ledger_option, output_option, policy_options

if TYPE_CHECKING:
    from plumbrule.outcomes import DecideOn
    from plumbrule.rubrics.benchmark_rubric import Anchor, Confidence


@click.command("report")
@click.argument("run")
@output_option("The file to write: .html, .md, .json or .xml (JUnit).")
@policy_options
@anchor_option
@ledger_option
def command(
    run: str,
    output: Path,
    decide_on: "DecideOn | None",
    confidence: "Confidence | None",
    anchor: "Anchor | None",
    ledger_url: str | None,
) -> None:
    """Write the report of RUN to a file: the decision, why, what to fix first, and all that stands behind it.

    The same ledger gives the same file. An HTML report is one file without scripts, and loads nothing.

    \b
    Examples:
      plumbrule report last -o report.html
      plumbrule report last -o report.json --ledger sqlite:///runs.db
    """
    from plumbrule.api.ledger_access import open_here
    from plumbrule.api.reports import write_report
    from plumbrule.cli.terminal_console import plain, stdout
    from plumbrule.reports import renderer_for
    from plumbrule.runs.run_entries import find_run

    renderer_for(output)  # a wrong name fails before the ledger is read
    with open_here(ledger_url) as ledger:
        report = write_report(
            ledger, find_run(ledger, run), output, decide_on=decide_on, confidence=confidence, anchor=anchor
        )
    stdout().print(
        plain(f"{output}: {report.run_id}, {report.headline}; {report.failed} of {len(report.samples)} samples failed"),
        soft_wrap=True,
    )
