"""What a dataset holds, shown to a person."""

from collections.abc import Mapping

from rich.console import Console
from rich.table import Table
from rich.text import Text

from plumbrule.cli.terminal_console import plain, table
from plumbrule.errors import RecordError
from plumbrule.samples import DatasetCheck


def show_bad_record(console: Console, error: RecordError) -> None:
    """Print why one record cannot be read."""
    console.print(plain(str(error), "red"), soft_wrap=True)


def show_check(console: Console, check: DatasetCheck) -> None:
    """Print the counts, the fields that were understood and where from, and what was left aside."""
    facts = check.facts
    console.print()
    if check.counts.read and facts.without_contexts == check.counts.read:
        text = "WARNING: not one record has contexts, so nothing can be checked; --map contexts=COLUMN names the column"
        console.print(plain(text, "bold red"), soft_wrap=True)
    heading = f"{check.source}: {check.format}, good records {check.counts.read}, bad {check.counts.bad}"
    console.print(plain(heading, "bold"), soft_wrap=True)
    parts = (
        f"answered {facts.answered}",
        f"refused {facts.refused_declared} (declared)",
        f"timed out {facts.timed_out}",
        f"without contexts {facts.without_contexts}",
        f"without question {facts.without_question}",
    )
    console.print(Text(" · ".join(parts), "dim"))
    console.print()
    if check.fields:
        console.print(_field_table(check))
    _list(console, "not understood, and left aside", check.ignored)
    _list(console, "remarks", check.notes)
    if check.missing_fields:
        missing = ", ".join(check.missing_fields)
        console.print(plain(f"\nnothing was read as {missing}; --map FIELD=COLUMN names the column", "yellow"))


def _field_table(check: DatasetCheck) -> Table:
    rows = table("field", "taken from", ">records")
    for name, origins in check.fields.items():
        for origin, count in origins.items():
            rows.add_row(name, plain(origin, "" if origin == name else "cyan"), str(count))
    return rows


def _list(console: Console, heading: str, counts: Mapping[str, int]) -> None:
    if counts:
        console.print()
        console.print(Text(heading, "bold"))
        for name, count in counts.items():
            console.print(plain(f"  {name} ({count})"), soft_wrap=True)
