"""Marked stretches of a text become segments that follow each other."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from plumbrule.reports.marks.marked_text import MarkedText, Span, mark_text
from plumbrule.web.templates_environment import _environment


def _span(name: str, start: int, end: int, **more: object) -> Span:
    return Span(**{"id": name, "start": start, "end": end, "kind": "sentence", **more})  # type: ignore[arg-type]


def _shown(marked: MarkedText) -> list[tuple[str, str]]:
    return [(segment.text, segment.ids) for segment in marked.segments]


def test_a_span_in_another_splits_it() -> None:
    """A value in a sentence makes three segments; the value's lies in both, the wider first."""
    marked = mark_text("Pay 30 days.", [_span("s", 0, 12), _span("v", 4, 6, kind="value", state="found")])
    assert _shown(marked) == [("Pay ", "s"), ("30", "s v"), (" days.", "s")]
    assert marked.segments[1].classes == "sentence sentence- value value-found"


def test_spans_that_overlap_are_both_kept() -> None:
    """Where neither span holds the other, the shared part lies in both."""
    assert _shown(mark_text("abcdef", [_span("a", 0, 4), _span("b", 2, 6)])) == [
        ("ab", "a"),
        ("cd", "a b"),
        ("ef", "b"),
    ]


def test_offsets_beyond_the_text_are_cut_to_it() -> None:
    """What lies outside the text, or is empty or turned round, marks nothing and breaks nothing."""
    spans = [_span("a", -3, 2), _span("b", 3, 99), _span("c", 50, 60), _span("d", 2, 2), _span("e", 3, 1)]
    assert _shown(mark_text("abcd", spans)) == [("ab", "a"), ("c", ""), ("d", "b")]
    assert _shown(mark_text("", spans)) == []


def test_every_span_has_one_link() -> None:
    """A span that lights others is one stop for the keyboard, where it is the narrowest."""
    sentence, value = _span("s", 0, 9, lights=("e1",)), _span("v", 0, 2, lights=("e2",))
    links = [
        segment.link.id if segment.link else None for segment in mark_text("30 days a", [sentence, value]).segments
    ]
    assert links == ["v", "s"]
    split = mark_text("in 30 days", [_span("s", 0, 10, lights=("e1",)), _span("v", 3, 5, lights=("e2",))])
    assert [segment.link.id if segment.link else None for segment in split.segments] == ["s", "v", None]


def test_a_note_stands_behind_the_last_segment() -> None:
    """What the passage has instead follows the whole stretch, however often that is split."""
    marked = mark_text("abcd", [_span("v", 0, 4, note="45"), _span("w", 1, 2)])
    assert [segment.notes for segment in marked.segments] == [(), (), ("45",)]


def test_a_long_text_is_cut_and_says_so() -> None:
    """The number of characters that are left out is told."""
    marked = mark_text("a" * 100_000, [_span("s", 90, 99_999)], longest=100)
    assert sum(len(segment.text) for segment in marked.segments) == 100
    assert marked.left_out == 99_900


@given(
    st.text(max_size=40),
    st.lists(st.tuples(st.integers(-5, 50), st.integers(-5, 50), st.booleans()), max_size=8),
)
def test_the_segments_are_the_text(text: str, places: list[tuple[int, int, bool]]) -> None:
    """Whatever the spans, nothing of the text is lost or doubled, and each span covers exactly its stretch."""
    spans = [_span(f"x{n}", start, end, lights=("e",) if to else ()) for n, (start, end, to) in enumerate(places)]
    marked = mark_text(text, spans)
    assert "".join(segment.text for segment in marked.segments) == text
    for span in spans:
        covered = "".join(segment.text for segment in marked.segments if span.id in segment.ids.split())
        assert covered == (text[max(0, span.start) : max(0, span.end)] if span.start < span.end else "")
    links = [segment.link.id for segment in marked.segments if segment.link]
    assert len(links) == len(set(links))


def test_hostile_text_is_shown_as_text() -> None:
    """Text, titles and notes are escaped, also inside a mark."""
    hostile = "<script>alert(1)</script>"
    marked = mark_text(hostile, [_span("s", 1, 5, title='"><b>', note="<i>", lights=("e1",))])
    macros: Any = _environment().get_template("marked_text.html").module
    page = str(macros.marked(marked))
    assert "<script" not in page
    assert "<b>" not in page
    assert "<i>" not in page
    assert "&lt;" in page
