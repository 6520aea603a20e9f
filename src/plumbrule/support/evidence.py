"""A place in a context that speaks for or against a part of an answer, and what was found there."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

from plumbrule.text.text_view import TextView

Reason = Literal["found", "equal_value", "near", "entailed", "in_support", "not_found", "too_far", "contradicted"]
REASON_WORDS: Mapping[Reason, str] = {
    "found": "stands in the context",
    "equal_value": "same value, written otherwise",
    "near": "subject and object stand together",
    "entailed": "follows from a more exact value",
    "in_support": "not in the context, but its sentence is supported",
    "not_found": "not in the context",
    "too_far": "subject and object only far apart",
    "contradicted": "the context says otherwise",
}


# One of each is made for every anchor, and a named tuple is made in a third of the time of a frozen dataclass.
class Evidence(NamedTuple):
    """Where in which context an anchor was found, or contradicted."""

    context: int
    start: int
    end: int
    text: str


class Finding(NamedTuple):
    """Whether the context bears an anchor out, and why."""

    supported: bool
    reason: Reason
    evidence: Evidence | None = None
    ambiguous: bool = False  # a date that can be read in two ways decided it


def evidence_in(contexts: list[TextView], context: int, start: int, end: int) -> Evidence:
    """Return a stretch of a context as evidence."""
    return Evidence(context, start, end, contexts[context].text[start:end])
