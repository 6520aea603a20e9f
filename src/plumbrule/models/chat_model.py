"""Chat models behind one small protocol: a request with its parameters in, one completion or a typed error out.

Retries are not made here: one call of ``complete`` is one request on the wire.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from plumbrule.errors import UsageError
from plumbrule.http.exchange import Exchange

MaxTokensField = Literal["max_tokens", "max_completion_tokens"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Generation:
    """How a model generates, by the rubric's defaults; None leaves a parameter out, for models that refuse it."""

    temperature: float | None = 0
    top_p: float | None = 1
    max_tokens: int = 1024
    seed: int | None = 42


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """What is asked of a model."""

    prompt: str
    system: str | None = None
    generation: Generation


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """What a model answered; tokens that were not reported are None."""

    text: str
    reported_model: str | None
    fingerprint: str | None
    input_tokens: int | None
    output_tokens: int | None
    latency_model_ms: float | None
    latency_source: Literal["reported", "measured"]  # measured: from the first byte sent to the last one received
    exchange: Exchange
    finish_reason: str | None = None  # why the reply ends, in the provider's word

    @property
    def truncated(self) -> bool:
        """Whether the reply ends where it does only because ``max_tokens`` were used up."""
        return self.finish_reason in {"length", "max_tokens", "model_context_window_exceeded"}

    @property
    def filtered(self) -> bool:
        """Whether a filter of the provider cut the reply or kept it back."""
        return self.finish_reason in {"content_filter", "refusal"}


class ChatModel(Protocol):
    """One model of one provider."""

    @property
    def model_id(self) -> str:
        """Give the name as configured, ``provider:model``."""
        ...

    def describe(self, request: ChatRequest) -> Mapping[str, Any]:
        """Return all that the answer depends on: where the request goes and its whole body, but no key."""
        ...

    def parameters(self, generation: Generation) -> Mapping[str, Any]:
        """Return what a request says beside the model and the messages, exactly as it goes over the wire."""
        ...

    async def complete(self, request: ChatRequest, *, timeout_s: float) -> Completion:
        """Send one request; raise a ``TransportError`` where there is no completion within ``timeout_s``."""
        ...

    async def aclose(self) -> None:
        """Close the connections."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class _Provider:
    protocol: Literal["openai", "anthropic"]
    base_url: str
    api_key_env: str


_PROVIDERS = {
    "openai": _Provider(protocol="openai", base_url="https://api.openai.com/v1", api_key_env="OPENAI_API_KEY"),
    "anthropic": _Provider(protocol="anthropic", base_url="https://api.anthropic.com", api_key_env="ANTHROPIC_API_KEY"),
}


def open_chat_model(  # noqa: PLR0913 - each is a key of the configuration
    name: str,
    *,
    base_url: str | None = None,
    api_key_env: str | None = None,
    api_key_header: str | None = None,
    headers: Mapping[str, str] | None = None,
    extra_body: Mapping[str, Any] | None = None,
    allow_private: bool = False,
    trust_env: bool = False,
    max_tokens_field: MaxTokensField | None = None,
) -> ChatModel:
    """Return the model of a name such as ``openai:gpt-4.1-2025-04-14``; nothing is sent yet.

    A provider that is not known by name speaks OpenAI's protocol at ``base_url``. The key is read from the variable
    ``api_key_env`` when it is needed. A provider's own variable is used only for its own address: with another
    ``base_url`` the key must be named, or none is sent. ``extra_body`` and ``headers`` are sent with every request.
    """
    provider, colon, model = name.partition(":")
    if not colon or not provider.strip() or not model.strip():
        raise UsageError(f"model '{name}' is not of the form provider:model, such as openai:gpt-4.1-2025-04-14")
    known = _PROVIDERS.get(provider)
    if known is None and base_url is None:
        raise UsageError(f"provider '{provider}' has no address of its own: give base_url")
    if known is not None and base_url is None:
        base_url, api_key_env = known.base_url, api_key_env or known.api_key_env
    # imported here: the wire modules need httpx, an extra, and the types above
    from plumbrule.http.endpoint import Endpoint  # noqa: PLC0415

    endpoint = Endpoint(
        base_url or "",
        api_key_env=api_key_env,
        api_key_header=api_key_header,
        headers=headers,
        allow_private=allow_private,
        trust_env=trust_env,
    )
    if known is not None and known.protocol == "anthropic":
        from plumbrule.models.anthropic import AnthropicMessages  # noqa: PLC0415

        return AnthropicMessages(endpoint, model=model, model_id=name, extra_body=extra_body)
    from plumbrule.models.openai import OpenAIChat  # noqa: PLC0415

    return OpenAIChat(endpoint, model=model, model_id=name, max_tokens_field=max_tokens_field, extra_body=extra_body)
