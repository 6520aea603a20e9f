"""Intervals say how far a share can be trusted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbrule.stats.intervals import wilson


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


@given(st.integers(1, 10_000).flatmap(lambda total: st.tuples(st.integers(0, total), st.just(total))))
def test_the_interval_holds_its_share(counts: tuple[int, int]) -> None:
    """Low is at most the share, high at least; both lie in [0, 1]; the failures' interval mirrors it."""
    successes, total = counts
    interval, mirrored = wilson(successes, total), wilson(total - successes, total)
    assert interval is not None
    assert mirrored is not None
    assert 0 <= interval.low <= successes / total + 1e-12
    assert successes / total - 1e-12 <= interval.high <= 1
    assert interval.low == pytest.approx(1 - mirrored.high)
