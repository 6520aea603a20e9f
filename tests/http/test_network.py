"""Networks as they are in companies: certificates of their own, proxies, and failures that say what is wrong."""

import asyncio
import socket
import threading
from pathlib import Path

import pytest
from tests.servers.scripted import GOOD, ScriptedServer

from plumbrule.errors import UsageError
from plumbrule.http.transport_errors import ConnectionFailedError, TlsFailedError, TransportError
from plumbrule.models.chat_model import ChatRequest, Generation, open_chat_model

SERVER = Path(__file__).parents[1] / "data" / "tls" / "server.pem"
CERTIFICATE = SERVER.with_name("certificate.pem")
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")


@pytest.fixture(autouse=True)
def _no_network_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SSL_CERT_FILE", "SSL_CERT_DIR", *PROXIES, *map(str.lower, PROXIES)):
        monkeypatch.delenv(name, raising=False)


def ask(base_url: str, *, trust_env: bool = False) -> str:
    """Ask a model once and return its reply."""

    async def work() -> str:
        model = open_chat_model("local:m", base_url=base_url, trust_env=trust_env)
        try:
            request = ChatRequest(prompt="Hello", generation=Generation())
            return (await model.complete(request, timeout_s=30)).text
        finally:
            await model.aclose()

    return asyncio.run(work())


def test_a_certificate_of_ones_own_is_trusted_where_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """SSL_CERT_FILE names whom to trust; else the failure says so, and is not tried again."""
    with ScriptedServer(certificate=SERVER) as server:
        with pytest.raises(
            TlsFailedError, match=r"certificate cannot be verified \(self.signed.*SSL_CERT_FILE"
        ) as raised:
            ask(f"https://127.0.0.1:{server.port}/v1")
        assert server.requests == []
        monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
        assert ask(f"https://127.0.0.1:{server.port}/v1") == GOOD
    assert (raised.value.kind, raised.value.retryable) == ("tls_failed", False)


def test_a_file_that_holds_no_certificates_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A slip in the variable is the user's to mend, before anything is sent."""
    for place in (tmp_path / "none.pem", Path(__file__)):
        monkeypatch.setenv("SSL_CERT_FILE", str(place))
        with pytest.raises(UsageError, match=f"SSL_CERT_FILE.*{place.name}: cannot be used"):
            ask("https://127.0.0.1:9/v1")


def test_http_where_https_is_asked_for_is_told() -> None:
    """The most common slip in an address."""

    def answer_plainly(listening: socket.socket) -> None:
        connection, _ = listening.accept()
        with connection:
            connection.recv(1)
            connection.sendall(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n")

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=answer_plainly, args=(listening,))
        thread.start()
        with pytest.raises(TlsFailedError, match="no TLS is spoken there"):
            ask(f"https://127.0.0.1:{listening.getsockname()[1]}/v1")
        thread.join()


def test_a_connection_that_fails_says_why() -> None:
    """In the words of the system."""
    with pytest.raises(ConnectionFailedError, match=r"the connection failed \(.*[Cc]onnect"):
        ask("http://127.0.0.1:9/v1")


def test_proxies_of_the_environment_are_used_when_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not otherwise: a proxy sees whom one calls. It may stand inside the network, and this machine needs none."""
    with ScriptedServer() as proxy, ScriptedServer() as local:
        monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{proxy.port}")
        assert ask("http://models.invalid/v1", trust_env=True) == GOOD
        assert [request.path for request in proxy.requests] == ["http://models.invalid/v1/chat/completions"]
        with pytest.raises(TransportError):
            ask("http://models.invalid/v1")
        assert ask(local.base_url("openai"), trust_env=True) == GOOD
    assert (len(proxy.requests), len(local.requests)) == (1, 1)


def test_a_proxy_that_cannot_be_used_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without its address, in which a password may stand."""
    monkeypatch.setenv("HTTP_PROXY", "gopher://me:secret@127.0.0.1:1")
    with pytest.raises(UsageError, match="a proxy that the environment names cannot be used") as raised:
        ask("http://models.invalid/v1", trust_env=True)
    assert "secret" not in str(raised.value)
