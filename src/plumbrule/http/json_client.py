"""A plain client of one JSON API: bounded answers, no redirects, the error that the server tells."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import orjson

from plumbrule.errors import EvaluationError, InputError, MissingExtraError, PlumbruleError, UsageError
from plumbrule.terminal import masked_address, safe, shortened

_MOST_BYTES = 256 << 20  # the records of a large campaign, and an end to what never ends
_LONGEST_ERROR = 500
_JSON = {"accept": "application/json", "content-type": "application/json"}


class JsonClient:
    """Calls one server; a token is sent with every call and never shown."""

    def __init__(self, address: str, *, token: str | None, timeout_s: float) -> None:
        try:
            import httpx  # noqa: PLC0415 - an extra
        except ModuleNotFoundError:
            raise MissingExtraError(need="a connection to a server", extra="judge") from None
        parts = urlsplit(address)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise UsageError(f"{masked_address(address)}: a server's address starts with http:// or https://")
        headers = {**_JSON, **({} if token is None else {"authorization": f"Bearer {token}"})}
        self._http = httpx.Client(base_url=address.rstrip("/"), headers=headers, timeout=timeout_s, trust_env=False)
        self._failures = (httpx.HTTPError, httpx.InvalidURL)
        self.name = masked_address(address)

    def call(self, method: str, path: str, *, query: Mapping[str, object] | None = None, body: object = None) -> Any:  # noqa: ANN401 - JSON
        """Return what a call answers, or raise what the server says is wrong."""
        given = {name: value for name, value in (query or {}).items() if value is not None}
        content = None if method == "GET" else orjson.dumps({} if body is None else body)
        try:
            with self._http.stream(method, path, params=given, content=content) as response:  # type: ignore[arg-type]  # httpx's own union
                raw = bytearray()
                for chunk in response.iter_bytes():
                    raw += chunk
                    if len(raw) > _MOST_BYTES:
                        raise EvaluationError(f"{self.name}: answered more than {_MOST_BYTES >> 20} MiB")
                status = response.status_code
        except self._failures as error:
            raise EvaluationError(f"{self.name}: cannot be reached: {type(error).__name__}") from None
        return self._read(status, bytes(raw))

    def close(self) -> None:
        """Close the connection."""
        self._http.close()

    def _read(self, status: int, raw: bytes) -> Any:  # noqa: ANN401 - JSON
        try:
            content = orjson.loads(raw)
        except orjson.JSONDecodeError:
            raise EvaluationError(f"{self.name}: answered {status} with something that is not JSON") from None
        if status == 200:
            return content
        error = content.get("error") if isinstance(content, dict) else None
        raise _kind_of(status)(f"{self.name}: {shortened(safe(str(error or status)), _LONGEST_ERROR)}")


def _kind_of(status: int) -> type[PlumbruleError]:
    if status == 404:
        return InputError
    return UsageError if status < 500 else EvaluationError
