"""Reads one JSON document of samples without holding it: an array, an object around one, or one sample."""

import io
from collections.abc import Iterator
from typing import BinaryIO

import orjson

from plumbrule.errors import InputError
from plumbrule.samples.aliases import ANSWER_KEYS
from plumbrule.samples.byte_streams import MAX_RECORD_BYTES, MAX_RECORD_MB, Rows, rewound
from plumbrule.samples.value_types import MAX_DEPTH, Misfit

LISTS = frozenset({"results", "samples", "data", "examples"})

_Event = tuple[str, object]


def sniff_lines(stream: BinaryIO) -> tuple[io.BufferedReader, bool]:
    """Tell whether the document is JSON Lines after all; return the stream from its start, and the answer."""
    front, first = _next_line(stream)
    lines = False
    if first.lstrip().startswith(b"{"):
        try:
            orjson.loads(first)
        except orjson.JSONDecodeError:
            pass
        else:
            passed, second = _next_line(stream)
            front += passed
            lines = bool(second)
    return rewound(front if lines else front.lstrip(), stream), lines


def read_json(stream: io.BufferedReader, name: str) -> Rows:
    """Yield each sample of the document with its number; a document that breaks off is an InputError."""
    import ijson  # noqa: PLC0415 -- only JSON documents need it

    if not stream.peek(1):
        return
    bounded = _Bounded(stream, name)
    number = 0
    try:
        # Not ijson.items: it keeps the path of every open level, which hostile nesting turns into gigabytes.
        events = ijson.basic_parse(bounded, use_float=True, multiple_values=True)
        for record in _records(events):
            number += 1
            bounded.start_record(number)
            yield number, record
    except (ijson.JSONError, UnicodeError, Misfit) as error:
        raise InputError(f"{name}: {_reason(str(error))}, after record {number}") from None


def _next_line(stream: BinaryIO) -> tuple[bytes, bytes]:
    """Return the next line that is not blank, with and without the blank lines before it."""
    passed = bytearray()
    while line := stream.readline(MAX_RECORD_BYTES):
        passed += line
        if not line.isspace() or len(passed) > MAX_RECORD_BYTES:
            break
    return bytes(passed), line


class _Bounded:
    """A stream that refuses to go on once a single record has taken more than the limit."""

    def __init__(self, stream: BinaryIO, name: str) -> None:
        self._stream = stream
        self._name = name
        self._done = 0
        self._taken = 0

    def start_record(self, done: int) -> None:
        self._done = done
        self._taken = 0

    def read(self, size: int) -> bytes:
        if self._taken > MAX_RECORD_BYTES:
            raise InputError(f"{self._name}: record {self._done + 1} is longer than {MAX_RECORD_MB} MB")
        data = self._stream.read(size)
        self._taken += len(data)
        return data


def _records(events: Iterator[_Event]) -> Iterator[object]:
    for kind, value in events:
        if kind == "start_array":
            yield from _from_array(events)
        elif kind == "start_map":
            yield from _from_object(events)
        else:
            yield value


def _from_array(events: Iterator[_Event]) -> Iterator[object]:
    for kind, value in events:
        if kind == "end_array":
            return
        yield _build(kind, value, events)


def _from_object(events: Iterator[_Event]) -> Iterator[object]:
    """Yield the samples of the list that an object holds, or the object itself where it holds none."""
    whole: dict[str, object] = {}
    listed = False
    for outer, key in events:
        if outer == "end_map":
            break
        kind, value = next(events)
        if key in LISTS and kind == "start_array" and not (listed or ANSWER_KEYS & whole.keys()):
            listed = True
            whole.clear()
            yield from _from_array(events)
            continue
        value = _build(kind, value, events)
        if not listed:
            whole[str(key)] = value
    if not listed:
        yield whole


def _build(kind: str, value: object, events: Iterator[_Event], depth: int = 0) -> object:
    """Return the value that begins with this event, taking what belongs to it from ``events``."""
    if depth > MAX_DEPTH:
        raise Misfit(f"a value is nested more than {MAX_DEPTH} levels deep")
    if kind == "start_map":
        members: dict[str, object] = {}
        for inner, key in events:
            if inner == "end_map":
                break
            members[str(key)] = _build(*next(events), events, depth + 1)
        return members
    if kind == "start_array":
        items: list[object] = []
        for inner, item in events:
            if inner == "end_array":
                break
            items.append(_build(inner, item, events, depth + 1))
        return items
    return value


def _reason(message: str) -> str:
    if "nested" in message:
        return message
    if "NaN" in message or "Infinity" in message:
        return "not valid JSON: NaN and Infinity are not JSON numbers; write null"
    if "overflow" in message:
        return "a number is too large"
    if "surrogates not allowed" in message or "can't decode" in message:
        return "a text holds half of a character (a lone surrogate)"
    if "invalid bytes" in message:
        return "not valid UTF-8"
    if "premature EOF" in message:
        return "not valid JSON: the document ends early"
    return f"not valid JSON: {message.splitlines()[0].removeprefix('lexical error: ').rstrip('.')}"
