"""Percentiles are values that were measured, and their intervals assume no distribution."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from plumbrule.stats.percentiles import exact_ranks, percentile, percentile_bounds

P50, P95 = Fraction(1, 2), Fraction(95, 100)

values = st.lists(st.integers(0, 50).map(Fraction), min_size=1, max_size=120).map(sorted)
shares = st.integers(1, 100).map(lambda hundredths: Fraction(hundredths, 100))


def naive(ordered: list[Fraction], share: Fraction) -> Fraction:
    """Return the first value that enough of all values do not exceed, by counting."""
    return next(value for value in ordered if Fraction(sum(other <= value for other in ordered), len(ordered)) >= share)


@given(values, shares)
def test_it_is_the_nearest_rank(ordered: list[Fraction], share: Fraction) -> None:
    """G20: the smallest value that at least the share of all are at or below."""
    assert percentile(ordered, share) == naive(ordered, share)


@pytest.mark.parametrize(
    ("count", "expected"), [(1, 1), (2, 2), (19, 19), (20, 19), (21, 20), (39, 38), (40, 38), (100, 95), (101, 96)]
)
def test_known_ranks(count: int, expected: int) -> None:
    """The 95th percentile of 1 to n is the value at rank ceil(0.95 n); 0.95 of 20 is 19, not 19.000000000000004."""
    assert percentile([Fraction(number) for number in range(1, count + 1)], P95) == expected


def test_a_percentile_of_nothing() -> None:
    """Nothing has no percentile and no interval."""
    assert percentile([], P95) is None
    assert percentile_bounds([], P95) == (None, None)


@given(values, st.integers(0, 20), shares)
def test_missing_values_stand_above_all(ordered: list[Fraction], missing: int, share: Fraction) -> None:
    """Unknown values count as larger than any: the percentile never falls, or it is unknown."""
    found = percentile(ordered, share, missing=missing)
    stand_in = [*ordered, *([Fraction(1_000)] * missing)]
    wanted = naive(stand_in, share)
    assert found == (None if wanted == 1_000 else wanted)


@given(values, shares)
def test_the_interval_holds_its_percentile(ordered: list[Fraction], share: Fraction) -> None:
    """Low is at most the percentile, high at least; an end that cannot be bounded is open."""
    low, high = percentile_bounds(ordered, share)
    found = percentile(ordered, share)
    assert found is not None
    assert low is None or low <= found
    assert high is None or high >= found


@given(values, st.integers(1, 99))
def test_it_equals_the_reference(ordered: list[Fraction], hundredths: int) -> None:
    """Numpy's inverted distribution function, which takes a value and never one between two."""
    expected = np.quantile([float(value) for value in ordered], hundredths / 100, method="inverted_cdf")
    if hundredths * len(ordered) % 100:  # at a whole rank a float's last digit decides there, and a fraction here
        assert percentile(ordered, Fraction(hundredths, 100)) == expected


def test_few_values_cannot_bound_a_high_percentile() -> None:
    """71 values say nothing of how slow the slowest twentieth may be; 72 do, by the largest of them."""
    assert percentile_bounds([Fraction(5)] * 71, P95)[1] is None
    assert percentile_bounds([Fraction(5)] * 72, P95) == (Fraction(5), Fraction(5))
    assert percentile_bounds([Fraction(5)] * 3, P50)[0] is None


@given(st.integers(1, 400), st.integers(1, 99).map(lambda hundredths: Fraction(hundredths, 100)))
def test_exact_ranks_are_binomial(total: int, share: Fraction) -> None:
    """By scipy: either rank leaves out at most 2.5%, and the next one inwards would leave out more."""
    low, high = exact_ranks(total, share)
    below = binom.cdf(np.arange(-1, total + 1), total, float(share))  # below[k]: fewer than k at or below
    assert low == 0 or below[low] <= 0.025 + 1e-9
    assert below[min(total + 1, low + 1)] > 0.025 - 1e-9
    assert 1 - below[high] <= 0.025 + 1e-9
    assert high == 1 or 1 - below[high - 1] > 0.025 - 1e-9


def test_missing_values_fail_nothing_for_certain() -> None:
    """2 of 20 missing: they may be fast, so the low end lies among those measured; they may be slow: it is open."""
    known = [Fraction(place) for place in range(1, 19)]
    low, high = percentile_bounds(known, P95, missing=2)
    rank, _ = exact_ranks(20, P95)
    assert low == known[rank - 2 - 1]
    assert high is None


def test_missing_values_meet_nothing_for_certain() -> None:
    """95 tied values and 5 missing: the 95th percentile may well be one of those; with none missing it is certain."""
    assert percentile_bounds([Fraction(7)] * 95, P95, missing=5) == (Fraction(7), None)
    assert percentile_bounds([Fraction(7)] * 100, P95) == (Fraction(7), Fraction(7))


@given(values, shares, st.integers(0, 20))
def test_missing_values_only_widen(ordered: list[Fraction], share: Fraction, missing: int) -> None:
    """Whatever the missing values turn out to be, the interval with them lies within the bounds."""
    low, high = percentile_bounds(ordered, share, missing=missing)
    for filled in ([Fraction(-1)] * missing + ordered, ordered + [Fraction(99)] * missing):
        least, most = percentile_bounds(filled, share)
        assert low is None or (least is not None and low <= least)
        assert high is None or (most is not None and most <= high)


def test_clustered_values_are_worth_less() -> None:
    """A hundred values that are worth thirty: the interval is wider, and the end that thirty leave open is open."""
    ordered = [Fraction(place) for place in range(100)]
    low, high = percentile_bounds(ordered, P95)
    wider, opened = percentile_bounds(ordered, P95, effective=30.0)
    assert low is not None
    assert high is not None
    assert wider is not None
    assert wider < low
    assert opened is None
    assert percentile_bounds(ordered, P95, effective=100.0) == (low, high)
    assert percentile_bounds([], P95) == (None, None)


@pytest.mark.parametrize("effective", [0.001, 0.3, 1.0, 2.0, 10.0, 71.0])
def test_few_independent_values_bound_no_high_percentile(effective: float) -> None:
    """However many values there are: with fewer than 72 independent ones, all of them may be below it."""
    assert exact_ranks(100, Fraction(95, 100), effective=effective)[1] == 101
    assert exact_ranks(100, Fraction(95, 100), effective=73.0)[1] <= 100
