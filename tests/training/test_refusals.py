"""The labelled refusals, and the floor of what the wording of a refusal must tell of them."""

from collections import Counter

import pytest
from training.refusals.__main__ import FILES, LABELS, read_rows, suite_rows, tell

from plumbrule.rubrics import load_verdict
from plumbrule.verdicts.lexicon import lexicon_of

WORDING = lexicon_of(load_verdict().rubric).refusal


def test_the_rows_are_told_apart() -> None:
    """No answer is in two files, and each file has all labels."""
    rows = [row for name in FILES for row in read_rows(name)]
    assert len(rows) >= 400
    assert max(Counter(row.answer for row in rows).values()) == 1
    for name in FILES:
        assert {row.label for row in read_rows(name)} == set(LABELS)


@pytest.mark.parametrize(("name", "found", "wrongly"), [("first", 0.97, 2), ("third", 0.97, 2), ("fourth", 0.9, 2)])
def test_refusals_are_found_and_facts_are_none(name: str, found: float, wrongly: int) -> None:
    """Of the rows that refuse something the share found stays, and few answers are taken for refusals."""
    told = [(row.label, tell(row, WORDING)) for row in read_rows(name)]
    refusing = [said != "answer" for label, said in told if label != "answer"]
    assert sum(refusing) >= found * len(refusing)
    assert sum(label == "answer" != said for label, said in told) <= wrongly


def test_the_example_assistants_refusals_are_known() -> None:
    """Whatever it refuses in the suite it refuses in words that are known, and its answers are answers."""
    assert [tell(row, WORDING) for row in suite_rows()] == [row.label for row in suite_rows()]
