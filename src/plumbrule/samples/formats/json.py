"""Reads one JSON document of samples without holding it: an array, an object around one, or one sample.

A document by columns, which names each field once with the list of its values, is held whole and turned into rows.
"""

import io
from collections.abc import Generator, Iterator, Mapping
from typing import BinaryIO

import orjson

from plumbrule.errors import InputError
from plumbrule.samples.byte_streams import MAX_RECORD_BYTES, MAX_RECORD_MB, Rows, rewound
from plumbrule.samples.field_names import ANSWER_KEYS, ranked_keys
from plumbrule.samples.value_types import MAX_DEPTH, Misfit

LISTS = frozenset({"results", "samples", "data", "examples"})

_Event = tuple[str, object]
_COLUMNS_MB = 64  # a document by columns is held whole
_SHOWN, _LISTED = 40, 5  # of columns in a message


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
        for record in _records(events, bounded):
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
        self._most_mb = MAX_RECORD_MB

    def start_record(self, done: int) -> None:
        self._done = done
        self._taken = 0

    def allow_columns(self) -> None:
        """Let the document be held whole, since its columns are all one value."""
        self._most_mb = _COLUMNS_MB

    def read(self, size: int) -> bytes:
        if self._taken > self._most_mb * MAX_RECORD_BYTES // MAX_RECORD_MB:
            raise InputError(f"{self._name}: record {self._done + 1} is longer than {self._most_mb} MB")
        data = self._stream.read(size)
        self._taken += len(data)
        return data


def _records(events: Iterator[_Event], bounded: _Bounded) -> Iterator[object]:
    for kind, value in events:
        if kind == "start_array":
            yield from _from_array(events)
        elif kind == "start_map":
            whole = yield from _from_object(events, bounded)
            if whole is not None:
                yield from _rows_of(whole)
        else:
            yield value


def _from_array(events: Iterator[_Event], columns: object = None) -> Iterator[object]:
    names = columns if isinstance(columns, list) else None
    for kind, value in events:
        if kind == "end_array":
            return
        record = _build(kind, value, events)
        fits = names is not None and isinstance(record, list) and len(record) == len(names)
        yield dict(zip(map(str, names or ()), record, strict=True)) if fits and isinstance(record, list) else record


def _from_object(
    events: Iterator[_Event], bounded: _Bounded, depth: int = 0
) -> Generator[object, None, dict[str, object] | None]:
    """Yield the samples of the list that an object holds, or an object in it; without one, return the object."""
    whole: dict[str, object] = {}
    listed = False
    for outer, key in events:
        if outer == "end_map":
            break
        kind, value = next(events)
        if key in LISTS and not (listed or ANSWER_KEYS & whole.keys()):
            if kind == "start_array":
                listed = True
                columns = whole.get("columns")  # of a table that pandas wrote split
                whole.clear()
                yield from _from_array(events, columns)
                continue
            if kind == "start_map" and depth == 0:  # promptfoo keeps its results in its results
                inner = yield from _from_object(events, bounded, depth + 1)
                listed = inner is None
                if inner is not None:
                    whole[str(key)] = inner
                else:
                    whole.clear()
                continue
        if kind in {"start_array", "start_map"} and depth == 0 and ranked_keys("answer", (str(key),)):
            bounded.allow_columns()
        value = _build(kind, value, events)
        if not listed:
            whole[str(key)] = value
    return None if listed else whole


def _rows_of(whole: dict[str, object]) -> Iterator[object]:
    """Yield the rows of a document by columns, or the document itself where it is one sample."""
    columns = {key: column for key, value in whole.items() if (column := _column(value)) is not None}
    answers = [columns[key] for key in ranked_keys("answer", tuple(columns))]
    if not answers or not all(entry is None or isinstance(entry, str) for entry in answers[0]):
        yield whole
        return
    lengths = {key: len(column) for key, column in columns.items()}
    if len(set(lengths.values())) > 1:
        said = ", ".join(f"{key[:_SHOWN]} {length}" for key, length in list(lengths.items())[:_LISTED])
        raise Misfit(f"the columns of the document have different lengths ({said})")
    for cells in zip(*columns.values(), strict=True):
        yield dict(zip(columns, cells, strict=True))


def _column(value: object) -> list[object] | None:
    """Return a column: a list, or an object by the numbers of its rows, as pandas writes it."""
    if isinstance(value, list):
        return value
    if isinstance(value, Mapping) and value and all(key == str(row) for row, key in enumerate(value)):
        return list(value.values())
    return None


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
    if "nested" in message or "columns of the document" in message:
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
