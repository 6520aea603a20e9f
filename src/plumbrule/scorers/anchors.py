"""An anchor is a piece of an answer that can be checked: a number, a date or a claim, with its evidence."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

from plumbrule.rubrics import AnchorKind
from plumbrule.text.view import TextView

Reason = Literal["found", "equal_value", "near", "entailed", "not_found", "too_far", "contradicted"]


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Triple:
    """A claim in words: who, does what, to what."""

    subject: str
    verb: str
    object: str
    negated: bool


class Anchor(NamedTuple):
    """One anchor of an answer with what was found for it."""

    kind: AnchorKind
    text: str
    start: int
    end: int
    supported: bool
    reason: Reason
    evidence: Evidence | None
    ambiguous: bool = False
    triple: Triple | None = None


def anchor_at(
    answer: TextView, kind: AnchorKind, start: int, end: int, finding: Finding, triple: Triple | None = None
) -> Anchor:
    """Return the anchor at a place of the answer with its finding."""
    supported, reason, evidence, ambiguous = finding
    return Anchor(kind, answer.text[start:end], start, end, supported, reason, evidence, ambiguous, triple)


def evidence_in(contexts: list[TextView], context: int, start: int, end: int) -> Evidence:
    """Return a stretch of a context as evidence."""
    return Evidence(context, start, end, contexts[context].text[start:end])
