"""One interaction as the checks see it: its texts as views, its markers, and what its anchors came to."""

import re
from dataclasses import dataclass, field

from plumbrule.rubrics import ComplianceRubric, RefusalTaxonomy, VerdictRubric
from plumbrule.samples.interactions import Interaction
from plumbrule.samples.model import Citation
from plumbrule.scorers.anchors import Anchor
from plumbrule.scorers.completeness import extract_keywords
from plumbrule.scorers.excerpts import stands_in
from plumbrule.scorers.hallucination import Hallucination, score_hallucination
from plumbrule.scorers.lexicon import Lexicon
from plumbrule.scorers.refusal import RefusalFinding
from plumbrule.text.claims import Claim
from plumbrule.text.sentences import Sentence
from plumbrule.text.view import TextView

_BRACKETS = re.compile(r"\[([^\[\]\n]{1,60})\]")
_BETWEEN = re.compile(r"[,;]")
_RANGE = re.compile(r"(\d{1,4})\s*[-–]\s*(\d{1,4})")
_WIDEST_RANGE = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """All that the checks go by."""

    compliance: ComplianceRubric
    refusals: RefusalTaxonomy
    verdict: VerdictRubric
    words: Lexicon


@dataclass(frozen=True, slots=True, kw_only=True)
class Marker:
    """One ``[N]`` of an answer, with the citation that it names."""

    start: int
    end: int
    citation_id: str


@dataclass(slots=True, kw_only=True)
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
    citation_ids: tuple[str, ...] = ()
    markers: tuple[Marker, ...] = ()
    keywords: frozenset[str] = frozenset()
    _by_source: dict[tuple[int, ...], tuple[Anchor, ...]] = field(default_factory=dict)

    @property
    def refused(self) -> bool:
        """Whether the assistant declined, by declaration or by its wording."""
        return self.refusal is not None and self.refusal.refused

    @property
    def answered(self) -> bool:
        """Whether there is an answer to check; a worded refusal answers nothing."""
        return bool(self.answer.text.strip()) and not self.refused

    def content_between(self, start: int, end: int) -> list[str]:
        """Return the lemmas with a topic in a stretch of the answer."""
        first, last = self.answer.words_between(start, end)
        return [lemma for lemma in self.answer.lemmas[first:last] if lemma not in self.policy.words.stop]

    def cited_passages(self, citation: Citation) -> tuple[int, ...]:
        """Return the passages that a citation can mean: those of its source or, with none named, of its excerpt."""
        found = []
        for index, passage in enumerate(self.interaction.passages):
            if citation.source_id is not None:
                if passage.source_id == citation.source_id:
                    found.append(index)
            elif citation.passage and stands_in(citation.passage, passage.text):
                found.append(index)
        return tuple(found)

    def anchors_against(self, passages: tuple[int, ...]) -> tuple[Anchor, ...]:
        """Return the answer's anchors, checked against some of the passages only."""
        if passages == tuple(range(len(self.passages))):
            return self.anchors.anchors
        known = self._by_source.get(passages)
        if known is None:
            views = [self.passages[index] for index in passages]
            known = self._by_source[passages] = check_anchors(self, views).anchors
        return known

    def sentence_anchors(self, sentence: Sentence) -> list[Anchor]:
        """Return the anchors that stand in a sentence of the answer."""
        return [anchor for anchor in self.anchors.anchors if sentence.start <= anchor.start < sentence.end]


def check_anchors(study: Study, passages: list[TextView]) -> Hallucination:
    """Check every anchor of the answer against these passages."""
    policy = study.policy
    return score_hallucination(
        study.answer,
        passages,
        study.claims,
        question=study.question,
        rubric=policy.verdict,
        check=policy.words.evidence,
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
    ids = tuple(_citation_ids(interaction.sample.citations))
    if refusal is not None and refusal.start is not None and refusal.end is not None:
        claims = tuple(
            claim for claim in claims if not (claim.sentence.start < refusal.end and refusal.start < claim.sentence.end)
        )
    nothing = score_hallucination(
        TextView(""), [], (), question=question, rubric=policy.verdict, check=policy.words.evidence
    )
    study = Study(
        interaction=interaction,
        policy=policy,
        question=question,
        answer=answer,
        passages=passages,
        refusal=refusal,
        claims=claims,
        anchors=nothing,
        citation_ids=ids,
        markers=tuple(find_markers(answer.text, frozenset(ids))),
        keywords=frozenset(extract_keywords(question, policy.words.topic)),
    )
    study.anchors = check_anchors(study, passages)
    return study


def _citation_ids(citations: tuple[Citation, ...]) -> list[str]:
    """Return the number of each citation; one that has none goes by its place."""
    return [
        (citation.citation_id or "").strip().strip("[]").strip() or str(index)
        for index, citation in enumerate(citations, 1)
    ]


def find_markers(text: str, ids: frozenset[str]) -> list[Marker]:
    """Return the citation markers of an answer: numbers in brackets, lists and ranges of them, or known ids."""
    return [
        Marker(start=found.start(), end=found.end(), citation_id=name)
        for found in _BRACKETS.finditer(text)
        for part in _BETWEEN.split(found[1])
        for name in _names(part.strip(), ids)
    ]


def _names(part: str, ids: frozenset[str]) -> list[str]:
    name = part.lstrip("^")
    if name in ids or (name.isascii() and name.isdigit() and len(name) < 5):
        return [name]
    found = _RANGE.fullmatch(name)
    if found is not None and 0 < int(found[2]) - int(found[1]) < _WIDEST_RANGE:
        return [str(number) for number in range(int(found[1]), int(found[2]) + 1)]
    return []
