"""One call to a model as it went over the wire, fit to be kept: no secret stands in it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from plumbrule.codec import fields_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """What was asked and what came back, raw; where nothing came back ``status`` and ``response`` are None."""

    url: str
    request: Mapping[str, Any]
    request_headers: Mapping[str, str] = field(default_factory=dict)
    status: int | None = None
    response_headers: Mapping[str, str] = field(default_factory=dict)
    response: str | None = None
    elapsed_ms: float | None = None
    error: str | None = None  # the kind of transport error, or "parse_error" for a reply that is no judgement
    cached: bool = False  # taken from the cache: nothing was sent

    def to_dict(self) -> dict[str, Any]:
        """Return the exchange as a JSON-ready dict."""
        return fields_of(self)
