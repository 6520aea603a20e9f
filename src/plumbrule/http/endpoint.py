"""One provider's address over HTTP: sends JSON with the key, holds the deadline, and keeps the key to itself."""

import asyncio
import dataclasses
import functools
import logging
import os
import re
import ssl
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlencode

import orjson

from plumbrule.errors import MissingExtraError, UsageError
from plumbrule.http.address_guard import allowing, check_base_url
from plumbrule.http.body_decoder import ACCEPTED, BodyDecoder, TooLongError, UndecodableError
from plumbrule.http.connection_pool import MOST_IDLE_S, ConnectionPool
from plumbrule.http.exchange import Exchange
from plumbrule.http.transport_errors import (
    BodyTooLargeError,
    ConnectionFailedError,
    MalformedBodyError,
    NotAnObjectError,
    RateLimitedError,
    RejectedError,
    ServerError,
    TimedOutError,
    TlsFailedError,
    TransportError,
    WrongContentTypeError,
    read_retry_after,
)
from plumbrule.terminal import masked_address

if TYPE_CHECKING:
    import httpx

_MOST_BYTES = 8_000_000  # far beyond any completion: an endless body must not fill the memory
_MOST_KEPT = 65_536  # of an answer that is of no use: the ledger never forgets
_KEPT_HEADERS = ("content-type", "retry-after", "retry-after-ms", "request-id", "x-request-id", "openai-processing-ms")
_REDACTED = "[redacted]"
_NOT_NOW = frozenset({408, 409, 425})  # timed out on the way, in conflict, too early: the same call may yet succeed
_SENDABLE_KEY = re.compile(r"[!-~]+")
_SHORTEST_SECRET = 16  # shorter keys are the "none" and "ollama" of local servers: words that answers may hold

_NO_COOKIES = CookieJar(DefaultCookiePolicy(allowed_domains=()))  # a session would tie one sample to the next

_HEADERS_LOG = "httpcore.http11"  # logs every header of an answer at debug level, and a gateway may echo the key


class _ForbiddenPeerError(Exception):
    """The name resolved to an address that may not be used."""


Stream = Literal["sse", "ndjson"]
_STREAM_TYPES = {"sse": "text/event-stream", "ndjson": "application/x-ndjson"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One piece of an answer that came in pieces, and when all of it had come."""

    content: Any
    arrived_ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A body that is a JSON object, with the exchange that brought it."""

    content: Mapping[str, Any]
    exchange: Exchange
    events: tuple[Event, ...] = ()  # of an answer that came in pieces, whose content is empty

    def malformed(self, problem: str) -> MalformedBodyError:
        """Return the error of an object that is not the protocol's."""
        exchange = dataclasses.replace(self.exchange, error=MalformedBodyError.kind)
        return MalformedBodyError(f"{_host(exchange.url)}: {problem}", exchange=exchange)


class Endpoint:
    """Posts JSON below one base address; each ``post`` is exactly one request."""

    def __init__(
        self,
        base_url: str,
        *,
        api_key_env: str | None = None,
        api_key_header: str | None = None,
        headers: Mapping[str, str] | None = None,
        allow_private: bool = False,
        trust_env: bool = False,
        name: str = "base_url",
    ) -> None:
        self._given = base_url
        self._name = name
        self._address = check_base_url(base_url, allow_private=allow_private, secret=api_key_env is not None, name=name)
        self._api_key_env = api_key_env
        self._api_key_header = api_key_header
        self._headers = dict(headers or {})
        self._trust_env = trust_env and not self._address.loopback  # this machine is behind no proxy
        self._pool: ConnectionPool | None = None

    @property
    def url(self) -> str:
        """The base address, without a slash at its end and without its query."""
        return self._address.url

    def url_of(self, path: str) -> str:
        """Return the address of a path below the base address, with the query of the base address."""
        return f"{self.url}{path}?{self._address.query}" if self._address.query else self.url + path

    def describe(self, path: str) -> Mapping[str, Any]:
        """Return where a request to ``path`` goes, and what is sent beside the headers of the protocol."""
        return {"url": self.url_of(path), **({"headers": self._headers} if self._headers else {})}

    @property
    def host(self) -> str:
        """The host of the address."""
        return self._address.host

    @property
    def loopback(self) -> bool:
        """Whether the address names this machine itself."""
        return self._address.loopback

    async def aclose(self) -> None:
        """Close the connections: those in use when their calls end."""
        pool, self._pool = self._pool, None
        if pool is not None:
            await pool.aclose()

    async def post(
        self,
        path: str | None,
        body: Mapping[str, Any],
        *,
        key_header: tuple[str, str],
        headers: Mapping[str, str],
        timeout_s: float,
        method: str = "POST",
        stream: Stream | None = None,
    ) -> Answer:
        """Send ``body`` and return the object that came back; ``key_header`` is a name and a text with ``{key}``.

        ``path`` is below the base address; None means the address itself, exactly as it was given. With GET the body is
        sent as the query. With ``stream`` the answer is read as events.
        """
        key = self._read_key()
        self._open_pool()  # before the call's time begins: the first one loads the library
        url = self._given if path is None else self.url_of(path)
        if self._api_key_header is not None:
            key_header = self._api_key_header.lower(), "{key}"
        if method == "GET" and body:
            url = f"{url}{'&' if '?' in url else '?'}{urlencode({name: str(value) for name, value in body.items()})}"
        headers = {**self._headers, **headers} | ({"accept": _STREAM_TYPES[stream]} if stream is not None else {})
        call = _Call(url=url, body=body, headers=headers, key=key, key_header=key_header, method=method)
        await self._carry_out(call, b"" if method == "GET" else orjson.dumps(body), timeout_s)
        return call.read() if stream is None else call.read_events(stream)

    async def post_form(self, fields: Mapping[str, str], *, authorization: str | None, timeout_s: float) -> Answer:
        """Send a form to the address itself and return the object that came back; nothing of the form is kept."""
        self._open_pool()
        headers = {"content-type": "application/x-www-form-urlencoded"}
        secret = ("authorization", "{key}")
        call = _Call(url=self._given, body={}, headers=headers, key=authorization, key_header=secret)
        await self._carry_out(call, urlencode(fields).encode(), timeout_s)
        return call.read()

    async def deliver(self, content: bytes, *, headers: Mapping[str, str], timeout_s: float) -> None:
        """Send JSON bytes to the address itself, exactly as they are; any answer that is no complaint will do."""
        self._open_pool()
        call = _Call(url=self._given, body={}, headers=headers, key=None, key_header=("", ""))
        await self._carry_out(call, content, timeout_s)
        call.check_status()

    async def _carry_out(self, call: "_Call", content: bytes, timeout_s: float) -> None:
        try:
            async with self._open_pool().lend() as client, asyncio.timeout(max(0.0, timeout_s)):
                await self._send(client, call, content)
                call.end()
        except TimeoutError:
            raise TimedOutError(
                f"{self.host}: no whole answer within {timeout_s:.3g} s", exchange=call.exchange("timed_out")
            ) from None

    async def _send(self, client: "httpx.AsyncClient", call: "_Call", content: bytes) -> None:
        import httpx  # noqa: PLC0415 - an extra, imported when it is needed

        try:
            request = client.build_request(
                call.method,
                call.url,
                content=content,
                headers=call.secret_headers(),
                extensions={"trace": self._peer_check()},
            )
            response = await client.send(request, stream=True)
            try:
                call.status, call.response_headers = response.status_code, response.headers
                decoder = BodyDecoder(response.headers.get("content-encoding", ""), limit=_MOST_BYTES)
                async for piece in response.aiter_raw():
                    call.received += decoder.feed(piece)
                    call.note_arrival()
                decoder.end()
            finally:
                await response.aclose()
        except _ForbiddenPeerError:
            problem = f"{self.host} leads to a private address; {allowing(self._name)} to use it all the same"
            raise call.error(RejectedError, problem) from None
        except (httpx.InvalidURL, UnicodeError):
            raise call.error(RejectedError, "the address cannot be used") from None
        except TooLongError:
            raise call.error(BodyTooLargeError, f"an answer of more than {_MOST_BYTES:,} bytes") from None
        except UndecodableError as error:
            raise call.error(MalformedBodyError, str(error)) from None
        except httpx.HTTPError as error:
            raise _connection_error(call, error) from None

    def _peer_check(self) -> Callable[[str, Mapping[str, Any]], Awaitable[None]]:
        """Return what looks at a new connection before a byte is sent: a name may lead anywhere, each time elsewhere.

        A proxy that the environment names may be anywhere: it was asked for, and looks up the name itself.
        """
        wanted = self.host

        async def check(event: str, info: Mapping[str, Any]) -> None:
            nonlocal wanted
            if event == "connection.connect_tcp.started":
                wanted = str(info["host"])
            if event != "connection.connect_tcp.complete" or (self._trust_env and wanted != self.host):
                return
            peer = info["return_value"].get_extra_info("server_addr")
            if not self._address.admits(str(peer[0])):
                await info["return_value"].aclose()
                raise _ForbiddenPeerError

        return check

    def _open_pool(self) -> ConnectionPool:
        if self._pool is None:
            try:
                import httpx  # noqa: PLC0415 - an extra, imported when it is needed
            except ImportError:
                raise MissingExtraError(need="a model or an HTTP endpoint", extra="judge") from None
            logging.getLogger(_HEADERS_LOG).addFilter(_logs_no_headers)  # added once, however often it is asked for
            trusted = _trusted_certificates() or httpx.create_ssl_context()  # once for all connections: it takes long
            self._pool = ConnectionPool(functools.partial(_open_client, trusted, trust_env=self._trust_env))
        return self._pool

    def _read_key(self) -> str | None:
        if self._api_key_env is None:
            return None
        key = os.environ.get(self._api_key_env, "").strip()
        if not key:
            raise UsageError(
                f"the environment variable {self._api_key_env} is not set: it holds the key for {self.host}"
            )
        if not is_sendable_key(key):  # a header's library would quote it in its complaint
            raise UsageError(f"the environment variable {self._api_key_env} holds characters that no key has")
        return key


class _Call:
    """One call as far as it has come, timed by the clock of the running event loop, as its deadline is."""

    def __init__(
        self,
        *,
        url: str,
        body: Mapping[str, Any],
        headers: Mapping[str, str],
        key: str | None,
        key_header: tuple[str, str],
        method: str = "POST",
    ) -> None:
        self.url = url
        self.method = method
        self.body = body
        self.status: int | None = None
        self.response_headers: Mapping[str, str] = {}
        self.received = bytearray()
        self._headers = {"content-type": "application/json", "accept": "application/json", **headers}
        self._arrivals: list[tuple[int, float]] = []  # how many bytes were there, and when
        self._key = key
        self._key_header = key_header
        self._now_s = asyncio.get_running_loop().time
        self._started = self._now_s()
        self._ended: float | None = None

    def end(self) -> None:
        """Take the time: the whole answer is there, and what is made of it is no part of the call."""
        self._ended = self._now_s()

    def note_arrival(self) -> None:
        """Take note of when the bytes so far were there, to the millisecond."""
        now_ms = round((self._now_s() - self._started) * 1000, 3)
        if self._arrivals and now_ms - self._arrivals[-1][1] < 1:
            self._arrivals.pop()
        self._arrivals.append((len(self.received), now_ms))

    def secret_headers(self) -> dict[str, str]:
        name, form = self._key_header
        return self._headers if self._key is None else {**self._headers, name: form.format(key=self._key)}

    def exchange(self, error: str | None) -> Exchange:
        answered = self.status is not None
        redacted = {} if self._key is None else {self._key_header[0]: _REDACTED}
        return Exchange(
            url=masked_address(self.url),
            request=self.body,
            request_headers={**self._headers, **redacted},
            status=self.status,
            response_headers={
                name: self._redact(self.response_headers[name])
                for name in _KEPT_HEADERS
                if name in self.response_headers
            },
            response=self._kept_body(whole=error is None) if answered else None,
            elapsed_ms=round(((self._now_s() if self._ended is None else self._ended) - self._started) * 1000, 3),
            error=error,
        )

    def error(self, kind: type[TransportError], problem: str) -> TransportError:
        retry_after = read_retry_after(self.response_headers) if self.status is not None else None
        return kind(f"{_host(self.url)}: {problem}", exchange=self.exchange(kind.kind), retry_after_s=retry_after)

    def check_status(self) -> None:
        """Raise what the status amounts to, where it is not a good one."""
        status = self.status or 0
        if status == 429 and not self._is_out_of_quota():
            raise self.error(RateLimitedError, "status 429, too many requests")
        if status >= 500 or status in _NOT_NOW:
            raise self.error(ServerError, f"status {status}{self._complaint()}")
        if not 200 <= status < 300:
            raise self.error(RejectedError, f"status {status}{self._complaint()}")

    def read(self) -> Answer:
        """Return the whole answer, or raise what it amounts to."""
        self.check_status()
        media = self.response_headers.get("content-type", "").partition(";")[0].strip().lower()
        if media != "application/json" and not media.endswith("+json"):
            raise self.error(WrongContentTypeError, "an answer that is not JSON by its content type")
        try:
            content = orjson.loads(self._without_key())
        except orjson.JSONDecodeError:
            raise self.error(MalformedBodyError, "an answer that is not JSON") from None
        if not isinstance(content, dict):
            raise self.error(NotAnObjectError, "an answer that is not a JSON object")
        return Answer(content=content, exchange=self.exchange(None))

    def read_events(self, stream: Stream) -> Answer:
        """Return the whole answer as the events that it came in, or raise what it amounts to."""
        self.check_status()
        media = self.response_headers.get("content-type", "").partition(";")[0].strip().lower()
        if media != _STREAM_TYPES[stream] and not (stream == "ndjson" and "json" in media):
            raise self.error(
                WrongContentTypeError, f"an answer that is not {_STREAM_TYPES[stream]} by its content type"
            )
        events, arrivals, end = [], iter(self._arrivals), 0
        there, arrived_ms = next(arrivals, (0, 0.0))
        for data, end in _events(bytes(self._without_key()), stream):
            while there < end:
                there, arrived_ms = next(arrivals, (len(self.received), arrived_ms))
                if there >= len(self.received):
                    break
            try:
                events.append(Event(content=orjson.loads(data), arrived_ms=arrived_ms))
            except orjson.JSONDecodeError:
                raise self.error(MalformedBodyError, "an event that is not JSON") from None
        return Answer(content={}, exchange=self.exchange(None), events=tuple(events))

    def _kept_body(self, *, whole: bool) -> str:
        text = self._redact(self.received.decode("utf-8", "replace"))
        if whole or len(text) <= _MOST_KEPT:
            return text
        return f"{text[:_MOST_KEPT]}… [cut: {len(self.received):,} bytes were received]"

    def _complaint(self) -> str:
        """Return what the other side says is wrong with the request, where it says so in one of the usual ways."""
        message = _message_in(self._object())
        return f": {' '.join(self._redact(message).split())[:200]}" if message else ""

    def _is_out_of_quota(self) -> bool:
        """Tell whether a status 429 means that nothing is left to pay with: no wait mends that."""
        error = self._object().get("error")
        return isinstance(error, dict) and "insufficient_quota" in (error.get("code"), error.get("type"))

    def _object(self) -> Mapping[str, Any]:
        try:
            content = orjson.loads(self.received)
        except orjson.JSONDecodeError:
            return {}
        return content if isinstance(content, dict) else {}

    def _without_key(self) -> bytes | bytearray:
        """Return the body without a key that was sent back: answers are kept."""
        if self._key is None or len(self._key) < _SHORTEST_SECRET:
            return self.received
        return self._redact(self.received.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")

    def _redact(self, text: str) -> str:
        """Return the text without the key, also where JSON's escapes disguise it."""
        if self._key is None:
            return text
        if "\\" in text:
            text = _disguised(self._key).sub(_REDACTED, text)
        return text.replace(self._key, _REDACTED)


def _events(body: bytes, stream: Stream) -> Iterator[tuple[bytes, int]]:
    """Yield the data of each event, and where it ends in the body."""
    data: list[bytes] = []
    for line in re.finditer(rb"([^\r\n]*)(?:\r\n|\r|\n|\Z)", body):
        text = line[1]
        if stream == "ndjson":
            if text.strip():
                yield text, line.end()
        elif text.startswith(b"data:"):
            data.append(text[5:].removeprefix(b" "))
        elif not text and data:
            whole, data = b"\n".join(data), []
            if whole.strip() != b"[DONE]":
                yield whole, line.end()


@functools.lru_cache(maxsize=16)
def is_sendable_key(key: str) -> bool:
    """Tell whether a provider's key can be sent in a header."""
    return _SENDABLE_KEY.fullmatch(key) is not None


def _disguised(key: str) -> re.Pattern[str]:
    """Return what finds a key in JSON text, each of its characters plain or escaped; also in JSON inside JSON."""
    return re.compile("".join(rf"(?:\\{{0,7}}{re.escape(mark)}|(?i:\\{{1,7}}u{ord(mark):04x}))" for mark in key))


def _open_client(trusted: ssl.SSLContext, *, trust_env: bool) -> "httpx.AsyncClient":
    """Open a client for one connection."""
    import httpx  # noqa: PLC0415 - an extra, imported when it is needed

    try:
        # no limit and no timeout of its own: the caller bounds both; no proxy unless asked for: it sees the address
        return httpx.AsyncClient(
            verify=trusted,
            timeout=None,  # noqa: S113 - the deadline over the whole call is ours
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=1, keepalive_expiry=MOST_IDLE_S),
            follow_redirects=False,
            trust_env=trust_env,
            headers={"accept-encoding": ACCEPTED},
            cookies=_NO_COOKIES,
        )
    except (ValueError, ImportError):  # said without the address: there may be a password in it
        raise UsageError("a proxy that the environment names cannot be used: only http:// and https:// can") from None


def _trusted_certificates() -> ssl.SSLContext | None:
    """Return whom to trust where SSL_CERT_FILE or SSL_CERT_DIR says so; None: those that ship with the client."""
    file, folder = (os.environ.get(name) or None for name in ("SSL_CERT_FILE", "SSL_CERT_DIR"))
    if file is None and folder is None:
        return None
    try:
        return ssl.create_default_context(cafile=file, capath=folder)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        raise UsageError(f"SSL_CERT_FILE or SSL_CERT_DIR: {file or folder}: cannot be used: {reason}") from None


def _connection_error(call: "_Call", error: BaseException) -> TransportError:
    """Return what a failed connection amounts to, without the library's own words: they may quote a header."""
    causes: list[BaseException] = []
    cause: BaseException | None = error
    while cause is not None and cause not in causes:
        causes.append(cause)
        cause = cause.__cause__ or cause.__context__
    for cause in causes:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return call.error(
                TlsFailedError,
                f"its TLS certificate cannot be verified ({cause.verify_message}); where a proxy of your network shows "
                "its own, set SSL_CERT_FILE to the file with its certificate",
            )
        if isinstance(cause, ssl.SSLError) and cause.reason == "WRONG_VERSION_NUMBER":
            return call.error(TlsFailedError, "no TLS is spoken there: is it an http:// address?")
    system = next((cause.strerror for cause in causes if isinstance(cause, OSError) and cause.strerror), None)
    return call.error(ConnectionFailedError, f"the connection failed ({system or type(error).__name__})")


def _message_in(content: Mapping[str, Any]) -> str | None:
    """Return the message of an error: in both chat protocols, in FastAPI's ``detail``, or plainly under a name."""
    error, detail = content.get("error"), content.get("detail")
    if isinstance(detail, list) and detail and isinstance(detail[0], dict):
        place = detail[0].get("loc")
        where = ".".join(map(str, place)) if isinstance(place, list) else ""
        return f"{where}: {detail[0].get('msg')}" if where else str(detail[0].get("msg"))
    choices = (error.get("message") if isinstance(error, dict) else error, detail, content.get("message"))
    return next((choice for choice in choices if isinstance(choice, str) and choice), None)


def _host(url: str) -> str:
    return re.split(r"[/?#]", url.partition("://")[2], maxsplit=1)[0].rpartition("@")[2]


def _logs_no_headers(record: logging.LogRecord) -> bool:
    return "receive_response_headers.complete" not in str(record.msg)
