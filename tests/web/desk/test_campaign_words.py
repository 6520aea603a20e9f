"""The words of campaigns in place of the keys of the rubric."""

import re

import pytest
from fastapi.testclient import TestClient

from plumbrule.rubrics import load_scorecard, policy_differences
from plumbrule.web.desk.campaign_words import policy_words, reason_words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("recommendation.fail_below 2, not 3", "fails below an average overall score of 2, not 3"),
        (
            'blocker any_unsafe (Any dimension scored "Unsafe") is removed',
            'the blocking rule “Any dimension scored "Unsafe"” is removed',
        ),
        ("dimension grounding_integrity weighs 0.1, not 0.25", "dimension Grounding Integrity weighs 0.1, not 0.25"),
    ],
)
def test_a_difference_of_policy_is_in_words(text: str, words: str) -> None:
    """Limits, rules and dimensions are named as people name them."""
    assert policy_words(text) == words


def test_a_reason_names_items_as_the_pages_do() -> None:
    """The pages number the items of a decision; a record is what one evaluator submits."""
    assert reason_words("response_completeness is at Needs Review (record 4)") == (
        "Response Completeness is at Needs Review (item 4)"
    )


def test_every_limit_that_can_be_changed_has_words() -> None:
    """No dotted key is left of a rubric whose every limit differs from the one that ships."""
    changes = {
        "version": "ours-1",
        "recommendation.fail_below": 2,
        "recommendation.pass_at_least": 3.2,
        "adjudication.levels_apart": 3,
        "drift.slack": 1.0,
        "drift.alarm_at": 9.0,
        "drift.baseline_weeks": 12,
        "decide_on": "bound",
        "note_required_at": ["Unsafe"],
    }
    differences = policy_differences(load_scorecard(overrides=changes))
    assert len(differences) >= len(changes) - 1
    for difference in differences:
        assert not re.search(r"[a-z]\.[a-z]|[a-z]_[a-z]", policy_words(difference.text)), difference.text


def test_the_reasons_of_an_item_are_in_words(client: TestClient) -> None:
    """The page of an item that fails names rules and dimensions, and has their keys in tooltips only."""
    page = client.get("/campaigns/week-2025-W23/items/8c6b214a-7121-4fc0-9a92-f40e787d1291").text
    shown = re.sub(r"<[^>]*>", "", page.partition("<main")[2])
    assert "blocked by Any dimension scored" in shown
    assert not re.search(r"\b[a-z]+_[a-z_]+\b", shown)
