"""Small moves for the worse add up; others do not."""

import math
from itertools import chain
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from plumbrule.stats.drift import cusum, week_deviations

# Montgomery, Introduction to Statistical Quality Control, table 9.1: the target is 10, the standard deviation 1.
MONTGOMERY = [
    *(9.45, 7.99, 9.29, 11.66, 12.16, 10.18, 8.04, 11.46, 9.20, 10.34, 9.03, 11.47, 10.51, 9.40, 10.08),
    *(9.37, 10.62, 10.31, 8.52, 10.84, 10.90, 9.33, 12.29, 11.50, 10.60, 11.08, 10.38, 11.62, 11.31, 10.52),
]
UPPER = [
    *(0, 0, 0, 1.16, 2.82, 2.50, 0.04, 1.00, 0, 0, 0, 0.97, 0.98, 0, 0),
    *(0, 0.12, 0, 0, 0.34, 0.74, 0, 1.79, 2.79, 2.89, 3.47, 3.35, 4.47, 5.28, 5.30),
]


def test_the_published_example() -> None:
    """The one-sided sums of the textbook, which pass 5 at the 29th observation."""
    found = cusum([value - 10 for value in MONTGOMERY], slack=0.5)
    assert found == pytest.approx(UPPER, abs=1e-9)
    assert next(number for number, value in enumerate(found, 1) if value >= 5) == 29


@given(st.lists(st.floats(-6, 6), max_size=60), st.floats(0, 2))
def test_it_is_the_height_above_the_lowest_point(deviations: list[float], slack: float) -> None:
    """Page's other form, by numpy: the sum so far less the least that any sum so far had."""
    path = np.concatenate([[0.0], np.cumsum(np.array(deviations, dtype=float) - slack)])
    expected = (path - np.minimum.accumulate(path))[1:]
    assert cusum(deviations, slack=slack) == pytest.approx(expected.tolist(), abs=1e-9)


def test_worked_by_hand() -> None:
    """S = max(0, S + deviation - 0.5); what could not be measured leaves it."""
    assert cusum([1.0, -2.0, 2.5, None, 3.5], slack=0.5) == [0.5, 0.0, 2.0, 2.0, 5.0]


def test_moves_within_the_slack_never_add_up() -> None:
    """A hundred weeks of half a standard error are no drift."""
    assert cusum([0.5] * 100, slack=0.5) == [0.0] * 100


def test_nothing() -> None:
    """No weeks, no sums."""
    assert cusum([], slack=0.5) == []


weeks_of = st.lists(st.lists(st.integers(0, 4).map(lambda level: level / 4), min_size=1, max_size=8), min_size=5)


@given(weeks_of, st.booleans())
def test_a_week_is_set_against_all_before_it(weeks: list[list[float]], higher: bool) -> None:  # noqa: FBT001
    """By scipy: t of the week against the mean so far, as a normal score, skewness taken out by the cube root."""
    found = week_deviations(weeks, baseline=4, higher_is_better=higher)
    assert len(found) == len(weeks) - 4
    signed = [[value if higher else 1 - value for value in week] for week in weeks]
    for number, deviation in enumerate(found, 4):
        before, week = list(chain.from_iterable(signed[:number])), signed[number]
        more = [*before, *week, 0.0, 1.0]
        scale = 1 / len(week) + 1 / len(before)
        t = (np.mean(before) - np.mean(week)) / (np.std(more, ddof=1) * math.sqrt(scale))
        score = scipy_stats.norm.isf(scipy_stats.t.sf(t, len(more) - 1))
        skew = -scipy_stats.skew(more) * (1 / len(week) ** 2 - 1 / len(before) ** 2) / scale**1.5
        if abs(skew) > 1e-5:
            score = 6 / skew * (np.cbrt(max(0.0, 1 + skew * score / 2)) - 1) + skew / 6
            assert deviation == pytest.approx(score, abs=1e-6)
        elif abs(skew) < 1e-7:
            assert deviation == pytest.approx(score, abs=1e-6)


def test_weeks_without_values() -> None:
    """They count neither for the baseline nor as a deviation; without a baseline there is nothing."""
    assert week_deviations([[0.5, 1.0], [], [0.5]], baseline=3) == []
    found = week_deviations([[0.5, 1.0], [], [0.5], [], [1.0]], baseline=2)
    assert found[0] is None
    assert found[1] is not None
    assert found[1] < 0  # better than before


def test_a_lasting_fall_raises_an_alarm() -> None:
    """Ten weeks at 0.9, then at 0.8: the sum passes 5 within ten weeks, and not before the fall."""
    random = Random(4)  # noqa: S311 - no secret
    weeks = [[float(random.random() < (0.9 if week < 10 else 0.75)) for _ in range(40)] for week in range(24)]
    sums = cusum(week_deviations(weeks, baseline=4), slack=0.5)
    assert max(sums[:6]) < 5 <= max(sums[6:16])
