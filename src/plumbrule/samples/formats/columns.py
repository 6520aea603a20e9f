"""The header of a table: the names of its columns, of which none may stand twice."""

from collections.abc import Sequence

from plumbrule.errors import InputError
from plumbrule.samples.field_names import MOST_NAMES
from plumbrule.terminal import shortened

_SHOWN = 60  # characters of a column's name in a message


def is_title(cells: Sequence[object]) -> bool:
    """Tell whether a row above the header is a title: several cells, of which the first alone is filled."""
    return len(cells) > 1 and cells[0] not in (None, "") and all(cell in (None, "") for cell in cells[1:])


def named_columns(cells: Sequence[str], name: str) -> list[str]:
    """Return the names of the columns; an empty one is a column that is not read."""
    if len(cells) > MOST_NAMES:
        raise InputError(f"{name}: the table has {len(cells):,} columns; at most {MOST_NAMES:,} are read")
    columns = [cell.strip() for cell in cells]
    seen: set[str] = set()
    for column in columns:
        if column and column in seen:
            raise InputError(f"{name}: the column {shortened(column, _SHOWN)!r} stands twice in the header")
        seen.add(column)
    return columns
