"""Calls to a live candidate over the wire: patience with the wire, none with a candidate that is too slow."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TypeVar

from plumbrule.judges.exchange import Exchange
from plumbrule.judges.pace import Pace
from plumbrule.judges.patience import Clock, Patience
from plumbrule.judges.transport import TimedOutError, TransportError
from plumbrule.runs.candidates import Answered
from plumbrule.samples.model import Sample

T = TypeVar("T")


async def call(
    send: Callable[[float], Awaitable[T]],
    read: Callable[[T], Answered],
    *,
    blank: Sample,
    patience: Patience,
    pace: Pace | None,
) -> Answered:
    """Send until something comes back, and return what ``read`` makes of it; ``blank`` is the sample without answer.

    Each attempt has the whole ``call_timeout_s``, whatever the deadline: how long a candidate may take must not depend
    on how often the wire failed before. The deadline bounds the attempts that are begun. A candidate that passes its
    time has had its chance and is not asked again.
    """

    async def attempt(_left_s: float) -> T | TimedOutError:
        try:
            return await send(patience.call_timeout_s)
        except TimedOutError as error:
            return error

    failed: list[Exchange] = []
    try:
        came = await Clock(patience).call(attempt, failed.append, before=pace.turn if pace is not None else None)
    except TransportError as error:
        answered = Answered(sample=blank, error=error.kind, error_detail=str(error), final=False)
    else:
        answered = _timed_out(blank, came.exchange) if isinstance(came, TimedOutError) else read(came)
    exchanges = (*failed, *answered.exchanges)
    flags = ("retried", *answered.flags) if len(exchanges) > 1 else answered.flags
    return replace(answered, exchanges=exchanges, requests=len(exchanges), flags=flags)


def _timed_out(blank: Sample, exchange: Exchange) -> Answered:
    late = replace(blank, timed_out=True, latency_e2e_ms=exchange.elapsed_ms)
    return Answered(sample=late, exchanges=(exchange,))
