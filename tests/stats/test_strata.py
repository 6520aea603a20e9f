"""Figures over a stratified sample speak of the population."""

import math
import random
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbrule.stats.intervals import Z95, wilson, wilson_of_share
from plumbrule.stats.spread import mean_of, share_mean_interval, t_quantile_975
from plumbrule.stats.strata import weighed_mean

ONE, ZERO = Fraction(1), Fraction(0)


def test_worked_by_hand() -> None:
    """90% of the population at 1/2 and 10% at 1 make 0.55, whatever the sample's shares are."""
    found = weighed_mean({"big": [ONE, ZERO], "small": [ONE] * 8}, {"big": 900, "small": 100})
    assert found is not None
    assert found.value == Fraction(55, 100)
    # only the big stratum spreads, with s^2 = 1/2 over two values and one degree of freedom
    error = 0.9 * math.sqrt(0.5 / 2)
    worth = 0.55 * 0.45 / error**2 * (Z95 / t_quantile_975(1)) ** 2
    assert found.interval == pytest.approx(wilson_of_share(0.55, worth), abs=1e-9)
    # weights of 450 and 450, and eight of 12.5
    assert found.effective == pytest.approx(1000**2 / (2 * 450**2 + 8 * 12.5**2))


def test_a_mean_worked_by_hand() -> None:
    """SE^2 = sum of (population share)^2 s^2 / n: 0.9^2 * (1/8) / 2 here, and t at one degree of freedom."""
    half = Fraction(1, 2)
    found = weighed_mean({"big": [ONE, half], "small": [half, half]}, {"big": 900, "small": 100})
    assert found is not None
    assert found.value == Fraction(9, 10) * Fraction(3, 4) + Fraction(1, 10) * half
    reach = t_quantile_975(1) * 0.9 * math.sqrt(0.125 / 2)
    assert found.interval == pytest.approx((0.0, min(1.0, float(found.value) + reach)), abs=1e-9)


def test_what_the_figure_is_not_about() -> None:
    """A stratum of which half does not apply counts for half its population."""
    found = weighed_mean({"a": [ONE, None], "b": [ZERO, ZERO]}, {"a": 100, "b": 100})
    assert found is not None
    assert found.value == Fraction(50, 150)


@given(st.lists(st.fractions(0, 1, max_denominator=20), min_size=2, max_size=30), st.integers(1, 1000))
def test_one_stratum_is_no_stratum(values: list[Fraction], population: int) -> None:
    """Weighing changes nothing where there is nothing to weigh."""
    found = weighed_mean({"all": values}, {"all": population})
    assert found is not None
    assert found.value == mean_of(values)
    if not {0, 1}.issuperset(values) or len(set(values)) == 1:
        assert found.interval == pytest.approx(share_mean_interval(values), abs=1e-9)
    assert found.effective == pytest.approx(len(values))


def test_nothing_to_say() -> None:
    """Nothing applies, or a part of the population was never looked at."""
    assert weighed_mean({"a": [None, None]}, {"a": 5}) is None
    assert weighed_mean({}, {}) is None
    assert weighed_mean({"a": [ONE, ONE]}, {"a": 5, "b": 5}) is None
    assert weighed_mean({"a": [ONE, ONE], "b": []}, {"a": 5, "b": 0}) is not None


def test_one_value_hides_its_spread() -> None:
    """The mean stands, without an interval."""
    found = weighed_mean({"a": [ONE], "b": [ZERO, ONE]}, {"a": 10, "b": 10})
    assert found is not None
    assert (found.value, found.interval) == (Fraction(3, 4), None)


def test_no_spread_is_not_certainty() -> None:
    """Where all are alike, Wilson's interval of what the sample is worth stands in."""
    found = weighed_mean({"a": [ONE] * 10, "b": [ONE] * 10}, {"a": 10, "b": 10})
    assert found is not None
    assert found.interval == wilson(20, 20)


def test_the_interval_covers_the_truth() -> None:
    """Drawn 500 times from a known population, about 95 in 100 intervals hold its mean."""
    generator = random.Random(11)  # noqa: S311 - a draw is no secret
    population = {
        "common": [Fraction(generator.random() < 0.8) for _ in range(900)],
        "rare": [Fraction(generator.random() < 0.3) for _ in range(100)],
    }
    everything = [value for values in population.values() for value in values]
    truth = float(sum(everything, Fraction()) / len(everything))
    held = 0
    for _ in range(500):
        sample = {key: generator.sample(values, 25) for key, values in population.items()}
        found = weighed_mean(sample, {key: len(values) for key, values in population.items()})
        assert found is not None
        assert found.interval is not None
        held += found.interval.low <= truth <= found.interval.high
    assert 0.92 <= held / 500 <= 0.99
