"""The JSON form of a verdict, key by key as it is documented."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from plumbrule.verdicts.anchors import Anchor
from plumbrule.verdicts.completeness import Completeness
from plumbrule.verdicts.hallucination import Hallucination
from plumbrule.verdicts.relevance import Relevance

if TYPE_CHECKING:
    from plumbrule.verdicts.verdict import Verdict


def verdict_record(verdict: "Verdict") -> dict[str, Any]:
    """Return the verdict as one JSON object; a score that could not be given is null."""
    return {
        "id": verdict.id,
        "verdict": verdict.verdict,
        "reasons": list(verdict.reasons),
        "flags": list(verdict.flags),
        "relevance": _relevance(verdict.relevance),
        "completeness": _completeness(verdict.completeness),
        "hallucination": _hallucination(verdict.hallucination),
        "support": verdict.support.to_dict() if verdict.support is not None else None,
        "refusal": asdict(verdict.refusal) if verdict.refusal is not None else None,
        "rubric": dict(verdict.rubric),
    }


def _relevance(relevance: Relevance | None) -> dict[str, float] | None:
    return (
        None
        if relevance is None
        else {
            "score": relevance.score,
            "cosine": relevance.cosine,
            "jaccard": relevance.jaccard,
        }
    )


def _completeness(completeness: Completeness | None) -> dict[str, Any] | None:
    return (
        None
        if completeness is None
        else {
            "score": completeness.score,
            "keywords": list(completeness.keywords),
            "missing": list(completeness.missing),
        }
    )


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
    evidence = anchor.evidence
    record: dict[str, Any] = {
        "kind": anchor.kind,
        "text": anchor.text,
        "start": anchor.start,
        "end": anchor.end,
        "supported": anchor.supported,
        "reason": anchor.reason,
        "evidence": evidence
        and {
            "context": evidence.context,
            "start": evidence.start,
            "end": evidence.end,
            "text": evidence.text,
        },
    }
    if anchor.ambiguous:
        record["ambiguous"] = True
    if anchor.triple is not None:
        triple = anchor.triple
        record |= {
            "subject": triple.subject,
            "verb": triple.verb,
            "object": triple.object,
            "negated": triple.negated,
        }
    return record
