"""One result is graded exactly: a limit is met or missed, and a null never passes."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from plumbrule.codec import to_json
from plumbrule.errors import InputError
from plumbrule.rubrics import load_benchmark
from plumbrule.runs.sample_results import GradedSample, SampleResult, grade, grade_all

RUBRIC = load_benchmark().rubric


def result(**changes: Any) -> SampleResult:
    """Return a result that passes and has a score of 1, but for the changes."""
    good: dict[str, Any] = {
        "sample_id": "q1",
        "accuracy_score": 2,
        "faithfulness_score": 2,
        "latency_e2e_ms": 1000,
        "input_tokens": 100,
        "output_tokens": 50,
    }
    return SampleResult(**{**good, **changes})


@pytest.mark.parametrize(
    ("changes", "failed"),
    [
        ({}, ()),
        ({"accuracy_score": 1}, ()),
        ({"accuracy_score": 0}, ("accuracy_score",)),
        ({"accuracy_score": None}, ("accuracy_score",)),
        ({"faithfulness_score": 1}, ()),
        ({"faithfulness_score": 0}, ("faithfulness_score",)),
        ({"faithfulness_score": None}, ("faithfulness_score",)),
        ({"latency_e2e_ms": 8000}, ()),
        ({"latency_e2e_ms": 8000.0}, ()),
        ({"latency_e2e_ms": 8000.000000000001}, ("latency_e2e_ms",)),
        ({"latency_e2e_ms": None}, ("latency_e2e_ms",)),
        ({"input_tokens": 5000, "output_tokens": 1000}, ()),
        ({"input_tokens": 5000, "output_tokens": 1001}, ("total_tokens",)),
        ({"input_tokens": 0, "output_tokens": 0}, ()),
        ({"input_tokens": None}, ("total_tokens",)),
        ({"output_tokens": None}, ("total_tokens",)),
        ({"accuracy_score": 0, "latency_e2e_ms": 9000}, ("accuracy_score", "latency_e2e_ms")),
    ],
)
def test_a_sample_passes_only_if_every_rule_holds(changes: dict[str, Any], failed: tuple[str, ...]) -> None:
    """R25, G17, G21: all four rules, exactly at the limit too; a null or unreported field fails its rule."""
    found = grade(result(**changes), RUBRIC)
    assert (found.passed, found.failed) == (not failed, failed)


@pytest.mark.parametrize(
    ("latency", "norm"),
    [(0, 1), (0.5, 1), (2999.9, 1), (3000, 1), (6000, Fraction(1, 2)), (8000, Fraction(3, 8)), (0.1 + 0.2, 1)],
)
def test_latency_is_normalised(latency: float, norm: Fraction) -> None:
    """R26: 1 up to 3000 ms, then 3000 over the latency; 0 ms divides nothing."""
    assert grade(result(latency_e2e_ms=latency), RUBRIC).latency_norm == norm


@pytest.mark.parametrize(("tokens", "norm"), [(0, 1), (2000, 1), (2001, Fraction(2000, 2001)), (6000, Fraction(1, 3))])
def test_tokens_are_normalised(tokens: int, norm: Fraction) -> None:
    """R26: 1 up to 2000 tokens, then 2000 over the tokens; no tokens divide nothing."""
    assert grade(result(input_tokens=0, output_tokens=tokens), RUBRIC).token_efficiency_norm == norm


def test_what_a_rubric_does_not_grade_is_not_needed() -> None:
    """A sample passes by the components that the rubric names; the others may be null, and count for nothing."""
    rubric = load_benchmark(Path("grounding")).rubric
    found = grade(result(accuracy_score=None, latency_e2e_ms=None, input_tokens=None), rubric)
    assert (found.passed, found.failed, found.nulls, found.sample_score) == (True, (), (), Fraction(1))
    found = grade(result(faithfulness_score=None), rubric)
    assert (found.passed, found.failed, found.nulls) == (False, ("faithfulness_score",), ("faithfulness_norm",))


def test_the_score_is_the_weighted_sum() -> None:
    """R27: .45, .30, .15 and .10 of the components, exactly."""
    found = grade(result(accuracy_score=1, latency_e2e_ms=6000, input_tokens=4000, output_tokens=0), RUBRIC)
    assert found.sample_score == Fraction(225, 1000) + Fraction(3, 10) + Fraction(75, 1000) + Fraction(5, 100)


@pytest.mark.parametrize(
    ("changes", "nulls"),
    [
        ({"accuracy_score": None}, ("accuracy_norm",)),
        ({"faithfulness_score": None}, ("faithfulness_norm",)),
        ({"latency_e2e_ms": None}, ("latency_norm",)),
        ({"input_tokens": None}, ("token_efficiency_norm",)),
        ({"accuracy_score": None, "faithfulness_score": None}, ("accuracy_norm", "faithfulness_norm")),
    ],
)
def test_a_null_component_leaves_the_score_null(changes: dict[str, Any], nulls: tuple[str, ...]) -> None:
    """G17: nothing is guessed; the grade names the components that are null."""
    found = grade(result(**changes), RUBRIC)
    assert found.nulls == nulls
    assert found.sample_score is None


@pytest.mark.parametrize(
    ("tokens", "total", "ratio"),
    [
        ((100, 50), 150, Fraction(1, 2)),
        ((0, 7), 7, Fraction(7)),
        ((0, 0), 0, Fraction(0)),
        ((None, 7), None, None),
        ((7, None), None, None),
    ],
)
def test_derived_token_fields(tokens: tuple[int | None, ...], total: int | None, ratio: Fraction | None) -> None:
    """R22, G21: the sum, and output over at least one input token; null where either is unreported."""
    found = result(input_tokens=tokens[0], output_tokens=tokens[1])
    assert (found.total_tokens, found.token_efficiency_ratio) == (total, ratio)


def test_a_long_rationale_is_flagged() -> None:
    """G18: 80 words are within the limit, 81 are kept and flagged; the grade is the same."""
    assert grade(result(rationale="word " * 80), RUBRIC).flags == ()
    long = grade(result(rationale="word " * 81), RUBRIC)
    assert (long.flags, long.passed) == (("rationale_over_limit",), True)


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"latency_e2e_ms": float("nan")}, "'latency_e2e_ms' must be a finite number of 0 or more, not nan"),
        ({"latency_e2e_ms": float("inf")}, "'latency_e2e_ms' must be a finite number of 0 or more, not inf"),
        (
            {"latency_first_token_ms": None, "latency_model_ms": -1},
            "'latency_model_ms' must be a finite number of 0 or more, not -1",
        ),
        ({"latency_e2e_ms": "8000"}, "'latency_e2e_ms' must be a number, not '8000'"),
        ({"latency_e2e_ms": True}, "'latency_e2e_ms' must be a number, not True"),
        ({"input_tokens": -1}, "'input_tokens' must be a whole number of 0 or more, not -1"),
        ({"output_tokens": 1.0}, "'output_tokens' must be a whole number of 0 or more, not 1.0"),
        ({"accuracy_score": True}, "'accuracy_score' must be a whole number of 0 or more, not True"),
        ({"repeat": None}, "'repeat' must be a whole number of 0 or more, not None"),
        ({"accuracy_score": 3}, "'accuracy_score' 3 is not on the scale of 0 to 2"),
        ({"faithfulness_score": 3}, "'faithfulness_score' 3 is not on the scale of 0 to 2"),
    ],
)
def test_what_cannot_be_measured_is_refused(changes: dict[str, Any], complaint: str) -> None:
    """A value that no clock, counter or judge can give is an error that names sample and field."""
    with pytest.raises(InputError) as caught:
        grade(result(**changes), RUBRIC)
    assert str(caught.value) == f"sample 'q1': {complaint}"


def test_a_sample_counts_once_in_each_repeat() -> None:
    """Two results for one sample in one repeat are an error; in two repeats they are not."""
    assert len(grade_all([result(), result(repeat=1)], RUBRIC)) == 2
    with pytest.raises(InputError, match="sample 'q1' has two results in repeat 1"):
        grade_all([result(repeat=1), result(), result(repeat=1)], RUBRIC)


def test_the_json_of_a_sample() -> None:
    """Every per-sample field by its name; exact values become floats only here."""
    measured = result(latency_e2e_ms=6000, latency_model_ms=5000.5, rationale="Right.", input_tokens=None)
    assert to_json(GradedSample(result=measured, grade=grade(measured, RUBRIC)).summary()) == {
        "sample_id": "q1",
        "repeat": 0,
        "accuracy_score": 2,
        "faithfulness_score": 2,
        "rationale": "Right.",
        "evaluator_error": None,
        "candidate_error": None,
        "error_detail": None,
        "refused": False,
        "latency_e2e_ms": 6000,
        "latency_first_token_ms": None,
        "latency_model_ms": 5000.5,
        "timed_out": False,
        "input_tokens": None,
        "output_tokens": 50,
        "total_tokens": None,
        "token_efficiency_ratio": None,
        "passed": False,
        "failed": ["total_tokens"],
        "accuracy_norm": 1.0,
        "faithfulness_norm": 1.0,
        "latency_norm": 0.5,
        "token_efficiency_norm": None,
        "sample_score": None,
        "nulls": ["token_efficiency_norm"],
        "flags": [],
        "contradicted": None,
        "unsupported": None,
        "headline": "FAIL",
    }
