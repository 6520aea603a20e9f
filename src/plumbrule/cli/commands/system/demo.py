"""``plumbrule demo``: the main job end to end, on data that ships with the package."""

from pathlib import Path

import click

from plumbrule.cli.options import json_option


@click.command("demo")
@click.option(
    "--into",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    default="plumbrule-demo",
    help="Where data, configuration, ledger and report go; plumbrule-demo by default.",
)
@click.option("--keep", type=click.Path(path_type=Path), metavar="FILE", help="Only copy the dataset to a new FILE.")
@json_option
def command(into: Path, keep: Path | None, as_json: bool) -> None:
    """Evaluate the answers of a fictional compliance assistant, in two halves.

    Verdicts, a benchmark run of too few answers and one that settles its gates, and the report. Then scorecards:
    pre-scores, two scripted evaluators who disagree once, a late revision, an adjudicator, the decision, and twelve
    generated weeks of monitoring with one alert. A ledger keeps it all.

    \b
    Examples:
      plumbrule demo
      plumbrule demo --keep answers.jsonl
    """
    from plumbrule.cli.views.demo_walk import copy_dataset, demonstrate

    if keep is not None:
        copy_dataset(keep)
        click.echo(f"{keep}: the demo dataset. Next: plumbrule score {keep}")
    else:
        demonstrate(into, as_json=as_json)
