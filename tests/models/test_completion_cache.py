"""A completion is found again by the full request alone."""

from dataclasses import replace

from plumbrule.http.exchange import Exchange
from plumbrule.models.chat_model import ChatRequest, Completion, Generation, open_chat_model
from plumbrule.models.completion_cache import CompletionCache, cache_key

REQUEST = ChatRequest(prompt="Hello", generation=Generation())
COMPLETION = Completion(
    text="Hi",
    reported_model="m",
    fingerprint=None,
    input_tokens=1,
    output_tokens=None,
    latency_model_ms=1.5,
    latency_source="measured",
    exchange=Exchange(url="http://localhost/v1", request={"a": [1]}, status=200, response="{}"),
)


def test_what_is_kept_is_found_and_marked() -> None:
    """The same completion, from the cache."""
    cache = CompletionCache({})
    cache.keep({"a": 1}, COMPLETION)
    found = cache.find({"a": 1})
    assert found == replace(COMPLETION, exchange=replace(COMPLETION.exchange, cached=True))
    assert cache.find({"a": 2}) is None


def test_any_difference_is_another_key() -> None:
    """Prompt, parameters, model, address and protocol all count; the order of keys does not."""
    models = [
        open_chat_model("x:m", base_url="http://localhost:1/v1"),
        open_chat_model("x:n", base_url="http://localhost:1/v1"),
        open_chat_model("x:m", base_url="http://localhost:2/v1"),
        open_chat_model("anthropic:m", base_url="http://localhost:1/v1"),
    ]
    requests = [
        REQUEST,
        replace(REQUEST, prompt="Hello!"),
        replace(REQUEST, system=""),
        *(replace(REQUEST, generation=Generation(**{name: 7})) for name in ("temperature", "top_p", "max_tokens")),
    ]
    keys = [cache_key(model.describe(request)) for model in models for request in requests]
    assert len(set(keys)) == len(keys)
    assert cache_key({"a": 1, "b": 2}) == cache_key({"b": 2, "a": 1})


def test_a_damaged_entry_counts_as_none() -> None:
    """A broken cache costs a request, never a run."""
    for damaged in (b"", b"[]", b"{}", b'{"exchange": 1}', b'{"exchange": {}, "odd": 1}'):
        assert CompletionCache({cache_key({"a": 1}): damaged}).find({"a": 1}) is None
