"""A pre-score as the ledger keeps it, with the fields in the order of the ledger's canonical JSON."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from plumbrule.codec import from_json


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A place in the interaction that a check refers to."""

    end: int | None = None
    ref: str | None = None
    start: int | None = None
    text: str
    where: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Cap:
    """A rule that was broken: the best level that is left, None for a mere hint."""

    cap: str | None
    evidence: tuple[Evidence, ...]
    message: str
    rule: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HintLine:
    """Something for a person to look at."""

    code: str
    evidence: tuple[Evidence, ...]
    figures: Mapping[str, Any]
    level: str | None
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """The proposed level of one dimension, with its reasons; None is no proposal, and ``basis`` says why."""

    basis: str
    caps: tuple[Cap, ...]
    hints: tuple[HintLine, ...]
    level: str | None
    not_applicable: Mapping[str, str]
    passed: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptPrescore:
    """The proposals for an interaction, and the rubrics that they were made by."""

    dimensions: Mapping[str, Proposal]
    rubrics: tuple[Mapping[str, str], ...]
    scores: Mapping[str, str | None]
    support: Mapping[str, Any] | None = None  # not there in older versions


def proposed_level(proposal: Proposal, not_applicable: str) -> str | None:
    """Return the name of the level that is proposed: not applicable for a refusal, None where nothing is."""
    return not_applicable if proposal.level is None and proposal.basis == "refused" else proposal.level


def read_prescore(body: object, *, where: str) -> KeptPrescore:
    """Return the pre-score that an entry of the ledger, or a result in JSON, holds."""
    return from_json(KeptPrescore, body, where=where)
