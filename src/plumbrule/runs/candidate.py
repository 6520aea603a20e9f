"""The candidate of a run: one protocol, recorded answers, calls to a live candidate, and how its response is read."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar

from plumbrule.http.exchange import Exchange
from plumbrule.http.retry import Clock, Patience
from plumbrule.http.throttle import Throttle
from plumbrule.http.transport_errors import TimedOutError, TransportError
from plumbrule.models.reply_fields import read_count
from plumbrule.samples.aliases import Mapper
from plumbrule.samples.sample_fields import FROM_CITATIONS, sample_of
from plumbrule.samples.sample_model import Passage, Sample
from plumbrule.samples.value_types import Misfit, amount_of, described, key_of

# What is asked and expected is the dataset's; times and counts are read apart: an odd one spoils no answer.
_TAKEN = frozenset(
    {"answer", "contexts", "citations", "refusal", "grounding_status", "trace_id", "timestamp", "metadata", "model_id"}
)
_USAGE = (("input_tokens", "output_tokens"), ("prompt_tokens", "completion_tokens"))


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateIdentity:
    """Which candidate it is: what is known before the first call, None where it is not."""

    kind: str  # recorded, model, http, python
    model_id: str | None = None
    model_version: str | None = None
    prompt_template_id: str | None = None
    prompt_template_sha256: str | None = None  # or a version that the user gave


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """A sample with what the candidate answered.

    ``error`` names why there is no answer to judge: the kind of a transport error, ``failed`` for a callable that
    raised, ``malformed`` for an answer that cannot be read. A candidate that ran out of time has no error: its sample
    says ``timed_out``. What is not ``final`` may succeed at another attempt: the task is not finished.
    Latencies are those of the attempt that brought the answer or ran out of time. ``requests`` counts every attempt.
    """

    sample: Sample
    error: str | None = None
    error_detail: str | None = None
    final: bool = True
    flags: tuple[str, ...] = ()
    requests: int = 0
    cost_usd: float | None = None
    reported_model: str | None = None
    fingerprint: str | None = None
    latency_first_token_ms: float | None = None  # of an answer that came in pieces
    self_reported: tuple[Passage, ...] = ()  # contexts that the candidate says it used, and that do not count
    exchanges: tuple[Exchange, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """What a response says: the sample with it, and the contexts that it only reports of itself."""

    sample: Sample
    self_reported: tuple[Passage, ...] = ()
    flags: tuple[str, ...] = ()


class Candidate(Protocol):
    """Anything that answers questions; there is no default one."""

    @property
    def identity(self) -> CandidateIdentity:
        """Tell which candidate this is."""
        ...

    async def answer(self, sample: Sample, repeat: int) -> Answered:
        """Answer one sample; a failure is an answer that says so.

        Only a mistake in the configuration, such as a key that is not set, is raised: it would fail every sample alike.
        """
        ...

    async def aclose(self) -> None:
        """Close connections."""
        ...


class RecordedCandidate:
    """Answers that were given before, with the latency and the tokens recorded then."""

    def __init__(self, identity: CandidateIdentity) -> None:
        self.identity = identity

    async def answer(self, sample: Sample, repeat: int) -> Answered:  # noqa: ARG002 - every repeat is the same record
        """Give the sample as it was recorded."""
        return Answered(sample=sample)

    async def aclose(self) -> None:
        """Do nothing: there is nothing to close."""


def unanswered(sample: Sample) -> Sample:
    """Return the sample without what belongs to an answer that was recorded for it."""
    return replace(
        sample,
        answer=None,
        citations=(),
        refusal=None,
        grounding_status=None,
        trace_id=None,
        timestamp=None,
        metadata={},  # in a recorded response it tells how that answer was made
        latency_e2e_ms=None,
        latency_model_ms=None,
        input_tokens=None,
        output_tokens=None,
        timed_out=None,
        model_id=None,
    )


T = TypeVar("T")


async def call(
    send: Callable[[float], Awaitable[T]],
    read: Callable[[T], Answered],
    *,
    blank: Sample,
    patience: Patience,
    throttle: Throttle | None,
) -> Answered:
    """Send until something comes back, and return what ``read`` makes of it; ``blank`` is the sample without answer.

    A candidate that passes its time has had its chance and is not asked again.
    """

    async def attempt(timeout_s: float) -> T | TimedOutError:
        try:
            return await send(timeout_s)
        except TimedOutError as error:
            return error

    failed: list[Exchange] = []
    try:
        reply = await Clock(patience).call(attempt, failed.append, throttle=throttle)
    except TransportError as error:
        answered = Answered(sample=blank, error=error.kind, error_detail=str(error), final=False)
    else:
        answered = _timed_out(blank, reply.exchange) if isinstance(reply, TimedOutError) else read(reply)
    exchanges = (*failed, *answered.exchanges)
    flags = ("retried", *answered.flags) if len(exchanges) > 1 else answered.flags
    return replace(answered, exchanges=exchanges, requests=len(exchanges), flags=flags)


def _timed_out(blank: Sample, exchange: Exchange) -> Answered:
    late = replace(blank, timed_out=True, latency_e2e_ms=exchange.elapsed_ms)
    return Answered(sample=late, exchanges=(exchange,))


def read_response(content: object, blank: Sample, *, accept_contexts: bool) -> Response:
    """Return ``blank`` with what the response says, or raise a ``Misfit`` that tells why it cannot be read.

    Contexts that the response gives, or else the excerpts that it cites, are reported by the candidate of itself: they
    count as given only with ``accept_contexts``, and excerpts only where the sample has no contexts of its own. Tokens
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
    response = sample_of(mapped)
    taken = {name: getattr(response, name) for name in _TAKEN}
    own = response.contexts
    if mapped.origins.get("contexts") == FROM_CITATIONS and blank.contexts:
        own = ()
    taken["contexts"] = own if own and accept_contexts else blank.contexts
    taken["input_tokens"], taken["output_tokens"] = _tokens(content, response.metadata)
    return Response(
        sample=replace(blank, **taken, latency_model_ms=_model_time(content, response.metadata)),
        self_reported=() if accept_contexts else own,
        flags=("self_reported",) if own else (),
    )


def _tokens(content: Mapping[str, object], metadata: Mapping[str, object]) -> tuple[int | None, int | None]:
    """Return both counts from the first place that has either; what is not reported there is unknown."""
    for place in (content, content.get("usage"), metadata, metadata.get("usage")):
        for input_name, output_name in _USAGE:
            counts = read_count(place, input_name), read_count(place, output_name)
            if counts != (None, None):
                return counts
    return None, None


def _model_time(content: Mapping[str, object], metadata: Mapping[str, object]) -> float | None:
    for taken in (content.get("latency_model_ms"), metadata.get("processing_time_ms")):
        if taken is not None:
            try:
                return amount_of("latency_model_ms", taken)
            except Misfit:
                continue
    return None
