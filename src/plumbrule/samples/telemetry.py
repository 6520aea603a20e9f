"""Interactions as tracing tools keep them: OpenInference and OpenTelemetry GenAI spans, and Langfuse traces."""

import datetime as dt
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import orjson

from plumbrule.samples.messages import text_of
from plumbrule.samples.spans import dig, read_span

_TRACE_ID = ("trace_id", "traceId", "context.trace_id", "context.traceId")
_SPAN_ID = ("span_id", "spanId", "context.span_id", "context.spanId")
_PARENT = ("parent_id", "parentSpanId", "parent_span_id", "parentId", "parent_observation_id", "parentObservationId")
_START = ("start_time", "startTime", "startTimeUnixNano", "start_time_unix_nano")
_MODEL = ("gen_ai.response.model", "gen_ai.request.model", "llm.model_name")
_PROVIDER = ("gen_ai.provider.name", "gen_ai.system", "llm.provider")
_INPUT_TOKENS = ("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt")
_OUTPUT_TOKENS = ("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "llm.token_count.completion")
_ASKED = ("gen_ai.input.messages", "gen_ai.prompt", "gen_ai.retrieval.query.text")
_SAID = ("gen_ai.output.messages", "gen_ai.completion")
_DOCUMENTS = ("gen_ai.retrieval.documents", "retrieval.documents")
_EVENTS_ASKED = ("gen_ai.user.message", "gen_ai.content.prompt")
_EVENTS_SAID = ("gen_ai.choice", "gen_ai.assistant.message", "gen_ai.content.completion")
_NANOSECONDS = 1_000_000_000


@dataclass(slots=True, kw_only=True)
class _Step:
    """What one span or observation adds to its interaction."""

    order: int
    start: str = ""
    root: bool = False
    asked: str | None = None
    said: object = None
    documents: list[object] = field(default_factory=list)
    model: object = None
    provider: object = None
    input_tokens: object = None
    output_tokens: object = None


class SpanGroups:
    """Spans gathered by the trace they belong to; only what an interaction needs is held."""

    def __init__(self) -> None:
        self._groups: dict[str, tuple[str, list[_Step]]] = {}
        self._count = 0

    def __len__(self) -> int:
        return len(self._groups)

    def add(self, span: Mapping[str, object], where: str) -> None:
        """Take in one span."""
        self._count += 1
        trace_id = str(_first(span, _TRACE_ID))
        self._groups.setdefault(trace_id, (where, []))[1].append(_step_of_span(span, self._count))

    def interactions(self) -> Iterator[tuple[str, dict[str, object], dict[str, object] | None]]:
        """Yield the place, the response and the trace of each group, in the order of their first spans."""
        for trace_id, (where, steps) in self._groups.items():
            yield where, *_assemble(trace_id, steps)


def is_span(record: Mapping[str, object]) -> bool:
    """Tell whether a record is one span of a trace."""
    if _first(record, _SPAN_ID) is None or _first(record, _TRACE_ID) is None:
        return False
    return any(key == "attributes" or key.startswith("attributes.") or key == "events" for key in record)


def spans_of(record: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    """Yield the spans of an OTLP document."""
    for resource in _listed(record.get("resourceSpans")):
        for scope in _listed(resource.get("scopeSpans")):
            yield from _listed(scope.get("spans"))


def is_langfuse(record: Mapping[str, object]) -> bool:
    """Tell whether a record is a Langfuse trace with its observations."""
    return isinstance(record.get("observations"), list)


def read_langfuse(record: Mapping[str, object]) -> tuple[dict[str, object], dict[str, object] | None]:
    """Return the response and the trace of a Langfuse trace."""
    head = record.get("trace")
    trace: Mapping[str, object] = head if isinstance(head, dict) else record
    steps = [
        _Step(
            order=0,
            root=True,
            start=str(trace.get("timestamp") or ""),
            asked=text_of(trace.get("input"), "user"),
            said=_decoded(trace.get("output")),
        )
    ]
    for order, observation in enumerate(_listed(record.get("observations")), 1):
        steps.append(_step_of_observation(observation, order))
    return _assemble(str(trace.get("id") or ""), steps)


def _step_of_observation(observation: Mapping[str, object], order: int) -> _Step:
    kind = str(observation.get("type") or "").upper()
    step = _Step(order=order, start=str(_first(observation, _START) or ""))
    if kind == "RETRIEVER" or "retriev" in str(observation.get("name") or "").lower():
        step.documents = _documents(observation.get("output"))
        return step
    if kind == "GENERATION":
        step.asked = text_of(observation.get("input"), "user")
        step.said = _decoded(observation.get("output"))
        step.model = observation.get("model")
        step.input_tokens = _first(observation, ("usageDetails.input", "usage.input", "promptTokens"))
        step.output_tokens = _first(observation, ("usageDetails.output", "usage.output", "completionTokens"))
    return step


def _step_of_span(span: Mapping[str, object], order: int) -> _Step:
    attributes = _attributes(span.get("attributes"))
    flat = attributes or span
    read = read_span({"attributes": attributes} if attributes else span)
    step = _Step(
        order=order,
        start=str(_first(span, _START) or ""),
        root=not _first(span, _PARENT),
        model=_first(flat, _MODEL),
        provider=_first(flat, _PROVIDER),
        input_tokens=_first(flat, _INPUT_TOKENS),
        output_tokens=_first(flat, _OUTPUT_TOKENS),
    )
    events = _listed(span.get("events"))
    asked = read["question"][1] if "question" in read else _first(flat, _ASKED) or _numbered(flat, "gen_ai.prompt")
    said = read["answer"][1] if "answer" in read else _first(flat, _SAID) or _numbered(flat, "gen_ai.completion")
    step.asked = text_of(asked if asked is not None else _of_events(events, _EVENTS_ASKED), "user")
    step.said = _decoded(said if said is not None else _of_events(events, _EVENTS_SAID))
    documents = read["contexts"][1] if "contexts" in read else _first(flat, _DOCUMENTS)
    step.documents = _documents(documents)
    return step


def _assemble(trace_id: str, steps: list[_Step]) -> tuple[dict[str, object], dict[str, object] | None]:
    """Return one response and trace: the root's question and answer, else the first asked and the last said."""
    steps = sorted(steps, key=lambda step: (step.start, step.order))
    roots = [step for step in steps if step.root]
    asked = next((step.asked for step in (*roots, *steps) if step.asked), None)
    said = next((step.said for step in (*roots, *reversed(steps)) if step.said not in (None, "")), None)
    documents = _distinct(document for step in steps for document in step.documents)
    response: dict[str, object] = {"trace_id": trace_id or None, "query": asked}
    if isinstance(said, dict) and {"answer", "refusal", "grounding_status"} & said.keys():
        response |= said
        response["trace_id"] = said.get("trace_id") or trace_id
    else:
        response["answer"] = text_of(said, "assistant")
    response.setdefault("timestamp", _moment(next((step.start for step in steps if step.start), "")))
    response.setdefault("model_id", next((step.model for step in reversed(steps) if step.model), None))
    for name in ("input_tokens", "output_tokens"):
        counts = [value for step in steps if isinstance(value := _whole(getattr(step, name)), int)]
        if counts:
            response.setdefault(name, sum(counts))
    if not documents:
        return response, None
    scores = [score for document in documents if isinstance(score := _field(document, "score"), (int, float))]
    retrieval: dict[str, object] = {
        "passages": documents,
        "passages_retrieved": len(documents),
        "top_passage_score": max(scores, default=None),
    }
    return response, {"trace_id": response["trace_id"], "retrieval": retrieval}


def _attributes(value: object) -> Mapping[str, object]:
    """Return attributes as a mapping, from the list of keys and typed values that OTLP writes too."""
    if isinstance(value, Mapping):
        return value
    return {
        str(pair["key"]): _otlp(pair.get("value"))
        for pair in _listed(value)
        if isinstance(pair.get("key"), str) and pair.get("value") is not None
    }


def _otlp(value: object) -> object:
    if not isinstance(value, Mapping) or len(value) != 1:
        return value
    [(kind, inner)] = value.items()
    if kind == "intValue":
        return _whole(inner)
    if kind == "arrayValue" and isinstance(inner, Mapping):
        return [_otlp(item) for item in inner.get("values") or [] if isinstance(item, Mapping)]
    if kind == "kvlistValue" and isinstance(inner, Mapping):
        return _attributes(inner.get("values"))
    return inner


def _documents(value: object) -> list[object]:
    """Return the documents of a retrieval, from a list, a JSON text of one, or an object around one."""
    value = _decoded(value)
    if isinstance(value, Mapping):
        inner = next((value[key] for key in ("documents", "passages", "results", "context") if key in value), None)
        value = inner if inner is not None else [value]
    if isinstance(value, str):
        return [value]
    if not isinstance(value, list):
        return []
    return [_document(entry) for entry in value if isinstance(entry, (str, Mapping))]


def _document(entry: object) -> object:
    if not isinstance(entry, Mapping):
        return entry
    inner = entry.get("document")
    known = dict(inner) if isinstance(inner, Mapping) else dict(entry)
    metadata = _decoded(known.get("metadata"))
    if isinstance(metadata, Mapping):
        known["metadata"] = dict(metadata)
    return known


def _numbered(flat: Mapping[str, object], stem: str) -> object:
    """Return messages that were flattened: ``stem.0.role``, ``stem.0.content``."""
    messages = []
    for index in range(len(flat)):
        content = flat.get(f"{stem}.{index}.content")
        if content is None:
            break
        messages.append({"role": flat.get(f"{stem}.{index}.role"), "content": content})
    return messages or None


def _of_events(events: list[Mapping[str, object]], names: tuple[str, ...]) -> object:
    found = None
    for event in events:
        if event.get("name") in names:
            given = _attributes(event.get("attributes"))
            keys = ("content", "message.content", "message", "gen_ai.prompt", "gen_ai.completion", "body")
            found = _first(given, keys) or found
    return found


def _distinct(documents: Iterator[object]) -> list[object]:
    return list({repr(document): document for document in documents}.values())


def _field(document: object, name: str) -> object:
    return document.get(name) if isinstance(document, Mapping) else None


def _moment(start: str) -> str | None:
    """Return when something began as an ISO date and time; OTLP counts nanoseconds."""
    if start.isascii() and start.isdigit() and len(start) < 20:
        try:
            return dt.datetime.fromtimestamp(int(start) // _NANOSECONDS, tz=dt.UTC).isoformat()
        except (OverflowError, ValueError, OSError):
            return None
    return start or None


def _decoded(value: object) -> object:
    """Return what a text holds where it is a JSON object or list; anything else stays as it is."""
    if isinstance(value, str) and value.lstrip()[:1] in {"{", "["}:
        try:
            return orjson.loads(value)
        except orjson.JSONDecodeError:
            return value
    return value


def _whole(value: object) -> object:
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 16:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _first(holder: Mapping[str, object], paths: tuple[str, ...]) -> object:
    return next((value for path in paths if (value := dig(holder, path)) is not None), None)


def _listed(value: object) -> list[Mapping[str, object]]:
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []
