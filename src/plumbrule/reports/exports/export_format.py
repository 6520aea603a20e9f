"""What the form of another tool is made of: a file, and the requests that take a run to the tool's own server."""

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from plumbrule.runs.report.exported_run import ExportedResult, ExportedRun

_TRACE_ID = re.compile(r"[0-9a-f]{32}")

# What a server answered to the requests before, by their names.
Answers = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request: ``body`` may need what an earlier one was answered."""

    path: str
    body: Callable[[Answers], object]
    name: str | None = None  # by which later requests find the answer
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportFormat:
    """How a run is written for one tool, and how it is sent; None where there is no server to send it to."""

    suffix: str
    render: Callable[[ExportedRun], bytes]
    requests: Callable[[ExportedRun], Iterator[Request]] | None
    authorization: Callable[[str], str]  # the header for a secret


def constant(body: object) -> Callable[[Answers], object]:
    """Return the body of a request that needs no answer."""
    return lambda _: body


def bearer(secret: str) -> str:
    """Return the header that a token is sent in."""
    return f"Bearer {secret}"


def trace_id_of(result: ExportedResult) -> str:
    """Return the trace of an answer: its own where that is one, else one that is made of the sample's id.

    It is the first 16 bytes of the SHA-256 of the text, as ``Langfuse.create_trace_id(seed=...)`` makes it, so that
    traces that were made with the sample's id meet their scores.
    """
    own = None if result.sample is None else result.sample.trace_id
    if own is not None and _TRACE_ID.fullmatch(own.replace("-", "").lower()):
        return own.replace("-", "").lower()
    return hashlib.sha256((own or result.summary.sample_id).encode()).digest()[:16].hex()


def unix_ms(run: ExportedRun) -> int:
    """Return when the run was recorded, in milliseconds since 1970."""
    at = datetime.fromisoformat(run.recorded_at_utc)
    return round((at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp() * 1000)
