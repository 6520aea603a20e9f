"""What an assistant's own response says, read by the same names and rules as a recorded sample."""

from collections.abc import Mapping
from dataclasses import replace

from plumbrule.models.reply_fields import read_count
from plumbrule.samples.aliases import Mapper
from plumbrule.samples.sample_fields import FROM_CITATIONS, sample_of
from plumbrule.samples.sample_model import Sample
from plumbrule.samples.value_types import Misfit, amount_of, described, key_of

# What is asked and expected is the dataset's; times and counts are read apart: an odd one spoils no answer.
_TAKEN = frozenset(
    {
        "answer",
        "contexts",
        "citations",
        "refusal",
        "grounding_status",
        "trace_id",
        "timestamp",
        "metadata",
        "model_id",
    }
)
_USAGE = (("input_tokens", "output_tokens"), ("prompt_tokens", "completion_tokens"))


def read_response(content: object, blank: Sample) -> Sample:
    """Return ``blank`` with what the response says, or raise a ``Misfit`` that tells why it cannot be read.

    Contexts are those of the response if it gives any, else the sample's own, else the excerpts that it cites. Tokens
    are looked for in the response, its ``metadata`` and the ``usage`` of either; the model's own time is
    ``latency_model_ms``, or ``processing_time_ms`` of the metadata. ``model_id`` is who the response says that it is.
    """
    if not isinstance(content, Mapping):
        raise Misfit(f"the response must be an object, not {described(content)}")
    content = {key_of("the response", key): value for key, value in content.items()}
    mapped = Mapper().map(content)
    mapped.values = {name: value for name, value in mapped.values.items() if name in _TAKEN}
    mapped.ignored.clear()  # else a complaint would tell how to map a file's column
    mapped.values["id"] = "response"
    contexts = mapped.values.get("contexts")
    if isinstance(contexts, str | list | tuple | dict) and not contexts:
        del mapped.values["contexts"]
    said = sample_of(mapped)
    cited_only = mapped.origins.get("contexts") == FROM_CITATIONS
    input_tokens, output_tokens = _tokens(content, said.metadata)
    return replace(
        blank,
        answer=said.answer,
        contexts=blank.contexts if not said.contexts or (cited_only and blank.contexts) else said.contexts,
        citations=said.citations,
        refusal=said.refusal,
        grounding_status=said.grounding_status,
        trace_id=said.trace_id,
        timestamp=said.timestamp,
        metadata=said.metadata,
        latency_model_ms=_model_time(content, said.metadata),
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        model_id=said.model_id,
    )


def _tokens(content: Mapping[str, object], metadata: Mapping[str, object]) -> tuple[int | None, int | None]:
    """Return both counts from the first place that has either; what is not reported there is unknown."""
    for place in (content, content.get("usage"), metadata, metadata.get("usage")):
        for input_name, output_name in _USAGE:
            found = read_count(place, input_name), read_count(place, output_name)
            if found != (None, None):
                return found
    return None, None


def _model_time(content: Mapping[str, object], metadata: Mapping[str, object]) -> float | None:
    for taken in (content.get("latency_model_ms"), metadata.get("processing_time_ms")):
        if taken is not None:
            try:
                return amount_of("latency_model_ms", taken)
            except Misfit:
                continue
    return None
