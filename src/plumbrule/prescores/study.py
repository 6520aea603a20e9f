"""One interaction as the checks see it: its texts as views, its markers, and the evidence for its anchors."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeVar

from plumbrule.interactions.interaction import Interaction
from plumbrule.prescores.checks import Spot, spot_in
from plumbrule.prescores.excerpts import stands_in
from plumbrule.rubrics import ComplianceRubric, RefusalTaxonomy, VerdictRubric
from plumbrule.samples.sample_model import Citation, Passage
from plumbrule.support.support_scorer import Support, SupportedSentence, SupportScorer
from plumbrule.support.value_evidence import find_value
from plumbrule.text.claims import Claim
from plumbrule.text.sentences import Sentence
from plumbrule.text.text_view import TextView, TextViews
from plumbrule.verdicts.anchors import Anchor
from plumbrule.verdicts.completeness import extract_keywords
from plumbrule.verdicts.hallucination import Hallucination, score_hallucination
from plumbrule.verdicts.lexicon import Lexicon
from plumbrule.verdicts.refusal import RefusalFinding

_BRACKETS = re.compile(r"[\[【]([^\[\]【】\n]{1,60})[\]】]")
_BETWEEN = re.compile(r"[,;]")
_RANGE = re.compile(r"(\d{1,4})\s*[-–]\s*(\d{1,4})")
_WIDEST_RANGE = 20

if TYPE_CHECKING:
    from plumbrule.support.findings import Finding

T = TypeVar("T", "Marker", Anchor)


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The rubrics and word lists that the checks use."""

    compliance: ComplianceRubric
    refusals: RefusalTaxonomy
    verdict: VerdictRubric
    words: Lexicon
    support: SupportScorer | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Marker:
    """One ``[N]``, ``[^N]`` or ``【N】`` of an answer, with the citation that it names."""

    start: int
    end: int
    citation_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """An interaction with what was worked out of it; all of it follows from the interaction and the policy."""

    interaction: Interaction
    policy: Policy
    question: TextView
    answer: TextView
    passages: list[TextView]
    refusal: RefusalFinding | None
    claims: tuple[Claim, ...]
    anchors: Hallucination
    support: Support | None
    citation_ids: tuple[str, ...] = ()
    markers: tuple[Marker, ...] = ()
    keywords: frozenset[str] = frozenset()
    declined: tuple[tuple[int, int], ...] = ()  # the clauses of the answer that decline, by their wording
    _by_source: dict[tuple[int, ...], tuple[Anchor, ...]] = field(default_factory=dict)
    _supports: dict[tuple[int, ...], Support | None] = field(default_factory=dict)

    @property
    def refused(self) -> bool:
        """Whether the assistant declined, by declaration or by its wording."""
        return self.refusal is not None and self.refusal.refused

    @property
    def answered(self) -> bool:
        """Whether there is an answer to check; one beside a refusal is one where it cites its sources."""
        return bool(self.answer.text.strip()) and (not self.refused or bool(self.markers))

    @property
    def known_support(self) -> Support | None:
        """The support score where all retrieved passages are known: some of them would support too little."""
        return self.support if self.passages and not self.interaction.unresolved else None

    def content_between(self, start: int, end: int) -> list[str]:
        """Return the lemmas with a topic in a stretch of the answer."""
        first, last = self.answer.words_between(start, end)
        return [lemma for lemma in self.answer.lemmas[first:last] if lemma not in self.policy.words.stop]

    @property
    def numbered(self) -> bool:
        """Whether ``[1]`` means the first retrieved passage: there are no citations and the passages are known."""
        return not self.interaction.sample.citations and self.interaction.retrieval_known and bool(self.passages)

    @property
    def cited_places(self) -> dict[str, tuple[int, ...]]:
        """The passages that each citation marker can mean."""
        if self.numbered:
            return {str(number): (number - 1,) for number in range(1, len(self.passages) + 1)}
        citations = zip(self.citation_ids, self.interaction.sample.citations, strict=True)
        return {name: self.cited_passages(citation) for name, citation in citations}

    def cited_passages(self, citation: Citation) -> tuple[int, ...]:
        """Return the passages that a citation can mean: those of its source, and those of no source that is known."""
        return cited_passages(citation, self.interaction.passages)

    def anchors_against(self, passages: tuple[int, ...]) -> tuple[Anchor, ...]:
        """Return the answer's anchors, checked against some of the passages only."""
        if passages == tuple(range(len(self.passages))):
            return self.anchors.anchors
        known = self._by_source.get(passages)
        if known is None:
            views = [self.passages[index] for index in passages]
            decides = self.policy.verdict.hallucination.claim_check == "evidence"
            support = self.support_by(passages) if decides else None
            checked = _check_anchors(self.question, self.answer, views, self.claims, self.policy, support)
            known = self._by_source[passages] = checked.anchors
        return known

    def support_by(self, passages: tuple[int, ...]) -> Support | None:
        """Return the support of the answer by some of the passages only."""
        if self.policy.support is None or passages == tuple(range(len(self.passages))):
            return self.support
        if passages not in self._supports:
            views = [self.passages[index] for index in passages]
            self._supports[passages] = self.policy.support.score(self.answer, views)
        return self._supports[passages]

    def is_echo(self, anchor: Anchor) -> bool:
        """Tell whether a number or date repeats one of the question: who asked said it, not the assistant."""
        values = self.answer.values_between(anchor.start, anchor.end)
        return bool(values) and find_value(values[0], self.answer, TextViews([self.question])) is not None

    def declines(self, start: int, end: int) -> bool:
        """Tell whether the answer declines something in this stretch."""
        return any(place < end and start < until for place, until in self.declined)

    def contradicts(self, anchor: Anchor, passages: Sequence[int]) -> bool:
        """Tell whether these passages contradict an anchor.

        Not where its value is the asker's own, nor where the other value is only the next of a series: "Level 1" says
        nothing against "Level 2".
        """
        return anchor.reason == "contradicted" and not self.is_echo(anchor) and not self._is_next(anchor, passages)

    def _is_next(self, anchor: Anchor, passages: Sequence[int]) -> bool:
        evidence = anchor.evidence
        if anchor.kind != "number" or evidence is None or not anchor.text.isdecimal():
            return False
        passage = self.passages[passages[evidence.context]]
        if not passage.text[evidence.start : evidence.end].isdecimal():
            return False
        label = _word_before(self.answer, anchor.start)
        return bool(label) and label not in self.policy.words.stop and label == _word_before(passage, evidence.start)

    def spot(self, place: "Marker | Anchor | Sentence | SupportedSentence | Finding") -> Spot:
        """Return a stretch of the answer as evidence."""
        return spot_in("answer", self.answer.text, place.start, place.end)

    def spots_of(self, anchor: Anchor, passages: Sequence[int]) -> Iterator[Spot]:
        """Yield an anchor that was checked against these passages, and the stretch that decided on it."""
        yield self.spot(anchor)
        evidence = anchor.evidence
        if evidence is not None:
            index = passages[evidence.context] if evidence.context < len(passages) else evidence.context
            passage = self.interaction.passages[index]
            yield spot_in(f"passages[{index}]", passage.text, evidence.start, evidence.end, passage.id)

    def sentence_anchors(self, sentence: Sentence) -> Sequence[Anchor]:
        """Return the anchors in a sentence of the answer."""
        return within(self.anchors.anchors, sentence)


def within(items: Sequence[T], sentence: Sentence) -> Sequence[T]:
    """Return the markers or anchors that start in a sentence; they are given in their order."""
    first = bisect_left(items, sentence.start, key=_start)
    return items[first : bisect_left(items, sentence.end, lo=first, key=_start)]


def _word_before(view: TextView, offset: int) -> str:
    """Return the lemma right before a place; empty where there is none, or something stands between."""
    index = view.words_between(0, offset)[1] - 1
    if index < 0 or view.text[view.spans[1][index] : offset].strip():
        return ""
    return view.lemmas[index]


def _start(item: Marker | Anchor) -> int:
    return item.start


def _check_anchors(
    question: TextView,
    answer: TextView,
    passages: list[TextView],
    claims: tuple[Claim, ...],
    policy: Policy,
    support: Support | None,
) -> Hallucination:
    """Check every anchor of the answer against these passages."""
    return score_hallucination(
        answer,
        TextViews(passages),
        claims,
        question=question,
        rubric=policy.verdict,
        check=policy.words.evidence,
        support=support,
    )


def begin_study(
    interaction: Interaction,
    policy: Policy,
    *,
    question: TextView,
    answer: TextView,
    passages: list[TextView],
    refusal: RefusalFinding | None,
    claims: tuple[Claim, ...],
) -> Study:
    """Return the study of one interaction."""
    ids = tuple(citation_ids(interaction.sample.citations))
    markers = tuple(find_markers(answer.text, frozenset(ids)))
    if markers and refusal is not None and refusal.refused and not refusal.declared:
        refusal = _unrefused(refusal)  # what cites its sources answers, even if it begins with what they do not say
    if refusal is not None and refusal.start is not None and refusal.end is not None:
        claims = tuple(
            claim for claim in claims if not (claim.sentence.start < refusal.end and refusal.start < claim.sentence.end)
        )
    refused = refusal is not None and refusal.refused and not markers
    worded = policy.words.refusal.find(question.text, answer)
    support = (
        policy.support.score(answer, passages, question.text) if policy.support is not None and not refused else None
    )
    return Study(
        interaction=interaction,
        policy=policy,
        question=question,
        answer=answer,
        passages=passages,
        refusal=refusal,
        claims=claims,
        anchors=_check_anchors(question, answer, passages, claims, policy, support),
        support=support,
        citation_ids=ids,
        markers=markers,
        keywords=frozenset(extract_keywords(question, policy.words.topic)),
        declined=tuple((clause.clause_start, clause.clause_end) for clause in worded.clauses) if worded else (),
    )


def _unrefused(refusal: RefusalFinding) -> RefusalFinding | None:
    """Return what is left to say of a refusal that is none."""
    if not refusal.expected:
        return None
    return replace(refusal, refused=False, extent=None, start=None, end=None, judgement="missing")


def cited_passages(citation: Citation, passages: Sequence[Passage]) -> tuple[int, ...]:
    """Return the passages that a citation can mean: those of its source, and those of no source that is known."""
    if citation.source_id is None:
        return tuple(
            index
            for index, passage in enumerate(passages)
            if citation.passage and stands_in(citation.passage, passage.text)
        )
    return tuple(
        index
        for index, passage in enumerate(passages)
        if passage.source_id is None or passage.source_id == citation.source_id
    )


def citation_ids(citations: Sequence[Citation]) -> list[str]:
    """Return the number of each citation; one without a number gets that of its place."""
    return [
        (citation.citation_id or "").strip().strip("[]").strip() or str(index)
        for index, citation in enumerate(citations, 1)
    ]


def find_markers(text: str, ids: frozenset[str]) -> list[Marker]:
    """Return the citation markers of an answer: numbers in brackets, lists and ranges of them, or known ids."""
    return [
        Marker(start=match.start(), end=match.end(), citation_id=name)
        for match in _BRACKETS.finditer(text)
        for part in _BETWEEN.split(match[1])
        for name in _names(part.strip(), ids)
    ]


def _names(part: str, ids: frozenset[str]) -> list[str]:
    name = part.lstrip("^")
    if name in ids or (name.isascii() and name.isdigit() and len(name) < 5):
        return [name]
    match = _RANGE.fullmatch(name)
    if match is not None and 0 < int(match[2]) - int(match[1]) < _WIDEST_RANGE:
        return [str(number) for number in range(int(match[1]), int(match[2]) + 1)]
    return []
