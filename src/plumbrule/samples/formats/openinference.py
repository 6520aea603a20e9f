"""What an OpenInference span holds of a sample, whether its attributes are flattened or nested."""

import re
from collections.abc import Mapping

DOCUMENTS = "retrieval.documents.N.document.content"

_PREFIXES = ("attributes.", "")
_VALUES = {"question": "input.value", "answer": "output.value"}
_NUMBERED = re.compile(r"(?:attributes\.)?retrieval\.documents\.([0-9]{1,9})\.document\.(\w+)")
_SPAN_KEYS = ("attributes", "input.value", "output.value", "retrieval")


def may_be_span(key: str) -> bool:
    """Tell whether a record with ``key`` may be a span, so that other records need no further look."""
    return key.startswith(_SPAN_KEYS)


def dig(value: object, path: str, *, each: bool = False) -> object:
    """Return what stands at the dotted ``path``, or None; a key that holds dots itself is found as well.

    With ``each`` a path leads through every item of a list that it gives no number for.
    """
    if isinstance(value, list):
        step, _, rest = path.partition(".")
        if each and not step.isdigit():
            return [found for item in value if (found := dig(item, path, each=each)) is not None] or None
        if not (step.isascii() and step.isdigit() and len(step) < 10 and int(step) < len(value)):
            return None
        inner = value[int(step)]
        return dig(inner, rest, each=each) if rest else inner
    if not isinstance(value, Mapping):
        return None
    inner = value.get(path)
    if inner is not None:
        return inner
    end = path.find(".")
    while end > 0:
        if path[:end] in value:
            inner = dig(value[path[:end]], path[end + 1 :], each=each)
            if inner is not None:
                return inner
        end = path.find(".", end + 1)
    return None


def read_span(record: Mapping[str, object]) -> dict[str, tuple[str, object]]:
    """Return the fields that a span gives: field -> (where it stood, value)."""
    fields: dict[str, tuple[str, object]] = {}
    for prefix in _PREFIXES:
        for field, path in _VALUES.items():
            value = dig(record, prefix + path)
            if value is not None:
                fields.setdefault(field, (prefix + path, value))
        documents = _documents(record, prefix)
        if documents:
            fields.setdefault("contexts", (prefix + DOCUMENTS, documents))
    return fields


def _documents(record: Mapping[str, object], prefix: str) -> list[object]:
    """Return the retrieved documents under ``prefix``, in the order of their numbers."""
    listed = dig(record, f"{prefix}retrieval.documents")
    if isinstance(listed, list):
        return [_document(entry) for entry in listed]
    holder = record
    if prefix:
        nested = record.get("attributes")
        if isinstance(nested, dict):
            holder, prefix = nested, ""
    numbered: dict[int, dict[str, object]] = {}
    for key, value in holder.items():
        match = _NUMBERED.fullmatch(key)
        if match and key.startswith(prefix) and value is not None:
            numbered.setdefault(int(match[1]), {})[match[2]] = value
    return [numbered[number] for number in sorted(numbered)]


def _document(entry: object) -> object:
    """Return one entry of a document list without the ``document`` level around its fields."""
    if not isinstance(entry, dict):
        return entry
    inner = entry.get("document")
    if isinstance(inner, dict):
        return inner
    return {str(key).removeprefix("document."): value for key, value in entry.items()}
