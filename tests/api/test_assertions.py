"""Assertions on answers: one that fails shows the text that is not supported, with its evidence."""

import pytest

from plumbrule import Passage, RecordError, UsageError, Verdict, assert_grounded, assert_verdict

NUMBERS = {"hallucination.anchors": ["number"]}  # no parser is needed
PASSAGE = "Wires are made on weekdays. The fee for a domestic wire is $25. It is taken at once."


def test_a_grounded_answer_gives_its_verdict() -> None:
    """The contexts may be texts or passages."""
    for contexts in (PASSAGE, [PASSAGE], [Passage(text=PASSAGE)], [{"text": PASSAGE}]):
        verdict = assert_grounded("The fee for a domestic wire is $25.", contexts, overrides=NUMBERS)
        assert isinstance(verdict, Verdict)
        assert verdict.rubric["version"].startswith("recommended")


def test_what_is_not_supported_is_shown() -> None:
    """The value, why, and the context around the evidence."""
    with pytest.raises(AssertionError) as caught:
        assert_grounded(
            "The fee for a domestic wire is $35.", [PASSAGE], question="What is the fee?", overrides=NUMBERS
        )
    lines = str(caught.value).splitlines()
    assert lines[0] == "the contexts do not support the answer"
    assert lines[1].startswith("  FAIL: hallucination 1.00 > 0.10; contradicted: '$35', the context says '$25'")
    assert lines[2:4] == ["  question: What is the fee?", "  answer: The fee for a domestic wire is $35."]
    assert lines[4] == "  not supported: '$35' (the context says otherwise)"
    assert lines[5] == f"      context 0: '{PASSAGE}'"


def test_a_refusal_is_grounded_and_no_context_grounds_nothing() -> None:
    """The first claims nothing; of the second it is said that there was none."""
    assert_grounded("I cannot answer that.", [PASSAGE], overrides=NUMBERS)
    with pytest.raises(AssertionError, match="contexts: none were given"):
        assert_grounded("The fee for a domestic wire is $25.", [], overrides=NUMBERS)


def test_a_message_is_bounded_and_safe() -> None:
    """Whatever the answer holds, it can be printed on a terminal."""
    with pytest.raises(AssertionError) as caught:
        assert_grounded("\x1b[31m" + "The fee is $35. " * 2000, [PASSAGE] * 50, overrides=NUMBERS)
    assert "\x1b" not in str(caught.value)
    assert len(str(caught.value)) < 6_000
    assert "more" in str(caught.value)


def test_a_verdict_may_be_one_of_several() -> None:
    """By the rubric that ships, unless another is given; a slip of the pen is told."""
    given = ("The fee is $35.", [PASSAGE])
    assert assert_verdict(*given, verdict="FAIL", overrides=NUMBERS).verdict == "FAIL"
    with pytest.raises(AssertionError, match="the verdict is FAIL, not PASS or WARN"):
        assert_verdict(*given, verdict=("WARN", "PASS"), overrides=NUMBERS)
    with pytest.raises(UsageError, match="one or several of PASS, WARN, FAIL"):
        assert_verdict(*given, verdict="pass", overrides=NUMBERS)  # type: ignore[arg-type]  # wrong on purpose


def test_a_sample_that_cannot_be_read_is_no_failed_assertion() -> None:
    """It is an error of the test."""
    with pytest.raises(RecordError):
        assert_grounded(None, [PASSAGE])
