"""Calls at once have a connection each, calls one after another share one, and none is left behind."""

import asyncio
import ssl
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from tests.clock import LONG_S, MovableTime
from tests.servers.scripted import ScriptedServer, Step

from plumbrule.http import connection_pool
from plumbrule.http.endpoint import Answer, Endpoint
from plumbrule.http.transport_errors import ConnectionFailedError, RateLimitedError, ServerError, TimedOutError

CERTIFICATE = Path(__file__).parents[1] / "data" / "tls" / "certificate.pem"


async def ask(endpoint: Endpoint) -> Answer:
    """Send one request."""
    body = {"messages": [{"role": "user", "content": "Hello"}]}
    return await endpoint.post("/chat/completions", body, key_header=("", ""), headers={}, timeout_s=LONG_S)


async def ask_at_once(endpoint: Endpoint, count: int) -> None:
    """Send several requests at once and wait for all answers."""
    async with asyncio.TaskGroup() as group:
        for _ in range(count):
            group.create_task(ask(endpoint))


async def until(condition: Callable[[], object]) -> None:
    """Return as soon as a condition holds."""
    async with asyncio.timeout(LONG_S):
        while not condition():
            await asyncio.sleep(0.005)


async def under_way(endpoint: Endpoint, server: ScriptedServer, count: int) -> list[asyncio.Task[Answer]]:
    """Begin calls that the server holds until the test lets it answer."""
    server.allowed = 0
    calls = [asyncio.create_task(ask(endpoint)) for _ in range(count)]
    await until(lambda: server.held == count)
    return calls


def endpoint_of(server: ScriptedServer) -> Endpoint:
    """Return an endpoint that asks this server."""
    return Endpoint(server.base_url("openai"))


def test_there_are_as_many_connections_as_calls_at_once() -> None:
    """However many calls follow one another, each takes a connection that is there."""

    async def work(endpoint: Endpoint) -> None:
        places = asyncio.Semaphore(32)

        async def ask_in_place() -> None:
            async with places:
                await ask(endpoint)

        await asyncio.gather(*(ask_in_place() for _ in range(300)))
        await endpoint.aclose()
        await until(lambda: server.open == 0)

    with ScriptedServer([Step(after=32)]) as server:
        asyncio.run(work(endpoint_of(server)))
    assert (len(server.requests), server.accepted) == (300, 32)


@pytest.mark.parametrize("status", [200, 429, 500])
def test_calls_one_after_another_share_a_connection(status: int) -> None:
    """Whatever the status of the answers: a complaint that was read to its end leaves the connection sound."""

    async def work(endpoint: Endpoint) -> None:
        for _ in range(5):
            with suppress(RateLimitedError, ServerError):
                await ask(endpoint)
        await endpoint.aclose()

    with ScriptedServer([Step(status=status)]) as server:
        asyncio.run(work(endpoint_of(server)))
    assert (len(server.requests), server.accepted) == (5, 1)


def test_a_connection_that_the_server_closed_is_replaced() -> None:
    """A server closes idle connections when it likes: the next calls notice, and each is still one request."""

    async def work(endpoint: Endpoint) -> None:
        for _ in range(3):
            await ask_at_once(endpoint, 4)
            server.close_connections()
            await until(lambda: server.open == 0)
        await endpoint.aclose()

    with ScriptedServer([Step(after=round_end) for round_end in (4, 8, 12) for _ in range(4)]) as server:
        asyncio.run(work(endpoint_of(server)))
    assert (len(server.requests), server.accepted) == (12, 12)


def test_a_call_that_failed_leaves_nothing_to_the_next() -> None:
    """Neither a broken connection nor half an answer; the connections of other calls stay."""

    async def work(endpoint: Endpoint) -> None:
        for _ in range(2):
            with pytest.raises(ConnectionFailedError):
                await ask(endpoint)
            assert (await ask(endpoint)).exchange.status == 200
        await endpoint.aclose()
        await until(lambda: server.open == 0)

    with ScriptedServer([Step(reset=True), Step(), Step(cut_at=9), Step()]) as server:
        asyncio.run(work(endpoint_of(server)))
    assert (len(server.requests), server.accepted) == (4, 3)


def test_a_call_that_was_cancelled_takes_its_connection_along() -> None:
    """The late answer to it must not be read as the answer to the next call."""

    async def work(endpoint: Endpoint) -> None:
        first, second = await under_way(endpoint, server, 2)
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        server.allowed = None
        await second
        await until(lambda: server.open == 1)
        await ask(endpoint)
        await endpoint.aclose()
        await until(lambda: server.open == 0)

    with ScriptedServer() as server:
        asyncio.run(work(endpoint_of(server)))
    assert (len(server.requests), server.accepted) == (3, 2)


def test_a_call_that_timed_out_takes_its_connection_along() -> None:
    """As one that was cancelled does."""

    async def work(endpoint: Endpoint) -> None:
        (call,) = await under_way(endpoint, server, 1)
        time.move(2 * LONG_S)
        with pytest.raises(TimedOutError):
            await call
        server.allowed = None
        await until(lambda: server.open == 0)
        await ask(endpoint)
        await endpoint.aclose()

    time = MovableTime()
    with ScriptedServer() as server:
        time.run(work(endpoint_of(server)))
    assert (len(server.requests), server.accepted) == (2, 2)


def test_calls_under_way_end_when_the_endpoint_is_closed() -> None:
    """Idle connections are closed at once, the others after their answers; a later call opens anew."""

    async def work(endpoint: Endpoint) -> None:
        idle = await under_way(endpoint, server, 3)
        server.allowed = None
        await asyncio.gather(*idle)
        calls = await under_way(endpoint, server, 2)
        await endpoint.aclose()
        await until(lambda: server.open == 2)
        server.allowed = None
        assert [answer.exchange.status for answer in await asyncio.gather(*calls)] == [200, 200]
        await until(lambda: server.open == 0)
        await ask(endpoint)
        await endpoint.aclose()
        await until(lambda: server.open == 0)

    with ScriptedServer() as server:
        asyncio.run(work(endpoint_of(server)))
    assert (len(server.requests), server.accepted) == (6, 4)


def test_an_endpoint_serves_one_event_loop_after_another() -> None:
    """Once it was closed in the first."""

    async def work() -> None:
        await ask(endpoint)
        await endpoint.aclose()

    with ScriptedServer() as server:
        endpoint = endpoint_of(server)
        asyncio.run(work())
        asyncio.run(work())
    assert server.accepted == 2


def test_connections_that_nobody_needs_are_closed() -> None:
    """After many calls at once and some time, the next call keeps its own connection only."""

    async def work(endpoint: Endpoint) -> None:
        await ask_at_once(endpoint, 8)
        assert server.open == 8
        time.move(connection_pool.MOST_IDLE_S + 1)
        await ask(endpoint)
        await until(lambda: server.open == 1)
        await endpoint.aclose()

    time = MovableTime()
    with ScriptedServer([Step(after=8)]) as server:
        time.run(work(endpoint_of(server)))
    assert server.accepted == 8


def test_no_more_connections_are_kept_than_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """There may be more while they are in use."""
    monkeypatch.setattr(connection_pool, "MOST_IDLE", 3)

    async def work(endpoint: Endpoint) -> None:
        await ask_at_once(endpoint, 8)
        await until(lambda: server.open == 3)
        await endpoint.aclose()

    with ScriptedServer([Step(after=8)]) as server:
        asyncio.run(work(endpoint_of(server)))
    assert server.accepted == 8


def test_no_cookie_is_sent_back() -> None:
    """A session that an assistant opens for one sample must not go on with another."""

    async def work(endpoint: Endpoint) -> None:
        await ask(endpoint)
        await ask(endpoint)
        await endpoint.aclose()

    with ScriptedServer([Step(headers={"set-cookie": "session=1; Path=/"})]) as server:
        asyncio.run(work(endpoint_of(server)))
    assert [request.headers.get("cookie") for request in server.requests] == [None, None]


def test_certificates_are_loaded_once_for_all_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    """That takes longer than several calls."""
    load, loaded = ssl.create_default_context, list[str]()

    def counted(*, cafile: str, capath: str | None) -> ssl.SSLContext:
        loaded.append(cafile)
        return load(cafile=cafile, capath=capath)

    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
    monkeypatch.setattr(ssl, "create_default_context", counted)

    async def work(endpoint: Endpoint) -> None:
        await ask_at_once(endpoint, 4)
        await endpoint.aclose()

    with ScriptedServer([Step(after=4)], certificate=CERTIFICATE.with_name("server.pem")) as server:
        asyncio.run(work(Endpoint(f"https://127.0.0.1:{server.port}/v1")))
    assert (server.accepted, len(loaded)) == (4, 1)


def test_every_connection_goes_through_the_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where those of the environment are asked for."""

    async def work(endpoint: Endpoint) -> None:
        await ask_at_once(endpoint, 4)
        await ask(endpoint)
        await endpoint.aclose()

    for name in ("http_proxy", "no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with ScriptedServer([Step(after=4)]) as proxy:
        monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{proxy.port}")
        asyncio.run(work(Endpoint("http://models.invalid/v1", trust_env=True)))
    assert (len(proxy.requests), proxy.accepted) == (5, 4)
