"""Says what a date or time is, and when one of a context supports one of an answer."""

import calendar
import datetime as dt
from collections.abc import Hashable
from typing import Literal, NamedTuple

Granularity = Literal["decade", "year", "quarter", "month", "day", "weekday", "time"]
Reason = Literal["found", "equal_value", "entailed"]


class Reading(NamedTuple):
    """One way to read a date: the parts that the text gives, ``None`` for those that it leaves open.

    ``decade`` is the year without its last digit, ``weekday`` counts from Monday as 0. ``time`` is hour,
    minute and, where given, second. ``zone`` is the time zone as written, except that every name of UTC
    reads "UTC".
    """

    decade: int | None = None
    year: int | None = None
    quarter: int | None = None
    month: int | None = None
    day: int | None = None
    weekday: int | None = None
    time: tuple[int, int, int | None] | None = None
    zone: str | None = None


class Date(NamedTuple):
    """A date or a time in a text; ``ambiguous`` when it has more than one reading.

    A ``plain`` year is four digits that no word marks as a year, so it may be a number after all. A ``weak``
    date (a month's name that no word marks as a date) may support another but is not checked itself.
    """

    start: int
    end: int
    readings: tuple[Reading, ...]
    granularity: Granularity
    ambiguous: bool = False
    plain: bool = False
    weak: bool = False


Dates = tuple[Date, ...]
NO_DATES: Dates = ()


def make_date(start: int, end: int, granularity: Granularity, *readings: Reading) -> Date:
    """Make a date of its readings."""
    return Date(start, end, readings, granularity, len(readings) > 1)


def is_possible(year: int | None, month: int, day: int) -> bool:
    """Tell whether the calendar has such a day; without a year February has 29."""
    if not 1 <= month <= 12 or day < 1:
        return False
    return day <= calendar.monthrange(2000 if year is None or not 1 <= year <= 9999 else year, month)[1]


def _completed(reading: Reading) -> Reading:
    """Return the reading with the parts that follow from those given."""
    year, month, day = reading.year, reading.month, reading.day
    weekday = reading.weekday
    if weekday is None and year is not None and month is not None and day is not None:
        weekday = dt.date(year, month, day).weekday()
    decade = year // 10 if year is not None else reading.decade
    quarter = (month + 2) // 3 if month is not None else reading.quarter
    return Reading(decade, year, quarter, month, day, weekday, reading.time, reading.zone)


def _parts(reading: Reading) -> tuple[int | None, ...]:
    """Return the parts of a date without its time: decade, year, quarter, month, day, weekday."""
    return reading[:6]


def _agree(answer: Reading, context: Reading) -> bool:
    """Tell whether every part that the answer gives is given, and equal, in the context."""
    for wanted, given in zip(_parts(answer), _parts(context), strict=True):
        if wanted is not None and wanted != given:
            return False
    if answer.time is None:
        return True
    if context.time is None or answer.time[:2] != context.time[:2]:
        return False
    if answer.time[2] and answer.time[2] != (context.time[2] or 0):
        return False
    return answer.zone is None or context.zone is None or answer.zone == context.zone


def _conflict(one: Reading, other: Reading) -> bool:
    """Tell whether a part that both give differs: March 5 and March 5, 2024 do not conflict."""
    if one.time is not None and other.time is not None and one.time[:2] != other.time[:2]:
        return True
    for first, second in zip(_parts(one), _parts(other), strict=True):
        if first != second and first is not None and second is not None:
            return True
    return False


_TELLING = ("year", "month", "day", "quarter", "decade", "weekday")


def date_keys(reading: Reading) -> list[Hashable]:
    """Return a key for each part of a date, given or not: one date supports another only where they meet."""
    known = _completed(reading)
    keys: list[Hashable] = [(part, value) for part in _TELLING if (value := getattr(known, part)) is not None]
    return keys if known.time is None else [*keys, ("time", known.time[:2])]


def telling_key(reading: Reading) -> Hashable:
    """Return the key of the part of a date that tells most: a date that supports this one has it too."""
    for part in _TELLING:
        value = getattr(reading, part)
        if value is not None:
            return part, value
    return "time", reading.time and reading.time[:2]


def supports_date(context: Date, answer: Date) -> Literal["equal_value", "entailed"] | None:
    """Tell how a date of the context supports one of the answer: as its equal, or as a finer date."""
    support: Literal["equal_value", "entailed"] | None = None
    for wanted in answer.readings:
        for given in context.readings:
            if wanted == given:
                return "equal_value"
            if not _agree(wanted, _completed(given)):
                continue
            if _agree(given, _completed(wanted)):
                return "equal_value"
            support = "entailed"
    return support


def supports_in_every_reading(context: Date, answer: Date) -> bool:
    """Tell whether the support does not hang on how an ambiguous date is read."""
    return all(_agree(wanted, _completed(given)) for wanted in answer.readings for given in context.readings)


def comparable_dates(answer: Date, context: Date) -> bool:
    """Tell whether the second date, of the same kind, contradicts the first in every reading."""
    if answer.granularity != context.granularity or answer.weak or context.weak:
        return False
    return all(_conflict(_completed(one), _completed(other)) for one in answer.readings for other in context.readings)
