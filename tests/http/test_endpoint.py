"""One call is one request: its address is checked, its key is read late and kept out of everything."""

import asyncio
import gzip
import socket
from collections.abc import Coroutine
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime, parsedate_to_datetime
from typing import Any, TypeVar

import pytest
import zstandard
from tests.clock import LONG_S, run_counted
from tests.servers.counted import CountedServer
from tests.servers.scripted import FINGERPRINT, GOOD, MODEL, ScriptedServer, Step

from plumbrule.errors import UsageError
from plumbrule.http.address_guard import check_base_url
from plumbrule.http.transport_errors import (
    BodyTooLargeError,
    ConnectionFailedError,
    MalformedBodyError,
    RejectedError,
    TimedOutError,
    read_retry_after,
)
from plumbrule.models.chat_model import ChatModel, ChatRequest, Completion, Generation, open_chat_model

T = TypeVar("T")
REQUEST = ChatRequest(prompt="Hello", generation=Generation())


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run one coroutine to its end."""
    return asyncio.run(work)


async def complete(model: ChatModel, request: ChatRequest = REQUEST, *, timeout_s: float = LONG_S) -> Completion:
    """Send one request and close."""
    try:
        return await model.complete(request, timeout_s=timeout_s)
    finally:
        await model.aclose()


def test_a_completion_says_all_that_was_reported(protocol: str) -> None:
    """Text, model, fingerprint, tokens, latency, and the raw exchange."""
    with ScriptedServer([Step(headers={"openai-processing-ms": "17"})]) as server:
        completion = run(complete(open_chat_model(f"{protocol}:m", base_url=server.base_url(protocol))))
    assert (completion.text, completion.reported_model) == (GOOD, MODEL)
    assert (completion.input_tokens, completion.output_tokens) == (321, 21)
    if protocol == "openai":
        assert (completion.fingerprint, completion.latency_model_ms, completion.latency_source) == (
            FINGERPRINT,
            17.0,
            "reported",
        )
    else:
        assert (completion.fingerprint, completion.latency_source) == (None, "measured")
        assert completion.latency_model_ms == completion.exchange.elapsed_ms
    assert completion.exchange.request == server.requests[0].json
    assert MODEL in (completion.exchange.response or "")


def test_no_key_is_sent_where_none_is_named(protocol: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A provider's own variable belongs to its own address: another one must name its key."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-own")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-own")
    with ScriptedServer() as server:
        run(complete(open_chat_model(f"{protocol}:m", base_url=server.base_url(protocol))))
    assert "sk-own" not in repr(server.requests[0].headers)


@pytest.mark.parametrize(
    ("value", "problem"),
    [(None, "is not set"), (" ", "is not set"), ("a\nb", "no key has"), ("schlüssel", "no key has")],
)
def test_a_bad_key_is_named_but_never_shown(
    protocol: str, value: str | None, problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The variable is named, and nothing is sent."""
    monkeypatch.delenv("MY_KEY", raising=False)
    if value is not None:
        monkeypatch.setenv("MY_KEY", value)
    with ScriptedServer() as server:
        model = open_chat_model(f"{protocol}:m", base_url=server.base_url(protocol), api_key_env="MY_KEY")
        with pytest.raises(UsageError, match=f"MY_KEY .*{problem}") as caught:
            run(complete(model))
    assert server.requests == []
    assert not (value or "").strip() or str(value) not in str(caught.value)


def test_parameters_can_be_left_out(protocol: str) -> None:
    """Some models refuse some parameters: None leaves one out; a top_p that matters is sent."""
    none = Generation(temperature=None, top_p=None, seed=None, max_tokens=9)
    some = Generation(temperature=None, top_p=0.5, seed=None, max_tokens=9)
    with ScriptedServer() as server:
        base_url = server.base_url(protocol)
        for generation in (none, some):
            request = ChatRequest(prompt="Hello", system="Be brief.", generation=generation)
            run(complete(open_chat_model(f"{protocol}:m", base_url=base_url), request))
    first, second = (request.json for request in server.requests)
    assert first.keys() - {"system"} == {"model", "messages", "max_tokens"}
    assert second["top_p"] == 0.5
    assert "Be brief." in (first["system"] if protocol == "anthropic" else first["messages"][0]["content"])


def test_the_name_of_the_token_limit_can_be_chosen() -> None:
    """OpenAI's own address takes the new name, others the old one, and either can be asked for."""
    own = open_chat_model("openai:m")
    other = open_chat_model("vllm:m", base_url="http://localhost:1/v1")
    asked = open_chat_model("vllm:m", base_url="http://localhost:1/v1", max_tokens_field="max_completion_tokens")
    bodies = [model.describe(REQUEST)["body"] for model in (own, other, asked)]
    names = [body.keys() & {"max_tokens", "max_completion_tokens"} for body in bodies]
    assert names == [{"max_completion_tokens"}, {"max_tokens"}, {"max_completion_tokens"}]


@pytest.mark.parametrize("name", ["gpt-4.1", ":m", "openai:", "", "nobody:m"])
def test_a_model_is_never_guessed(name: str) -> None:
    """There is no default provider, model or address."""
    with pytest.raises(UsageError, match=r"provider:model|give base_url"):
        open_chat_model(name)


def test_nobody_there_is_a_connection_that_failed(protocol: str) -> None:
    """A closed port is told as such, with the request that could not be sent."""
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    with pytest.raises(ConnectionFailedError, match=f"127.0.0.1:{port}: the connection failed") as caught:
        run(complete(open_chat_model(f"{protocol}:m", base_url=f"http://127.0.0.1:{port}")))
    assert (caught.value.exit_code, caught.value.exchange.status, caught.value.exchange.response) == (4, None, None)


def test_an_endless_answer_is_cut_off(protocol: str) -> None:
    """No body fills the memory."""
    with (
        ScriptedServer([Step(body=b" " * 9_000_000)]) as server,
        pytest.raises(BodyTooLargeError, match="more than 8,000,000 bytes") as raised,
    ):
        run(complete(open_chat_model(f"{protocol}:m", base_url=server.base_url(protocol))))
    kept = raised.value.exchange.response
    assert kept is not None
    assert len(kept) < 70_000
    assert "bytes were received]" in kept
    assert not raised.value.retryable


@pytest.mark.parametrize(
    "form", [r"sk-live\/{rest}", r"sk\u002dlive/{rest}", r"\u0073\u006B-live/{rest}", r"sk-live\\\/{rest}"]
)
def test_a_key_that_comes_back_escaped_is_redacted(protocol: str, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the answer and in what is kept of it, also of one that is no JSON."""
    rest = "abcdefghijklmnop"
    monkeypatch.setenv("MY_KEY", f"sk-live/{rest}")
    said = form.format(rest=rest)
    for body in (f'{{"error": {{"message": "your key is {said}"}}}}', f"<p>{said}</p>"):
        with ScriptedServer([Step(status=400, body=body.encode())]) as server:
            model = open_chat_model(f"{protocol}:m", base_url=server.base_url(protocol), api_key_env="MY_KEY")
            with pytest.raises(RejectedError) as raised:
                run(complete(model))
        assert rest not in str(raised.value)
        assert rest not in repr(raised.value.exchange)


def test_a_wrong_encoding_is_an_answer_that_cannot_be_decompressed(protocol: str) -> None:
    """A wrong encoding is a malformed body, not a crash."""
    with (
        ScriptedServer([Step(headers={"content-encoding": "gzip"})]) as server,
        pytest.raises(MalformedBodyError, match="decompressed"),
    ):
        run(complete(open_chat_model(f"{protocol}:m", base_url=server.base_url(protocol))))


@pytest.mark.parametrize("encoding", ["gzip", "zstd", "gzip, gzip", "zstd, gzip", "gzip, zstd"])
def test_a_bomb_is_cut_off_while_it_is_unpacked(encoding: str) -> None:
    """No body fills the memory, however small it is on the wire."""
    body = bytes(1 << 25)
    for name in encoding.split(", "):
        body = gzip.compress(body, 1) if name == "gzip" else zstandard.compress(body)
    with (
        ScriptedServer([Step(body=body, headers={"content-encoding": encoding})]) as server,
        pytest.raises(BodyTooLargeError, match="more than 8,000,000 bytes") as raised,
    ):
        run(complete(open_chat_model("other:m", base_url=server.base_url("openai"))))
    assert len(raised.value.exchange.response or "") < 70_000


def test_an_encoding_that_was_not_asked_for_is_malformed() -> None:
    """What is asked for is what can be read within bounds; no library of the client's reads the rest."""
    with (
        ScriptedServer([Step(headers={"content-encoding": "br"})]) as server,
        pytest.raises(MalformedBodyError, match="encoded as 'br'"),
    ):
        run(complete(open_chat_model("other:m", base_url=server.base_url("openai"))))
    assert server.requests[0].headers["accept-encoding"] == "gzip, deflate"


def test_what_came_before_the_deadline_is_kept(protocol: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A trickle is cut at the deadline and the part that came is on record."""
    server = CountedServer([Step(byte_every_s=0.05)], monkeypatch)
    with pytest.raises(TimedOutError, match=r"no whole answer within 0\.48 s") as caught:
        run_counted(complete(open_chat_model(f"{protocol}:m", base_url=server.base_url(protocol)), timeout_s=0.48))
    assert (caught.value.exchange.status, caught.value.exchange.elapsed_ms) == (200, 480)
    assert len(caught.value.exchange.response or "") == 10


def test_a_hundred_slow_calls_share_the_time(protocol: str) -> None:
    """Calls do not queue behind one another: none is answered before all of them are there."""

    async def many(server: ScriptedServer) -> list[Completion | BaseException]:
        model = open_chat_model(f"{protocol}:m", base_url=server.base_url(protocol))
        try:
            calls = (model.complete(REQUEST, timeout_s=LONG_S) for _ in range(100))
            return await asyncio.gather(*calls, return_exceptions=True)
        finally:
            await model.aclose()

    with ScriptedServer([Step(after=100)]) as server:
        done = run(many(server))
    assert [one for one in done if isinstance(one, BaseException)] == []
    assert len(server.requests) == 100


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.com",
        "file:///etc/passwd",
        "example.com/v1",
        "https://",
        "https://user:secret@example.com",
        "https://example.com/v1?key=secret",
        "https://example.com/#secret",
        "http://[::1",
        "http://10.0.0.1/v1",
        "http://192.168.1.10:8000/v1",
        "http://169.254.169.254/latest",
        "http://[fd00:ec2::254]/",
        "http://[fe80::1%25eth0]/",
        "http://[::ffff:10.0.0.1]/",
        "http://0.0.0.0:8000/",
        "http://100.64.0.1/",
        "http://[64:ff9b::10.0.0.1]/",
        "http://[64:ff9b:1::8.8.8.8]/",
        "http://[::10.0.0.1]/",
        "http://[::ffff:0:10.0.0.1]/",
        "http://[2002:a00:1::]/",
        "http://[2001::1]/",
        "http://[ff0e::1]/",
        "http://[::]/",
        "http://224.0.0.1/",
        "http://239.255.255.250/",
        "http://255.255.255.255/",
        "http://0177.0.0.1/",
        "http://0x7f.0.0.1/",
        "http://0xa000001/",
        "http://167772161/",
        "http://10.1/",
        "http://１０.0.0.1/",
        "http://10。0。0。1/",
        "http://10.0.0.1./",
        "http://127.0.0.1./",
        "http://ｌｏｃａｌｈｏｓｔ/",
    ],
)
def test_an_address_that_may_not_be_used_is_refused(url: str) -> None:
    """Only http and https, nothing secret in it, and nothing inside the network."""
    with pytest.raises(UsageError, match="base_url") as caught:
        check_base_url(url, allow_private=False, secret=False)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:8000/v1",
        "http://localhost/",
        "http://[::1]:1/",
        "https://api.openai.com/v1",
        "https://8.8.8.8",
        "https://[2606:4700::1111]/v1",
        "https://[64:ff9b::8.8.8.8]/v1",
        "https://bücher.example/v1",
    ],
)
def test_loopback_and_the_world_are_allowed(url: str) -> None:
    """A local server needs no leave."""
    assert check_base_url(url, allow_private=False, secret=True).url == url.rstrip("/")


@pytest.mark.parametrize("query", ["api-version=2024-10-21", "deployment=a&stream=false", "max_tokens_field=x&lang="])
def test_a_query_goes_with_every_request(query: str) -> None:
    """Azure tells its version so: the query stands behind the path of the protocol."""
    if "tokens" in query:  # a name that may be that of a secret is refused, rather than kept in the ledger
        with pytest.raises(UsageError, match="must not hold a key in its query"):
            check_base_url(f"https://example.com/v1?{query}", allow_private=False, secret=True)
        return
    with ScriptedServer() as server:
        base_url = f"{server.base_url('openai')}/deployments/d/?{query}"
        completion = run(complete(open_chat_model("azure:m", base_url=base_url)))
    assert server.requests[0].path == f"/v1/deployments/d/chat/completions?{query}"
    assert completion.exchange.url.endswith(query)


@pytest.mark.parametrize(
    "query", ["key=x", "api_key=x", "access_token=x", "sig=x", "code=x", "X-Amz-Signature=x", "PASSWORD=x", "pwd"]
)
def test_no_key_stands_in_a_query(query: str) -> None:
    """It would be kept with every call."""
    with pytest.raises(UsageError, match="must not hold a key in its query") as caught:
        check_base_url(f"https://example.com/v1?{query}", allow_private=False, secret=False)
    assert "=x" not in str(caught.value)


def test_headers_and_more_of_the_body_are_sent(protocol: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """And the key in the header that is named for it, alone; all of it is on record, but for the key."""
    monkeypatch.setenv("MY_KEY", "sk-sentinel-0123456789")
    with ScriptedServer() as server:
        model = open_chat_model(
            f"{protocol}:m",
            base_url=server.base_url(protocol),
            api_key_env="MY_KEY",
            api_key_header="Api-Key",
            headers={"X-Tenant": "blue"},
            extra_body={"reasoning_effort": "low", "metadata": {"a": [1]}},
        )
        exchange = run(complete(model)).exchange
    [request] = server.requests
    assert (request.headers["api-key"], request.headers["x-tenant"]) == ("sk-sentinel-0123456789", "blue")
    assert "authorization" not in request.headers
    assert "x-api-key" not in request.headers
    assert (request.json["reasoning_effort"], request.json["metadata"]) == ("low", {"a": [1]})
    assert exchange.request == request.json
    assert "sk-sentinel" not in repr(exchange)
    assert model.describe(REQUEST)["headers"] == {"X-Tenant": "blue"}
    sent = request.json.keys() - {"model", "messages", "system"}
    assert {name: request.json[name] for name in sent} == model.parameters(REQUEST.generation)


@pytest.mark.parametrize(("reason", "truncated"), [("stop", False), ("length", True), (None, False)])
def test_why_a_reply_ends_is_read(protocol: str, reason: str | None, *, truncated: bool) -> None:
    """A reply that was cut at max_tokens is not taken for a whole one."""
    with ScriptedServer([Step(finish_reason=reason)]) as server:
        completion = run(complete(open_chat_model(f"{protocol}:m", base_url=server.base_url(protocol))))
    assert completion.truncated == truncated
    assert (completion.finish_reason is None) == (reason is None)


def test_a_private_address_can_be_allowed() -> None:
    """By saying so."""
    assert check_base_url("http://10.0.0.1/v1", allow_private=True, secret=True).admits("10.0.0.1")


def test_a_key_does_not_travel_in_the_clear() -> None:
    """Over http a key goes to loopback only, unless allowed."""
    with pytest.raises(UsageError, match="in the clear"):
        check_base_url("http://example.com", allow_private=False, secret=True)


def test_a_name_that_leads_inside_is_refused_before_a_byte_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    """The connection itself is checked: a public name may resolve to a private address."""
    address = check_base_url("http://public.example", allow_private=False, secret=False)
    peers = ["127.0.0.1", "10.1.2.3", "169.254.169.254", "64:ff9b::a00:1", "::a00:1", "224.0.0.1", "8.8.8.8"]
    assert [address.admits(peer) for peer in peers] == [False] * 6 + [True]
    resolve = socket.getaddrinfo

    def resolve_inside(_: object, *rest: Any, **options: Any) -> Any:
        return resolve("127.0.0.1", *rest, **options)

    monkeypatch.setattr(socket, "getaddrinfo", resolve_inside)
    with ScriptedServer() as server:
        model = open_chat_model("other:m", base_url=f"http://public.example:{server.port}/v1")
        with pytest.raises(RejectedError, match="leads to a private address"):
            run(complete(model))
        assert server.requests == []
        allowed = open_chat_model("other:m", base_url=f"http://public.example:{server.port}/v1", allow_private=True)
        assert run(complete(allowed)).text == GOOD


@pytest.mark.parametrize("host", ["a" * 300, "xn--a", "☃" * 80, "a..b"])
def test_a_host_that_cannot_be_is_an_error_of_the_call(host: str) -> None:
    """No name ends the process, whatever the client's library makes of it."""
    with pytest.raises((RejectedError, ConnectionFailedError, UsageError)):
        run(complete(open_chat_model("other:m", base_url=f"http://{host}/v1")))


def test_retry_after_is_read_in_every_form() -> None:
    """Seconds, milliseconds, a date; anything else is as good as unsaid."""
    later = format_datetime(datetime.now(UTC) + timedelta(days=1), usegmt=True)
    assert read_retry_after({"retry-after": "7"}) == 7
    assert read_retry_after({"retry-after": "1.5"}) == 1.5
    assert read_retry_after({"retry-after-ms": "250", "retry-after": "9"}) == 0.25
    left = (parsedate_to_datetime(later) - datetime.now(UTC)).total_seconds()
    assert 0 < (read_retry_after({"retry-after": later}) or 0) <= left
    assert read_retry_after({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}) == 0
    for odd in ("soon", "-1", "nan", "inf", "", "9" * 400):
        assert read_retry_after({"retry-after": odd}) is None
    assert read_retry_after({}) is None
