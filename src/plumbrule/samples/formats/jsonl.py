"""Reads JSON Lines: one object a line, blank lines passed over."""

from typing import BinaryIO

import orjson

from plumbrule.samples.byte_streams import MAX_RECORD_MB, Flaw, Rows, read_lines

_NOT_NUMBERS = ("NaN", "Infinity", "nan", "inf")


def read_jsonl(stream: BinaryIO) -> Rows:
    """Yield each line's value with its line number, or the flaw that keeps it from being read."""
    for number, line in read_lines(stream):
        if line is None:
            yield number, Flaw(f"line is longer than {MAX_RECORD_MB} MB")
            continue
        try:
            yield number, orjson.loads(line)
        except orjson.JSONDecodeError as error:
            if not line.isspace():
                yield number, Flaw(_reason(line, error))


def _reason(line: bytes, error: orjson.JSONDecodeError) -> str:
    try:
        shown = line.decode()
    except UnicodeDecodeError as decoding:
        return f"not valid UTF-8 (byte {decoding.start + 1} of the line)"
    column = min(error.pos, len(shown.rstrip())) + 1  # the line's end is no column
    if shown[error.pos :].startswith(_NOT_NUMBERS):
        return f"NaN and Infinity are not JSON numbers (column {column}); write null"
    if "infinity" in error.msg:
        return f"a number is too large (column {column})"
    return f"not valid JSON: {error.msg} (column {column})"
