"""The one guarded HTTP client: deadlines, size limits, an address guard, redaction."""

from plumbrule.http.address_guard import check_base_url
from plumbrule.http.endpoint import Answer, Endpoint, is_sendable_key
from plumbrule.http.exchange import Exchange
from plumbrule.http.rate_limit import Pace
from plumbrule.http.retry import Patience
from plumbrule.http.throttle import Throttle
from plumbrule.http.transport_errors import NotAnObjectError, TimedOutError, TransportError

__all__ = [
    "Answer",
    "Endpoint",
    "Exchange",
    "NotAnObjectError",
    "Pace",
    "Patience",
    "Throttle",
    "TimedOutError",
    "TransportError",
    "check_base_url",
    "is_sendable_key",
]
