"""Reading the parts of an answer that both protocols leave optional: what is absent or odd is None, never a guess."""

from typing import Literal

from plumbrule.http.endpoint import Answer
from plumbrule.http.exchange import Exchange
from plumbrule.samples.value_types import MAX_COUNT, Misfit

_LONGEST_TIME = 12  # digits of milliseconds: longer ones are no time


def read_text(value: object) -> str | None:
    """Return a text that says something."""
    return value if isinstance(value, str) and value else None


def answer_count(answer: Answer, first: str, *more: str) -> int | None:
    """Return a token count of an answer's usage; an impossible one makes the answer malformed."""
    try:
        return read_count(answer.content.get("usage"), first, *more)
    except Misfit as misfit:
        raise answer.malformed(f"an answer whose {misfit}") from None


def read_count(usage: object, first: str, *more: str) -> int | None:
    """Return a token count of the usage; the counts under ``more`` are added where they stand.

    One that is too large to be kept and added up is a Misfit.
    """
    if not isinstance(usage, dict):
        return None
    total = 0
    for name in (first, *more):
        count = usage.get(name)
        if count is None and name != first:
            continue
        if isinstance(count, int | float) and count > MAX_COUNT:
            raise Misfit(f"{name} is too large for a count")
        if type(count) is not int or count < 0:  # a boolean is no count
            return None
        total += count
    return total


def read_latency(exchange: Exchange, header: str | None) -> tuple[float | None, Literal["reported", "measured"]]:
    """Return the model's own time where the provider tells it, else that of the whole call."""
    reported = exchange.response_headers.get(header, "") if header is not None else ""
    if reported.isascii() and reported.isdigit() and len(reported) <= _LONGEST_TIME:
        return float(reported), "reported"
    return exchange.elapsed_ms, "measured"
