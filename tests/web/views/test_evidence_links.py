"""Markers of an answer and the excerpts that they cite refer to each other."""

from types import SimpleNamespace
from typing import Any

from plumbrule.samples.sample_model import Citation, Passage
from plumbrule.web.views.evidence_links import link_texts


def shown(answer: str, passages: list[str], citations: list[Citation]) -> Any:
    """Return what is shown of an interaction."""
    texts = tuple(Passage(text=text, id=f"p{place}", source_id=f"S{place}") for place, text in enumerate(passages, 1))
    return SimpleNamespace(answer=answer, passages=texts, citations=tuple(citations))


def test_a_marker_leads_to_its_excerpt() -> None:
    """The excerpt is found whatever its spacing, and the whole text of answer and passage is still there."""
    cited = Citation(citation_id="7", source_id="S2", passage="wires cost\n $25")
    linked = link_texts(shown("Yes [7]. No [8].", ["Nothing.", "Most wires cost $25 today."], [cited]))
    assert "".join(piece.text for each in linked.answer for piece in each.pieces) == "Yes [7]. No [8]."
    assert [piece.refs for each in linked.answer for piece in each.pieces if piece.marker] == [("1",)]
    second = linked.passages[1]
    assert [(piece.text, piece.refs) for piece in second.pieces] == [
        ("Most ", ()),
        ("wires cost $25", ("1",)),
        (" today.", ()),
    ]
    assert (linked.passages[0].refs, second.refs, linked.loose) == ((), ("1",), ())


def test_excerpts_may_overlap() -> None:
    """A piece that two excerpts share belongs to both."""
    cited = [Citation(citation_id="1", passage="a b c"), Citation(citation_id="2", passage="c d")]
    [passage] = link_texts(shown("[1] and [1, 2]", ["a b c d"], cited)).passages
    assert [(piece.text, piece.refs) for piece in passage.pieces] == [
        ("a b ", ("1",)),
        ("c", ("1", "2")),
        (" d", ("2",)),
    ]


def test_an_excerpt_that_is_nowhere_is_shown_apart() -> None:
    """It is named with its citation, and the passages of its source are still meant."""
    linked = link_texts(shown("So [1].", ["Other words."], [Citation(citation_id="1", source_id="S1", passage="Mine")]))
    assert [each.citation.passage for each in linked.loose] == ["Mine"]
    assert linked.passages[0].refs == ("1",)


def test_without_citations_a_number_means_a_passage() -> None:
    """``[2]`` is the second passage."""
    linked = link_texts(shown("So [2].", ["One.", "Two."], []))
    assert [each.refs for each in linked.passages] == [("1",), ("2",)]
    assert [piece.refs for each in linked.answer for piece in each.pieces if piece.marker] == [("2",)]


def test_long_texts_are_cut_unless_all_is_asked_for() -> None:
    """What is left out is counted."""
    long = shown("x" * 200_000, ["y" * 100_000, "z" * 100_000], [])
    linked = link_texts(long)
    assert (linked.answer_left_out, [each.left_out for each in linked.passages]) == (80_000, [40_000, 40_000])
    assert link_texts(long, whole=True).answer_left_out == 0


def test_an_excerpt_in_other_marks_leads_to_its_passage() -> None:
    """The pre-scores find it, so it is not said to be in no passage; its marker leads to the passage as a whole."""
    cited = Citation(citation_id="[1]", passage="the 'small' fee … is $25")
    linked = link_texts(shown("So [1].", ["Nothing.", "Here the “small” fee of a wire is $25."], [cited]))
    assert (linked.loose, linked.passages[1].refs, linked.passages[1].targets) == ((), ("1",), ("1",))
    assert [piece.refs for each in linked.answer for piece in each.pieces if piece.marker] == [("1",)]


def test_a_range_of_markers_leads_to_each() -> None:
    """``[1-2]`` names both citations, as it does for the pre-scores."""
    cited = [Citation(citation_id="1", passage="One."), Citation(citation_id="2", passage="Two.")]
    linked = link_texts(shown("So [1-2].", ["One.", "Two."], cited))
    assert [piece.refs for each in linked.answer for piece in each.pieces if piece.marker] == [("1", "2")]
