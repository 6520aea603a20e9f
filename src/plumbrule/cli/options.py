"""The options that several commands share."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from plumbrule.names import FORMATS

Command = Callable[..., Any]


def output_option(text: str, *, required: bool = True) -> Callable[[Command], Command]:
    """Return the option for the one file that a command writes."""
    return click.option("-o", "--output", type=click.Path(path_type=Path), metavar="FILE", required=required, help=text)


def dataset_options(command: Command) -> Command:
    """Add the options that say how a dataset is read."""
    command = click.option(
        "--map",
        "mapping",
        multiple=True,
        metavar="FIELD=COLUMN",
        help="Take FIELD from COLUMN, such as answer=my_column or question=input.text.",
    )(command)
    return click.option(
        "--format",
        "format_",
        type=click.Choice(tuple(dict.fromkeys(FORMATS.values()))),
        help="The format, where the file's name does not tell.",
    )(command)


def rubric_options(command: Command) -> Command:
    """Add the options that choose and change the rubric."""
    command = click.option(
        "--set", "settings", multiple=True, metavar="KEY=VALUE", help="Change one value of the rubric."
    )(command)
    return click.option(
        "--rubric",
        "rubric",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="A rubric file; it states only what it changes.",
    )(command)


verdict_rubric_option = click.option(
    "--verdict-rubric",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A file laid over the verdict rubric, such as a calibration of the support score.",
)
workers_option = click.option(
    "--workers",
    type=click.IntRange(1, 256),
    help="Processes to use; by default the cores, for large datasets.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, for machines.")
ledger_option = click.option(
    "--ledger",
    "ledger_url",
    metavar="URL",
    help="The ledger, such as sqlite:///runs.db; else $PLUMBRULE_LEDGER, else .plumbrule/ledger.db.",
)
campaign_option = click.option(
    "--campaign",
    "reference",
    default="last",
    metavar="NAME",
    help="The campaign: its name, the start of it, or last, the default.",
)
person_option = click.option("--as", "person", required=True, metavar="NAME", help="Who you are.")


def records_options(command: Command) -> Command:
    """Add the options that take records from files instead of the ledger."""
    command = click.option(
        "--interactions",
        metavar="PATH",
        help="With --records: the responses and traces that the records are about.",
    )(command)
    return click.option("--records", metavar="FILE", help="Take the records from FILE, not from the ledger.")(command)


def interaction_options(command: Command) -> Command:
    """Add the options that take one interaction from files instead of the ledger."""
    command = click.option(
        "--passages", metavar="PATH", help="With --from: the corpus, by passage id, as for prescore."
    )(command)
    return click.option(
        "--from", "source", metavar="PATH", help="Take the interaction from a file or folder of responses and traces."
    )(command)
