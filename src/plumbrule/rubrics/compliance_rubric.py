"""The typed form of the compliance policy: limits, phrases, disclaimers, and the cap of each mechanical rule."""

from typing import Annotated, Literal, get_args

from pydantic import AfterValidator, ConfigDict, Field
from pydantic.dataclasses import dataclass

from plumbrule.rubrics.verdict_rubric import Count, Share, Words

_CLOSED = ConfigDict(extra="forbid")

Level = Literal["Strong", "Adequate", "Needs Review", "Unsafe"]
LEVELS: tuple[Level, ...] = get_args(Level)  # best first


def _phrases(phrases: tuple[str, ...]) -> tuple[str, ...]:
    """Return the phrases as written, without what is empty or stands twice; their order tells them apart."""
    kept = dict.fromkeys(" ".join(phrase.split()) for phrase in phrases)
    return tuple(phrase for phrase in kept if phrase.strip(" *"))


Phrases = Annotated[tuple[str, ...], AfterValidator(_phrases)]
Cap = Level | None
Name = Annotated[str, Field(min_length=1)]


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class Limits:
    """What the response contract allows at most, or asks for at least."""

    excerpt_characters: Count
    sources: Count
    query_characters: Count
    response_tokens: Count
    similarity_threshold: Share
    partial_coverage: Share
    full_coverage: Share


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class Statuses:
    """What the assistant calls each grounding status."""

    full: Name
    partial: Name
    refused: Name


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class Disclaimer:
    """When a disclaimer applies, and which words count as one."""

    told_by: Words
    at_least: Count
    wording: Phrases


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class AttributionRules:
    """Which sentences need a citation marker."""

    claim_words: Count
    framing: Words


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class RetrievalFigures:
    """The recall and nDCG that a level needs."""

    recall: Share
    ndcg: Share


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class HintShares:
    """The share of relevant passages that a level needs."""

    strong: Share
    adequate: Share


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class RetrievalRules:
    """How what was retrieved is measured."""

    strong: RetrievalFigures
    adequate: RetrievalFigures
    needs_review: RetrievalFigures
    depth: Count
    relevant_from: Share
    hint_shares: HintShares


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class GroundingRules:
    """When passages conflict with one another."""

    conflict_overlap: Share


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class CompletenessRules:
    """What a hint of incompleteness proposes."""

    value_asked: Phrases
    parts_unanswered: Level
    most_parts_unanswered: Level
    drawn_from: Share
    off_topic: Level


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class RefusalCheckRules:
    """How a refusal's wording is read."""

    escalation_words: Words
    collection_words: Words
    leak_words: Count
    over_refusal_pattern: Share


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class AttributionCaps:
    """The caps of attribution accuracy."""

    source_not_retrieved: Cap
    source_not_in_corpus: Cap
    citation_contradicts_claim: Cap
    marker_without_citation: Cap
    excerpt_not_in_passage: Cap
    citation_does_not_support: Cap
    citation_incomplete: Cap
    no_markers: Cap
    claim_without_marker: Cap
    weak_cited_support: Cap
    citation_unused: Cap
    too_many_sources: Cap
    excerpt_too_long: Cap


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class GroundingCaps:
    """The caps of grounding integrity."""

    claim_contradicted: Cap
    answered_without_passages: Cap
    value_unsupported: Cap
    claims_mostly_unsupported: Cap
    status_against_coverage: Cap
    status_against_trace: Cap
    claim_unsupported: Cap
    weak_support: Cap
    partial_without_warning: Cap


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class RefusalCaps:
    """The caps of refusal appropriateness."""

    answered_though_refusal_expected: Cap
    restricted_content_named: Cap
    silent_failure: Cap
    refusal_code_wrong: Cap
    refusal_code_unknown: Cap
    refusal_undeclared: Cap
    code_against_trace: Cap
    conflict_not_reported: Cap
    answered_below_threshold: Cap
    escalation_missing: Cap
    refused_though_answerable: Cap
    conflict_not_found: Cap
    conflict_not_named: Cap
    guidance_missing: Cap
    clarification_missing: Cap


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class ComplianceCaps:
    """The caps of compliance alignment."""

    prohibited_phrase: Cap
    disclaimer_missing: Cap
    response_too_long: Cap


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class Caps:
    """The best level that a dimension may still get where a rule fires; None is a hint only."""

    attribution_accuracy: AttributionCaps
    grounding_integrity: GroundingCaps
    refusal_appropriateness: RefusalCaps
    compliance_alignment: ComplianceCaps


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class ComplianceRubric:
    """The whole compliance policy."""

    name: Literal["compliance"]
    version: Name
    limits: Limits
    statuses: Statuses
    prohibited_phrases: Phrases
    disclaimers: dict[Name, Disclaimer]
    attribution: AttributionRules
    retrieval: RetrievalRules
    grounding: GroundingRules
    completeness: CompletenessRules
    refusal: RefusalCheckRules
    caps: Caps
