"""The verdicts on a dataset as rows of a table, one for each sample."""

from plumbrule.reports.table_files import Cell
from plumbrule.samples import Sample
from plumbrule.verdicts import Verdict

_KINDS: dict[str, type[str] | type[int] | type[float] | type[bool]] = {
    "contexts": int,
    "hallucination": float,
    "support": float,
    "relevance": float,
    "completeness": float,
}
VERDICT_COLUMNS = {
    name: _KINDS.get(name, str)
    for name in (
        "id", "verdict", "headline", "question", "answer", "contexts", "hallucination", "support", "support_band",
        "relevance", "completeness", "unsupported", "reasons", "flags", "rubric",
    )
}  # fmt: skip


_BETWEEN = {"flags": ", "}  # what stands between several texts in one cell; else a semicolon


def verdict_fields(sample: Sample, verdict: Verdict) -> dict[str, Cell | tuple[str, ...]]:
    """Return what is told of a sample, by name; ``unsupported`` is what no context supports of the answer."""
    support, relevance, completeness = verdict.support, verdict.relevance, verdict.completeness
    return {
        "id": verdict.id,
        "question": sample.question,
        "answer": sample.answer,
        "contexts": len(sample.contexts),
        "verdict": verdict.verdict,
        "passed": verdict.passed,
        "headline": verdict.headline,
        "hallucination": verdict.hallucination.score,
        "support": None if support is None else support.score,
        "support_band": None if support is None else support.band,
        "relevance": None if relevance is None else relevance.score,
        "completeness": None if completeness is None else completeness.score,
        "refused": "refusal" in verdict.flags,
        "unsupported": tuple(anchor.text for anchor in verdict.hallucination.anchors if not anchor.supported),
        "reasons": tuple(verdict.reasons),
        "flags": tuple(verdict.flags),
        "rubric": f"{verdict.rubric['name']} {verdict.rubric['version']} {verdict.rubric['sha256'][:12]}",
    }


def verdict_row(sample: Sample, verdict: Verdict) -> list[Cell]:
    """Return what stands in the row of a sample."""
    fields = verdict_fields(sample, verdict)
    return [
        _BETWEEN.get(name, "; ").join(value) if isinstance(value := fields[name], tuple) else value
        for name in VERDICT_COLUMNS
    ]
