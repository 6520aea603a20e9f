"""What the contexts do not support of an answer, in a few lines of text: each stretch, why, and the evidence."""

from collections.abc import Iterator

from plumbrule.samples import Sample
from plumbrule.support.evidence import REASON_WORDS, Evidence
from plumbrule.terminal import safe, shortened
from plumbrule.verdicts import Anchor, Verdict

_LONGEST = 300  # characters of a text that are quoted
_AROUND = 80  # characters of a context on either side of the evidence
_MOST = 6  # stretches that are listed


def evidence_lines(sample: Sample, verdict: Verdict) -> list[str]:
    """Return the verdict, its reasons, the answer, and each stretch of it that is not supported with its evidence."""
    reasons = "; ".join(verdict.reasons) or "no rule fired"
    lines = [f"{verdict.headline}: {_quoted(reasons)}"]
    if sample.question:
        lines.append(f"question: {_quoted(sample.question)}")
    lines.append(f"answer: {_quoted(sample.answer)}" if sample.answer else "answer: none")
    if not sample.contexts:
        lines.append("contexts: none were given")
    stretches = list(_stretches(sample, verdict))
    for stretch in stretches[:_MOST]:
        lines += stretch
    if len(stretches) > _MOST:
        lines.append(f"and {len(stretches) - _MOST} more")
    if verdict.support is not None:
        lines.append(f"support: {verdict.support.band}, {verdict.support.score:.2f}")
    lines.append(f"rubric: {verdict.rubric['name']} {verdict.rubric['version']}")
    return lines


def _stretches(sample: Sample, verdict: Verdict) -> Iterator[list[str]]:
    """Yield the lines on each unsupported number, date and claim, then on each sentence that has none of them."""
    anchors = [anchor for anchor in verdict.hallucination.anchors if not anchor.supported]
    for anchor in anchors:
        if not any(_is_within(other, anchor) for other in anchors):  # the value says more than the claim around it
            yield _lines(anchor.text, REASON_WORDS[anchor.reason], sample, anchor.evidence)
    for sentence in verdict.support.sentences if verdict.support is not None else ():
        told = any(anchor.start < sentence.end and sentence.start < anchor.end for anchor in anchors)
        if sentence.claims and sentence.band == "unsupported" and not told:
            why = "; ".join(sentence.reasons) or "the contexts hardly support it"
            yield _lines((sample.answer or "")[sentence.start : sentence.end], why, sample, sentence.evidence)


def _is_within(inner: Anchor, outer: Anchor) -> bool:
    return inner is not outer and inner.kind != "claim" and outer.start <= inner.start and inner.end <= outer.end


def _lines(text: str, why: str, sample: Sample, evidence: Evidence | None) -> list[str]:
    lines = [f"not supported: '{_quoted(text)}' ({_quoted(why)})"]
    if evidence is not None:
        passage = sample.contexts[evidence.context].text
        excerpt = passage[max(0, evidence.start - _AROUND) : evidence.end + _AROUND]
        lines.append(f"    context {evidence.context}: '{_quoted(excerpt)}'")
    return lines


def _quoted(text: str) -> str:
    return shortened(" ".join(safe(text).split()), _LONGEST)
