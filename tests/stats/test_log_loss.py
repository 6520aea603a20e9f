"""Which of two calibrations is the better on the same labels."""

import math
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from sklearn.metrics import log_loss

from plumbrule.stats.log_loss import log_loss_gap

chances = st.floats(0.01, 0.99)


@given(st.lists(st.tuples(chances, chances, st.booleans()), min_size=3, max_size=50))
def test_it_is_the_paired_t_test_of_the_reference(rows: list[tuple[float, float, bool]]) -> None:
    """Losses by scikit-learn, interval and p-value by scipy."""
    first, second, labels = (list(column) for column in zip(*rows, strict=True))
    found = log_loss_gap(first, second, labels)
    assert found is not None
    assert found.first == pytest.approx(log_loss(labels, first, labels=[False, True]), abs=1e-9)
    assert found.second == pytest.approx(log_loss(labels, second, labels=[False, True]), abs=1e-9)
    moves = [
        math.log(one if label else 1 - one) - math.log(other if label else 1 - other) for one, other, label in rows
    ]
    if np.std(moves) > 1e-6:
        test = scipy_stats.ttest_1samp(moves, 0)
        assert found.p_value == pytest.approx(test.pvalue, abs=1e-9)
        assert found.interval == pytest.approx(tuple(test.confidence_interval(0.95)), abs=1e-8)


def test_a_clear_difference() -> None:
    """Probabilities that say nothing lose against those that labels come from, from either side."""
    random = Random(1)  # noqa: S311 - no secret
    true = [random.random() for _ in range(200)]
    labels = [random.random() < chance for chance in true]
    flat = [0.5] * 200
    for one, other, better in ((flat, true, "second"), (true, flat, "first"), (true, true, "no clear difference")):
        found = log_loss_gap(one, other, labels)
        assert found is not None
        assert found.better == better


def test_certainty_that_was_wrong_costs_much() -> None:
    """But not without end, and nothing is compared where there is nothing."""
    found = log_loss_gap([1.0], [0.5], [False])
    assert found is not None
    assert 30 < found.first < 40
    assert (found.interval, found.p_value, found.better) == (None, None, "no clear difference")
    assert log_loss_gap([], [], []) is None
