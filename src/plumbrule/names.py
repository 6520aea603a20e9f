"""Names and ids: a thing by its name or the start of it, and the names of the dataset formats."""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Literal, TypeVar

from plumbrule.errors import UsageError

_Thing = TypeVar("_Thing")

DatasetFormat = Literal["arrow", "csv", "json", "jsonl", "parquet", "tsv", "xlsx"]
FORMATS: dict[str, DatasetFormat] = {  # by the suffix of a file
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".xlsx": "xlsx",
}

_LISTED = 5
_SHOWN = 60
_CUT = "…"  # where a table shows the start of a name
UUID_TEXT = re.compile(r"[0-9a-fA-F]{8}-?(?:[0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}")


def check_word(name: str, word: str | None, words: Sequence[str]) -> None:
    """Refuse a word that is none of these, such as one that a Python caller misspelt; None is no word."""
    if word is not None and word not in words:
        raise UsageError(f"{name}: '{str(word)[:_SHOWN]}' is none of: {', '.join(words)}")


def pick(
    wanted: str, things: Iterable[_Thing], names: Callable[[_Thing], Sequence[str]], *, where: str, what: str
) -> _Thing | None:
    """Return the thing with this name, else the only one with a name that begins so; None where there is none.

    A UUID is the same however it is written. Where several begin so, the error lists them by their first names.
    """
    key, start = key_of_trace(wanted), wanted.rstrip(_CUT)
    first: _Thing | None = None
    begun: dict[str, str] = {}
    for thing in things:
        known = names(thing)
        if key in map(key_of_trace, known):
            return thing
        if start and any(name.startswith(start) or key_of_trace(name).startswith(start) for name in known):
            first = thing if first is None else first
            begun.setdefault(key_of_trace(known[0]), known[0])
    if len(begun) > 1:
        listed = ", ".join(name[:_SHOWN] for name in sorted(begun.values())[:_LISTED])
        more = f" and {len(begun) - _LISTED} more" if len(begun) > _LISTED else ""
        message = f"{len(begun)} {what} begin with '{start[:_SHOWN]}': {listed}{more}; write more of it"
        raise UsageError(f"{where}: {message}")
    return first


def nearest(word: object, known: Iterable[str]) -> str:
    """Return a suggestion for the end of a message, or nothing."""
    from difflib import get_close_matches  # noqa: PLC0415 - only needed for a message

    close = get_close_matches(str(word), list(known), n=1)
    return f"; did you mean '{close[0]}'?" if close else ""


def key_of_trace(trace_id: str) -> str:
    """Return the form of a trace id by which responses and traces meet, however a UUID is written."""
    return trace_id.replace("-", "").lower() if UUID_TEXT.fullmatch(trace_id) else trace_id
