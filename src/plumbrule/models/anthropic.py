"""Anthropic's messages protocol."""

from collections.abc import Mapping
from typing import Any

from plumbrule.http.endpoint import Answer, Endpoint
from plumbrule.models.chat_model import ChatRequest, Completion, Generation
from plumbrule.models.reply_fields import answer_count, read_latency, read_text

_VERSION = "2023-06-01"


class AnthropicMessages:
    """One model behind a messages endpoint; the protocol knows no seed and no fingerprint."""

    def __init__(
        self, endpoint: Endpoint, *, model: str, model_id: str, extra_body: Mapping[str, Any] | None = None
    ) -> None:
        self.model_id = model_id
        self._endpoint = endpoint
        self._model = model
        self._extra_body = dict(extra_body or {})
        self._path = "/messages" if endpoint.url.endswith("/v1") else "/v1/messages"

    def describe(self, request: ChatRequest) -> Mapping[str, Any]:
        """Return where the request goes and its whole body."""
        return {"protocol": "anthropic_messages", **self._endpoint.describe(self._path), "body": self._body(request)}

    def parameters(self, generation: Generation) -> Mapping[str, Any]:
        """Return what a request says beside the model and the messages."""
        sent: dict[str, Any] = {"max_tokens": generation.max_tokens}
        if generation.temperature is not None:
            sent["temperature"] = generation.temperature
        # newer models refuse temperature and top_p together, and a top_p of 1 changes nothing
        if generation.top_p is not None and (generation.temperature is None or generation.top_p != 1):
            sent["top_p"] = generation.top_p
        return sent | self._extra_body

    async def complete(self, request: ChatRequest, *, timeout_s: float) -> Completion:
        """Send one request and read its text blocks."""
        answer = await self._endpoint.post(
            self._path,
            self._body(request),
            key_header=("x-api-key", "{key}"),
            headers={"anthropic-version": _VERSION},
            timeout_s=timeout_s,
        )
        latency, source = read_latency(answer.exchange, None)
        return Completion(
            text=_content(answer),
            reported_model=read_text(answer.content.get("model")),
            fingerprint=None,
            input_tokens=answer_count(answer, "input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"),
            output_tokens=answer_count(answer, "output_tokens"),
            latency_model_ms=latency,
            latency_source=source,
            exchange=answer.exchange,
            finish_reason=read_text(answer.content.get("stop_reason")),
        )

    async def aclose(self) -> None:
        """Close the connections."""
        await self._endpoint.aclose()

    def _body(self, request: ChatRequest) -> dict[str, Any]:
        system = {} if request.system is None else {"system": request.system}
        messages = [{"role": "user", "content": request.prompt}]
        return {"model": self._model, "messages": messages, **system, **self.parameters(request.generation)}


def _content(answer: Answer) -> str:
    """Return the text blocks joined; other blocks, such as thinking, are no part of the reply."""
    blocks = answer.content.get("content")
    if not isinstance(blocks, list) or not all(isinstance(block, dict) for block in blocks):
        raise answer.malformed("an answer without a list of content blocks")
    texts = [block.get("text") for block in blocks if block.get("type") == "text"]
    if not all(isinstance(text, str) for text in texts):
        raise answer.malformed("an answer with a text block without text")
    return "".join(texts)
