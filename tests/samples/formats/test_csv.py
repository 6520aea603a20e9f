"""CSV and TSV: cells become typed values, rows are told by the line on which they start."""

from collections.abc import Callable
from typing import Any

import pytest

from plumbrule.errors import InputError
from plumbrule.samples import Passage

Read = Callable[..., Any]


def test_cells_become_values(read: Read) -> None:
    """Lists, objects, numbers and flags are read from their cells; an empty cell is a missing value."""
    [first, second] = read(
        "a.csv",
        "id,question,answer,contexts,latency_e2e_ms,input_tokens,timed_out,metadata,tags,expected,refusal\n"
        '1,Q,A,"[""x"", {""text"": ""y"", ""score"": 1}]",12.5,12.0,True,"{""a"": 1}","[""t""]",R,\n'
        '2,,,,,,,,one,"{""refuse"": true}","{""code"": ""C""}"\n',
    ).samples

    assert (first.id, first.question, first.answer, first.reference) == ("1", "Q", "A", "R")
    assert first.contexts == (Passage(text="x"), Passage(text="y", score=1.0))
    assert (first.latency_e2e_ms, first.input_tokens, first.timed_out) == (12.5, 12, True)
    assert (first.metadata, first.tags) == ({"a": 1}, ("t",))
    assert second.answer is None
    assert second.refusal is not None
    assert second.expected is not None
    assert second.tags == ("one",)
    assert second.contexts == ()


def test_python_lists_and_plain_text_are_noted(read: Read) -> None:
    """Contexts written as pandas writes them, or as plain text, are taken with a note."""
    outcome = read("a.csv", "answer,contexts\na,\"['x', 'y']\"\nb,plain\n")

    assert [len(sample.contexts) for sample in outcome.samples] == [2, 1]
    assert outcome.reading.notes["contexts given as Python text"] == 1
    assert outcome.reading.notes["contexts given as one string"] == 1


def test_tabs(read: Read) -> None:
    """TSV has tabs between its cells."""
    assert read("a.tsv", "question\tanswer\nq, r\ta\n").samples[0].question == "q, r"


def test_rows_are_told_by_their_first_line(read: Read) -> None:
    """A row over several lines is told by its first, and every kind of bad row is told."""
    outcome = read(
        "a.csv",
        b"id,answer,input_tokens\n"
        b'1,"two\nlines",\n'
        b"\n"
        b"2,,\n"
        b"3,x,many\n"
        b"4,x\n"
        b"5,\xff,\n"
        b'6,"x"y,\n'
        b"1,x,\n"
        b"7,x,1_000\n"
        b"8,x,nan\n"
        b'9,"x,\n',
    )

    assert [sample.answer for sample in outcome.samples] == ["two\nlines"]
    assert outcome.complaints == [
        (5, "answer is null and there is no refusal"),
        (6, "input_tokens must be a number, not 'many'"),
        (7, "the row has 2 cells and the header 3"),
        (8, "not valid UTF-8 (byte 3 of line 8); --encoding names another, such as cp1252"),
        (9, "not valid CSV: ',' expected after '\"'"),
        (10, "duplicate id '1', first on line 2"),
        (11, "input_tokens must be a number, not '1_000'"),
        (12, "input_tokens is not a finite number"),
        (13, "a quote is opened and never closed"),
    ]


def test_a_column_named_twice(read: Read) -> None:
    """Two columns of one name cannot be told apart."""
    with pytest.raises(InputError, match="'answer' stands twice"):
        read("a.csv", "answer, answer\na,b\n")


def test_a_huge_line_and_a_huge_cell(read: Read) -> None:
    """A line over the limit is one bad row; a quote left open over it ends the reading."""
    outcome = read("a.csv", b"answer\n" + b"x" * 20_000_000 + b"\nok\n")
    assert outcome.complaints == [(2, "line is longer than 16 MB")]
    assert [sample.answer for sample in outcome.samples] == ["ok"]

    with pytest.raises(InputError, match="is a quote left open"):
        read("b.csv", b'answer\n"' + b"some text\n" * 2_000_000)
