"""ISO weeks: the week of a day or of a moment, a week as it is written, and all the weeks between two."""

import datetime as dt
import re
from collections.abc import Iterable

from plumbrule.errors import InputError, UsageError

_WRITTEN = re.compile(r"\d{4}-W\d{2}")
_MOST = 5_300  # a hundred years: more means a mistyped date


def week_of(day: dt.date) -> str:
    """Return the ISO week of a day, such as ``2025-W03``."""
    year, week, _ = day.isocalendar()
    return f"{year:04}-W{week:02}"


def week_at(timestamp: str | None) -> str | None:
    """Return the ISO week of a moment, in UTC, which is also the zone of one without any; None where there is none."""
    try:
        moment = dt.datetime.fromisoformat(timestamp or "")
        return week_of((moment if moment.tzinfo is None else moment.astimezone(dt.UTC)).date())
    except (ValueError, OverflowError):  # no moment, or one beyond the years that there are
        return None


def monday_of(week: str) -> dt.date:
    """Return the first day of a week; what is no week is an error."""
    try:
        if _WRITTEN.fullmatch(week):
            return dt.date.fromisocalendar(int(week[:4]), int(week[6:]), 1)
    except ValueError:
        pass
    raise UsageError(f"'{week[:40]}' is no ISO week, such as 2026-W05")


def weeks_over(days: Iterable[dt.date]) -> list[str]:
    """Return every week from the first of the days to the last, also those without any of them."""
    mondays = {day - dt.timedelta(day.weekday()) for day in days}
    if not mondays:
        return []
    first, last = min(mondays), max(mondays)
    count = (last - first).days // 7 + 1
    if count > _MOST:
        raise InputError(f"the dates run from {first} to {last}, {count:,} weeks: look for a mistyped date")
    return [week_of(first + dt.timedelta(weeks=number)) for number in range(count)]
