"""Means are exact, spreads are those of a sample, and a mean of nothing is none."""

import math
import statistics
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from statsmodels.stats.proportion import proportion_confint
from statsmodels.stats.weightstats import DescrStatsW

from plumbrule.stats.intervals import wilson, wilson_of_share
from plumbrule.stats.spread import (
    mean_of,
    mean_settles_at,
    sample_sd,
    share_mean_interval,
    share_settles_at,
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
    assert share_mean_interval([Fraction(1)]) is None


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


@given(st.lists(shares, min_size=2, max_size=40))
def test_the_interval_equals_the_reference(values: list[Fraction]) -> None:
    """Student's t as statsmodels has it, cut at 0 and 1; Wilson's where nothing spreads."""
    floats, mean = [float(value) for value in values], mean_of(values)
    assert mean is not None
    if len(set(values)) > 1:
        low, high = DescrStatsW(floats).tconfint_mean(0.05)
    else:
        low, high = proportion_confint(float(mean) * len(values), len(values), method="wilson")
    assert share_mean_interval(values) == pytest.approx((max(0, low), min(1, high)), abs=1e-8)


def test_a_known_interval() -> None:
    """The mean of 0.2, 0.4, 0.6 is 0.4, give or take 4.302653 * 0.2 / sqrt(3): cut at 0."""
    interval = share_mean_interval([Fraction(1, 5), Fraction(2, 5), Fraction(3, 5)])
    assert interval == pytest.approx((0.0, 0.896828), abs=1e-6)


def test_values_that_are_all_alike_are_not_certain() -> None:
    """No spread was seen, so the widest that the mean allows is taken: Wilson's interval."""
    assert share_mean_interval([Fraction(1)] * 10) == wilson(10, 10)
    assert share_mean_interval([Fraction(4, 5)] * 10) == wilson(8, 10)
    assert share_mean_interval([Fraction(3, 4)] * 10) == pytest.approx((0.442181, 0.919052), abs=1e-6)


@given(st.lists(shares, min_size=2, max_size=40))
def test_the_interval_holds_its_mean(values: list[Fraction]) -> None:
    """Low is at most the mean, high at least; both lie in [0, 1]."""
    interval, mean = share_mean_interval(values), mean_of(values)
    assert interval is not None
    assert mean is not None
    assert 0 <= interval.low <= mean + Fraction(1, 10**12)
    assert mean - Fraction(1, 10**12) <= interval.high <= 1


def test_a_share_between_counts() -> None:
    """Wilson's interval of a share is the same whether or not it is a whole count."""
    assert wilson_of_share(float(Fraction(1, 2)), 10) == wilson(5, 10)
    near = wilson_of_share(float(Fraction(500_001, 1_000_000)), 10)
    assert near == pytest.approx(wilson(5, 10), abs=1e-5)


def test_how_many_samples_settle_a_share() -> None:
    """0.90 against 0.85 takes 196 samples; a share at its limit is never settled."""
    assert share_settles_at(Fraction(90, 100), Fraction(85, 100)) == 196
    assert share_settles_at(Fraction(85, 100), Fraction(85, 100)) is None
    assert share_settles_at(Fraction(0), Fraction(5, 100)) == 73


@given(st.integers(0, 40), st.integers(1, 39))
def test_that_many_settle_it_and_no_fewer(share: int, limit: int) -> None:
    """At the number given the interval of the same share excludes the limit; at one fewer it does not."""
    needed = share_settles_at(Fraction(share, 40), Fraction(limit, 40))
    if needed is None:
        assert share == limit
        return
    enough = wilson_of_share(float(Fraction(share, 40)), needed)
    assert enough is not None
    assert not enough.low < limit / 40 - 1e-9 < limit / 40 + 1e-9 < enough.high
    fewer = wilson_of_share(float(Fraction(share, 40)), needed - 1) if needed > 1 else None
    assert fewer is None or fewer.low - 1e-9 <= limit / 40 <= fewer.high + 1e-9


def test_how_many_samples_settle_a_mean() -> None:
    """The t interval of that many samples of the same spread excludes the limit; that of one fewer does not."""
    mean, limit, deviation = Fraction(9, 10), Fraction(8, 10), 0.3
    needed = mean_settles_at(mean, deviation, limit)
    assert needed == 38
    assert t_quantile_975(needed - 1) * deviation / math.sqrt(needed) <= 0.1
    assert t_quantile_975(needed - 2) * deviation / math.sqrt(needed - 1) > 0.1
    assert mean_settles_at(limit, deviation, limit) is None
    assert mean_settles_at(Fraction(1), 0.0, limit) == share_settles_at(Fraction(1), limit) == 16
