"""Small moves for the worse add up; others do not."""

from plumbrule.stats.drift import cusum


def test_worked_by_hand() -> None:
    """S = max(0, S + deviation - 0.5); what could not be measured leaves it."""
    assert cusum([1.0, -2.0, 2.5, None, 3.5], slack=0.5) == [0.5, 0.0, 2.0, 2.0, 5.0]


def test_moves_within_the_slack_never_add_up() -> None:
    """A hundred weeks of half a standard error are no drift."""
    assert cusum([0.5] * 100, slack=0.5) == [0.0] * 100


def test_nothing() -> None:
    """No weeks, no sums."""
    assert cusum([], slack=0.5) == []
