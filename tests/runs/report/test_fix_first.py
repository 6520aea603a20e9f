"""Every failure has causes, and a group says what fixing it would bring."""

from typing import Any

import pytest
from tests.reports.conftest import GOOD, Make

from plumbrule.reports import Report
from plumbrule.rubrics import load_benchmark
from plumbrule.runs.report.fix_first import CAUSES, causes_of
from plumbrule.runs.sample_results import GradedSample, SampleResult, grade

RUBRIC = load_benchmark().rubric
UNJUDGED = {"accuracy_score": None, "faithfulness_score": None}


@pytest.mark.parametrize(
    ("changes", "causes"),
    [
        ({}, ()),
        ({"accuracy_score": 0}, ("accuracy",)),
        ({"faithfulness_score": 0}, ("faithfulness",)),
        ({"accuracy_score": 0, "faithfulness_score": 0}, ("faithfulness", "accuracy")),
        ({"latency_e2e_ms": 8000.001}, ("latency",)),
        ({"latency_e2e_ms": None}, ("latency_unknown",)),
        ({"input_tokens": 6000}, ("tokens",)),
        ({"output_tokens": None}, ("tokens_unknown",)),
        ({**UNJUDGED, "evaluator_error": "parse_error"}, ("evaluator_error",)),
        ({"accuracy_score": None, "evaluator_error": "no_reference"}, ("evaluator_error",)),
        (
            {"accuracy_score": None, "faithfulness_score": 0, "evaluator_error": "no_reference"},
            ("evaluator_error", "faithfulness"),
        ),
        (UNJUDGED, ("faithfulness_unknown", "accuracy_unknown")),
        ({"accuracy_score": 0, "faithfulness_score": None}, ("no_answer",)),
        ({"accuracy_score": 0, "faithfulness_score": None, "timed_out": True}, ("timed_out",)),
        ({**UNJUDGED, "candidate_error": "http_500", "latency_e2e_ms": None}, ("candidate_error",)),
    ],
)
def test_the_deepest_cause_is_named(changes: dict[str, Any], causes: tuple[str, ...]) -> None:
    """A timeout explains the scores that are missing with it; each field that failed has one cause."""
    result = SampleResult(**{**GOOD, "sample_id": "q", **changes})
    assert causes_of(GradedSample(result=result, grade=grade(result, RUBRIC)).summary()) == causes


def test_gains_count_only_what_would_pass(mixed: Report) -> None:
    """Three samples fail twice over: neither cause alone would let them pass, both together would."""
    groups = {group.name: group for group in mixed.fix_first}
    accuracy, both = groups["accuracy"], groups["faithfulness + accuracy"]
    assert (accuracy.samples, accuracy.only) == (4, 1)
    assert accuracy.share_of_failures == 4 / 9
    assert (accuracy.pass_rate_if_fixed, accuracy.pass_rate_gain) == (7 / 15, 1 / 15)
    assert (both.by, both.samples, both.only) == ("causes_together", 3, 4)
    assert both.pass_rate_if_fixed == 10 / 15


def test_categories_are_mended_whole(mixed: Report) -> None:
    """A category's gain is all its failures; the one with the most stands first."""
    groups = [group for group in mixed.fix_first if group.by == "category"]
    assert [(group.name, group.samples, group.only) for group in groups] == [("limits", 5, 5), ("fees", 4, 4)]


def test_the_worst_three_are_named(mixed: Report) -> None:
    """By score, unknown as zero; each number leads to its place among the failures."""
    places = {failure.number: failure.sample.sample_id for failure in mixed.failures}
    for group in mixed.fix_first:
        assert len(group.worst) == min(3, group.samples)
        assert all(places[sample.number] == sample.sample_id for sample in group.worst)
    scores = [failure.sample.sample_score or 0 for failure in mixed.failures]
    assert scores == sorted(scores)


def test_nothing_failed_nothing_to_fix(make: Make) -> None:
    """A perfect run has no groups."""
    assert make([{}] * 5).fix_first == ()


def test_a_sample_without_a_category_makes_no_group(make: Make) -> None:
    """There is nothing to name it by."""
    assert {group.by for group in make([{"accuracy_score": 0}]).fix_first} == {"cause"}


def test_every_cause_has_words() -> None:
    """A reader meets the words, never the name in code."""
    assert all(words and "_" not in words for words in CAUSES.values())
