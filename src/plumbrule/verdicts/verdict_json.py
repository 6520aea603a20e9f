"""The JSON form of a verdict, key by key as it is documented: the types that describe it, and the writer.

The writer builds plain dicts by hand, since one is written for every sample of a dataset. The dataclasses are the
schema of what it writes.
"""

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from plumbrule.codec import optional_key
from plumbrule.rubrics import AnchorKind, Outcome
from plumbrule.support.evidence import Reason
from plumbrule.support.support_scorer import Band
from plumbrule.verdicts.anchors import Anchor
from plumbrule.verdicts.completeness import Completeness
from plumbrule.verdicts.hallucination import Hallucination
from plumbrule.verdicts.headline import Concern, concerns_of
from plumbrule.verdicts.refusal import RefusalFinding
from plumbrule.verdicts.relevance import Relevance

if TYPE_CHECKING:
    from plumbrule.verdicts.verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class StampJson:
    """The name, version and hash of a rubric, a model or a calibration."""

    name: str
    version: str
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CompletenessJson:
    """The share of the question's keywords that the answer has."""

    score: float
    keywords: tuple[str, ...]
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceJson:
    """A part of a context, by its offsets."""

    context: int
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceJson(PlaceJson):
    """A place in a context, and the text there."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AnchorJson:
    """A number, date or claim of the answer with its evidence; a claim also has its subject, verb and object."""

    kind: AnchorKind
    text: str
    start: int
    end: int
    supported: bool
    reason: Reason
    evidence: EvidenceJson | None
    ambiguous: bool | None = optional_key()
    subject: str | None = optional_key()
    verb: str | None = optional_key()
    object: str | None = optional_key()
    negated: bool | None = optional_key()


@dataclass(frozen=True, slots=True, kw_only=True)
class HallucinationJson:
    """The share of unsupported anchors, or the drift penalty where that is greater."""

    score: float
    claims: float
    ngram_overlap: float | None
    drift_penalty: float
    anchors_total: int
    anchors_unsupported: int
    anchors: tuple[AnchorJson, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanJson:
    """A part of the answer, by its offsets."""

    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceJson:
    """The probability that the contexts support one sentence, with the best evidence and the reasons against it."""

    start: int
    end: int
    probability: float
    band: Band
    claims: bool
    evidence: PlaceJson | None
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SupportJson:
    """The probability that the contexts support the whole answer, and each of its sentences."""

    score: float
    band: Band
    sentences: tuple[SentenceJson, ...]
    unsupported_spans: tuple[SpanJson, ...]
    model: StampJson
    calibration: StampJson | None = optional_key()
    verifier: StampJson | None = optional_key()


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictJson:
    """The verdict on one sample, with its scores and the evidence; a score that could not be given is null."""

    id: str
    verdict: Outcome
    reasons: tuple[str, ...]
    flags: tuple[str, ...]
    relevance: Relevance | None
    completeness: CompletenessJson | None
    hallucination: HallucinationJson
    support: SupportJson | None
    refusal: RefusalFinding | None
    rubric: StampJson
    headline: str  # the verdict, and beside one that does not fail what the evidence has against it

    @property
    def passed(self) -> bool:
        """Whether the verdict is PASS."""
        return self.verdict == "PASS"

    @property
    def concerns(self) -> tuple[Concern, ...]:
        """What the evidence has against the answer."""
        return concerns_of(self.flags, self.support.band if self.support is not None else None)


def verdict_record(verdict: "Verdict") -> dict[str, Any]:
    """Return the verdict as one JSON object; a score that could not be given is null."""
    relevance, completeness, refusal = verdict.relevance, verdict.completeness, verdict.refusal
    return {
        "id": verdict.id,
        "verdict": verdict.verdict,
        "reasons": list(verdict.reasons),
        "flags": list(verdict.flags),
        "relevance": _relevance(relevance) if relevance is not None else None,
        "completeness": _completeness(completeness) if completeness is not None else None,
        "hallucination": _hallucination(verdict.hallucination),
        "support": verdict.support.to_dict() if verdict.support is not None else None,
        "refusal": asdict(refusal) if refusal is not None else None,
        "rubric": dict(verdict.rubric),
        "headline": verdict.headline,
    }


def _relevance(relevance: Relevance) -> dict[str, float]:
    return {"score": relevance.score, "cosine": relevance.cosine, "jaccard": relevance.jaccard}


def _completeness(completeness: Completeness) -> dict[str, Any]:
    keywords, missing = list(completeness.keywords), list(completeness.missing)
    return {"score": completeness.score, "keywords": keywords, "missing": missing}


def _hallucination(hallucination: Hallucination) -> dict[str, Any]:
    overlap = hallucination.ngram_overlap
    return {
        "score": hallucination.score,
        "claims": float(hallucination.claims),
        "ngram_overlap": None if overlap is None else float(overlap),
        "drift_penalty": float(hallucination.drift_penalty),
        "anchors_total": len(hallucination.anchors),
        "anchors_unsupported": hallucination.unsupported,
        "anchors": [_anchor(anchor) for anchor in hallucination.anchors],
    }


def _anchor(anchor: Anchor) -> dict[str, Any]:
    record = anchor._asdict()
    ambiguous, triple = record.pop("ambiguous"), record.pop("triple")
    if anchor.evidence is not None:
        record["evidence"] = anchor.evidence._asdict()
    if ambiguous:
        record["ambiguous"] = True
    return record if triple is None else record | triple._asdict()
