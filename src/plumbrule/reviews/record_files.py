"""Reads records from a file or standard input: one JSON object, a JSON array, or JSON Lines; no key stands twice."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from plumbrule.errors import InputError
from plumbrule.reviews.evaluation_record import EvaluationRecord, read_record
from plumbrule.rubrics import ScorecardRubric
from plumbrule.samples.byte_streams import MAX_RECORD_BYTES, MAX_RECORD_MB, STANDARD_INPUT, Source, read_lines
from plumbrule.samples.formats.json import sniff_lines

_LINES = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz", ".jsonl.zst", ".ndjson.zst")


def read_given(path: str) -> Iterator[tuple[str, object]]:
    """Yield each record as it was given, with its place for messages; what is not JSON is an error."""
    name = "standard input" if path == STANDARD_INPUT else path
    with Source(path, name) as source:
        stream: BinaryIO = source.unpacked()
        lines = Path(path).name.lower().endswith(_LINES)
        if not lines:
            stream, lines = sniff_lines(stream)
        empty = True
        for place, record in _by_line(stream, name) if lines else _whole(stream, name):
            empty = False
            yield place, record
    if empty:
        raise InputError(f"{name}: there are no records in it")


def read_records(path: str, rubric: ScorecardRubric) -> Iterator[tuple[str, EvaluationRecord]]:
    """Yield each record with its place, whether or not it is complete; the first that cannot be read is an error."""
    for place, given in read_given(path):
        try:
            yield place, read_record(given, rubric, complete=False)
        except InputError as error:
            raise InputError(f"{place}: {error}") from None


def _by_line(stream: BinaryIO, name: str) -> Iterator[tuple[str, object]]:
    for number, line in read_lines(stream):
        place = f"{name}:{number}"
        if line is None:
            raise InputError(f"{place}: line is longer than {MAX_RECORD_MB} MB")
        if not line.isspace():
            yield place, _parsed(line.rstrip(), name, number)


def _whole(stream: BinaryIO, name: str) -> Iterator[tuple[str, object]]:
    content = stream.read(MAX_RECORD_BYTES + 1)
    if len(content) > MAX_RECORD_BYTES:
        raise InputError(f"{name}: a JSON document of more than {MAX_RECORD_MB} MB; write one record a line (.jsonl)")
    if not content.strip():
        return
    document = _parsed(content, name, 1)
    if isinstance(document, list):
        for number, record in enumerate(document, 1):
            yield f"{name}: record {number}", record
    else:
        yield f"{name}:1", document


def _parsed(content: bytes, name: str, line: int) -> Any:  # noqa: ANN401 - JSON holds anything; the record's form checks it
    place = f"{name}:{line}"
    try:
        document = json.loads(content.decode(), object_pairs_hook=_unique, parse_constant=_refuse_constant)
        if b"\\u" in content:  # only an escape can write half of a character
            json.dumps(document, ensure_ascii=False).encode()
    except UnicodeDecodeError as error:
        raise InputError(f"{place}: not valid UTF-8 (byte {error.start + 1})") from None
    except json.JSONDecodeError as error:
        place = f"{name}:{line + error.lineno - 1}"
        raise InputError(f"{place}: not valid JSON: {error.msg} (column {error.colno})") from None
    except _RefusedError as error:
        raise InputError(f"{place}: {error}") from None
    except UnicodeEncodeError:
        raise InputError(f"{place}: holds half of a character (a lone surrogate), which is no text") from None
    except (ValueError, RecursionError):  # a number of too many digits; nesting without end
        raise InputError(f"{place}: not valid JSON: a number or a nesting out of all bounds") from None
    return document


class _RefusedError(Exception):
    """Why a JSON text that parses is not taken."""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise _RefusedError(f"'{twice[:40]}' stands twice")
    return content


def _refuse_constant(constant: str) -> NoReturn:
    raise _RefusedError(f"{constant} is not a JSON number")
