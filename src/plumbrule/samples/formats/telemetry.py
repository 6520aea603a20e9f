"""Interactions as tracing tools keep them: OpenInference and OpenTelemetry GenAI spans, Langfuse's, LangSmith's."""

from collections.abc import Iterator, Mapping

from plumbrule.samples.formats import langfuse
from plumbrule.samples.formats.openinference import read_span
from plumbrule.samples.formats.trace_steps import (
    Step,
    asked_in,
    assemble,
    decoded,
    documents_in,
    first,
    listed,
    said_in,
    whole,
)

_TRACE_ID = ("trace_id", "traceId", "context.trace_id", "context.traceId")
_SPAN_ID = ("span_id", "spanId", "context.span_id", "context.spanId")
_PARENT = ("parent_id", "parentSpanId", "parent_span_id", "parentId")
_START = ("start_time", "startTime", "startTimeUnixNano", "start_time_unix_nano")
_MODEL = ("gen_ai.response.model", "gen_ai.request.model", "llm.model_name")
_INPUT_TOKENS = ("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt")
_OUTPUT_TOKENS = ("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "llm.token_count.completion")
_ASKED = ("gen_ai.input.messages", "gen_ai.prompt", "gen_ai.retrieval.query.text", "llm.input_messages")
_SAID = ("gen_ai.output.messages", "gen_ai.completion", "llm.output_messages")
_DOCUMENTS = ("gen_ai.retrieval.documents", "retrieval.documents")
_EVENTS_ASKED = ("gen_ai.user.message", "gen_ai.content.prompt", "gen_ai.client.inference.operation.details")
_EVENTS_SAID = (
    "gen_ai.choice",
    "gen_ai.assistant.message",
    "gen_ai.content.completion",
    "gen_ai.client.inference.operation.details",
)
_EVENT_TEXTS = ("content", "message.content", "message", "body")
_RUN_PARENT = ("parent_run_id",)
_RUN_MODEL = ("extra.metadata.ls_model_name", "extra.invocation_params.model")
_RUN_DOCUMENTS = ("documents", "passages", "context")
_MOST_MESSAGES = 1000


class SpanGroups:
    """Spans and observations gathered by the trace they belong to; only what an interaction needs is held."""

    def __init__(self) -> None:
        self._groups: dict[str, tuple[str, list[Step]]] = {}
        self._count = 0

    def __len__(self) -> int:
        return len(self._groups)

    def add(self, span: Mapping[str, object], where: str) -> None:
        """Take in one span."""
        self._count += 1
        self._take(str(first(span, _TRACE_ID)).removeprefix("0x"), _step_of_span(span, self._count), where)

    def add_langfuse(self, record: Mapping[str, object], where: str) -> None:
        """Take in one observation, or one trace without its observations."""
        self._count += 1
        is_step = langfuse.is_observation(record)
        step = langfuse.step_of_observation(record, self._count) if is_step else langfuse.step_of_trace(record)
        self._take(langfuse.id_of(record), step, where)

    def add_part(self, record: Mapping[str, object], where: str) -> None:
        """Take in whatever part of a trace a record is."""
        if is_span(record):
            self.add(record, where)
        elif is_run(record):
            self._count += 1
            self._take(trace_of(record), _step_of_run(record, self._count), where)
        elif langfuse.is_langfuse(record):
            for step in langfuse.steps_of(record):
                self._take(trace_of(record), step, where)
        else:
            self.add_langfuse(record, where)

    def named_interactions(self) -> Iterator[tuple[str, str, dict[str, object], dict[str, object] | None]]:
        """Yield the same as ``interactions``, each with the trace that it is."""
        for trace_id, (where, steps) in self._groups.items():
            yield trace_id, where, *assemble(trace_id, steps)

    def interactions(self) -> Iterator[tuple[str, dict[str, object], dict[str, object] | None]]:
        """Yield the place, the response and the trace of each group, in the order of their first spans."""
        for trace_id, (where, steps) in self._groups.items():
            yield where, *assemble(trace_id, steps)

    def _take(self, trace_id: str, step: Step, where: str) -> None:
        self._groups.setdefault(trace_id, (where, []))[1].append(step)


def is_span(record: Mapping[str, object]) -> bool:
    """Tell whether a record is one span of a trace."""
    if first(record, _SPAN_ID) is None or first(record, _TRACE_ID) is None:
        return False
    return any(key == "attributes" or key.startswith("attributes.") or key == "events" for key in record)


def is_run(record: Mapping[str, object]) -> bool:
    """Tell whether a record is one run of a trace, as LangSmith exports them."""
    return "run_type" in record and "inputs" in record and first(record, _TRACE_ID) is not None


def trace_of(record: Mapping[str, object]) -> str:
    """Return the trace that a part belongs to."""
    if is_span(record) or is_run(record):
        return str(first(record, _TRACE_ID)).removeprefix("0x")
    if langfuse.is_langfuse(record):
        return langfuse.id_of_whole(record)
    return langfuse.id_of(record)


def spans_of(record: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    """Yield the spans of an OTLP document."""
    for resource in listed(record.get("resourceSpans")):
        for scope in listed(resource.get("scopeSpans")):
            yield from listed(scope.get("spans"))


def _step_of_span(span: Mapping[str, object], order: int) -> Step:
    attributes = _attributes(span.get("attributes"))
    flat = attributes or _without_prefix(span)
    read = read_span({"attributes": attributes} if attributes else span)
    events = listed(span.get("events"))
    given = {name: value for name, (_, value) in read.items()}
    return Step(
        order=order,
        start=str(first(span, _START) or ""),
        root=not first(span, _PARENT),
        asked=asked_in(
            given.get("question"),
            *(first(flat, (path,)) or _numbered(flat, path) for path in _ASKED),
            _of_events(events, _EVENTS_ASKED, _ASKED),
        ),
        said=said_in(
            given.get("answer"),
            *(first(flat, (path,)) or _numbered(flat, path) for path in _SAID),
            _of_events(events, _EVENTS_SAID, _SAID),
        ),
        documents=documents_in(given.get("contexts", first(flat, _DOCUMENTS))),
        model=first(flat, _MODEL),
        input_tokens=first(flat, _INPUT_TOKENS),
        output_tokens=first(flat, _OUTPUT_TOKENS),
    )


def _step_of_run(run: Mapping[str, object], order: int) -> Step:
    """Return what a run adds: a retrieval its documents, a model's call and the outermost what was asked and said."""
    kind, outputs = str(run.get("run_type")).lower(), decoded(run.get("outputs"))
    step = Step(order=order, start=str(first(run, _START) or ""), root=not first(run, _RUN_PARENT))
    if kind == "retriever":
        step.documents = documents_in(outputs)
        return step
    if step.root or kind == "llm":
        step.asked = asked_in(decoded(run.get("inputs")))
        step.said = said_in(outputs)
    if step.root and isinstance(outputs, Mapping) and any(key in outputs for key in _RUN_DOCUMENTS):
        step.documents = documents_in(outputs)
    if kind == "llm":
        step.model = first(run, _RUN_MODEL)
        step.input_tokens, step.output_tokens = run.get("prompt_tokens"), run.get("completion_tokens")
    return step


def _without_prefix(span: Mapping[str, object]) -> dict[str, object]:
    """Return the attributes of a span that was written as one row: ``attributes.llm.model_name``."""
    return {key.removeprefix("attributes."): value for key, value in span.items()}


def _attributes(value: object) -> Mapping[str, object]:
    """Return attributes as a mapping, from the list of keys and typed values that OTLP writes too."""
    if isinstance(value, Mapping):
        return value
    return {
        str(pair["key"]): _otlp(pair.get("value"))
        for pair in listed(value)
        if isinstance(pair.get("key"), str) and pair.get("value") is not None
    }


def _otlp(value: object) -> object:
    if not isinstance(value, Mapping) or len(value) != 1:
        return value
    [(kind, inner)] = value.items()
    if kind == "intValue":
        return whole(inner)
    if kind == "arrayValue" and isinstance(inner, Mapping):
        return [_otlp(item) for item in inner.get("values") or [] if isinstance(item, Mapping)]
    if kind == "kvlistValue" and isinstance(inner, Mapping):
        return _attributes(inner.get("values"))
    return inner


def _numbered(flat: Mapping[str, object], stem: str) -> object:
    """Return messages that were flattened: ``stem.0.role``, ``stem.0.content``, or with ``message.`` between."""
    messages = []
    for index in range(min(len(flat), _MOST_MESSAGES)):
        keys = (f"{stem}.{index}.{{}}", f"{stem}.{index}.message.{{}}")
        form = next((key for key in keys if flat.get(key.format("content")) is not None), None)
        if form is None and not any(key.startswith(f"{stem}.{index}.") for key in flat):
            break
        if form is not None:
            messages.append({"role": flat.get(form.format("role")), "content": flat[form.format("content")]})
    return messages or None


def _of_events(events: list[Mapping[str, object]], names: tuple[str, ...], keys: tuple[str, ...]) -> object:
    found = None
    for event in events:
        if event.get("name") in names:
            given = _attributes(event.get("attributes"))
            found = first(given, (*_EVENT_TEXTS, *keys)) or found
    return found
