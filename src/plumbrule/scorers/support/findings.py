"""What speaks against a sentence: the kinds of findings, and which of them say that the context says otherwise."""

from typing import Literal, NamedTuple

FindingKind = Literal[
    "word", "name", "number", "date", "unknown_fact", "other_value", "denied_fact", "opposite", "negation", "strength",
    "speaker", "denial",
]  # fmt: skip
CONTRADICTING: frozenset[FindingKind] = frozenset({"denied_fact", "other_value", "opposite"})


class Finding(NamedTuple):
    """One thing that speaks against a sentence: a stretch of the answer, and what of the context stands against it."""

    start: int
    end: int
    kind: FindingKind
    against: str = ""
