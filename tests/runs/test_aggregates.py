"""The figures of a run depend on its results alone: not on their order, and never on a guess."""

from dataclasses import fields, replace
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plumbrule.codec import json_line, to_json
from plumbrule.errors import InputError
from plumbrule.rubrics import load_benchmark
from plumbrule.runs.aggregates import Aggregates, Figures, aggregate
from plumbrule.runs.gates import decide
from plumbrule.runs.sample_results import SampleResult, grade_all

RUBRIC = load_benchmark().rubric

unhurried = settings(deadline=None)  # whole runs are computed, on a machine that may be busy
OFF = {"contradicted_rate", "unsupported_rate"}  # no gates of the rubric that ships
SHARES = ("accuracy_full_credit_rate", "faithfulness_failure_rate", "pass_rate", "aggregate_score")

scores = st.none() | st.integers(0, 2)
latencies = st.none() | st.sampled_from([0, 3000, 8000, 10000]) | st.floats(0, 60_000, allow_nan=False)
tokens = st.none() | st.sampled_from([0, 1000, 5000]) | st.integers(0, 10_000)
results = st.builds(
    SampleResult,
    sample_id=st.just(""),
    accuracy_score=scores,
    faithfulness_score=scores,
    evaluator_error=st.sampled_from([None, "parse_error"]),
    latency_e2e_ms=latencies,
    latency_model_ms=latencies,
    timed_out=st.booleans(),
    input_tokens=tokens,
    output_tokens=tokens,
    refused=st.booleans(),
)
runs = st.lists(results, max_size=40).map(
    lambda found: [replace(result, sample_id=f"q{number}") for number, result in enumerate(found)]
)


def run_json(found: list[SampleResult]) -> bytes:
    """Return all that a run shows, as bytes."""
    aggregates = aggregate(found, RUBRIC)
    decision = decide(aggregates, RUBRIC)
    return json_line(
        {
            "aggregates": aggregates.values(),
            "gates": [gate.result() for gate in decision.gates],
            "release_ready": decision.release_ready,
            "intervals": aggregates.intervals(),
            "samples": [sample.summary() for sample in grade_all(found, RUBRIC)],
        }
    )


@unhurried
@given(runs, st.integers())
def test_order_changes_nothing(run: list[SampleResult], seed: int) -> None:
    """R33: the same results in any order give the same bytes."""
    shuffled = list(run)
    Random(seed).shuffle(shuffled)  # noqa: S311 - an order, not a secret
    assert run_json(shuffled) == run_json(run)


@unhurried
@given(runs)
def test_figures_keep_their_bounds(run: list[SampleResult]) -> None:
    """Shares lie in [0, 1], means of scores in [0, 2], p50 is at most p95; no figure is NaN or infinite."""
    aggregates = aggregate(run, RUBRIC)
    for figures in (aggregates.figures, aggregates.nulls_as_zero):
        for name in SHARES:
            share = getattr(figures, name)
            assert share is None or 0 <= share <= 1, name
        for mean in (figures.accuracy_mean, figures.faithfulness_mean):
            assert mean is None or 0 <= mean <= 2
        for low, high in (
            (figures.latency_e2e_p50_ms, figures.latency_e2e_p95_ms),
            (figures.latency_model_p50_ms, figures.latency_model_p95_ms),
        ):
            assert low is None or high is None or low <= high


@unhurried
@given(runs)
def test_an_interval_holds_its_figure(run: list[SampleResult]) -> None:
    """Low is at most the figure and high at least, wherever an end is bounded."""
    aggregates = aggregate(run, RUBRIC)
    for estimates in (aggregates.estimates, aggregates.estimates_nulls_as_zero):
        for estimate in estimates.by_name().values():
            if estimate.value is not None:
                assert estimate.low is None or estimate.low <= estimate.value + Fraction(1, 10**9)
                assert estimate.high is None or estimate.high >= estimate.value - Fraction(1, 10**9)


@unhurried
@given(runs, results)
def test_a_failing_sample_never_raises_the_pass_rate(run: list[SampleResult], more: SampleResult) -> None:
    """G17: pass_rate is over all samples, so that one more that fails can only lower it."""
    before = aggregate(run, RUBRIC).figures.pass_rate
    failing = replace(more, sample_id="more", accuracy_score=None)
    after = aggregate([*run, failing], RUBRIC).figures.pass_rate
    assert after is not None
    assert before is None or after <= before
    assert (after < before) if before else after == 0


@unhurried
@given(runs)
def test_nulls_as_zero_are_never_better(run: list[SampleResult]) -> None:
    """G17: counting nulls as zero can only make a gate's figure worse, or leave it unknown."""
    found = aggregate(run, RUBRIC)
    left_out, as_zero = found.figures, found.nulls_as_zero
    for name, worse_is_higher in (
        ("accuracy_mean", False),
        ("faithfulness_mean", False),
        ("aggregate_score", False),
        ("pass_rate", False),
        ("faithfulness_failure_rate", True),
        ("latency_e2e_p95_ms", True),
    ):
        one, other = getattr(left_out, name), getattr(as_zero, name)
        if one is not None and other is not None:
            assert (other >= one) if worse_is_higher else (other <= one), name


@unhurried
@given(runs)
def test_without_nulls_both_treatments_agree(run: list[SampleResult]) -> None:
    """The two treatments differ by the nulls and by nothing else."""
    complete = [
        replace(
            result,
            accuracy_score=result.accuracy_score or 0,
            faithfulness_score=result.faithfulness_score or 0,
            latency_e2e_ms=result.latency_e2e_ms or 0,
            latency_model_ms=result.latency_model_ms or 0,
            input_tokens=result.input_tokens or 0,
            output_tokens=result.output_tokens or 0,
        )
        for result in run
    ]
    found = aggregate(complete, RUBRIC)
    assert found.figures == found.nulls_as_zero
    assert found.estimates == found.estimates_nulls_as_zero


def test_a_run_of_nothing() -> None:
    """A mean, share, percentile or sum of nothing is null, never 0; the counts are 0."""
    found = aggregate([], RUBRIC)
    for figures in (found.figures, found.nulls_as_zero):
        assert set(to_json(figures.values()).values()) == {None}
    assert set(to_json(found.counts).values()) == {0}


def test_a_run_with_nothing_scored() -> None:
    """Nulls only: no mean where they are left out, 0 where they count as zero, and no sum that nobody reported."""
    found = aggregate([SampleResult(sample_id="a"), SampleResult(sample_id="b")], RUBRIC)
    names = [field.name for field in fields(Figures) if field.name not in OFF]
    assert to_json(found.figures.values()) == {**dict.fromkeys(names), "pass_rate": 0.0}
    assert to_json(found.nulls_as_zero.values()) == {
        **dict.fromkeys(names),
        "accuracy_mean": 0.0,
        "accuracy_full_credit_rate": 0.0,
        "faithfulness_mean": 0.0,
        "faithfulness_failure_rate": 1.0,
        "token_efficiency_ratio_mean": 0.0,
        "pass_rate": 0.0,
        "aggregate_score": 0.0,
    }


def test_an_unknown_latency_counts_as_the_slowest() -> None:
    """Zero would be the best latency: a null stands above all measured, and where the rank meets it p95 is null."""
    known = [SampleResult(sample_id=f"k{number}", latency_e2e_ms=number) for number in range(1, 41)]
    unknown = [SampleResult(sample_id=f"u{number}") for number in range(3)]
    one = aggregate([*known, *unknown[:1]], RUBRIC)
    assert (one.figures.latency_e2e_p95_ms, one.nulls_as_zero.latency_e2e_p95_ms) == (Fraction(38), Fraction(39))
    three = aggregate([*known, *unknown], RUBRIC)
    assert (three.figures.latency_e2e_p95_ms, three.nulls_as_zero.latency_e2e_p95_ms) == (Fraction(38), None)


def test_a_timeout_counts_with_its_elapsed_time() -> None:
    """G20, G22: the elapsed time is in the percentiles, the sample in the counts, its accuracy in the mean."""
    timeout = SampleResult(sample_id="t", accuracy_score=0, latency_e2e_ms=60_000, timed_out=True)
    found = aggregate([timeout], RUBRIC)
    assert found.figures.latency_e2e_p95_ms == 60_000
    assert found.figures.accuracy_mean == 0
    assert found.figures.faithfulness_mean is None
    assert to_json(found.counts) == {"attempted": 1, "scored": 0, "errored": 0, "refused": 0, "timed_out": 1}


def test_no_correct_answer_divides_nothing() -> None:
    """R22: tokens_per_correct_answer is over at least one."""
    found = aggregate([SampleResult(sample_id="a", accuracy_score=1, input_tokens=70, output_tokens=30)], RUBRIC)
    assert found.figures.tokens_per_correct_answer == 100


def test_repeats_are_not_pooled() -> None:
    """Repeats of one sample are not independent samples: they make a group, not a run."""
    with pytest.raises(InputError, match="several repeats"):
        aggregate([SampleResult(sample_id="a"), SampleResult(sample_id="a", repeat=1)], RUBRIC)


def test_the_json_of_the_aggregates() -> None:
    """Every aggregate by its name, then both null treatments and the counts."""
    found: Aggregates = aggregate([SampleResult(sample_id="a", accuracy_score=2)], RUBRIC)
    record: dict[str, Any] = to_json(found.values())
    names = [field.name for field in fields(Figures) if field.name not in OFF]
    assert list(record) == [*names, "nulls_as_zero", "counts", "counts_by_aggregate"]
    assert list(record["nulls_as_zero"]) == list(record["counts_by_aggregate"]) == names
    assert record["accuracy_mean"] == 2.0
    assert list(to_json(found.intervals())) == [
        "aggregate_score",
        "pass_rate",
        "faithfulness_failure_rate",
        "latency_e2e_p95_ms",
    ]
    assert found.intervals().aggregate_score.nulls_as_zero.samples == 1
