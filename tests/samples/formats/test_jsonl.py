"""JSON Lines: every bad line is named with its number, and the others are read."""

import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest

Read = Callable[..., Any]

GOOD = b'{"answer": "good"}'


def test_blank_lines_are_passed_over(read: Read) -> None:
    """Blank lines count as lines and are no records; the last line needs no end; CRLF is an end."""
    outcome = read("a.jsonl", b'\n{"answer": "1"}\r\n  \n{"answer": null}\n{"answer": "2"}')

    assert [sample.answer for sample in outcome.samples] == ["1", "2"]
    assert outcome.complaints == [(4, "answer is null and there is no refusal")]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"answer": ', "not valid JSON: unexpected end of data (column 11)"),
        (b'{"answer": "x"} x', "(column 17)"),
        (b'{"answer": "x", "latency_e2e_ms": NaN}', "NaN and Infinity are not JSON numbers (column 35)"),
        (b'{"answer": "x", "latency_e2e_ms": -Infinity}', "NaN and Infinity are not JSON numbers"),
        (b'{"answer": "x", "latency_e2e_ms": 1e999}', "a number is too large"),
        (b'{"answer": "\xff"}', "not valid UTF-8 (byte 13 of the line)"),
        (b'["answer"]', "a sample must be a JSON object, not a list"),
        (b'"answer"', "a sample must be a JSON object, not 'answer'"),
        (b"null", "a sample must be a JSON object, not null"),
        (b'{"metadata": ' + b"[" * 5000, "not valid JSON: depth limit exceeded"),
    ],
)
def test_a_bad_line_is_named(read: Read, line: bytes, reason: str) -> None:
    """A line that is no JSON object says why and where; the lines around it are read."""
    outcome = read("a.jsonl", GOOD + b"\n" + line + b"\n" + b'{"answer": "after"}\n')

    assert [sample.answer for sample in outcome.samples] == ["good", "after"]
    [(number, said)] = outcome.complaints
    assert number == 2
    assert reason in said


def test_the_last_of_two_equal_keys_counts(read: Read) -> None:
    """A key given twice in one object has its last value."""
    assert read("a.jsonl", b'{"answer": "1", "answer": "2"}').samples[0].answer == "2"


def test_a_huge_line_is_refused_without_holding_it(read: Read) -> None:
    """A line of 50 MB is refused without ever being in memory whole, and the next line is read."""
    content = b'{"answer": "' + b"x" * 50_000_000 + b'"}\n' + GOOD + b"\n"
    tracemalloc.start()
    try:
        outcome = read("a.jsonl", content)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert outcome.complaints == [(1, "line is longer than 16 MB")]
    assert [sample.answer for sample in outcome.samples] == ["good"]
    assert peak < 40_000_000


@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n"])
def test_a_line_of_exactly_the_limit_is_read(read: Read, end: bytes) -> None:
    """The limit itself is allowed, with whatever end the line has."""
    frame = b'{"answer": ""}'
    line = b'{"answer": "' + b"x" * (16 * 1024 * 1024 - len(frame)) + b'"}'

    assert len(read("a.jsonl", line + end).samples) == 1
