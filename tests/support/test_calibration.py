"""Calibration: a curve that always rises, fitted to labels, and how far probabilities are from what they foretell."""

import math
import random
from dataclasses import astuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression

from plumbrule.errors import RubricError
from plumbrule.rubrics import load_verdict
from plumbrule.support.calibration import (
    Curve,
    Example,
    _groups,
    _rising,
    calibration_error,
    fit_curve,
    log_odds_of,
    logistic,
    reliability,
)

TAIL = 0.25
CURVE = Curve(knots=((-1.0, -2.0), (0.0, 0.0), (2.0, 1.0)), tail_slope=TAIL)


@pytest.mark.parametrize(
    ("raw", "calibrated"),
    [(-1.0, -2.0), (0.0, 0.0), (2.0, 1.0), (-0.5, -1.0), (1.0, 0.5), (-3.0, -2.5), (6.0, 2.0)],
)
def test_a_curve_runs_through_its_knots(raw: float, calibrated: float) -> None:
    """Straight between the knots, and rising by a quarter beyond them."""
    assert CURVE.log_odds(raw) == pytest.approx(calibrated)
    assert CURVE.probability(raw) == pytest.approx(1 / (1 + math.exp(-calibrated)))


def test_one_knot_is_a_curve() -> None:
    """It goes on from it both ways."""
    curve = Curve(knots=((1.0, 0.5),), tail_slope=TAIL)
    assert [curve.log_odds(raw) for raw in (-1.0, 1.0, 3.0)] == [0.0, 0.5, 1.0]


EXAMPLES = st.lists(
    st.builds(
        Example,
        st.floats(-20, 20) | st.sampled_from([0.0, 1.0, 1e-9, 1.0000001]),
        st.booleans(),
        st.floats(0.01, 100),
    ),
    min_size=1,
    max_size=300,
)


@given(EXAMPLES, st.integers(2, 40))
def test_a_fitted_curve_always_rises(examples: list[Example], knots: int) -> None:
    """As it is written, in both numbers, whatever the labels: a rubric that holds it can be read."""
    curve = fit_curve(examples, TAIL, knots)
    places, values = zip(*curve.knots, strict=True)
    assert list(places) == sorted(set(places))
    assert list(values) == sorted(set(values))
    moved = curve.moved(0.1234567)
    assert [value for _, value in moved.knots] == sorted({value for _, value in moved.knots})
    said = {"name": "mine", "version": "1", "model": "0" * 64, "labels": len(examples), "unsupported_share": 0.5}
    overrides = {"support.calibration": {**said, "answers": curve.knots, "sentences": moved.knots}}
    assert load_verdict(None, overrides).rubric.support.calibration is not None


@given(EXAMPLES, st.floats(-30, 30), st.floats(-30, 30))
def test_different_log_odds_stay_different(examples: list[Example], one: float, other: float) -> None:
    """No two inputs that differ become equal, and their order stays."""
    low, high = sorted((one, other))
    curve = fit_curve(examples, TAIL)
    if high - low > 1e-6:
        assert curve.log_odds(low) < curve.log_odds(high)


def labels(count: int, share: float, seed: int = 1) -> list[Example]:
    """Return labels whose log-odds tell, with noise, what they are."""
    draw = random.Random(seed)  # noqa: S311 - no secret
    found = []
    for _ in range(count):
        supported = draw.random() < share
        found.append(Example(draw.gauss(1.0 if supported else -1.0, 1.0), supported))
    return found


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0.1, 50)), min_size=1, max_size=30))
def test_pooling_is_isotonic_regression(groups: list[tuple[float, float]]) -> None:
    """The nearest rising row, by weight, as scikit-learn finds it."""
    shares, weights = zip(*groups, strict=True)
    expected = IsotonicRegression().fit_transform(range(len(shares)), shares, sample_weight=weights)
    assert _rising(shares, weights) == pytest.approx(list(expected), abs=1e-9)


def test_a_curve_is_the_isotonic_one_of_its_groups() -> None:
    """Shares by group, drawn by one label towards the share of all, then made to rise."""
    examples = labels(400, 0.6)
    groups = _groups(sorted(examples), 8)
    whole = (sum(each.supported for each in examples) + 0.5) / 401
    shares = [(sum(each.supported for each in group) + whole) / (len(group) + 1) for group in groups]
    weights = [len(group) for group in groups]
    rising = IsotonicRegression().fit_transform(range(len(shares)), shares, sample_weight=weights)
    curve = fit_curve(examples, TAIL)
    assert len(curve.knots) == 8
    for (place, value), group, share in zip(curve.knots, groups, rising, strict=True):
        assert place == pytest.approx(math.fsum(each.log_odds for each in group) / len(group), abs=1e-6)
        assert value == pytest.approx(log_odds_of(share), abs=0.05)  # pooled groups still rise a little


def test_twenty_labels_make_two_knots() -> None:
    """A few labels fit no more than a line."""
    curve = fit_curve(labels(20, 0.5), TAIL)
    assert len(curve.knots) == 2
    assert 0.01 < curve.probability(-5) < curve.probability(5) < 0.995


@pytest.mark.parametrize("supported", [True, False])
def test_labels_of_one_kind_are_no_certainty(*, supported: bool) -> None:
    """Twenty labels that all say the same leave room for the other."""
    curve = fit_curve([Example(number / 10, supported) for number in range(20)], TAIL)
    probabilities = [curve.probability(raw) for raw in (-1.0, 1.0, 3.0)]
    assert all((share > 0.9) == supported and 0.0005 < share < 0.9995 for share in probabilities)


def test_one_answer_over_again_is_one_knot() -> None:
    """Labels at one place are not a curve of several."""
    curve = fit_curve([Example(0.5, number % 4 > 0) for number in range(100)], TAIL)
    assert len(curve.knots) == 1
    assert curve.probability(0.5) < 0.75 + 0.2


def test_a_label_of_weight_two_is_two_labels() -> None:
    """The groups are cut by weight, and the shares are of weight."""
    once = labels(100, 0.5)
    doubled = [example._replace(weight=2.0) for example in once]
    assert fit_curve(doubled, TAIL) == fit_curve(once, TAIL)
    heavy = [example._replace(weight=5.0 if example.supported else 1.0) for example in once]
    assert fit_curve(heavy, TAIL).log_odds(0.0) > fit_curve(once, TAIL).log_odds(0.0) + 0.5


def test_the_order_of_labels_does_not_count() -> None:
    """The same labels make the same curve."""
    examples = labels(150, 0.4)
    assert fit_curve(examples, TAIL) == fit_curve(examples[::-1], TAIL)


def test_a_fitted_curve_is_calibrated() -> None:
    """On labels of another base rate, the error falls."""
    examples = labels(400, 0.2)
    supported = [each.supported for each in examples]
    before = calibration_error([logistic(each.log_odds) for each in examples], supported)
    curve = fit_curve(examples, TAIL)
    after = calibration_error([curve.probability(each.log_odds) for each in examples], supported)
    assert after < 0.05 < before


def test_moving_adds_to_the_log_odds() -> None:
    """Between the knots and beyond."""
    moved = CURVE.moved(0.5)
    assert [moved.log_odds(raw) - CURVE.log_odds(raw) for raw in (-9.0, -0.3, 1.0, 9.0)] == pytest.approx([0.5] * 4)


def test_reliability_by_hand() -> None:
    """Four answers in three bins; those at a bound are in the upper one, and 1 in the last."""
    found = reliability([0.1, 0.5, 0.6, 1.0], [False, True, False, True], bins=4)
    assert [astuple(each) for each in found] == [
        (0.0, 0.25, 1, 0.1, 0.0),
        (0.5, 0.75, 2, pytest.approx(0.55), 0.5),
        (0.75, 1.0, 1, 1.0, 1.0),
    ]
    assert calibration_error([0.1, 0.5, 0.6, 1.0], [False, True, False, True], bins=4) == pytest.approx(0.05)


@given(st.floats(-700, 700))
def test_log_odds_and_probability_are_one(log_odds: float) -> None:
    """Neither overflows; within the bound they turn back into each other."""
    probability = logistic(log_odds)
    assert 0.0 <= probability <= 1.0
    assert log_odds_of(probability) == pytest.approx(max(-13.815510, min(13.815510, log_odds)), abs=1e-5)


@pytest.mark.parametrize(
    "knots",
    [[[0, 0], [0, 1]], [[0, 1], [1, 1]], [[1, 0], [0, 1]], [["nan", 0]], [[0, "inf"]], []],
)
def test_a_calibration_that_does_not_rise_is_refused(knots: list[list[object]]) -> None:
    """Equal or falling knots, none at all, and what is no number."""
    said = {"name": "mine", "version": "1", "model": "0" * 64, "labels": 20, "unsupported_share": 0.5}
    with pytest.raises(RubricError):
        load_verdict(None, {"support.calibration": {**said, "answers": [[0, 0]], "sentences": knots}})


@pytest.mark.parametrize("model", ["0" * 63, "0" * 65, "x" + "0" * 64])
def test_a_calibration_names_its_model_by_a_whole_hash(model: str) -> None:
    """Sixty-four hex digits, no more and no fewer."""
    said = {"name": "mine", "version": "1", "labels": 20, "unsupported_share": 0.5}
    knots = {"answers": [[0, 0]], "sentences": [[0, 0]]}
    with pytest.raises(RubricError):
        load_verdict(None, {"support.calibration": {**said, **knots, "model": model}})
