"""The texts of an interaction in pieces that refer to each other: a marker ``[1]``, its sentence, its excerpt."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from plumbrule.reviews.sheets import EarlierAnswer, Sheet
from plumbrule.samples.sample_model import Citation, Passage
from plumbrule.text.sentences import sentences

_MARKER = re.compile(r"[\[【]\s*\^?([^\[\]【】\n]{1,60}?)\s*[\]】]")
_BETWEEN = re.compile(r"\s*[,;]\s*")
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
    loose: list[LooseCitation] = []
    known: dict[str, str] = {}
    for number, citation in enumerate(shown.citations, 1):
        name = citation.citation_id or str(number)
        ref = known.setdefault(name, f"{prefix}{number}")
        places = list(_places(citation, texts))
        for index, start, end in places:
            spans[index].append((start, end, ref))
        of_source = [index for index, passage in enumerate(shown.passages) if _is_of(passage, citation)]
        for index in {index for index, _, _ in places} or of_source:
            meant[index].append(ref)
        if not places:
            loose.append(LooseCitation(ref=ref, citation=citation))
    if not shown.citations:  # [1] means the first passage
        known = {str(number): f"{prefix}{number}" for number in range(1, len(texts) + 1)}
        meant = [[f"{prefix}{number}"] for number in range(1, len(texts) + 1)]
    answer = shown.answer or ""
    cut = answer if whole else answer[:_WHOLE]
    return LinkedTexts(
        answer=tuple(_sentences(cut, known)),
        answer_left_out=len(answer) - len(cut),
        passages=tuple(
            LinkedPassage(
                number=number,
                passage=passage,
                pieces=tuple(_pieces(text, marks)),
                refs=tuple(dict.fromkeys(refs)),
                left_out=len(passage.text) - len(text),
            )
            for number, (passage, text, marks, refs) in enumerate(
                zip(shown.passages, texts, spans, meant, strict=True), 1
            )
        ),
        loose=tuple(loose),
    )


def _is_of(passage: Passage, citation: Citation) -> bool:
    return citation.source_id is not None and citation.source_id in (passage.source_id, passage.id)


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


def _sentences(text: str, known: dict[str, str]) -> Iterator[LinkedSentence]:
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


def _marked(text: str, known: dict[str, str]) -> Iterator[Piece]:
    place = 0
    for found in _MARKER.finditer(text):
        refs = tuple(known[name] for name in _BETWEEN.split(found[1]) if name in known)
        if refs:
            if found.start() > place:
                yield Piece(text=text[place : found.start()])
            yield Piece(text=found[0], refs=refs, marker=True)
            place = found.end()
    if place < len(text):
        yield Piece(text=text[place:])


def _pieces(text: str, marks: list[tuple[int, int, str]]) -> Iterator[Piece]:
    """Yield a text cut wherever a mark begins or ends, each piece with the references of the marks over it."""
    cuts = sorted({0, len(text), *(place for start, end, _ in marks for place in (start, end))})
    for start, end in pairwise(cuts):
        refs = dict.fromkeys(ref for begin, until, ref in marks if begin <= start and end <= until)
        yield Piece(text=text[start:end], refs=tuple(refs))
