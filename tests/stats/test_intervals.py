"""Intervals say how far a share can be trusted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from statsmodels.stats.proportion import proportion_confint

from plumbrule.stats.intervals import Z95, wilson, wilson_of_share

counts_of = st.integers(1, 10_000).flatmap(lambda total: st.tuples(st.integers(0, total), st.just(total)))


@given(counts_of)
def test_it_equals_the_references(counts: tuple[int, int]) -> None:
    """Wilson's interval as statsmodels and scipy have it, each on its own."""
    successes, total = counts
    other = scipy_stats.binomtest(successes, total).proportion_ci(method="wilson")
    assert wilson(successes, total) == pytest.approx(proportion_confint(successes, total, method="wilson"), abs=1e-9)
    assert wilson(successes, total) == pytest.approx((other.low, other.high), abs=1e-9)


@given(st.floats(0, 1), st.floats(0.5, 500))
def test_a_share_that_is_no_count(share: float, total: float) -> None:
    """Neither successes nor trials need be whole, for statsmodels as for us."""
    expected = proportion_confint(share * total, total, method="wilson")
    assert wilson_of_share(share, total) == pytest.approx(expected, abs=1e-9)


def test_the_normal_quantile() -> None:
    """The 97.5th percentile, as scipy has it."""
    assert pytest.approx(scipy_stats.norm.ppf(0.975), abs=1e-15) == Z95


@pytest.mark.parametrize(
    ("successes", "total", "low", "high"),
    [
        (0, 10, 0.0, 0.277533),
        (10, 10, 0.722467, 1.0),
        (5, 10, 0.236593, 0.763407),
        (81, 263, 0.2553, 0.3662),
        (1, 1, 0.206549, 1.0),
    ],
)
def test_known_intervals(successes: int, total: int, low: float, high: float) -> None:
    """Wilson's score interval at 95%, as Newcombe (1998) and the textbooks print it."""
    interval = wilson(successes, total)
    assert interval is not None
    assert tuple(interval) == pytest.approx((low, high), abs=1e-4)


def test_a_share_of_nothing_has_no_interval() -> None:
    """A zero denominator gives none, not 0 to 1."""
    assert wilson(0, 0) is None


@given(counts_of)
def test_the_interval_holds_its_share(counts: tuple[int, int]) -> None:
    """Low is at most the share, high at least; both lie in [0, 1]; the failures' interval mirrors it."""
    successes, total = counts
    interval, mirrored = wilson(successes, total), wilson(total - successes, total)
    assert interval is not None
    assert mirrored is not None
    assert 0 <= interval.low <= successes / total + 1e-12
    assert successes / total - 1e-12 <= interval.high <= 1
    assert interval.low == pytest.approx(1 - mirrored.high)
