"""Hallucination: the share of an answer's anchors that its contexts do not support, and the drift gate."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from plumbrule.rubrics import AnchorKind, VerdictRubric
from plumbrule.support.evidence import Finding, Reason
from plumbrule.support.support_scorer import Support, SupportedSentence
from plumbrule.support.value_evidence import find_rival, find_value
from plumbrule.text.claims import Claim
from plumbrule.text.dates import Date
from plumbrule.text.ratios import is_below, ratio
from plumbrule.text.similarity import containment
from plumbrule.text.text_view import TextView, TextViews
from plumbrule.text.tokens import lemmas
from plumbrule.text.values import Value
from plumbrule.verdicts.anchors import Anchor, anchor_at
from plumbrule.verdicts.claim_evidence import ClaimCheck, check_claim, triple_of
from plumbrule.verdicts.contradictions import contradicting

_NONE = ratio(0, 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hallucination:
    """The greater of the share of unsupported anchors and the drift penalty."""

    exact: Fraction  # the score as an exact share, for comparisons
    claims: Fraction
    ngram_overlap: Fraction | None  # None: the answer has no content to compare
    drift_penalty: Fraction
    drifted: bool
    anchors: tuple[Anchor, ...]
    unsupported: int

    @property
    def score(self) -> float:
        """The score as a number."""
        return float(self.exact)


def score_hallucination(
    answer: TextView,
    contexts: TextViews,
    claims: Sequence[Claim],
    *,
    question: TextView,
    rubric: VerdictRubric,
    check: ClaimCheck,
    support: Support | None,
) -> Hallucination:
    """Check every anchor of the answer, and whether the answer speaks of what its contexts speak of."""
    rules = rubric.hallucination
    decides = support if rules.claim_check == "evidence" else None
    anchors = _value_anchors(answer, contexts, question, rubric, check, decides)
    if decides is not None:
        anchors += _claims_by_support(answer, claims, decides, rubric, check)
    else:
        anchors += [
            _claim_anchor(claim, answer, check_claim(claim, answer, contexts, check), check) for claim in claims
        ]
    anchors.sort(key=lambda anchor: (anchor.start, anchor.end, anchor.kind))
    unsupported = [anchor.supported for anchor in anchors].count(False)
    overlap = _overlap(answer, contexts, rules.drift.ngram)
    drifted = overlap is not None and is_below(overlap, rules.drift.overlap_below)
    claims_share = ratio(unsupported, len(anchors)) if unsupported else _NONE
    penalty = rules.drift.penalty if drifted else _NONE
    return Hallucination(
        exact=max(claims_share, penalty) if drifted else claims_share,
        claims=claims_share,
        ngram_overlap=overlap,
        drift_penalty=penalty,
        drifted=drifted,
        anchors=tuple(anchors),
        unsupported=unsupported,
    )


def _value_anchors(
    answer: TextView,
    contexts: TextViews,
    question: TextView,
    rubric: VerdictRubric,
    check: ClaimCheck,
    decides: Support | None,
) -> list[Anchor]:
    """Return the numbers and dates of an answer.

    One that no context has may be worked out or converted: where support ``decides``, it is supported in a sentence
    that is, unless the support score itself shows what the contexts have in its place.
    """
    rules = rubric.hallucination
    anchors = []
    for value in answer.values:
        kind: AnchorKind = "date" if isinstance(value, Date) else "number"
        if kind not in rules.anchors or value.weak:
            continue
        finding = find_value(value, answer, contexts)
        if finding is None:
            finding = _in_support(value, decides, rubric)
        if finding is None:
            topic = partial(_topic, value, answer, question, check.stop)
            finding = find_rival(value, answer, contexts, topic=topic, overlap=rules.contradiction_overlap)
        anchors.append(anchor_at(answer, kind, value.start, value.end, finding))
    return anchors


def _in_support(value: Value, decides: Support | None, rubric: VerdictRubric) -> Finding | None:
    sentence = decides.at(value.start) if decides is not None else None
    if sentence is None or not _is_supported(sentence, rubric):
        return None
    if any(each.start < value.end and each.end > value.start for each in contradicting(sentence.findings)):
        return None
    return Finding(supported=True, reason="in_support", evidence=sentence.evidence)


def _topic(value: Value, answer: TextView, question: TextView, stop: frozenset[str]) -> set[str]:
    """Return what a value is said of: the other words of its sentence, else those of the question."""
    sentence = answer.sentence_at(value.start)
    text = answer.text
    beside = lemmas(f"{text[sentence.start : value.start]} {text[value.end : sentence.end]}")
    others = {lemma for lemma in beside if lemma not in stop}
    return others or set(question.content)


def _claim_anchor(claim: Claim, answer: TextView, finding: Finding, check: ClaimCheck) -> Anchor:
    return anchor_at(answer, "claim", claim.start, claim.end, finding, triple_of(claim, answer, check))


def _claims_by_support(
    answer: TextView, claims: Sequence[Claim], support: Support, rubric: VerdictRubric, check: ClaimCheck
) -> Iterator[Anchor]:
    """Yield the claims, each held supported where its sentence is; a sentence without any is one claim as a whole."""
    if "claim" not in rubric.hallucination.anchors:
        return
    by_sentence: dict[SupportedSentence, list[Claim]] = {}
    for claim in claims:
        sentence = support.at(claim.start)
        if sentence is not None:
            by_sentence.setdefault(sentence, []).append(claim)
    for sentence in support.sentences:
        if not sentence.claims:
            continue
        finding = _by_support(sentence, rubric)
        held = by_sentence.get(sentence, ())
        yield from (_claim_anchor(claim, answer, finding, check) for claim in held)
        if not held:
            yield anchor_at(answer, "claim", sentence.start, sentence.end, finding)


def _is_supported(sentence: SupportedSentence, rubric: VerdictRubric) -> bool:
    return sentence.probability >= float(rubric.support.claim_from)


def _by_support(sentence: SupportedSentence, rubric: VerdictRubric) -> Finding:
    """Hold what a sentence claims supported where the sentence is, and contradicted where its evidence differs."""
    if _is_supported(sentence, rubric):
        return Finding(supported=True, reason="found", evidence=sentence.evidence)
    reason: Reason = "contradicted" if contradicting(sentence.findings) else "not_found"
    return Finding(supported=False, reason=reason, evidence=sentence.evidence)


def _overlap(answer: TextView, contexts: TextViews, n: int) -> Fraction | None:
    if n > 1:
        return containment(answer.content, [context.content for context in contexts], n)
    wanted = missing = answer.content_set
    for context in contexts:  # the same figure, without a list per context
        missing = missing - context.lemma_set
    return ratio(len(wanted) - len(missing), len(wanted)) if wanted else None
