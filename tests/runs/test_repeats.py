"""Repeats make a group: its figures vary, and some samples pass only in some repeats."""

import statistics
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plumbrule.codec import json_line, to_json
from plumbrule.rubrics import load_benchmark
from plumbrule.runs.aggregates import aggregate
from plumbrule.runs.gates import decide
from plumbrule.runs.repeats import summarise
from plumbrule.runs.sample_results import SampleResult

RUBRIC = load_benchmark().rubric

unhurried = settings(deadline=None)  # whole runs are computed, on a machine that may be busy


def result(sample_id: str, repeat: int, **changes: Any) -> SampleResult:
    """Return a result that passes and has a score of 1, but for the changes."""
    good: dict[str, Any] = {
        "accuracy_score": 2,
        "faithfulness_score": 2,
        "latency_e2e_ms": 1000,
        "input_tokens": 100,
        "output_tokens": 50,
    }
    return SampleResult(sample_id=sample_id, repeat=repeat, **{**good, **changes})


def test_mean_and_sample_deviation() -> None:
    """R32, G20: scores 1, 0.775 and 0.55 have the mean 0.775 and the sample deviation 0.225; p95 likewise."""
    group = summarise([result("a", n, accuracy_score=2 - n, latency_e2e_ms=1000 + 500 * n) for n in range(3)], RUBRIC)
    assert group.aggregate_score.mean == Fraction(775, 1000)
    assert group.aggregate_score.sd == pytest.approx(0.225, abs=1e-15)
    assert (group.latency_e2e_p95_ms.mean, group.latency_e2e_p95_ms.sd) == (Fraction(1500), 500.0)
    assert (len(group.repeats), group.wanted, group.enough) == (3, 3, True)


def test_one_repeat_has_no_deviation() -> None:
    """G20: null for fewer than two runs, not 0; nothing could flip."""
    group = summarise([result("a", 0)], RUBRIC)
    assert (group.aggregate_score.mean, group.aggregate_score.sd) == (Fraction(1), None)
    assert (group.flip_rate, group.compared, group.enough) == (None, 0, False)
    assert summarise([result("a", 0)], RUBRIC, recorded=True).enough


def test_no_repeat_at_all() -> None:
    """A group of nothing has no figures and is not ready."""
    group = summarise([], RUBRIC)
    assert (group.aggregate_score.mean, group.latency_e2e_p95_ms.mean, group.flip_rate) == (None, None, None)
    assert not group.every_repeat_ready


def test_equal_repeats_have_a_deviation_of_nothing() -> None:
    """Replayed answers come out the same: the deviation is exactly 0."""
    group = summarise([result(name, n, latency_e2e_ms=3333.3) for n in range(3) for name in "abc"], RUBRIC)
    assert (group.aggregate_score.sd, group.flip_rate, group.flipped) == (0.0, Fraction(0), ())


def test_samples_that_flip_are_named() -> None:
    """The share of samples that pass in one repeat and fail in another, of those that were in two or more."""
    results = [result(name, n) for n in range(3) for name in "abcd"]
    results[4] = result("a", 1, accuracy_score=None)
    results[9] = result("b", 2, latency_e2e_ms=8001)
    group = summarise([*results, result("only once", 0)], RUBRIC)
    assert (group.flip_rate, group.compared, group.flipped) == (Fraction(1, 2), 4, ("a", "b"))


def test_a_repeat_without_the_figure_is_counted_out() -> None:
    """A mean says over how many repeats it is; nulls as zero leave none out."""
    group = summarise([result("a", 0), result("a", 1), result("a", 2, accuracy_score=None)], RUBRIC)
    assert (group.aggregate_score.mean, group.aggregate_score.repeats) == (Fraction(1), 2)
    assert (group.aggregate_score_nulls_as_zero.mean, group.aggregate_score_nulls_as_zero.repeats) == (
        Fraction(2, 3),
        3,
    )


def test_whether_every_repeat_is_ready_is_told() -> None:
    """One repeat that would not be release-ready alone is enough."""
    good = [result(name, n) for n in range(3) for name in "abcd"]
    assert summarise(good, RUBRIC).every_repeat_ready
    assert not summarise([*good, result("e", 2, faithfulness_score=0)], RUBRIC).every_repeat_ready


@unhurried
@given(st.lists(st.lists(st.integers(0, 2), min_size=3, max_size=3), min_size=2, max_size=6), st.integers())
def test_order_changes_nothing(scores: list[list[int]], seed: int) -> None:
    """R33: results of all repeats in any order give the same bytes; the deviation is that of the statistics module."""
    results = [
        result(f"q{number}", repeat, accuracy_score=score)
        for repeat, row in enumerate(scores)
        for number, score in enumerate(row)
    ]
    group = summarise(results, RUBRIC)
    Random(seed).shuffle(results)  # noqa: S311 - an order, not a secret
    assert json_line(summarise(results, RUBRIC).summary()) == json_line(group.summary())
    means = [repeat.aggregates.figures.aggregate_score for repeat in group.repeats]
    assert group.aggregate_score.sd == pytest.approx(float(statistics.stdev([mean for mean in means if mean])))


def test_the_json_of_a_group() -> None:
    """Counts, both figures with both null treatments, the flips and the decision of each repeat."""
    record = to_json(summarise([result("a", 0), result("a", 1, accuracy_score=0)], RUBRIC).summary())
    deviation = record["aggregate_score"].pop("sd")
    assert deviation == record["aggregate_score"]["nulls_as_zero"].pop("sd") == pytest.approx(0.45 / 2**0.5)
    assert record == {
        "repeats": 2,
        "repeats_wanted": 3,
        "enough_repeats": False,
        "aggregate_score": {"mean": 0.775, "repeats": 2, "nulls_as_zero": {"mean": 0.775, "repeats": 2}},
        "latency_e2e_p95_ms": {
            "mean": 1000.0,
            "sd": 0.0,
            "repeats": 2,
            "nulls_as_zero": {"mean": 1000.0, "sd": 0.0, "repeats": 2},
        },
        "flip_rate": 1.0,
        "compared": 1,
        "flipped": ["a"],
        "release_ready": False,
        "release_ready_by_repeat": [
            {"repeat": 0, "release_ready": True, "failed_gates": []},
            {"repeat": 1, "release_ready": False, "failed_gates": ["aggregate_score", "pass_rate"]},
        ],
    }


@unhurried
@given(st.integers(1, 4), st.integers(1, 12), st.randoms(use_true_random=False))
def test_of_several_repeats_only_the_worst_has_intervals_of_its_own(repeats: int, samples: int, random: Random) -> None:
    """They take most of the time, and no decision rests on them; each repeat alone is decided as if it had them."""
    results = [
        result(
            f"q{number}",
            repeat,
            accuracy_score=random.choice((None, 0, 1, 2)),
            faithfulness_score=random.choice((None, 0, 2)),
            latency_e2e_ms=random.choice((None, 900, 12_000)),
        )
        for number in range(samples)
        for repeat in range(repeats)
    ]
    group = summarise(results, RUBRIC)
    for repeat in group.repeats:
        alone = decide(aggregate([each for each in results if each.repeat == repeat.repeat], RUBRIC), RUBRIC)
        assert [(gate.name, gate.passed, gate.deciding.value) for gate in repeat.decision.gates] == [
            (gate.name, gate.passed, gate.deciding.value) for gate in alone.gates
        ]
        if repeat is group.worst:
            assert repeat.decision == alone
        else:
            assert all(gate.deciding.low is None and gate.deciding.high is None for gate in repeat.decision.gates)
