"""Cells of flat files hold JSON, Python notation, or plain text."""

import pytest

from plumbrule.samples.formats.cells import parse_cell
from plumbrule.samples.value_types import Misfit


@pytest.mark.parametrize(
    ("cell", "value", "note"),
    [
        ('["a", "b"]', ["a", "b"], None),
        ('{"a": 1}', {"a": 1}, None),
        ("['a', 'it\\'s']", ["a", "it's"], "contexts given as Python text"),
        ("{'a': None}", {"a": None}, "contexts given as Python text"),
        ("plain text", "plain text", None),
        ("[1] says so", "[1] says so", None),
        ("[" * 500, "[" * 500, None),
        ("['\\d', 'x']", ["\\d", "x"], "contexts given as Python text"),
    ],
)
def test_a_cell_is_read_as_what_it_is(cell: str, value: object, note: str | None) -> None:
    """JSON is read silently, Python notation with a note, and anything else stays text."""
    assert parse_cell("contexts", cell) == (value, note)


def test_a_printed_array_is_refused() -> None:
    """NumPy prints arrays without commas; Python would join their texts into one."""
    with pytest.raises(Misfit, match="write it as JSON"):
        parse_cell("contexts", "['first passage'\n 'second passage']")


def test_texts_with_quotes_are_no_printed_array() -> None:
    """Quotes that stand side by side inside one text are only text."""
    assert parse_cell("contexts", """["say 'a' 'b'", 'x']""")[0] == ["say 'a' 'b'", "x"]
