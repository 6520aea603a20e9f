"""ISO weeks as people write them."""

import datetime as dt

import pytest

from plumbrule.errors import InputError, UsageError
from plumbrule.interactions.weeks import monday_of, week_at, week_of, weeks_over


@pytest.mark.parametrize(
    ("day", "week"), [("2025-12-29", "2026-W01"), ("2027-01-03", "2026-W53"), ("2026-02-01", "2026-W05")]
)
def test_the_year_is_that_of_the_week(day: str, week: str) -> None:
    """Days around the new year may belong to a week of the other one."""
    assert week_of(dt.date.fromisoformat(day)) == week


@pytest.mark.parametrize(
    ("timestamp", "week"),
    [
        ("2025-01-06T18:09:25Z", "2025-W02"),
        ("2025-01-06T01:00:00+02:00", "2025-W01"),
        ("2025-01-05T23:00:00-02:00", "2025-W02"),
        ("2025-01-06T00:30:00", "2025-W02"),
        ("2024-12-30", "2025-W01"),
        ("0001-01-01T00:00:00+05:00", None),
        ("soon", None),
        ("", None),
        (None, None),
    ],
)
def test_the_week_of_a_moment_is_that_of_utc(timestamp: str | None, week: str | None) -> None:
    """A zone moves the moment, not the calendar; what has none is UTC already."""
    assert week_at(timestamp) == week


@pytest.mark.parametrize("week", ["2026-W01", "2026-W53", "0001-W02"])
def test_the_first_day_of_a_week_is_in_it(week: str) -> None:
    """Reading a week and naming it again gives the same."""
    assert week_of(monday_of(week)) == week


@pytest.mark.parametrize(
    "written", ["", "2026-05", "2026-W5", "2026W05", "2025-W53", "2026-W00", "0000-W01", "W05-2026"]
)
def test_what_is_no_week(written: str) -> None:
    """The form is told."""
    with pytest.raises(UsageError, match="is no ISO week, such as 2026-W05"):
        monday_of(written)


def test_all_the_weeks_between() -> None:
    """Those that hold no day are among them; no days have no weeks."""
    assert weeks_over([dt.date(2026, 1, 14), dt.date(2025, 12, 31)]) == ["2026-W01", "2026-W02", "2026-W03"]
    assert weeks_over([]) == []


def test_a_mistyped_year() -> None:
    """A thousand years of empty weeks are not what anybody wants to see."""
    with pytest.raises(InputError, match="look for a mistyped date"):
        weeks_over([dt.date(1026, 1, 1), dt.date(2026, 1, 1)])
