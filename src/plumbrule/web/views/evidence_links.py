"""The texts of an interaction in pieces that refer to each other: a marker ``[1]``, its sentence, its excerpt."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from plumbrule.prescores.excerpts import stands_in
from plumbrule.prescores.study import citation_ids, cited_passages, find_markers
from plumbrule.reports.marks.marked_text import Span, mark_text
from plumbrule.reviews.sheets import EarlierAnswer, Sheet
from plumbrule.samples.sample_model import Citation, Passage
from plumbrule.text.sentences import sentences

_WORDS_OF_EXCERPT = 400  # that an excerpt is looked for by, where its spacing differs
_WHOLE = 120_000  # characters of all passages that are shown at once
_LEAST = 500  # characters of one passage that are always shown


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A piece of text; it is lit with every other piece that has one of its references."""

    text: str
    refs: tuple[str, ...] = ()
    marker: bool = False  # it is a [1] of the answer, and leads to its excerpt


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedSentence:
    """A sentence of the answer with the markers in it, or what stands between two sentences."""

    pieces: tuple[Piece, ...]
    refs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedPassage:
    """A passage with the excerpts that the answer cites marked in it."""

    number: int
    passage: Passage
    pieces: tuple[Piece, ...]
    refs: tuple[str, ...]  # of the citations that mean this passage
    targets: tuple[str, ...]  # of those whose markers lead to the passage as a whole
    left_out: int  # characters that are not shown


@dataclass(frozen=True, slots=True, kw_only=True)
class LooseCitation:
    """A citation whose excerpt is in none of the passages."""

    ref: str
    citation: Citation


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedTexts:
    """The answer and the passages of an interaction, each referring to the other."""

    answer: tuple[LinkedSentence, ...]
    answer_left_out: int
    passages: tuple[LinkedPassage, ...]
    loose: tuple[LooseCitation, ...]


def link_texts(shown: Sheet | EarlierAnswer, *, prefix: str = "", whole: bool = False) -> LinkedTexts:
    """Return the texts of an interaction in pieces; ``prefix`` keeps the references of two answers apart.

    Texts are cut to what a page can hold unless the ``whole`` is asked for.
    """
    most = None if whole else max(_LEAST, _WHOLE // max(1, len(shown.passages)))
    texts = [passage.text if most is None else passage.text[:most] for passage in shown.passages]
    spans: list[list[tuple[int, int, str]]] = [[] for _ in texts]
    meant: list[list[str]] = [[] for _ in texts]
    targets: list[list[str]] = [[] for _ in texts]
    loose: list[LooseCitation] = []
    known: dict[str, str] = {}
    for number, (name, citation) in enumerate(zip(citation_ids(shown.citations), shown.citations, strict=True), 1):
        ref = known.setdefault(name, f"{prefix}{number}")
        places = list(_places(citation, texts))
        for index, start, end in places:
            spans[index].append((start, end, ref))
        excerpt = citation.passage
        holding = [
            index for index, passage in enumerate(shown.passages) if excerpt and stands_in(excerpt, passage.text)
        ]
        for index in {index for index, _, _ in places} or holding or cited_passages(citation, shown.passages):
            meant[index].append(ref)
        if not places and holding:  # quoted with other marks, or beyond what is shown: the marker leads to the passage
            targets[holding[0]].append(ref)
        elif not places:
            loose.append(LooseCitation(ref=ref, citation=citation))
    if not shown.citations:  # [1] means the first passage
        known = {str(number): f"{prefix}{number}" for number in range(1, len(texts) + 1)}
        meant = targets = [[f"{prefix}{number}"] for number in range(1, len(texts) + 1)]
    answer = shown.answer or ""
    cut = answer if whole else answer[:_WHOLE]
    return LinkedTexts(
        answer=tuple(_sentences(cut, known)),
        answer_left_out=len(answer) - len(cut),
        passages=tuple(
            LinkedPassage(
                number=index + 1,
                passage=passage,
                pieces=tuple(_pieces(texts[index], spans[index])),
                refs=tuple(dict.fromkeys(meant[index])),
                targets=tuple(dict.fromkeys(targets[index])),
                left_out=len(passage.text) - len(texts[index]),
            )
            for index, passage in enumerate(shown.passages)
        ),
        loose=tuple(loose),
    )


def _places(citation: Citation, texts: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """Yield where the excerpt of a citation stands: in which passage, from where, to where."""
    excerpt = (citation.passage or "").strip().strip("….\"“”'").strip()
    if not excerpt:
        return
    words = excerpt.split()[:_WORDS_OF_EXCERPT]
    pattern = re.compile(r"\s+".join(map(re.escape, words)), re.IGNORECASE)
    for index, text in enumerate(texts):
        found = pattern.search(text)
        if found is not None:
            yield index, found.start(), found.end()


def _sentences(text: str, known: Mapping[str, str]) -> Iterator[LinkedSentence]:
    """Yield the text of an answer, whole and in order, by its sentences."""
    place = 0
    for sentence in sentences(text):
        if sentence.start > place:
            yield LinkedSentence(pieces=tuple(_marked(text[place : sentence.start], known)))
        pieces = tuple(_marked(text[sentence.start : sentence.end], known))
        refs = tuple(dict.fromkeys(ref for piece in pieces for ref in piece.refs))
        yield LinkedSentence(pieces=pieces, refs=refs)
        place = sentence.end
    if place < len(text):
        yield LinkedSentence(pieces=tuple(_marked(text[place:], known)))


def _marked(text: str, known: Mapping[str, str]) -> Iterator[Piece]:
    """Yield a text with its markers, each with the references of all citations that it names."""
    refs: dict[tuple[int, int], list[str]] = {}
    for marker in find_markers(text, frozenset(known)):
        if marker.citation_id in known:
            refs.setdefault((marker.start, marker.end), []).append(known[marker.citation_id])
    place = 0
    for (start, end), named in refs.items():
        if start > place:
            yield Piece(text=text[place:start])
        yield Piece(text=text[start:end], refs=tuple(named), marker=True)
        place = end
    if place < len(text):
        yield Piece(text=text[place:])


def _pieces(text: str, marks: Sequence[tuple[int, int, str]]) -> Iterator[Piece]:
    """Yield a text cut wherever a mark begins or ends, each piece with the references of the marks over it."""
    spans = [Span(id=ref, start=start, end=end, kind="excerpt") for start, end, ref in marks]
    for segment in mark_text(text, spans).segments:
        yield Piece(text=segment.text, refs=tuple(dict.fromkeys(span.id for span in segment.spans)))
