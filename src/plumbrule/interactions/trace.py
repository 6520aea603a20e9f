"""What an assistant's trace says of one interaction: what was searched, found, grounded and decided."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from plumbrule.interactions.contract_findings import FindingLog
from plumbrule.interactions.passages import read_passages
from plumbrule.samples.sample_model import Passage
from plumbrule.samples.value_types import SEQUENCES, Misfit, count_of, described, flag, label, number

SECTIONS = ("retrieval", "grounding", "decision")

_NOTHING: Mapping[str, object] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieval:
    """What was searched and found; None means that the trace does not say."""

    collections_searched: tuple[str, ...] | None = None
    passages_retrieved: int | None = None
    passages_above_threshold: int | None = None
    top_passage_score: float | None = None
    passage_ids: tuple[str, ...] = ()
    passages: tuple[Passage, ...] = ()  # where the trace carries them itself


@dataclass(frozen=True, slots=True, kw_only=True)
class Grounding:
    """What the assistant's own grounding check found."""

    status: str | None = None
    supporting_passages: tuple[str, ...] = ()
    grounding_coverage: float | None = None
    unsupported_claims: int | None = None
    conflict_detected: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What the assistant decided to do, and why."""

    outcome: str | None = None
    refusal_code: str | None = None
    rationale_codes: tuple[str, ...] = ()
    escalation_triggered: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """One interaction as the assistant logged it."""

    trace_id: str | None = None
    query: str | None = None
    role: str | None = None
    retrieval: Retrieval = field(default_factory=Retrieval)
    grounding: Grounding = field(default_factory=Grounding)
    decision: Decision = field(default_factory=Decision)
    model_provider: str | None = None
    model_id: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None


def is_trace(record: Mapping[str, object]) -> bool:
    """Tell whether a record has a section that only a trace has."""
    return any(isinstance(record.get(section), dict) for section in SECTIONS)


def read_trace(record: Mapping[str, object], log: FindingLog) -> Trace:
    """Return the trace that ``record`` holds; what cannot be read is noted and left out."""
    given = _section(record, "input", log)
    model = _section(record, "model", log)
    tokens = model.get("tokens")
    usage: Mapping[str, object] = tokens if isinstance(tokens, dict) else model
    return Trace(
        trace_id=log.take(label, "trace_id", record.get("trace_id")),
        query=log.take(label, "input.query", given.get("query")),
        role=log.take(label, "input.role", given.get("role")),
        retrieval=_retrieval(_section(record, "retrieval", log), log),
        grounding=Grounding(**_taken("grounding", _section(record, "grounding", log), log)),
        decision=Decision(**_taken("decision", _section(record, "decision", log), log)),
        model_provider=log.take(label, "model.provider", model.get("provider")),
        model_id=log.take(label, "model.id", _first(model, "id", "model_id")),
        input_tokens=log.take(count_of, "model.tokens", _first(usage, "input_tokens", "prompt_tokens", "input")),
        output_tokens=log.take(count_of, "model.tokens", _first(usage, "output_tokens", "completion_tokens", "output")),
    )


def _retrieval(given: Mapping[str, object], log: FindingLog) -> Retrieval:
    inline = read_passages("retrieval.passages", given.get("passages"), log)
    named = {"passage_ids": tuple(passage.id for passage in inline if passage.id is not None)}
    return Retrieval(**named | _taken("retrieval", given, log), passages=inline)


def _taken(section: str, given: Mapping[str, object], log: FindingLog) -> dict[str, Any]:
    """Return the fields of a section that the trace gives."""
    fields = {name: log.take(read, f"{section}.{name}", given.get(name)) for name, read in _READERS[section].items()}
    return {name: value for name, value in fields.items() if value is not None}


def _section(record: Mapping[str, object], name: str, log: FindingLog) -> Mapping[str, object]:
    section = record.get(name)
    if isinstance(section, dict):
        return section
    if section is not None and name in SECTIONS:
        log.add("field_type", f"{name} must be an object, not {described(section)}")
    return _NOTHING


def _first(given: Mapping[str, object], *names: str) -> object:
    return next((given[name] for name in names if given.get(name) is not None), None)


def _labels(name: str, value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, SEQUENCES):
        raise Misfit(f"{name} must be a list, not {described(value)}")
    return tuple(label(f"{name}[{index}]", item) for index, item in enumerate(value))


def _share(name: str, value: object) -> float:
    given = number(name, value)
    if not 0 <= given <= 1:
        raise Misfit(f"{name} must be a share from 0 to 1, not {given:g}")
    return given


def _counted(name: str, value: object) -> int:
    """Return a count, or the length of the list that some write in its place."""
    return len(value) if isinstance(value, SEQUENCES) else count_of(name, value)


_READERS: Mapping[str, Mapping[str, Callable[[str, object], object]]] = {  # how each field of a section is read
    "retrieval": {
        "passage_ids": _labels,
        "collections_searched": _labels,
        "passages_retrieved": _counted,
        "passages_above_threshold": _counted,
        "top_passage_score": number,
    },
    "grounding": {
        "status": label,
        "supporting_passages": _labels,
        "grounding_coverage": _share,
        "unsupported_claims": _counted,
        "conflict_detected": flag,
    },
    "decision": {
        "outcome": label,
        "refusal_code": label,
        "rationale_codes": _labels,
        "escalation_triggered": flag,
    },
}
