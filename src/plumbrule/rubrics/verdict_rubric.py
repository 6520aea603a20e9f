"""The typed form of the verdict rubric: what its file may say, and within which bounds."""

from collections.abc import Mapping
from dataclasses import field
from fractions import Fraction
from itertools import pairwise
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    SerializerFunctionWrapHandler,
    model_serializer,
)
from pydantic.dataclasses import dataclass

from plumbrule.hashing import sha256_of
from plumbrule.rubrics.exact_numbers import exact

_CLOSED = ConfigDict(extra="forbid")
_LONGEST_GAP = 20  # words that a pattern of a refusal may leave open

Outcome = Literal["PASS", "WARN", "FAIL"]
AnchorKind = Literal["number", "date", "claim"]


def _share(value: object) -> Fraction:
    share = exact(value)
    if not 0 <= share <= 1:
        raise ValueError("must be between 0 and 1")
    return share


def _folded(words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted({word.strip().casefold() for word in words if word.strip()}))


def _kinds(kinds: tuple[AnchorKind, ...]) -> tuple[AnchorKind, ...]:
    return tuple(sorted(set(kinds)))


def _rising(knots: tuple[tuple[float, float], ...]) -> tuple[tuple[float, float], ...]:
    if any(one[0] >= other[0] or one[1] >= other[1] for one, other in pairwise(knots)):
        raise ValueError("each knot must be above the one before it, in both numbers")
    return knots


def _check_patterns(patterns: tuple[str, ...], known: set[str]) -> None:
    """Raise where a pattern of a refusal names words that are not listed, or leaves a gap that is none."""
    for pattern in patterns:
        for element in pattern.split():
            if element[0] in "*~":
                if not (element[1:].isdecimal() and int(element[1:]) <= _LONGEST_GAP):
                    raise ValueError(f"'{pattern}': {element} must be a number of words up to {_LONGEST_GAP}")
                continue
            names = _named(element)
            if not names <= known:
                raise ValueError(f"'{pattern}': there are no words {', '.join(sorted(names - known))}")


def _named(element: str) -> set[str]:
    """Return the words and parts that an element of a pattern names."""
    return {name for name in element.strip("!?").split("|") if name != name.lower()}


def _check_parts(parts: Mapping[str, tuple[str, ...]]) -> None:
    """Raise where parts are made of each other; their order is of no matter, since the ledger does not keep it."""
    made_of = {
        name: {part for pattern in patterns for element in pattern.split() for part in _named(element) if part in parts}
        for name, patterns in parts.items()
    }
    while made_of:
        ready = {name for name, others in made_of.items() if not others & made_of.keys()}
        if not ready:
            raise ValueError(f"parts are made of each other: {', '.join(sorted(made_of))}")
        made_of = {name: others for name, others in made_of.items() if name not in ready}


Share = Annotated[Fraction, BeforeValidator(_share), PlainSerializer(float)]
Words = Annotated[tuple[str, ...], AfterValidator(_folded)]
Patterns = tuple[Annotated[str, Field(min_length=1, max_length=200)], ...]
Count = Annotated[int, Field(strict=True, ge=1, le=1_000_000)]


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class Relevance:
    """When an answer has too little to do with its question."""

    tokens: Literal["content", "all"]
    fail_below: Share


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class Completeness:
    """When an answer leaves out too much of what was asked."""

    warn_below: Share


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class Drift:
    """When an answer speaks of something else than its context."""

    ngram: Annotated[int, Field(strict=True, ge=1, le=8)]
    overlap_below: Share
    penalty: Share


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class Hallucination:
    """Which anchors are checked, how, and when too many lack support."""

    fail_above: Share
    high_risk_above: Share
    anchors: Annotated[tuple[AnchorKind, ...], AfterValidator(_kinds)]
    claim_check: Literal["proximity", "evidence"]
    claim_window: Count
    contradiction_overlap: Share
    drift: Drift

    def __post_init__(self) -> None:
        if self.drift.penalty > self.fail_above:
            raise ValueError("drift.penalty may not be above fail_above: drift alone never fails an answer")


Finite = Annotated[float, Field(allow_inf_nan=False)]
Knots = Annotated[tuple[tuple[Finite, Finite], ...], Field(min_length=1, max_length=100), AfterValidator(_rising)]


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class Calibration:
    """A calibration of the support score, fitted to somebody's own labels or prior."""

    name: Annotated[str, Field(min_length=1)]
    version: Annotated[str, Field(min_length=1)]
    model: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    labels: Annotated[int, Field(strict=True, ge=0)]
    unsupported_share: Share
    answers: Knots
    sentences: Knots

    def stamp(self) -> dict[str, str]:
        """Return what every result says of the calibration that it was made by."""
        content = [self.model, self.labels, float(self.unsupported_share), self.answers, self.sentences]
        return {"name": self.name, "version": self.version, "sha256": sha256_of(content)}


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class SupportRules:
    """When the support score is given, how it is shown to people, and by which calibration and verifier."""

    when: Literal["claims", "always", "never"]
    supported_from: Share
    unsupported_below: Share
    claim_from: Share
    calibration: Calibration | None
    verifier: str | None
    verifier_weight: Share
    supported_unasked_from: Share | None = None  # where no question is given; the model has a limit of its own

    def __post_init__(self) -> None:
        if self.unsupported_below > self.supported_from:
            raise ValueError("unsupported_below may not be above supported_from")

    @model_serializer(mode="wrap")
    def _said(self, content: SerializerFunctionWrapHandler) -> dict[str, Any]:
        said: dict[str, Any] = content(self)
        if self.supported_unasked_from is None:  # not written, so that rubrics of older versions keep their hash
            said.pop("supported_unasked_from", None)
        return said


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class RefusalVerdicts:
    """The verdict for each way in which a refusal meets, or misses, what was expected."""

    as_expected: Outcome
    partial: Outcome
    wrong_code: Outcome
    unneeded: Outcome
    missing: Outcome
    unjudged: Outcome


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class RefusalRules:
    """How a refusal is known by its wording, and how it is judged."""

    at_most_words: Count
    read_words: Count
    words: dict[str, Words]
    parts: dict[str, Patterns]
    declines: Patterns
    doubts: Patterns
    facts: Patterns
    courtesies: Patterns
    referrals: Patterns
    asides: Patterns
    whole: Patterns
    place_asked: Patterns
    conflicts: Words
    joins: Words
    joins_after_comma: Words
    reasons: Words
    results: Words
    signs: Words
    verdicts: RefusalVerdicts

    def __post_init__(self) -> None:
        if "VERB" not in self.words or "REFER" not in self.words:
            raise ValueError("words must have VERB and REFER")
        known = {*self.words, *self.parts}
        _check_parts(self.parts)
        for patterns in (
            *self.parts.values(),
            self.declines, self.doubts, self.facts, self.courtesies, self.referrals, self.asides, self.whole,
            self.place_asked,
        ):  # fmt: skip
            _check_patterns(patterns, known)


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class ClaimRules:
    """The words that tell an assertion from a guess, and a denial from a claim."""

    most_per_verb: Annotated[int, Field(strict=True, ge=1, le=10_000)]
    modals: Words
    hedge_verbs: Words
    hedge_words: Words
    conditions: Words
    opaque_subjects: Words
    pronouns: Words
    negations: Words
    negation_reach: Annotated[int, Field(strict=True, ge=1, le=50)]
    bounds: Words


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class WordLists:
    """The words that carry no topic."""

    question: Words
    measure: Words
    asking: Words
    stop: Words


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class RuleVerdicts:
    """The verdict that each rule asks for where it fires; the worst of them stands."""

    hallucination: Outcome = "FAIL"
    relevance: Outcome = "FAIL"
    completeness: Outcome = "WARN"
    contradicted: Outcome = "PASS"
    unsupported: Outcome = "PASS"


# as the rubric that ships says; not written, so that rubrics of older versions keep their hash
_RULE_VERDICTS = RuleVerdicts()


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class VerdictRubric:
    """The whole verdict rubric."""

    name: Literal["verdict"]
    version: Annotated[str, Field(min_length=1)]
    relevance: Relevance
    completeness: Completeness
    hallucination: Hallucination
    support: SupportRules
    refusal: RefusalRules
    claims: ClaimRules
    words: WordLists
    verdicts: RuleVerdicts = field(default_factory=lambda: _RULE_VERDICTS)

    @model_serializer(mode="wrap")
    def _said(self, content: SerializerFunctionWrapHandler) -> dict[str, Any]:
        said: dict[str, Any] = content(self)
        if self.verdicts == _RULE_VERDICTS:
            said.pop("verdicts", None)
        return said
