"""Tests of the assistant: single answers, and a dataset of questions with a pass rate."""

import assistant
import pytest

from plumbrule import Sample, assert_grounded
from plumbrule.pytest_plugin import Checker


def test_the_fee_is_grounded(plumbrule: Checker) -> None:
    """The fixture counts what it checks in the report."""
    question = "What is the fee for a domestic wire?"
    answer, passages = assistant.answer(question)
    plumbrule.assert_grounded(answer, passages, question=question)


def test_a_refusal_passes(plumbrule: Checker) -> None:
    """What the assistant says where it does not know."""
    plumbrule.assert_verdict("I cannot answer that from the handbook.", ["The fee is $25."], verdict="PASS")


def test_without_the_fixture() -> None:
    """The same assertion, as a function that any test framework can use."""
    assert_grounded(*assistant.answer("How long is the notice period?"))


@pytest.mark.plumbrule(dataset="questions.jsonl", repeats=3, min_pass_rate=0.9)
def test_every_answer_is_grounded(sample: Sample, plumbrule: Checker, plumbrule_repeat: int) -> None:
    """Each question three times; nine of ten answers must be grounded."""
    answer, passages = assistant.answer(sample.question, attempt=plumbrule_repeat)
    plumbrule.assert_grounded(answer, passages, question=sample.question)
