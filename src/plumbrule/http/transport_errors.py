"""The ways in which a call to a model can fail before there is a reply to read, each with what was exchanged.

::

    TransportError          exit code 4
    ├── RateLimitedError       429
    ├── ServerError            5xx, Anthropic's 529 among them; 408, 409 and 425, by which gateways say: not now
    ├── TimedOutError          the deadline passed before the whole answer was there
    ├── ConnectionFailedError  no connection, or one that broke
    ├── TlsFailedError         a certificate that cannot be verified, or no TLS at all
    ├── MalformedBodyError     not JSON, or not the JSON of the protocol
    │   └── NotAnObjectError   whole JSON, but no object
    ├── BodyTooLargeError      more than any answer can be
    ├── WrongContentTypeError  something else than JSON: most often a wrong address
    └── RejectedError          any other status: the request itself is at fault
"""

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import ClassVar

from plumbrule.errors import PlumbruleError
from plumbrule.http.exchange import Exchange

_SECONDS = re.compile(r"\d+(?:\.\d+)?")


class TransportError(PlumbruleError):
    """A call that brought no reply; ``retryable`` tells whether the same call may yet succeed."""

    exit_code = 4
    kind: ClassVar[str] = "transport_error"
    retryable: ClassVar[bool] = True
    most_calls: ClassVar[int | None] = None  # that are worth making; None: as many as there is time for

    def __init__(self, message: str, *, exchange: Exchange, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.exchange = exchange
        self.retry_after_s = retry_after_s


class RateLimitedError(TransportError):
    """The provider asks to wait."""

    kind = "rate_limited"


class ServerError(TransportError):
    """The provider failed, or asks for the same call once more."""

    kind = "server_error"


class TimedOutError(TransportError):
    """The deadline passed."""

    kind = "timed_out"


class ConnectionFailedError(TransportError):
    """No connection could be made, or it broke before the answer was whole."""

    kind = "connection_failed"


class TlsFailedError(TransportError):
    """Nobody knows who is at the other end: nothing is sent, and no wait mends that."""

    kind = "tls_failed"
    retryable = False


class MalformedBodyError(TransportError):
    """The body is not what the protocol says; each may have been paid for, and the next is seldom better."""

    kind = "malformed_body"
    most_calls = 4


class NotAnObjectError(MalformedBodyError):
    """The body is JSON, but a list or a single value."""


class BodyTooLargeError(TransportError):
    """The body is larger than any answer can be."""

    kind = "body_too_large"
    retryable = False


class WrongContentTypeError(TransportError):
    """The body does not even claim to be JSON."""

    kind = "wrong_content_type"
    retryable = False


class RejectedError(TransportError):
    """The provider refused the request."""

    kind = "rejected"
    retryable = False


def read_retry_after(headers: Mapping[str, str]) -> float | None:
    """Return for how many seconds the provider asks to wait, from seconds, milliseconds or a date; None if unsaid."""
    milliseconds = _read_seconds(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after")
    seconds = _read_seconds(value)
    if seconds is not None or value is None:
        return seconds
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())


def _read_seconds(value: str | None) -> float | None:
    if value is None or not _SECONDS.fullmatch(value.strip()):
        return None
    seconds = float(value)
    return seconds if math.isfinite(seconds) else None
