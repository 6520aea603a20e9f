"""A verdict in one glance: the outcome, and beside one that does not fail what the evidence has against it."""

from collections.abc import Collection, Iterable
from typing import Literal

Concern = Literal["contradicted", "unsupported"]
CONCERNS: tuple[Concern, ...] = ("contradicted", "unsupported")


def concerns_of(flags: Collection[str], band: str | None) -> tuple[Concern, ...]:
    """Return what the evidence has against an answer, by its flags and the band of its support."""
    held = {"contradicted": "contradicted" in flags, "unsupported": band == "unsupported"}
    return tuple(concern for concern in CONCERNS if held[concern])


def headline_of(outcome: str, concerns: Iterable[Concern]) -> str:
    """Return an outcome with what is against it, such as ``PASS · contradicted``; a FAIL needs nothing beside it."""
    return outcome if outcome == "FAIL" else " · ".join((outcome, *concerns))
