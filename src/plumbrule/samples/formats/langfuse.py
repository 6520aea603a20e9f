"""Langfuse's exports: a trace with its observations in it, or traces and observations as records of their own."""

from collections.abc import Mapping

from plumbrule.samples.formats.trace_steps import Step, asked_in, assemble, documents_in, first, listed, said_in

_KINDS = frozenset(
    {"SPAN", "GENERATION", "EVENT", "RETRIEVER", "EMBEDDING", "AGENT", "CHAIN", "TOOL", "EVALUATOR", "GUARDRAIL"}
)
_TRACE_ID = ("traceId", "trace_id")
_PARENT = ("parentObservationId", "parent_observation_id")
_START = ("startTime", "start_time")
_INPUT_TOKENS = ("usageDetails.input", "usage_details.input", "usage.input", "promptTokens")
_OUTPUT_TOKENS = ("usageDetails.output", "usage_details.output", "usage.output", "completionTokens")
_ITS_OWN = frozenset({"observations", "sessionId", "session_id", "htmlPath", "bookmarked"})  # of a trace
_OTHERS = frozenset({"answer", "citations", "context", "contexts", "expected", "reference", "refusal"})


def is_langfuse(record: Mapping[str, object]) -> bool:
    """Tell whether a record is a trace with its observations in it."""
    return bool(listed(record.get("observations")))


def is_observation(record: Mapping[str, object]) -> bool:
    """Tell whether a record is one observation of a trace."""
    return "id" in record and first(record, _TRACE_ID) is not None and _kind(record) in _KINDS


def is_bare_trace(record: Mapping[str, object]) -> bool:
    """Tell whether a record is a trace whose observations stand elsewhere, or nowhere."""
    if not {"id", "timestamp", "input", "output"} <= record.keys():
        return False
    return not _ITS_OWN.isdisjoint(record) and _OTHERS.isdisjoint(record)


def read_langfuse(record: Mapping[str, object]) -> tuple[dict[str, object], dict[str, object] | None]:
    """Return the response and the trace of a trace with its observations in it."""
    return assemble(id_of_whole(record), steps_of(record))


def steps_of(record: Mapping[str, object]) -> list[Step]:
    """Return the steps of a trace with its observations in it."""
    observations = enumerate(listed(record.get("observations")), 1)
    return [step_of_trace(_head(record)), *(step_of_observation(each, order) for order, each in observations)]


def id_of_whole(record: Mapping[str, object]) -> str:
    """Return the id of a trace with its observations in it."""
    return str(_head(record).get("id") or "")


def _head(record: Mapping[str, object]) -> Mapping[str, object]:
    head = record.get("trace")
    return head if isinstance(head, dict) else record


def id_of(record: Mapping[str, object]) -> str:
    """Return the trace that an observation, or a bare trace, belongs to."""
    return str(first(record, _TRACE_ID) if is_observation(record) else record["id"])


def step_of_trace(trace: Mapping[str, object]) -> Step:
    """Return what the trace itself says."""
    return Step(
        order=0,
        root=True,
        start=str(trace.get("timestamp") or ""),
        asked=asked_in(trace.get("input")),
        said=said_in(trace.get("output")),
        tags=trace.get("tags"),
    )


def step_of_observation(observation: Mapping[str, object], order: int) -> Step:
    """Return what an observation adds; those that are neither a retrieval, a generation nor the outermost, nothing."""
    step = Step(order=order, start=str(first(observation, _START) or ""))
    kind = _kind(observation)
    if kind == "RETRIEVER" or "retriev" in str(observation.get("name") or "").lower():
        step.documents = documents_in(observation.get("output"))
        return step
    step.root = kind in _KINDS and first(observation, _PARENT) in (None, "")
    if kind == "GENERATION" or step.root:
        step.asked = asked_in(observation.get("input"))
        step.said = said_in(observation.get("output"))
    if kind == "GENERATION":
        step.model = observation.get("model")
        step.input_tokens = first(observation, _INPUT_TOKENS)
        step.output_tokens = first(observation, _OUTPUT_TOKENS)
    return step


def _kind(observation: Mapping[str, object]) -> str:
    return str(observation.get("type") or "").upper()
