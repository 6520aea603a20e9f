"""An answer beside its passages: sentences marked by support, values by their evidence, citations by what they cite."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from plumbrule.prescores.excerpts import stands_in
from plumbrule.prescores.study import citation_ids, cited_passages, find_markers
from plumbrule.reports.marks.marked_text import MarkedText, Span, mark_text
from plumbrule.samples import Citation, Passage
from plumbrule.support.evidence import Evidence
from plumbrule.support.kept_support import SupportSentence, answer_support
from plumbrule.text.figure_format import figure
from plumbrule.verdicts import Verdict
from plumbrule.verdicts.contradictions import Contradiction, contradictions

_MOST_MARKS = 150  # of each kind, where a page is to stay short


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedPassage:
    """A passage with the evidence that was found in it; ``id`` is its place on the page."""

    id: str
    passage: Passage
    text: MarkedText
    cited_by: tuple[tuple[str, str], ...]  # the citation markers that mean it: their words and places in the answer


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedAnswer:
    """An answer with its marks, the passages with theirs, and the sentences of the answer in words."""

    answer: MarkedText
    passages: tuple[MarkedPassage, ...]
    sentences: tuple[SupportSentence, ...]
    unmarked: int = 0  # sentences that are not marked, since the page would be too long


def mark_answer(
    answer: str,
    passages: Sequence[Passage],
    citations: Sequence[Citation] = (),
    verdict: Verdict | None = None,
    *,
    longest: int | None = None,
) -> MarkedAnswer:
    """Mark an answer and its passages by a verdict, where there is one, and by the citations of the answer.

    ``longest`` bounds how many characters of each text are shown, and with it how many sentences are marked.
    """
    marks = _Marks(passages=passages, most=None if longest is None else _MOST_MARKS)
    if verdict is not None:
        marks.add_sentences(verdict)
        marks.add_values(verdict, answer)
    marks.add_citations(answer, citations)
    support = None if verdict is None or verdict.support is None else verdict.support.to_dict()
    told = answer_support(support, answer, [passage.text for passage in passages])
    return MarkedAnswer(
        answer=mark_text(answer, marks.in_answer, longest=longest),
        passages=tuple(
            MarkedPassage(
                id=_passage_id(index),
                passage=passage,
                text=mark_text(passage.text, marks.in_passages.get(index, ()), longest=longest),
                cited_by=tuple(marks.cited_by.get(index, ())),
            )
            for index, passage in enumerate(passages)
        ),
        sentences=() if told is None else told.sentences,
        unmarked=max(0, len(told.sentences) - _MOST_MARKS) if told is not None and longest is not None else 0,
    )


@dataclass(slots=True, kw_only=True)
class _Marks:
    """The spans of an answer and of its passages, as they are collected."""

    passages: Sequence[Passage]
    most: int | None  # how many sentences, values and citations are marked, the first of each
    in_answer: list[Span] = field(default_factory=list)
    in_passages: dict[int, list[Span]] = field(default_factory=dict)
    cited_by: dict[int, list[tuple[str, str]]] = field(default_factory=dict)

    def add_sentences(self, verdict: Verdict) -> None:
        for number, sentence in enumerate(
            verdict.support.sentences[: self.most] if verdict.support is not None else (), 1
        ):
            name = f"sentence-{number}"
            state = sentence.band if sentence.claims else "plain"
            words = (
                f"{sentence.band}, {figure(sentence.probability)}" if sentence.claims else "claims nothing to support"
            )
            self.in_answer.append(
                Span(
                    id=name,
                    start=sentence.start,
                    end=sentence.end,
                    kind="sentence",
                    state=state,
                    title="; ".join((words, *sentence.reasons)),
                    lights=self._evidence(name, sentence.evidence, "evidence", f"evidence for sentence {number}"),
                )
            )

    def add_values(self, verdict: Verdict, answer: str) -> None:
        anchors = {
            (anchor.start, anchor.end): anchor for anchor in verdict.hallucination.anchors if anchor.kind != "claim"
        }
        against = {(each.start, each.end): each for each in _narrow(verdict)}
        for number, (start, end) in enumerate(sorted({*anchors, *against})[: self.most], 1):
            name, anchor = f"value-{number}", anchors.get((start, end))
            rival = against.get((start, end))
            contradicted = rival is not None
            supported = anchor is not None and anchor.supported and not contradicted
            state = "contradicted" if contradicted else "supported" if supported else "missing"
            evidence = anchor.evidence if anchor is not None else None
            what = answer[start:end]
            self.in_answer.append(
                Span(
                    id=name,
                    start=start,
                    end=end,
                    kind="value",
                    state=state,
                    title={
                        "contradicted": "a passage says otherwise",
                        "supported": "stands in a passage",
                        "missing": "stands in no passage",
                    }[state],
                    note="" if rival is None else _note(rival),
                    lights=self._evidence(
                        name,
                        evidence,
                        "rival" if contradicted else "evidence",
                        f"where the answer says {what}" if contradicted else f"evidence for {what}",
                    ),
                )
            )

    def add_citations(self, answer: str, citations: Sequence[Citation]) -> None:
        ids = citation_ids(citations)
        meant = {name: self._cited(citation) for name, citation in zip(ids, citations, strict=True)}
        if not citations:  # [1] is then the first passage
            meant = {str(index + 1): (index,) for index in range(len(self.passages))}
        for number, marker in enumerate(find_markers(answer, frozenset(ids))[: self.most], 1):
            name, places = f"citation-{number}", meant.get(marker.citation_id, ())
            self.in_answer.append(
                Span(
                    id=name,
                    start=marker.start,
                    end=marker.end,
                    kind="citation",
                    state="found" if places else "missing",
                    title=f"cites passage {places[0] + 1}" if places else "cites no passage that was given",
                    lights=tuple(map(_passage_id, places)),
                )
            )
            for place in places:
                self.cited_by.setdefault(place, []).append((f"[{marker.citation_id}]", name))

    def _cited(self, citation: Citation) -> tuple[int, ...]:
        """Return the passages that a citation means, those that hold its excerpt first."""
        places = cited_passages(citation, self.passages)
        excerpt = citation.passage
        return tuple(sorted(places, key=lambda place: not (excerpt and stands_in(excerpt, self.passages[place].text))))

    def _evidence(self, of: str, evidence: Evidence | None, kind: str, title: str) -> tuple[str, ...]:
        """Mark the evidence of a span; one place may be the evidence of several."""
        if evidence is None or not 0 <= evidence.context < len(self.passages):
            return ()
        name = f"of-{of}"
        self.in_passages.setdefault(evidence.context, []).append(
            Span(id=name, start=evidence.start, end=evidence.end, kind=kind, title=title, lights=(of,))
        )
        return (name,)


def _note(rival: Contradiction) -> str:
    """Say what the passage has in place of what is marked, where that is known."""
    if not rival.against:
        return ""
    return f"the passage denies: {rival.against}" if rival.denied else f"the passage says: {rival.against}"


def _narrow(verdict: Verdict) -> Iterator[Contradiction]:
    """Yield what a context contradicts, other than whole claims: their sentences are marked already."""
    claims = {(anchor.start, anchor.end) for anchor in verdict.hallucination.anchors if anchor.kind == "claim"}
    for each in contradictions(verdict.hallucination.anchors, verdict.support):
        if (each.start, each.end) not in claims:
            yield each


def _passage_id(index: int) -> str:
    return f"passage-{index + 1}"
