"""What speaks against a sentence: the kinds of findings, and which of them say that the context says otherwise."""

from typing import Literal, NamedTuple

FindingKind = Literal[
    "word", "name", "number", "date", "unknown_fact", "other_value", "denied_fact", "opposite", "negation", "strength",
    "speaker", "denial", "rival", "change",
]  # fmt: skip
_CONTRADICTING: frozenset[FindingKind] = frozenset({"denied_fact", "other_value", "opposite", "denial", "rival"})
_IF_AGAINST: frozenset[FindingKind] = frozenset({"number", "date", "negation"})


class Finding(NamedTuple):
    """One thing that speaks against a sentence: a stretch of the answer, and what of the context stands against it."""

    start: int
    end: int
    kind: FindingKind
    against: str = ""
    of: str = ""  # what the context says it of

    @property
    def contradicts(self) -> bool:
        """Whether the context says otherwise, rather than nothing."""
        return self.kind in _CONTRADICTING or (self.kind in _IF_AGAINST and bool(self.against))
