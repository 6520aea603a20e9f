"""OpenAI's chat completions protocol, as OpenAI, vLLM, Ollama, llama.cpp and many gateways speak it."""

from collections.abc import Mapping
from typing import Any

from plumbrule.http.endpoint import Answer, Endpoint
from plumbrule.models.chat_model import ChatRequest, Completion, Generation, MaxTokensField
from plumbrule.models.reply_fields import answer_count, read_latency, read_text

_PATH = "/chat/completions"
_OWN_HOST = "api.openai.com"


class OpenAIChat:
    """One model behind a chat completions endpoint."""

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        model: str,
        model_id: str,
        max_tokens_field: MaxTokensField | None = None,
        extra_body: Mapping[str, Any] | None = None,
    ) -> None:
        self.model_id = model_id
        self._endpoint = endpoint
        self._model = model
        self._extra_body = dict(extra_body or {})
        # OpenAI's newer models refuse the old name, and most other servers do not know the new one
        own = endpoint.host == _OWN_HOST
        self._max_tokens_field = max_tokens_field or ("max_completion_tokens" if own else "max_tokens")

    def describe(self, request: ChatRequest) -> Mapping[str, Any]:
        """Return where the request goes and its whole body."""
        return {"protocol": "openai_chat", **self._endpoint.describe(_PATH), "body": self._body(request)}

    def parameters(self, generation: Generation) -> Mapping[str, Any]:
        """Return what a request says beside the model and the messages."""
        named = {"temperature": generation.temperature, "top_p": generation.top_p, "seed": generation.seed}
        sent = {name: value for name, value in named.items() if value is not None}
        return {self._max_tokens_field: generation.max_tokens, **sent, **self._extra_body}

    async def complete(self, request: ChatRequest, *, timeout_s: float) -> Completion:
        """Send one request and read its first choice."""
        answer = await self._endpoint.post(
            _PATH, self._body(request), key_header=("authorization", "Bearer {key}"), headers={}, timeout_s=timeout_s
        )
        latency, source = read_latency(answer.exchange, "openai-processing-ms")
        return Completion(
            text=_content(answer),
            reported_model=read_text(answer.content.get("model")),
            fingerprint=read_text(answer.content.get("system_fingerprint")),
            input_tokens=answer_count(answer, "prompt_tokens"),
            output_tokens=answer_count(answer, "completion_tokens"),
            latency_model_ms=latency,
            latency_source=source,
            exchange=answer.exchange,
            finish_reason=read_text(answer.content["choices"][0].get("finish_reason")),
        )

    async def aclose(self) -> None:
        """Close the connections."""
        await self._endpoint.aclose()

    def _body(self, request: ChatRequest) -> dict[str, Any]:
        system = [{"role": "system", "content": request.system}] if request.system is not None else []
        messages = [*system, {"role": "user", "content": request.prompt}]
        return {"model": self._model, "messages": messages, **self.parameters(request.generation)}


def _content(answer: Answer) -> str:
    """Return the first choice's text; a message without any (a filter, a refusal) is empty text."""
    try:
        content = answer.content["choices"][0]["message"]["content"]
    except (KeyError, IndexError, TypeError):
        raise answer.malformed("an answer without choices[0].message.content") from None
    if content is None:
        return ""
    if not isinstance(content, str):
        raise answer.malformed("an answer whose message content is not text")
    return content
