"""Marks are drawn while a page can carry them; a text that would need more stands without them, and is cut."""

from plumbrule.api.scoring import score
from plumbrule.reports.marks.bounded_marks import bytes_of, mark_within
from plumbrule.samples import Passage


def test_a_few_marks_are_drawn() -> None:
    """A value that a passage contradicts stands beside the one that the passage has."""
    answer, passage = "The fee is $30.", "The fee is $25."
    verdict = score(question="What is the fee?", answer=answer, contexts=[passage])
    marked, unmarked = mark_within(answer, [Passage(text=passage)], (), verdict, longest=1_000, most_bytes=100_000)
    assert not unmarked
    assert "".join(segment.text for segment in marked.answer.segments) == answer
    assert any(segment.notes for segment in marked.answer.segments)


def test_a_passage_that_denies_is_not_said_to_say_it() -> None:
    """What a passage says with a "not" is told as denied: it is no other value in place of the answer's."""
    question = "Do associates settle complaints or offer compensation to customers?"
    answer = "Yes. Associates settle complaints and offer compensation to customers, and the Complaints Unit records."
    passage = "Associates do not settle complaints or offer compensation to customers."
    verdict = score(question=question, answer=answer, contexts=[passage])
    marked, _ = mark_within(answer, [Passage(text=passage)], (), verdict, longest=1_000, most_bytes=100_000)
    notes = [note for segment in marked.answer.segments for note in segment.notes]
    assert notes == ["the passage denies: settle"]


def test_thousands_of_marks_are_left_out() -> None:
    """The texts stay, as far as there is room for them when every character is escaped."""
    answer = "&[1]" * 3_000
    passages = [Passage(text='"' * 5_000)] * 4
    marked, unmarked = mark_within(answer, passages, longest=10_000, most_bytes=50_000)
    assert unmarked
    texts = [marked.answer, *(passage.text for passage in marked.passages)]
    assert not any(segment.spans for text in texts for segment in text.segments)
    assert sum(bytes_of(segment.text) for text in texts for segment in text.segments) <= 50_000
    assert all(text.left_out for text in texts)
