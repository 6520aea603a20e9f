"""One line for each request: the route's template, status and time; no address, no text, no name, no secret."""

import logging
import time
import traceback
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Literal

import orjson
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from plumbrule.web.traffic.request_metrics import RequestMetrics

LogFormat = Literal["text", "json"]

_log = logging.getLogger("plumbrule.web.requests")
_METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}


class RequestLog:
    """Times every request, counts it and writes its line."""

    def __init__(
        self, app: ASGIApp, *, metrics: RequestMetrics, clock_s: Callable[[], float] = time.perf_counter
    ) -> None:
        self._app = app
        self._metrics = metrics
        self._clock_s = clock_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Time one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started, status = self._clock_s(), 500

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, answer)
        finally:
            seconds = self._clock_s() - started
            route, method = route_of(scope), scope["method"] if scope["method"] in _METHODS else "other"
            self._metrics.observe(route, method, status, seconds)
            fields = {"method": method, "route": route, "status": status, "ms": round(seconds * 1000, 1)}
            _log.info("%s %s %s", method, route, status, extra={"fields": fields})


def route_of(scope: Scope) -> str:
    """Return the template of the route that a request was for, such as /runs/{run_id}: never what was asked for."""
    path = getattr(scope.get("route"), "path", None)
    if path is not None:
        return str(path)
    return "/static" if scope.get("path", "").startswith("/static/") else "none"


class JsonLines(logging.Formatter):
    """Writes what is logged as one JSON object in a line; of an error its kind and its places, not its words."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        line: dict[str, object] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
        }
        fields = getattr(record, "fields", None)
        line |= fields if isinstance(fields, dict) else {"message": str(record.msg)}  # without what is filled in
        if record.exc_info and record.exc_info[0] is not None:
            line["error"] = record.exc_info[0].__name__
            frames = traceback.extract_tb(record.exc_info[2])
            line["places"] = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames[-20:]]
        return orjson.dumps(line).decode()


def set_up_logs(form: LogFormat) -> None:
    """Write what the application logs to the standard error: as text only what went wrong, as JSON every request."""
    handler = logging.StreamHandler()
    root = logging.getLogger()
    if form == "json":
        handler.setFormatter(JsonLines())
        _log.setLevel(logging.INFO)
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
