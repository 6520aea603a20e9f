"""A judge's predictions, anchored by people's labels."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbrule.errors import InputError
from plumbrule.stats.mean_intervals import mean_estimate
from plumbrule.stats.prediction_powered import (
    AnsweredShare,
    Clusters,
    LabelOutlook,
    anchored_mean,
    prediction_powered_mean,
)

BY_PPI_PYTHON = json.loads(
    (Path(__file__).parent.parent / "data" / "references" / "prediction_powered.json").read_text(encoding="utf-8")
)  # the script beside it made them


@pytest.mark.parametrize("case", BY_PPI_PYTHON)
def test_it_equals_the_reference(case: dict[str, Any]) -> None:
    """Mean and normal interval are those of ppi-python: power-tuned, plain, and with labels alone."""
    found = prediction_powered_mean([tuple(pair) for pair in case["labelled"]], case["others"], tuning=case["tuning"])
    assert found is not None
    assert found.value == pytest.approx(case["mean"], abs=1e-9)
    low, high = case["interval"]
    assert found.normal == pytest.approx((max(0.0, low), min(1.0, high)), abs=1e-9)


@pytest.mark.parametrize("case", BY_PPI_PYTHON)
def test_the_deciding_interval_is_the_wider(case: dict[str, Any]) -> None:
    """Few labels are worth less than the normal approximation says; the estimate is always inside."""
    found = prediction_powered_mean([tuple(pair) for pair in case["labelled"]], case["others"], tuning=case["tuning"])
    assert found is not None
    assert found.interval.high - found.interval.low >= found.normal.high - found.normal.low
    assert found.interval.low <= found.value <= found.interval.high


def test_labels_alone_are_a_plain_mean() -> None:
    """Without other samples the predictions say nothing, and the interval is that of the labels' mean."""
    labels = [0.25, 0.5, 1.0, 1.0, 0.75, 1.0]
    found = prediction_powered_mean([(label, 0.3 * label) for label in labels], [])
    plain = mean_estimate(labels)
    assert found is not None
    assert plain is not None
    assert (found.tuning, found.samples) == (0.0, 6)
    assert found.interval == pytest.approx(plain.interval, abs=1e-9)


def test_labelled_samples_are_part_of_all() -> None:
    """The others are those without a label."""
    predictions = {f"s{place}": float(place % 3 > 0) for place in range(60)}
    labels = {f"s{place}": float(place % 4 > 0) for place in range(20)}
    found = anchored_mean(predictions, labels)
    split = prediction_powered_mean(
        [(labels[name], predictions[name]) for name in labels], [predictions[f"s{place}"] for place in range(20, 60)]
    )
    assert found == split
    assert found is not None
    assert (found.labels, found.samples) == (20, 60)


def test_a_wrong_judge_is_put_right() -> None:
    """A judge that passes all bad answers says 1.00; with labels of every fourth sample the estimate is near 0.8."""
    truths = {place: int(place % 5 > 0) for place in range(400)}
    found = anchored_mean(dict.fromkeys(truths, 1), {place: truths[place] for place in range(0, 400, 4)})
    assert found is not None
    assert found.value == pytest.approx(0.8)
    assert found.interval.low < 0.8 < found.interval.high < 0.9


def test_a_label_without_a_prediction() -> None:
    """Is named."""
    with pytest.raises(InputError, match="'b' has a label but no prediction"):
        anchored_mean({"a": 1}, {"b": 1})


def test_too_few_labels() -> None:
    """One label shows no spread."""
    assert prediction_powered_mean([(1, 1)], [0, 1]) is None


def test_values_of_one_cluster_are_not_independent() -> None:
    """Clusters of one value change nothing; values that share a cluster and err together widen the interval."""
    pairs = [(place % 10 < 8, place % 10 < 7) for place in range(50)]
    others = [place % 10 < 7 for place in range(100)]
    alone = prediction_powered_mean(pairs, others)
    each = prediction_powered_mean(pairs, others, clusters=Clusters(labelled=range(50), others=range(50, 150)))
    assert alone is not None
    assert each is not None
    assert each.interval == pytest.approx(alone.interval, abs=0.01)
    digits = Clusters(labelled=[place % 10 for place in range(50)], others=[place % 10 for place in range(100)])
    shared = prediction_powered_mean(pairs, others, clusters=digits)
    assert shared is not None
    assert (shared.value, shared.normal) == (alone.value, alone.normal)
    assert shared.design_effect > 2
    assert shared.interval.high - shared.interval.low > 1.5 * (alone.interval.high - alone.interval.low)
    one = prediction_powered_mean(pairs, others, clusters=Clusters(labelled=[0] * 50, others=[0] * 100))
    assert one is not None
    assert one.interval == (0, 1)


def outlook(rate: float, right: float) -> LabelOutlook:
    """Return answers that pass with this rate, and a judge that is right as often as that."""
    shares = {(1, 1): rate * right, (1, 0): rate * (1 - right), (0, 1): (1 - rate) * (1 - right)}
    shares[0, 0] = (1 - rate) * right
    answers = [AnsweredShare(label=y, prediction=f, share=share) for (y, f), share in shares.items()]
    return LabelOutlook(value=rate, answers=answers)


@pytest.mark.parametrize(
    ("rate", "right", "samples", "limit"),
    [(0.92, 0.9, 500, 0.85), (0.78, 0.9, 500, 0.85), (0.92, 0.97, 400, 0.85), (0.02, 0.95, 600, 0.05)],
)
def test_so_many_labels_settle_it_with_the_power(rate: float, right: float, samples: int, limit: float) -> None:
    """Simulated with the interval that decides: not less than 80% of the time, and not much more."""
    labels = outlook(rate, right).labels_for_power(limit, samples=samples, power=0.8)
    assert labels is not None
    assert labels <= samples
    random, settled, runs = Random(3), 0, 300  # noqa: S311 - no secret
    for _ in range(runs):
        truths = [random.random() < rate for _ in range(samples)]
        judged = [truth == (random.random() < right) for truth in truths]
        found = prediction_powered_mean(list(zip(truths[:labels], judged[:labels], strict=True)), judged[labels:])
        assert found is not None
        settled += found.interval.low >= limit if rate > limit else found.interval.high <= limit
    assert 0.76 * runs < settled < 0.93 * runs


@given(st.floats(0.6, 0.98), st.floats(0.6, 1), st.integers(2, 3_000))
def test_never_more_labels_than_samples(rate: float, right: float, samples: int) -> None:
    """So few samples that a label of each is not enough have no number; a census is that of labels alone."""
    answers = outlook(rate, right)
    labels, alone = (answers.labels_for_power(0.5, samples=count, power=0.8) for count in (samples, None))
    assert alone is not None
    if labels is None:
        assert samples < alone
    else:
        assert labels <= min(samples, alone)
    margin = answers.labels_for_margin(0.05, samples=samples)
    assert margin is None or margin <= samples


def test_the_expected_interval_is_the_one_that_decides() -> None:
    """Labels in exactly the expected proportions: their interval is what the margin was asked for, and no less do."""
    counts = {(1, 1): 360, (1, 0): 40, (0, 1): 10, (0, 0): 90}
    answers = [AnsweredShare(label=y, prediction=f, share=count) for (y, f), count in counts.items()]
    others = [f for (_, f), count in counts.items() for _ in range(3 * count)]
    pairs = [pair for pair, count in counts.items() for _ in range(count)]
    found = prediction_powered_mean(pairs, others)
    assert found is not None
    margin = max(found.value - found.interval.low, found.interval.high - found.value)
    expected = LabelOutlook(value=found.value, answers=answers)
    assert expected.labels_for_margin(margin, samples=2_000) == pytest.approx(500, abs=2)
    assert expected.samples_for_margin(margin, labels=500) == pytest.approx(2_000, rel=0.02)
    assert expected.labels_for_power(found.value, samples=2_000, power=0.8) is None
