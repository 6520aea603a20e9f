"""An always-valid interval holds however often one looks."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plumbrule.stats.sequential_means import always_valid_interval, always_valid_p_value, always_valid_percentile

values = st.lists(st.floats(0, 1), min_size=1, max_size=60)


@settings(max_examples=30)
@given(values)
def test_it_is_what_the_paper_says(given_values: list[float]) -> None:
    """Theorem 3 of Waudby-Smith and Ramdas by numpy, over a grid of means, every step of the capital in the open."""
    numbers = np.array(given_values)
    steps = np.arange(1, len(numbers) + 1)
    means = (0.5 + np.cumsum(numbers)) / (steps + 1)
    variances = (0.25 + np.cumsum((numbers - means) ** 2)) / (steps + 1)
    before = np.concatenate([[0.25], variances[:-1]])
    bets = np.sqrt(2 * np.log(2 / 0.05) / (before * steps * np.log(steps + 1)))
    grid = np.linspace(0.0005, 0.9995, 1_000)
    up = np.cumprod(1 + np.minimum(bets[:, None], 0.5 / grid) * (numbers[:, None] - grid), axis=0)
    down = np.cumprod(1 - np.minimum(bets[:, None], 0.5 / (1 - grid)) * (numbers[:, None] - grid), axis=0)
    capital = np.maximum(up / 2, down / 2).max(axis=0)
    kept = grid[capital < 20]
    found = always_valid_interval(given_values)
    assert found is not None
    if len(kept):
        assert found.low <= kept[0] + 1e-9
        assert found.high >= kept[-1] - 1e-9
        mean = float(np.mean(numbers))
        assert found.low == pytest.approx(min(kept[0], mean), abs=0.0011)
        assert found.high == pytest.approx(max(kept[-1], mean), abs=0.0011)


@given(values)
def test_it_mirrors(given_values: list[float]) -> None:
    """Failures are as well known as passes."""
    found, mirrored = always_valid_interval(given_values), always_valid_interval([1 - each for each in given_values])
    assert found is not None
    assert mirrored is not None
    assert found == pytest.approx((1 - mirrored.high, 1 - mirrored.low), abs=1e-9)


def test_more_values_narrow_it() -> None:
    """Wider than the interval of one look, but not by much."""
    flips = [Fraction(int(place % 10 > 0)) for place in range(500)]
    widths = [found.high - found.low for count in (50, 200, 500) if (found := always_valid_interval(flips[:count]))]
    assert widths == sorted(widths, reverse=True)
    assert 0.06 < widths[-1] < 0.11
    assert always_valid_interval([]) is None


@given(values, st.floats(0.01, 0.99))
def test_the_test_agrees_with_the_interval(given_values: list[float], mean: float) -> None:
    """A mean that the interval leaves out is refused at 5%, and one well inside is not."""
    found, p_value = always_valid_interval(given_values), always_valid_p_value(given_values, mean)
    assert found is not None
    assert 0 <= p_value <= 1
    if mean < found.low - 1e-9 or mean > found.high + 1e-9:
        assert p_value <= 0.05 + 1e-9
    own = sum(given_values) / len(given_values)
    if found.low + 1e-9 < mean < own - 1e-9 or own + 1e-9 < mean < found.high - 1e-9:
        assert p_value > 0.05 - 1e-9
    assert p_value == pytest.approx(always_valid_p_value([1 - each for each in given_values], 1 - mean), abs=1e-9)


def test_a_percentile_that_holds_at_every_look() -> None:
    """Its ends are values; with few samples they are open; unknown values open the end that they could move."""
    latencies = [[Fraction(number)] for number in range(1, 401)]
    mixed = [latencies[number * 7 % 400] for number in range(400)]
    low, high = always_valid_percentile(mixed, Fraction(95, 100))
    assert low is not None
    assert high is not None
    assert 340 < low < 380 < high < 400
    wider = always_valid_percentile(mixed, Fraction(95, 100), alpha=0.01)
    assert wider[0] is not None
    assert wider[0] < low
    assert always_valid_percentile(mixed[:40], Fraction(95, 100))[1] is None
    unknown: list[list[Fraction | None]] = [[None] if number % 10 == 0 else [*mixed[number]] for number in range(400)]
    assert always_valid_percentile(unknown, Fraction(95, 100))[1] is None


def test_a_percentile_is_where_the_interval_of_the_share_reaches_it() -> None:
    """Its ends are the first values at or below which the share of the percentile may be, and must be."""
    share = Fraction(1, 2)
    groups = [[Fraction(number * 7 % 40), Fraction(number * 11 % 40)] for number in range(60)]
    known = sorted({value for values in groups for value in values})
    intervals = [
        always_valid_interval([Fraction(sum(value <= place for value in values), 2) for values in groups])
        for place in known
    ]
    low = next(place for place, interval in zip(known, intervals, strict=True) if interval and interval.high >= share)
    high = next(place for place, interval in zip(known, intervals, strict=True) if interval and interval.low >= share)
    assert low < high
    assert always_valid_percentile(groups, share) == (low, high)
