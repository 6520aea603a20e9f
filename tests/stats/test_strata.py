"""Figures over a stratified sample speak of the population."""

import json
import math
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint
from statsmodels.stats.weightstats import DescrStatsW

from plumbrule.stats.mean_intervals import clopper_pearson, mean_estimate
from plumbrule.stats.spread import mean_of
from plumbrule.stats.strata import stratified_mean

BY_SAMPLICS = json.loads(
    (Path(__file__).parent.parent / "data" / "references" / "weighed_means.json").read_text(encoding="utf-8")
)  # the script beside it made them
ONE, ZERO = Fraction(1), Fraction(0)
quarters = st.lists(st.integers(0, 4).map(lambda number: Fraction(number, 4)), min_size=2, max_size=20)


@pytest.mark.parametrize("case", BY_SAMPLICS)
def test_it_equals_the_reference(case: dict[str, Any]) -> None:
    """The mean is that of samplics, which estimates a domain of a stratified survey."""
    values = {
        key: [None if value is None else Fraction(value) for value in sampled]
        for key, sampled in case["values"].items()
    }
    found = stratified_mean(values, case["population"])
    assert found is not None
    assert float(found.value) == pytest.approx(case["mean"], abs=1e-12)


@given(quarters, quarters, st.integers(1, 900), st.integers(1, 900))
def test_the_mean_is_that_of_weights(one: list[Fraction], other: list[Fraction], many: int, few: int) -> None:
    """As statsmodels weighs each value by what it stands for; Kish's effective size by numpy."""
    found = stratified_mean({"one": one, "other": other}, {"one": many, "other": few})
    weights = np.array([many / len(one)] * len(one) + [few / len(other)] * len(other))
    assert found is not None
    expected = DescrStatsW([float(value) for value in (*one, *other)], weights=weights).mean
    assert float(found.value) == pytest.approx(expected, abs=1e-12)
    assert found.effective == pytest.approx(weights.sum() ** 2 / (weights**2).sum())


def test_worked_by_hand() -> None:
    """90% of the population at 1/2 and 10% at 1 make 0.55, whatever the sample's shares are."""
    found = stratified_mean({"big": [ONE, ZERO], "small": [ONE] * 8}, {"big": 900, "small": 100})
    assert found is not None
    assert found.value == Fraction(55, 100)
    # weights of 450 and 450, and eight of 12.5
    assert found.effective == pytest.approx(1000**2 / (2 * 450**2 + 8 * 12.5**2))


def test_what_the_figure_is_not_about() -> None:
    """A stratum of which half does not apply counts for half its population."""
    found = stratified_mean({"a": [ONE, None], "b": [ZERO, ZERO]}, {"a": 100, "b": 100})
    assert found is not None
    assert found.value == Fraction(50, 150)


def test_nothing_to_say() -> None:
    """Nothing applies, or a part of the population was never looked at."""
    assert stratified_mean({"a": [None, None]}, {"a": 5}) is None
    assert stratified_mean({}, {}) is None
    assert stratified_mean({"a": [ONE, ONE]}, {"a": 5, "b": 5}) is None
    assert stratified_mean({"a": [ONE, ONE], "b": []}, {"a": 5, "b": 0}) is not None


def test_the_interval_covers_the_truth() -> None:
    """Drawn 500 times from a known population, at least 93 in 100 intervals hold its mean."""
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
        found = stratified_mean(sample, {key: len(values) for key, values in population.items()})
        assert found is not None
        assert found.interval is not None
        held += found.interval.low <= truth <= found.interval.high
    assert held / 500 >= 0.93


def test_no_event_is_never_less_certain_than_one() -> None:
    """0 of 50 in the edge stratum gave an upper bound of 10.0%, 1 of 50 one of 2.2%."""
    bounds = []
    for events in range(4):
        drawn = {"common": [ZERO] * 50, "edge": [ONE] * events + [ZERO] * (50 - events)}
        found = stratified_mean(drawn, {"common": 9_000, "edge": 1_000})
        assert found is not None
        assert found.interval is not None
        bounds.append(found.interval.high)
    assert bounds == sorted(bounds)
    assert bounds[0] < 0.07


def test_strata_combine_by_the_squares_of_their_distances() -> None:
    """MOVER by hand, with the exact limits of statsmodels for each stratum."""
    found = stratified_mean({"a": [ONE] * 9 + [ZERO], "b": [ONE] * 3 + [ZERO] * 3}, {"a": 300, "b": 100})
    lows, highs = zip(
        *(proportion_confint(count, total, method="beta") for count, total in ((9, 10), (3, 6))), strict=True
    )
    value = 0.75 * 0.9 + 0.25 * 0.5
    below = math.hypot(0.75 * (0.9 - lows[0]), 0.25 * (0.5 - lows[1]))
    above = math.hypot(0.75 * (highs[0] - 0.9), 0.25 * (highs[1] - 0.5))
    assert found is not None
    assert float(found.value) == pytest.approx(value)
    assert found.interval == pytest.approx((value - below, min(1, value + above)), abs=1e-9)


@given(st.lists(st.fractions(0, 1, max_denominator=20), min_size=1, max_size=30), st.integers(1, 1000))
def test_limits_of_one_stratum_are_its_own(values: list[Fraction], population: int) -> None:
    """Nothing is combined where there is nothing to combine; one value has an interval, too."""
    found, alone = stratified_mean({"all": values}, {"all": population}), mean_estimate(values)
    assert found is not None
    assert alone is not None
    assert found.interval == pytest.approx(alone.interval, abs=1e-9)
    assert found.value == mean_of(values)
    assert found.effective == pytest.approx(len(values))


def test_a_part_that_the_figure_is_about() -> None:
    """Its uncertain size widens the interval where the strata differ, and not where there is nothing to combine."""
    sure = stratified_mean({"a": [ONE] * 10, "b": [ZERO] * 20}, {"a": 100, "b": 100})
    unsure = stratified_mean({"a": [ONE] * 10 + [None] * 10, "b": [ZERO] * 20}, {"a": 200, "b": 100})
    assert sure is not None
    assert unsure is not None
    assert sure.value == unsure.value
    assert sure.interval is not None
    assert unsure.interval is not None
    assert unsure.interval.low < sure.interval.low
    alone = stratified_mean({"a": [ONE] * 10 + [None] * 10}, {"a": 200})
    assert alone is not None
    assert alone.interval == clopper_pearson(10, 10)
    assert stratified_mean({"a": [ONE]}, {"a": 5, "b": 5}) is None
