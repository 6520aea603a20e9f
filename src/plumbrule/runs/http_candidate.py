"""An HTTP endpoint as the candidate: the question goes out as JSON, the assistant's own response comes back."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from plumbrule.http.endpoint import Answer, Endpoint
from plumbrule.http.exchange import Exchange
from plumbrule.http.retry import Patience
from plumbrule.http.throttle import Throttle
from plumbrule.http.transport_errors import NotAnObjectError
from plumbrule.runs.candidate import Answered, CandidateIdentity, call, read_response, unanswered
from plumbrule.samples.sample_model import Sample
from plumbrule.samples.value_types import Misfit
from plumbrule.text.templates import sendable


def ask_question(sample: Sample) -> dict[str, object]:
    """Return the request of a run: the question, and by which id it is asked."""
    return {"query": sendable(sample.question), "sample_id": sendable(sample.id)}


class HttpCandidate:
    """Posts a request to one address and reads the response; who answers, only the user knows.

    ``request`` makes the request from a sample; ``heard`` is called with the sample's id and each response as it came;
    ``known`` are the facts of a ``CandidateIdentity``.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        patience: Patience,
        throttle: Throttle | None = None,
        request: Callable[[Sample], Mapping[str, object]] = ask_question,
        heard: Callable[[str, object], None] | None = None,
        **known: str | None,
    ) -> None:
        self._endpoint = endpoint
        self._patience = patience
        self._throttle = throttle
        self._request = request
        self._heard = heard
        self.identity = CandidateIdentity(kind="http", **known)

    async def answer(self, sample: Sample, repeat: int) -> Answered:  # noqa: ARG002 - every repeat asks the same
        """Ask the endpoint the sample's question."""
        body = self._request(sample)
        blank = replace(unanswered(sample), model_id=self.identity.model_id)

        async def send(timeout_s: float) -> Answer | NotAnObjectError:
            try:
                return await self._endpoint.post(
                    None, body, key_header=("authorization", "Bearer {key}"), headers={}, timeout_s=timeout_s
                )
            except NotAnObjectError as error:
                return error  # a whole answer, though no response: asking again would bring the same

        def read(reply: Answer | NotAnObjectError) -> Answered:
            if isinstance(reply, NotAnObjectError):
                return self._malformed(blank, reply.exchange, str(reply))
            if self._heard is not None:
                self._heard(sample.id, reply.content)
            try:
                response = read_response(reply.content, blank)
            except Misfit as misfit:
                return self._malformed(blank, reply.exchange, f"{self._endpoint.host}: {misfit}")
            measured = replace(
                response,
                latency_e2e_ms=reply.exchange.elapsed_ms,
                timed_out=False,
                model_id=blank.model_id or response.model_id,
            )
            return Answered(sample=measured, reported_model=response.model_id, exchanges=(reply.exchange,))

        return await call(send, read, blank=blank, patience=self._patience, throttle=self._throttle)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._endpoint.aclose()

    @staticmethod
    def _malformed(blank: Sample, exchange: Exchange, problem: str) -> Answered:
        malformed = replace(exchange, error="malformed")
        return Answered(sample=blank, error="malformed", error_detail=problem, exchanges=(malformed,))
