"""A check is one mechanical rule on one interaction: what it found, where, and how far it caps its dimension."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

from plumbrule.rubrics import Level
from plumbrule.terminal import shortened

Dimension = Literal[
    "attribution_accuracy",
    "retrieval_relevance",
    "grounding_integrity",
    "response_completeness",
    "refusal_appropriateness",
    "compliance_alignment",
]
DIMENSIONS: tuple[Dimension, ...] = get_args(Dimension)
Outcome = Literal["passed", "failed", "not_applicable"]

_MOST_SPOTS = 20  # of one check; its message counts them all
_SHOWN = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """A place that shows what a check found: a part of the interaction and, in a text, the stretch of it."""

    where: str  # answer, citations[0].passage, passages[2], trace.retrieval.passages_above_threshold, ...
    ref: str | None = None  # the passage's id, the citation's number
    start: int | None = None
    end: int | None = None
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """The outcome of one rule; ``cap`` is the best level that its dimension may still get, None for a hint."""

    rule: str
    dimension: Dimension
    outcome: Outcome
    cap: Level | None = None
    message: str = ""
    evidence: tuple[Spot, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Hint:
    """A remark that caps nothing; where it can, it proposes a level for a person to confirm."""

    code: str
    message: str
    level: Level | None = None
    figures: tuple[tuple[str, float], ...] = ()
    evidence: tuple[Spot, ...] = ()


class Rules:
    """Writes the checks of one dimension, with the caps that the policy sets."""

    def __init__(self, dimension: Dimension, caps: object) -> None:
        self._dimension = dimension
        self._caps = caps

    def decide(self, rule: str, spots: Iterable[Spot], message: str) -> Check:
        """Return a check that fails where there is a spot; ``{n}`` in the message is their number."""
        listed = list(spots)
        return self.failed(rule, message.replace("{n}", str(len(listed))), listed) if listed else self.passed(rule)

    def failed(self, rule: str, message: str, spots: Iterable[Spot] = ()) -> Check:
        """Return a check that fails."""
        cap: Level | None = getattr(self._caps, rule)
        evidence = tuple(spots)[:_MOST_SPOTS]
        return Check(
            rule=rule, dimension=self._dimension, outcome="failed", cap=cap, message=message, evidence=evidence
        )

    def passed(self, rule: str) -> Check:
        """Return a check that holds."""
        return Check(rule=rule, dimension=self._dimension, outcome="passed")

    def not_applicable(self, rule: str, why: str) -> Check:
        """Return a check that there was nothing to apply to, or too little known."""
        return Check(rule=rule, dimension=self._dimension, outcome="not_applicable", message=why)


def spot_in(where: str, text: str, start: int, end: int, ref: str | None = None) -> Spot:
    """Return a stretch of a text as evidence."""
    return Spot(where=where, text=text[start:end], start=start, end=end, ref=ref)


def shown(text: str) -> str:
    """Return the start of a text, enough to know it by."""
    return shortened(text, _SHOWN)
