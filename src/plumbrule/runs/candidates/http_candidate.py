"""An HTTP endpoint as the candidate: the question goes out as JSON, the assistant's own response comes back."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from plumbrule.http.endpoint import Answer, Endpoint, Stream
from plumbrule.http.exchange import Exchange
from plumbrule.http.retry import Patience
from plumbrule.http.throttle import Throttle
from plumbrule.http.transport_errors import NotAnObjectError
from plumbrule.runs.candidate import Answered, CandidateIdentity, call, read_response, unanswered
from plumbrule.runs.candidates.request_template import ask_question, value_at
from plumbrule.samples.sample_model import Sample
from plumbrule.samples.value_types import Misfit

_KEPT = ("usage", "metadata")  # where tokens and times are looked for, whatever else is named


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpExchange:
    """How an endpoint is spoken to: how the request is made of a sample, and where in a response its parts stand."""

    request: Callable[[Sample], Mapping[str, Any]] = ask_question
    method: str = "POST"
    paths: Mapping[str, str] = field(default_factory=dict)  # a field of a response, and its place; empty: by its name
    stream: Stream | None = None
    accept_contexts: bool = False


class HttpCandidate:
    """Sends a request to one address and reads the response; who answers, only the user knows.

    ``heard`` is called with the sample's id and each response as it came; ``known`` are the facts of a
    ``CandidateIdentity``.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        patience: Patience,
        throttle: Throttle | None = None,
        speaking: HttpExchange | None = None,
        heard: Callable[[str, object], None] | None = None,
        **known: str | None,
    ) -> None:
        self._endpoint = endpoint
        self._patience = patience
        self._throttle = throttle
        self._speaking = speaking or HttpExchange()
        self._heard = heard
        self.identity = CandidateIdentity(kind="http", **known)

    async def answer(self, sample: Sample, repeat: int) -> Answered:  # noqa: ARG002 - every repeat asks the same
        """Ask the endpoint the sample's question."""
        speaking = self._speaking
        body = speaking.request(sample)
        blank = replace(unanswered(sample), model_id=self.identity.model_id)

        async def send(timeout_s: float) -> Answer | NotAnObjectError:
            try:
                return await self._endpoint.post(
                    None,
                    body,
                    key_header=("authorization", "Bearer {key}"),
                    headers={},
                    timeout_s=timeout_s,
                    method=speaking.method,
                    stream=speaking.stream,
                )
            except NotAnObjectError as error:
                return error  # a whole answer, though no response: asking again would bring the same

        def read(reply: Answer | NotAnObjectError) -> Answered:
            if isinstance(reply, NotAnObjectError):
                return self._malformed(blank, reply.exchange, str(reply))
            if self._heard is not None:
                self._heard(sample.id, reply.content)
            try:
                content, first_token_ms = self._content(reply)
                response = read_response(content, blank, accept_contexts=speaking.accept_contexts)
            except Misfit as misfit:
                return self._malformed(blank, reply.exchange, f"{self._endpoint.host}: {misfit}")
            measured = replace(
                response.sample,
                latency_e2e_ms=reply.exchange.elapsed_ms,
                timed_out=False,
                model_id=blank.model_id or response.sample.model_id,
            )
            return Answered(
                sample=measured,
                reported_model=response.sample.model_id,
                latency_first_token_ms=first_token_ms,
                self_reported=response.self_reported,
                flags=response.flags,
                exchanges=(reply.exchange,),
            )

        return await call(send, read, blank=blank, patience=self._patience, throttle=self._throttle)

    def _content(self, reply: Answer) -> tuple[Mapping[str, Any], float | None]:
        """Return the response with its parts under their own names, and when the first piece of the answer came."""
        paths = dict(self._speaking.paths)
        if self._speaking.stream is None:
            if not paths:
                return reply.content, None
            parts = {name: value_at(reply.content, path) for name, path in paths.items()}
            kept = {name: reply.content[name] for name in _KEPT if name in reply.content}
            return kept | _told(parts), None
        delta = paths.pop("delta")
        pieces = [(value_at(event.content, delta), event.arrived_ms) for event in reply.events]
        texts = [(piece, arrived_ms) for piece, arrived_ms in pieces if isinstance(piece, str) and piece]
        if not texts:
            raise Misfit(f"no event of the response has a text at '{delta}'")
        parts = {}
        for event in reply.events:  # what is told last counts
            kept = {name: value_at(event.content, name) for name in _KEPT}
            parts |= _told(kept | {name: value_at(event.content, path) for name, path in paths.items()})
        return parts | {"answer": "".join(piece for piece, _ in texts)}, texts[0][1]

    async def aclose(self) -> None:
        """Close the connections."""
        await self._endpoint.aclose()

    @staticmethod
    def _malformed(blank: Sample, exchange: Exchange, problem: str) -> Answered:
        malformed = replace(exchange, error="malformed")
        return Answered(sample=blank, error="malformed", error_detail=problem, exchanges=(malformed,))


def _told(parts: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in parts.items() if value is not None}
