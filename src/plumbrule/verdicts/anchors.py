"""An anchor is a piece of an answer that can be checked: a number, a date or a claim, with its evidence."""

from typing import NamedTuple

from plumbrule.rubrics import AnchorKind
from plumbrule.support.evidence import Evidence, Finding, Reason
from plumbrule.text.text_view import TextView


class Triple(NamedTuple):
    """A claim in words: who, does what, to what."""

    subject: str
    verb: str
    object: str
    negated: bool


class Anchor(NamedTuple):
    """One anchor of an answer with its evidence."""

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
