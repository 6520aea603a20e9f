"""How many samples or labels it takes."""

import math
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom
from statsmodels.stats.power import TTestPower, normal_sample_size_one_tail

from plumbrule.stats.mean_intervals import clopper_pearson, mean_estimate
from plumbrule.stats.sample_sizes import (
    mean_power_samples,
    minimum_detectable_effect,
    prediction_correlation,
    share_margin_samples,
    share_power_samples,
)

shares = st.floats(0.02, 0.98)


def exact_power(total: int, share: float, limit: float) -> float:
    """Return the probability that the exact interval of so many samples excludes the limit, summed by scipy."""
    counts = np.arange(total + 1)
    tails = binom.sf(counts - 1, total, limit) if share > limit else binom.cdf(counts, total, limit)
    return float(binom.pmf(counts[tails <= 0.025], total, share).sum())


@given(shares, shares)
def test_shares_have_the_power_by_the_exact_sum(share: float, limit: float) -> None:
    """So many samples have 80% power; the normal approximation of statsmodels is not far."""
    if abs(share - limit) < 0.02:
        return
    found = share_power_samples(share, limit)
    assert found is not None
    assert exact_power(found, share, limit) >= 0.8 - 1e-9
    plain = normal_sample_size_one_tail(
        share - limit,
        0.8,
        0.025,
        std_null=math.sqrt(limit * (1 - limit)),
        std_alternative=math.sqrt(share * (1 - share)),
    )
    assert 0.8 * plain - 10 < found < 1.2 * plain + 10 / abs(share - limit)


@pytest.mark.parametrize(
    ("share", "limit", "samples"),
    [(0.9, 0.85, 356), (0.8, 0.85, 449), (0.95, 0.85, 75), (0.01, 0.05, 142), (0.09, 0.03, 113), (0.5, 0.98, 5)],
)
def test_a_share_takes_the_fewest_samples_that_have_the_power(share: float, limit: float, samples: int) -> None:
    """0.90 against 0.85 takes 356; the normal approximation says 363, and 383 with its correction."""
    assert share_power_samples(share, limit) == samples
    assert exact_power(samples, share, limit) >= 0.8
    assert all(exact_power(fewer, share, limit) < 0.8 for fewer in range(1, samples))


def test_shares_at_the_edges() -> None:
    """23 that all pass against 0.85, 72 of which none fails against 0.05: 0.85^23 and 0.95^72 are below 2.5%."""
    assert share_power_samples(1, 0.85) == 23
    assert share_power_samples(0.9, 0.9 + 1e-11) is None
    assert share_power_samples(0, 0.05) == 72
    assert share_power_samples(0.5, 0) == 3
    assert share_power_samples(0, 1) == 1
    assert share_power_samples(0.85, 0.85) is None


def test_a_share_very_near_its_limit_is_rough() -> None:
    """Beyond 100,000 samples the normal approximation does."""
    found = share_power_samples(0.951, 0.95)
    assert found is not None
    assert found == pytest.approx(370_000, rel=0.01)


@given(st.floats(0.3, 0.7), st.floats(0.2, 0.4), st.floats(0.02, 0.1))
def test_means_are_near_the_reference(mean: float, spread: float, gap: float) -> None:
    """In the middle of the scale, those of the t-test by statsmodels and a few more for the pseudo-samples."""
    expected = TTestPower().solve_power(gap / spread, power=0.8, alpha=0.05)
    found = mean_power_samples(mean, spread, mean - gap)
    assert found is not None
    assert expected - 2 <= found <= 1.25 * expected + 40


def test_close_scores_need_more_than_the_t_test_says() -> None:
    """The pseudo-samples weigh most there; with the number advised, four of five runs are settled all the same."""
    random = Random(2)  # noqa: S311 - no secret
    advised = mean_power_samples(0.625, 0.0625, 0.59375)
    assert advised is not None
    assert advised > 2 * TTestPower().solve_power(0.5, power=0.8, alpha=0.05)
    runs = [mean_estimate([random.gauss(0.625, 0.0625) for _ in range(advised)]) for _ in range(200)]
    settled = sum(run is not None and run.interval.low > 0.59375 for run in runs)
    assert 0.72 * 200 < settled < 0.95 * 200


def test_a_mean_at_its_limit() -> None:
    """No number of samples tells it from itself."""
    assert mean_power_samples(0.9, 0.1, 0.9) is None


def test_skewness_asks_for_more() -> None:
    """Rare failures that may not have been drawn."""
    even, skewed = mean_power_samples(0.9, 0.1, 0.87), mean_power_samples(0.9, 0.1, 0.87, skewness=-1.6)
    assert even is not None
    assert skewed is not None
    assert even < skewed


def test_the_minimum_detectable_effect() -> None:
    """2.80 * sd / sqrt(n)."""
    assert minimum_detectable_effect(0.3, 100) == pytest.approx(2.80 * 0.3 / 10, rel=1e-3)
    found = minimum_detectable_effect(0.3, 10_000)
    assert found is not None
    assert TTestPower().power(found / 0.3, 10_000, 0.05) == pytest.approx(0.8, abs=1e-3)
    assert minimum_detectable_effect(0.3, 1) is None


def test_a_margin_by_the_exact_interval() -> None:
    """Half for the interval to reach no further than 0.05 to either side: a few more than the 385 of the formula."""
    found = share_margin_samples(0.5, 0.05)
    assert found == 402
    interval = clopper_pearson(0.5 * found, found)
    assert interval is not None
    assert 0.5 - interval.low <= 0.05
    assert share_margin_samples(0.5, 0.001) == math.ceil(1.959963984540054**2 * 0.25 / 0.001**2)


def test_the_correlation_of_a_judge() -> None:
    """Pearson's r of two columns of 0 and 1."""
    expected = 0.8 * 0.2 * 0.8 / math.sqrt(0.8 * 0.2 * 0.74 * 0.26)
    assert prediction_correlation(0.8, 0.9, 0.9) == pytest.approx(expected)
    assert prediction_correlation(1, 0.9, 0.9) is None
