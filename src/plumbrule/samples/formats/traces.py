"""Traces among the records of a dataset: the spans, observations or runs of one trace become one record."""

from collections.abc import Iterator, Mapping

from plumbrule.errors import InputError
from plumbrule.samples.byte_streams import Rows
from plumbrule.samples.formats import langfuse
from plumbrule.samples.formats.cells import parse_cell
from plumbrule.samples.formats.telemetry import SpanGroups, is_run, is_span, spans_of, trace_of

_SIGNS = frozenset(
    {"span_id", "spanId", "context", "context.span_id", "resourceSpans", "observations", "trace_id", "traceId",
     "sessionId", "session_id", "run_type"}
)  # fmt: skip
_MOST_HELD = 1 << 29  # bytes of the spans of one file, which are held until their trace is whole
_JSON_STARTS = ("[", "{")


def join_traces(rows: Rows, name: str, *, flat: bool = False) -> Rows:
    """Yield every record; those that are parts of a trace come last, joined, each at the place of its first part.

    A trace of one span stays the record that it is. ``flat`` says that lists and objects may stand in cells as text.
    """
    groups = SpanGroups()
    alone: dict[str, tuple[int, Mapping[str, object]] | None] = {}
    held = 0
    for place, record in rows:
        parts = list(_parts(record)) if isinstance(record, dict) and not _SIGNS.isdisjoint(record) else []
        if not parts:
            yield place, record
            continue
        for raw in parts:
            part = _opened(raw) if flat else raw
            held += _size(part)
            if held > _MOST_HELD:
                raise InputError(f"{name}: its traces take more than {_MOST_HELD >> 20} MB together: split the file")
            trace = trace_of(part)
            alone[trace] = None if trace in alone else (place, part)
            groups.add_part(part, str(place))
    for trace, where, response, found in groups.named_interactions():
        single = alone.get(trace)
        if single is not None and is_span(single[1]):
            yield single[0], single[1]
            continue
        yield int(where), _record(response, found)


def _parts(record: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    if "resourceSpans" in record:
        yield from filter(is_span, spans_of(record))
    elif langfuse.is_langfuse(record) or is_run(record) or is_span(record) or _is_langfuse_part(record):
        yield record


def _is_langfuse_part(record: Mapping[str, object]) -> bool:
    return langfuse.is_observation(record) or langfuse.is_bare_trace(record)


def _record(response: Mapping[str, object], trace: Mapping[str, object] | None) -> dict[str, object]:
    """Return what was asked, said and retrieved in a trace as one record."""
    record = {key: value for key, value in response.items() if value is not None}
    retrieval = trace.get("retrieval") if trace is not None else None
    if isinstance(retrieval, Mapping):
        record.setdefault("contexts", retrieval["passages"])
    record.setdefault("id", record.get("trace_id"))
    return record


def _opened(record: Mapping[str, object]) -> dict[str, object]:
    return {
        key: parse_cell(key, value)[0] if isinstance(value, str) and value.startswith(_JSON_STARTS) else value
        for key, value in record.items()
    }


def _size(value: object) -> int:
    """Return about how many bytes a value takes."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, Mapping):
        return sum(len(str(key)) + _size(inner) for key, inner in value.items())
    return sum(map(_size, value)) if isinstance(value, list) else 8
