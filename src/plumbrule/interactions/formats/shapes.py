"""What a raw record of evidence is, by its keys: a response, a trace, a passage, a span, or several of them in one."""

from collections.abc import Iterator, Mapping
from typing import Literal

from plumbrule.interactions.formats.contract import is_response, may_be_response
from plumbrule.interactions.passages import has_text
from plumbrule.interactions.trace import is_trace
from plumbrule.samples.formats.langfuse import is_bare_trace, is_langfuse, is_observation, read_langfuse
from plumbrule.samples.formats.telemetry import is_span

Shape = Literal["spans", "span", "langfuse", "langfuse part", "trace", "passage", "response", "unknown"]

_BESIDE = {"contexts": ("contexts", "passages"), "expected": ("expected",), "id": ("id",), "author": ("author",)}


def shape_of(record: Mapping[str, object]) -> Shape:
    """Tell what a record is; a response may have its trace within it or beside it."""
    if "resourceSpans" in record:
        return "spans"
    if is_span(record):
        return "span"
    if is_langfuse(record):
        return "langfuse"
    if is_observation(record) or is_bare_trace(record):
        return "langfuse part"
    bundled = isinstance(record.get("response"), dict)
    if not is_response(record) and not bundled:
        if is_trace(record) or isinstance(record.get("trace"), dict):
            return "trace"
        if has_text(record) and ("passage_id" in record or "source_id" in record):
            return "passage"
    return "response" if bundled or is_response(record) or may_be_response(record) else "unknown"


def trace_in(record: Mapping[str, object]) -> Mapping[str, object]:
    """Return the trace of a record that is one, or that holds nothing else."""
    inner = record.get("trace")
    return inner if isinstance(inner, dict) else record


def responses_in(value: object) -> Iterator[tuple[Mapping[str, object], Mapping[str, object] | None]]:
    """Yield the response in a record, with the trace that stands beside it there, if any."""
    if not isinstance(value, dict):
        return
    shape = shape_of(value)
    if shape == "langfuse":
        yield read_langfuse(value)
    if shape != "response":
        return
    inner, trace = value.get("response"), value.get("trace")
    beside = trace if isinstance(trace, dict) else None
    if isinstance(inner, dict):
        yield _with_surroundings(inner, value), beside
    elif is_trace(value):
        yield {key: part for key, part in value.items() if key not in {"input", "output"}}, value
    else:
        yield {key: part for key, part in value.items() if not (key == "trace" and beside)}, beside


def _with_surroundings(response: Mapping[str, object], around: Mapping[str, object]) -> dict[str, object]:
    """Return a response with the passages and the expectations that stand beside it."""
    whole = dict(response)
    for name, keys in _BESIDE.items():
        given = next((around[key] for key in keys if around.get(key) is not None), None)
        if given is not None and whole.get(name) is None:
            whole[name] = given
    return whole
