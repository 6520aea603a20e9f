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


def verdict_row(sample: Sample, verdict: Verdict) -> list[Cell]:
    """Return what stands in the row of a sample; ``unsupported`` is what the contexts do not support of the answer."""
    anchors = verdict.hallucination.anchors
    support, relevance, completeness = verdict.support, verdict.relevance, verdict.completeness
    return [
        verdict.id,
        verdict.verdict,
        verdict.headline,
        sample.question,
        sample.answer,
        len(sample.contexts),
        verdict.hallucination.score,
        None if support is None else support.score,
        None if support is None else support.band,
        None if relevance is None else relevance.score,
        None if completeness is None else completeness.score,
        "; ".join(anchor.text for anchor in anchors if not anchor.supported),
        "; ".join(verdict.reasons),
        ", ".join(verdict.flags),
        f"{verdict.rubric['name']} {verdict.rubric['version']} {verdict.rubric['sha256'][:12]}",
    ]
