"""Marks in texts of any content: where there are more than a page can carry, the texts are shown without them."""

from collections.abc import Sequence
from dataclasses import replace

from markupsafe import escape

from plumbrule.reports.marks.marked_answer import MarkedAnswer, mark_answer
from plumbrule.reports.marks.marked_text import MarkedText, mark_text
from plumbrule.samples import Citation, Passage
from plumbrule.verdicts import Verdict

_MARK_BYTES = 400  # that a marked stretch costs beside its text


def mark_within(
    answer: str,
    passages: Sequence[Passage],
    citations: Sequence[Citation] = (),
    verdict: Verdict | None = None,
    *,
    longest: int,
    most_bytes: int,
) -> tuple[MarkedAnswer, bool]:
    """Return an answer and its passages with their marks, and whether these had to be left out.

    ``longest`` bounds the characters of each text, ``most_bytes`` the page that is made of all of them.
    """
    marked = mark_answer(answer, passages, citations, verdict, longest=longest)
    if _weight(marked) <= most_bytes:
        return marked, False
    share = most_bytes // (len(passages) + 1) // len("&amp;")
    plain = replace(
        marked,
        answer=mark_text(answer, longest=min(longest, share)),
        passages=tuple(
            replace(each, text=mark_text(each.passage.text, longest=min(longest, share)), cited_by=())
            for each in marked.passages
        ),
        sentences=(),
    )
    return plain, True


def bytes_of(text: str) -> int:
    """Return how many bytes a text is in a page."""
    return len(escape(text).encode(errors="replace"))


def _weight(marked: MarkedAnswer) -> int:
    texts = [marked.answer, *(passage.text for passage in marked.passages)]
    return sum(map(marked_bytes, texts)) + sum(_MARK_BYTES * len(each.cited_by) for each in marked.passages)


def marked_bytes(text: MarkedText) -> int:
    """Return how many bytes a text with its marks is in a page, at most."""
    return sum(
        bytes_of(segment.text)
        + (_MARK_BYTES + bytes_of(segment.title) + sum(map(bytes_of, segment.notes)) if segment.spans else 0)
        for segment in text.segments
    )
