"""The spans or observations of one trace as one response, and the passages retrieved for it."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field

import orjson

from plumbrule.samples.formats.chat_messages import text_of
from plumbrule.samples.formats.openinference import dig

_RESPONSE = frozenset({"answer", "refusal", "grounding_status"})
_FRACTIONS = ((11, 1), (14, 10**3), (17, 10**6), (20, 10**9))  # digits of a time since 1970, and how many make a second


@dataclass(slots=True, kw_only=True)
class Step:
    """What one span or observation adds to its interaction; order 0 is the trace itself."""

    order: int
    start: str = ""
    root: bool = False
    asked: str | None = None
    said: object = None
    documents: list[object] = field(default_factory=list)
    model: object = None
    input_tokens: object = None
    output_tokens: object = None
    tags: object = None


def assemble(trace_id: str, steps: list[Step]) -> tuple[dict[str, object], dict[str, object] | None]:
    """Return one response and trace: the root's question and answer, else the first asked and the last said."""
    steps = sorted(steps, key=lambda step: (step.order != 0, step.start, step.order))
    roots = [step for step in steps if step.root]
    asked = next((step.asked for step in (*roots, *steps) if step.asked), None)
    said = next((step.said for step in (*roots, *reversed(steps)) if step.said not in (None, "")), None)
    documents = list({repr(document): document for step in steps for document in step.documents}.values())
    response: dict[str, object] = {"trace_id": trace_id or None, "query": asked}
    if isinstance(said, dict) and _RESPONSE & said.keys():
        response |= said
        response["trace_id"] = said.get("trace_id") or trace_id
    else:
        response["answer"] = text_of(said, "assistant")
    response.setdefault("timestamp", _moment(next((step.start for step in (*roots, *steps) if step.start), "")))
    response.setdefault("model_id", next((step.model for step in reversed(steps) if step.model), None))
    tags = next((step.tags for step in steps if step.tags), None)
    if tags is not None:
        response.setdefault("tags", tags)
    for name in ("input_tokens", "output_tokens"):
        counts = [value for step in steps if isinstance(value := whole(getattr(step, name)), int)]
        if counts:
            response.setdefault(name, sum(counts))
    if not documents:
        return response, None
    scored = [document.get("score") for document in documents if isinstance(document, Mapping)]
    scores = [score for score in scored if isinstance(score, (int, float))]
    retrieval: dict[str, object] = {
        "passages": documents,
        "passages_retrieved": len(documents),
        "top_passage_score": max(scores, default=None),
    }
    return response, {"trace_id": response["trace_id"], "retrieval": retrieval}


def asked_in(*values: object) -> str | None:
    """Return the first text that a user asked."""
    return next((found for value in values if (found := text_of(value, "user"))), None)


def said_in(*values: object) -> object:
    """Return the first value that is a response, or that holds what an assistant said."""
    for value in map(decoded, values):
        if (isinstance(value, dict) and _RESPONSE & value.keys()) or text_of(value, "assistant"):
            return value
    return None


def documents_in(value: object) -> list[object]:
    """Return the documents of a retrieval, from a list, a JSON text of one, or an object around one."""
    value = decoded(value)
    if isinstance(value, Mapping):
        inner = next((value[key] for key in ("documents", "passages", "results", "context") if key in value), None)
        value = inner if inner is not None else [value]
    if isinstance(value, str):
        return [value]
    if not isinstance(value, list):
        return []
    return [_document(entry) for entry in value if isinstance(entry, (str, Mapping))]


def decoded(value: object) -> object:
    """Return what a text holds where it is JSON; anything else stays as it is."""
    if isinstance(value, str) and value.lstrip()[:1] in {"{", "[", '"'}:
        try:
            return orjson.loads(value)
        except orjson.JSONDecodeError:
            return value
    return value


def whole(value: object) -> object:
    """Return a whole number, also where it was written as text."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 16:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def first(holder: Mapping[str, object], paths: tuple[str, ...]) -> object:
    """Return what stands at the first of these dotted paths that holds something."""
    return next((value for path in paths if (value := dig(holder, path)) is not None), None)


def listed(value: object) -> list[Mapping[str, object]]:
    """Return the objects of a list."""
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []


def _document(entry: object) -> object:
    if not isinstance(entry, Mapping):
        return entry
    inner = entry.get("document")
    known = dict(inner) if isinstance(inner, Mapping) else dict(entry)
    metadata = decoded(known.get("metadata"))
    if isinstance(metadata, Mapping):
        known["metadata"] = dict(metadata)
    return known


def _moment(start: str) -> str | None:
    """Return when something began as an ISO date and time; a number counts since 1970, down to nanoseconds."""
    if not (start.isascii() and start.isdigit()):
        return start or None
    unit = next((unit for digits, unit in _FRACTIONS if len(start) <= digits), None)
    try:
        return dt.datetime.fromtimestamp(int(start) // unit, tz=dt.UTC).isoformat() if unit is not None else None
    except (OverflowError, ValueError, OSError):
        return None
