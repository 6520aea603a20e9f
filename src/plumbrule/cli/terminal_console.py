"""The two consoles, text that they print as it is, and JSON for machines."""

import os
import sys
from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeVar

from rich.console import Console
from rich.table import Table
from rich.text import Text

from plumbrule.codec import json_line
from plumbrule.outcomes import Outcome
from plumbrule.terminal import safe

T = TypeVar("T")

OUTCOME_STYLES: dict[Outcome, str] = {"RELEASE": "bold green", "NO RELEASE": "bold red", "INCONCLUSIVE": "bold yellow"}
_PIPED = 120  # columns of text that is read in a file or by another program
_NO_LIMIT = 100_000


class _PipedConsole(Console):
    """A console for a file or another program: a table is as wide as what it holds, since nobody has to fit it in."""

    def print(self, *objects: Any, **options: Any) -> None:  # noqa: ANN401 - as the console takes them
        """Print as the console does: text within its columns, tables in full."""
        if not any(isinstance(each, Table) for each in objects):
            options = {"width": _PIPED, **options}
        super().print(*objects, **options)


def stdout() -> Console:
    """Return the console for results; COLUMNS says how wide it is where it is no terminal."""
    if sys.stdout.isatty() or "COLUMNS" in os.environ:
        return Console(highlight=False, soft_wrap=False)
    return _PipedConsole(highlight=False, soft_wrap=False, width=_NO_LIMIT)


def stderr() -> Console:
    """Return the console for progress and remarks."""
    return Console(stderr=True, highlight=False)


def plain(text: str, style: str = "") -> Text:
    """Return text that is printed as it is, never read as markup."""
    return Text(safe(text), style=style)


def table(*headings: str, no_wrap: Collection[str] = (), fold: Collection[str] = ()) -> Table:
    """Return a table without lines; ``>`` before a heading aligns its column to the right."""
    columns = Table(box=None, pad_edge=False)
    for heading in headings:
        name = heading.removeprefix(">")
        columns.add_column(
            name,
            justify="left" if name == heading else "right",
            no_wrap=name in no_wrap,
            overflow="fold" if name in fold else "ellipsis",
        )
    return columns


def stamp_line(stamp: Mapping[str, str], what: str = "rubric: ") -> Text:
    """Return the name, version and hash of what results were made with, as a remark."""
    return plain(f"{what}{stamp['name']} version {stamp['version']}, sha256 {stamp['sha256'][:12]}", "dim")


def option_words(options: Mapping[str, object]) -> list[str]:
    """Return options as they are typed, for a command to copy; one that is None, False or empty is left out."""
    words: list[str] = []
    for option, value in options.items():
        if value is True:
            words.append(option)
        elif value:
            words += [word for one in (value if isinstance(value, tuple) else (value,)) for word in (option, str(one))]
    return words


def print_json(value: object) -> None:
    """Print a value for machines, on one line."""
    sys.stdout.buffer.write(json_line(value))


def print_result(result: T, show: Callable[[Console, T], None], *, as_json: bool) -> None:
    """Print a result for machines, or as ``show`` prints it for people."""
    if as_json:
        print_json(result)
    else:
        show(stdout(), result)
