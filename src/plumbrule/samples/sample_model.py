"""What is evaluated: one sample is a question, the contexts given, and the answer or refusal they got."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """One piece of context that the assistant was given."""

    text: str
    id: str | None = None
    source_id: str | None = None
    title: str | None = None
    collection: str | None = None
    effective_date: str | None = None
    score: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """One citation of an answer; ``citation_id`` is the N of its ``[N]`` marker."""

    citation_id: str | None = None
    source_id: str | None = None
    source_title: str | None = None
    effective_date: str | None = None
    passage: str | None = None
    collection: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A declared refusal: the assistant said that it does not answer, and why."""

    code: str | None = None
    reason: str | None = None
    user_guidance: str | None = None
    next_steps: tuple[str, ...] = ()
    retrieval_summary: object = None
    conflict_summary: object = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """What the assistant should have done; ``None`` means that nobody said."""

    refuse: bool | None = None
    refusal_code: str | None = None
    passages: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One question with its contexts and the answer, or the refusal, that it got."""

    id: str
    question: str = ""
    answer: str | None = None
    contexts: tuple[Passage, ...] = ()
    reference: str | None = None
    expected: Expected | None = None
    citations: tuple[Citation, ...] = ()
    refusal: Refusal | None = None
    grounding_status: str | None = None
    trace_id: str | None = None
    timestamp: str | None = None
    metadata: Mapping[str, object] = field(default_factory=dict)
    latency_e2e_ms: float | None = None
    latency_model_ms: float | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    timed_out: bool | None = None
    model_id: str | None = None
    category: str | None = None
    tags: tuple[str, ...] = ()

    @property
    def refused(self) -> bool:
        """Whether the assistant declared that it does not answer."""
        return self.refusal is not None or (self.grounding_status or "").upper() == "REFUSED"
