"""A pre-score as it is written to JSON and kept in the ledger, and the summary of many."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from plumbrule.codec import optional_key
from plumbrule.interactions.contract_findings import Finding, Severity
from plumbrule.prescores.checks import Dimension, Spot
from plumbrule.rubrics import Level, Stamp

# rules: caps decided; figures: measured against gold passages; hints: a hint proposes; refused: not applicable to a
# refusal; unknown: too little is known to propose anything.
Basis = Literal["rules", "figures", "hints", "refused", "unknown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cap:
    """A rule that fired; ``cap`` is the best level that its dimension may still get, None for a hint."""

    rule: str
    cap: Level | None
    message: str
    evidence: tuple[Spot, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HintResult:
    """A remark that caps nothing, with its figures and the level that it proposes, if any."""

    code: str
    message: str
    level: Level | None
    figures: Mapping[str, float]
    evidence: tuple[Spot, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DimensionResult:
    """What is proposed for one dimension; a level of None is no proposal, and ``basis`` says why."""

    level: Level | None
    basis: Basis
    caps: tuple[Cap, ...]
    hints: tuple[HintResult, ...]
    passed: tuple[str, ...]
    not_applicable: Mapping[str, str]  # rules, each with the reason


@dataclass(frozen=True, slots=True, kw_only=True)
class SupportBrief:
    """The support score of an answer without its sentences, with what made it."""

    score: float
    band: str
    model: Stamp | None = optional_key()
    calibration: Stamp | None = optional_key()
    verifier: Stamp | None = optional_key()


@dataclass(frozen=True, slots=True, kw_only=True)
class PrescoreResult:
    """The proposal for one interaction, by dimension, with the policies that made it."""

    id: str
    trace_id: str | None
    query: str
    grounding_status: str | None
    where: str
    passages_from: str
    scores: Mapping[Dimension, Level | None]
    dimensions: Mapping[Dimension, DimensionResult]
    support: SupportBrief | None
    findings: tuple[Finding, ...]
    rubrics: tuple[Stamp, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleTally:
    """One rule: how often it fired, and the first time that it did."""

    rule: str
    dimension: Dimension
    cap: Level | None
    count: int
    example: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingTally:
    """One code of finding: how often it was made, and the first of them."""

    count: int
    severity: Severity
    example: Finding


@dataclass(frozen=True, slots=True, kw_only=True)
class OverRefusal:
    """How many answerable queries were refused, and whether that is a pattern and not an edge case."""

    refused: int
    answerable: int
    pattern: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PrescoreSummary:
    """The pre-scores of many interactions: levels by dimension, the rules that fired, the findings."""

    counts: Mapping[str, int]  # of what was read
    prescored: int
    refused: int
    levels: Mapping[Dimension, Mapping[str, int]]  # "none" is no proposal
    rules: tuple[RuleTally, ...]  # the lowest caps first, among them the most frequent
    findings: Mapping[str, FindingTally]  # by code
    over_refusal: OverRefusal
    rubrics: tuple[Stamp, ...]
