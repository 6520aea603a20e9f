"""Means are exact, spreads are those of a sample, and a mean of nothing is none."""

import math
import statistics
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from plumbrule.stats.spread import (
    mean_of,
    mean_settles_at,
    sample_sd,
    t_quantile_975,
)

shares = st.fractions(0, 1, max_denominator=997)


@given(st.lists(shares, min_size=1, max_size=40), st.randoms())
def test_a_mean_is_exact_in_any_order(values: list[Fraction], random: object) -> None:
    """The mean is the sum over the count, to the last digit."""
    shuffled = list(values)
    random.shuffle(shuffled)  # type: ignore[attr-defined]  # hypothesis types its Random as an object
    assert mean_of(values) == mean_of(shuffled) == sum(values, Fraction()) / len(values)


def test_a_mean_of_very_many_unlike_fractions() -> None:
    """Past 2,000 denominators the mean is as good as exact, and the same in any order."""
    values = [Fraction(1, number) for number in range(1, 3_001)]
    found = mean_of(values)
    assert found is not None
    assert found == mean_of(values[::-1])
    assert float(found) == pytest.approx(math.fsum(1 / number for number in range(1, 3_001)) / 3_000, abs=1e-15)
    assert mean_of([Fraction(4, 5)] * 3_000) == Fraction(4, 5)


def test_nothing_has_no_mean_and_one_no_spread() -> None:
    """G20: a mean of nothing is none; the deviation of fewer than two is none, not 0."""
    assert mean_of([]) is None
    assert sample_sd([]) is None
    assert sample_sd([Fraction(1)]) is None


@given(st.lists(shares, min_size=2, max_size=40))
def test_the_deviation_is_that_of_a_sample(values: list[Fraction]) -> None:
    """G20: n - 1 stands below the line."""
    assert sample_sd(values) == pytest.approx(float(statistics.stdev(values)), abs=1e-12)


@pytest.mark.parametrize(
    ("freedom", "expected"),
    [(1, 12.706205), (2, 4.302653), (5, 2.570582), (10, 2.228139), (29, 2.045230), (100, 1.983972), (10**6, 1.959966)],
)
def test_known_quantiles(freedom: int, expected: float) -> None:
    """Student's t at 97.5%, as the tables print it."""
    assert t_quantile_975(freedom) == pytest.approx(expected, abs=1e-6)


@given(st.integers(1, 3_000))
def test_quantiles_equal_the_reference(freedom: int) -> None:
    """As scipy has them, to the eight places that are kept."""
    assert t_quantile_975(freedom) == pytest.approx(scipy_stats.t.ppf(0.975, freedom), abs=6e-9)


def test_how_many_samples_settle_a_mean() -> None:
    """The t interval of that many samples of the same spread excludes the limit; that of one fewer does not."""
    mean, limit, deviation = Fraction(9, 10), Fraction(8, 10), 0.3
    needed = mean_settles_at(mean, deviation, limit)
    assert needed == 38
    assert t_quantile_975(needed - 1) * deviation / math.sqrt(needed) <= 0.1
    assert t_quantile_975(needed - 2) * deviation / math.sqrt(needed - 1) > 0.1
    assert mean_settles_at(limit, deviation, limit) is None
    assert mean_settles_at(limit + Fraction(1, 10**30), deviation, limit) is None
    assert mean_settles_at(limit + Fraction(1, 10**400), deviation, limit) is None
