"""Cells of flat files that hold a list or an object as text: JSON, or Python's own notation."""

import ast
import io
import tokenize
import warnings

import orjson

from plumbrule.samples.value_types import Misfit

_LONGEST_PYTHON = 1 << 18  # characters
STRUCTURED = ("contexts", "citations", "refusal", "expected", "metadata", "tags")


def parse_cell(name: str, cell: str) -> tuple[object, str | None]:
    """Return what ``cell`` holds, and a note where it was not JSON; plain text stays as it is."""
    start = cell.lstrip()[:1]
    if start not in {"[", "{"}:
        return cell, None
    try:
        return orjson.loads(cell), None
    except orjson.JSONDecodeError:
        if len(cell) > _LONGEST_PYTHON:  # its syntax tree would take a thousand times the memory
            return cell, None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a stray backslash is the data's business, not a syntax warning
            value: object = ast.literal_eval(cell.strip())
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return cell, None  # text that happens to open with a bracket, such as "[1] says ..."
    if not isinstance(value, list | dict):
        return cell, None
    if _has_joined_texts(cell.strip()):
        raise Misfit(f"{name} is an array printed as text, without commas between its items; write it as JSON")
    return value, f"{name} given as Python text"


def _has_joined_texts(cell: str) -> bool:
    """Tell whether two texts stand side by side: NumPy prints arrays so, and Python would join them."""
    before = None
    for token in tokenize.generate_tokens(io.StringIO(cell).readline):
        if token.type == tokenize.NL:
            continue
        if token.type == before == tokenize.STRING:
            return True
        before = token.type
    return False
