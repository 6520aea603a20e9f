"""What a dataset holds, shown to a person."""

import shlex
from collections import Counter
from collections.abc import Mapping

from rich.console import Console
from rich.table import Table
from rich.text import Text

from plumbrule.cli.terminal_console import plain, table
from plumbrule.errors import RecordError
from plumbrule.samples import DatasetCheck

_OF_ONE_REASON = 3  # records that are listed
_MOST_REASONS = 1000  # that are told apart: a hostile file has one for each record
_OTHER = "other reasons"


class BadRecords:
    """Prints why records cannot be read; of those with the same reason the first few, and how many more."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._counts: Counter[str] = Counter()

    def show(self, error: RecordError) -> None:
        """Print why one record cannot be read."""
        reason = error.reason if error.reason in self._counts or len(self._counts) < _MOST_REASONS else _OTHER
        self._counts[reason] += 1
        if reason is _OTHER or self._counts[reason] <= _OF_ONE_REASON:
            self._console.print(plain(str(error), "red"), soft_wrap=True)

    def show_rest(self) -> None:
        """Print how many more there are of each reason."""
        for reason, count in self._counts.items():
            if reason is not _OTHER and count > _OF_ONE_REASON:
                text = f"and {count - _OF_ONE_REASON} more: {reason}; --json lists all"
                self._console.print(plain(text, "red"), soft_wrap=True)


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
    if check.counts.bad and "answer" in check.missing_fields:
        words = ["plumbrule", "validate", check.source]
        words += [word for name in check.missing_fields for word in ("--map", f"{name}=COLUMN")]
        console.print(plain(f"try: {shlex.join(words)}", "yellow"), soft_wrap=True)


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
