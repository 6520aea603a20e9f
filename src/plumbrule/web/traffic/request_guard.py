"""What holds for every request before a page sees it: its host is ours, its body is bounded; and for every response."""

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST_BODY = 32 << 20
PROTECTION = {
    "cache-control": "no-store",
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}

_BY_HTTPS = {"strict-transport-security": "max-age=31536000"}


class _BodyTooLargeError(Exception):
    """More of a body came than is read."""


class RequestGuard:
    """Refuses a foreign host and a body that is too large, and adds the headers that protect every page."""

    def __init__(self, app: ASGIApp, *, hosts: tuple[str, ...]) -> None:
        self._app = app
        self._hosts = frozenset(host.lower() for host in hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Guard one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        started = False

        async def answer(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                named = {name.lower() for name, _ in message["headers"]}
                extra = PROTECTION | (_BY_HTTPS if scope["scheme"] == "https" else {})
                message["headers"] = [
                    *message["headers"],
                    *((name.encode(), value.encode()) for name, value in extra.items() if name.encode() not in named),
                ]
            await send(message)

        if _host_of(headers.get("host", "")) not in self._hosts:
            reply = PlainTextResponse("This application is not known by that name; see --host-name.\n", 421)
            await reply(scope, receive, answer)
            return
        read = 0

        async def take() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > LARGEST_BODY:
                raise _BodyTooLargeError
            return message

        try:
            await self._app(scope, take, answer)
        except _BodyTooLargeError:
            if started:
                raise
            await PlainTextResponse(f"A request has at most {LARGEST_BODY >> 20} MiB.\n", 413)(scope, receive, answer)


def _host_of(header: str) -> str:
    """Return the name in a Host header, without its port."""
    if header.startswith("["):
        return header.partition("]")[0].lower() + "]"
    return header.partition(":")[0].lower()
