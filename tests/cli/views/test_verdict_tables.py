"""Answers as the terminal shows them, with their anchors marked."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from bench.growth import CASES, MOST_RATIO

import plumbrule
from plumbrule.cli.views.verdict_tables import marked_answer
from plumbrule.samples import sample_from


def steps_of(work: Callable[[], object]) -> int:
    """Return how many instructions of Python a piece of work takes."""
    count = 0

    def note(frame: FrameType, event: str, _argument: object) -> Any:
        nonlocal count
        frame.f_trace_opcodes = True
        count += event == "opcode"
        return note

    before = sys.gettrace()
    sys.settrace(note)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


def test_four_times_the_anchors_are_four_times_the_work() -> None:
    """An answer is gone through once, however many anchors it has."""
    prepare, _ = CASES["marks of an answer"]
    prepare(5)()  # the first time loads what is needed
    one, four = steps_of(prepare(50)), steps_of(prepare(200))
    assert four / one < MOST_RATIO


def test_a_value_within_a_claim_has_both_marks() -> None:
    """The claim is underlined, the value in it stands out in reverse, and what is supported is another colour."""
    answer = "The fee is $30. The wire is $25."
    question, contexts = "What is the fee?", ["The fee is $25. The wire is $25."]
    record = {"question": question, "answer": answer, "contexts": contexts}
    verdict = plumbrule.score(question=question, answer=answer, contexts=contexts)
    text = marked_answer(sample_from(record), verdict, only_unsupported=False)
    assert text.plain == answer
    styles = {text.plain[span.start : span.end]: str(span.style) for span in text.spans}
    assert "reverse" in styles["$30"]
    assert styles["$30"] != styles["$25"]
    alone = marked_answer(sample_from(record), verdict, only_unsupported=True)
    assert "$30" in {alone.plain[span.start : span.end] for span in alone.spans}
    assert "$25" not in {alone.plain[span.start : span.end] for span in alone.spans}


def test_of_a_long_answer_the_first_characters_are_shown_and_how_many_follow() -> None:
    """A mark that begins after the cut is left out, one that goes beyond it is cut as the text is."""
    answer = "The fee is $30. The wire is $4,500."
    verdict = plumbrule.score(answer=answer, contexts=["The fee is $25."])
    text = marked_answer(sample_from({"answer": answer}), verdict, only_unsupported=True, longest=13)
    assert text.plain == "The fee is $3 … and 22 more characters"
    assert "$3" in {text.plain[span.start : span.end] for span in text.spans}
    assert max(span.end for span in text.spans if "reverse" in str(span.style)) == 13
    whole = marked_answer(sample_from({"answer": answer}), verdict, only_unsupported=True, longest=len(answer))
    assert whole.plain == answer
