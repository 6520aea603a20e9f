"""Dates and times: their forms, their readings, and which support which."""

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.text_values import extract_dates, extract_numbers

from plumbrule.text.dates import Date, Reading, supports_date

_FIFTH = Reading(year=2024, month=3, day=5)
_FORMS = (
    "{d:%Y-%m-%d}", "{d:%Y/%m/%d}", "{d:%B} {d.day}, {d.year}", "{d:%b}. {d.day} {d.year}", "{d.day} {d:%B} {d.year}",
    "{d.day}{th} of {d:%B}, {d.year}", "{d:%d-%b-%Y}", "{d:%m/%d/%Y}", "{d:%d/%m/%Y}", "{d.day}.{d.month}.{d.year}",
    "{d:%B} {d.day}{th}, {d.year}", "{d:%Y-%m-%d}T14:30:00Z",
)  # fmt: skip


def only(text: str) -> Date:
    """Read a text that holds one date."""
    (date,) = extract_dates(text)
    return date


@pytest.mark.parametrize(
    ("text", "surface", "readings"),
    [
        ("on 2024-03-05.", "2024-03-05", [_FIFTH]),
        ("on 2024/03/05.", "2024/03/05", [_FIFTH]),
        ("on March 5, 2024.", "March 5, 2024", [_FIFTH]),
        ("on Mar. 5 2024.", "Mar. 5 2024", [_FIFTH]),
        ("on 5 March 2024.", "5 March 2024", [_FIFTH]),
        ("on the 5th of March, 2024.", "5th of March, 2024", [_FIFTH]),
        ("on 05-Mar-2024.", "05-Mar-2024", [_FIFTH]),
        ("on 5.3.2024.", "5.3.2024", [_FIFTH]),
        ("on 03/05/2024.", "03/05/2024", [_FIFTH, Reading(year=2024, month=5, day=3)]),
        ("on 3/5/24.", "3/5/24", [_FIFTH, Reading(year=2024, month=5, day=3)]),
        ("on 3/15/1999.", "3/15/1999", [Reading(year=1999, month=3, day=15)]),
        ("on March 5.", "March 5", [Reading(month=3, day=5)]),
        ("in March 2024.", "March 2024", [Reading(year=2024, month=3)]),
        ("in 2024-03.", "2024-03", [Reading(year=2024, month=3)]),
        ("since May,", "May", [Reading(month=5)]),
        ("in Q3 2024,", "Q3 2024", [Reading(year=2024, quarter=3)]),
        ("in 2024 Q3,", "2024 Q3", [Reading(year=2024, quarter=3)]),
        ("in 3Q24,", "3Q24", [Reading(year=2024, quarter=3)]),
        ("the third quarter of 2024,", "third quarter of 2024", [Reading(year=2024, quarter=3)]),
        ("the 3rd quarter of 2024,", "3rd quarter of 2024", [Reading(year=2024, quarter=3)]),
        ("in the third quarter,", "third quarter", [Reading(quarter=3)]),
        ("in FY2024,", "FY2024", [Reading(year=2024)]),
        ("in FY24,", "FY24", [Reading(year=2024)]),
        ("in fiscal year 2024,", "fiscal year 2024", [Reading(year=2024)]),
        ("in the 1990s,", "1990s", [Reading(decade=199)]),
        ("in the 90s,", "90s", [Reading(decade=199)]),
        ("in 2020,", "2020", [Reading(year=2020)]),
        ("since 1999, it", "1999", [Reading(year=1999)]),
        ("(2010)", "2010", [Reading(year=2010)]),
        ("the 2020 budget", "2020", [Reading(year=2020)]),
        ("2023/24 season", "2023/24", [Reading(year=2023), Reading(year=2024)]),
        ("on Mondays only", "Mondays", [Reading(weekday=0)]),
        ("at 14:30 sharp", "14:30", [Reading(time=(14, 30, None))]),
        ("at 02:30 sharp", "02:30", [Reading(time=(2, 30, None))]),
        ("at 2:30 pm sharp", "2:30 pm", [Reading(time=(14, 30, None))]),
        ("at 2 p.m. sharp", "2 p.m.", [Reading(time=(14, 0, None))]),
        ("at 12 am sharp", "12 am", [Reading(time=(0, 0, None))]),
        ("at 2 o'clock sharp", "2 o'clock", [Reading(time=(2, 0, None)), Reading(time=(14, 0, None))]),
        ("at 14:30 GMT sharp", "14:30 GMT", [Reading(time=(14, 30, None), zone="UTC")]),
        ("at noon sharp", "noon", [Reading(time=(12, 0, None))]),
    ],
)
def test_forms(text: str, surface: str, readings: list[Reading]) -> None:
    """Every listed form is one date with its readings and no number beside it."""
    date = only(text)
    assert text[date.start : date.end] == surface
    assert list(date.readings) == readings
    assert date.ambiguous is (len(readings) > 1)
    assert extract_numbers(text) == ()


@pytest.mark.parametrize(
    "text",
    [
        "2000 employees", "2,000", "$2000", "2000 dollars", "2000%", "you may march", "May I ask", "may 5 people",
        "2024-13-01", "2024-02-30", "30/02/2024", "February 30", "in his 30s", "the sun. It", "ratio 16:9", "25:61",
        "2000 km", "1234", "AB2024", "2019.5", "he sat, then",
    ],
)  # fmt: skip
def test_no_dates(text: str) -> None:
    """Counts, prices, verbs, ratios and impossible days are not dates."""
    assert extract_dates(text) == ()


def test_a_timestamp_is_a_date_and_a_time() -> None:
    """Date and time are checked apart from each other."""
    text = "at 2024-03-05T14:30:00+01:00."
    assert [text[date.start : date.end] for date in extract_dates(text)] == ["2024-03-05", "14:30:00+01:00"]


def test_ranges_of_days_share_month_and_year() -> None:
    """Both days of a range are full dates."""
    for text in ("March 5-7, 2024", "5–7 March 2024"):
        first, last = extract_dates(text)
        assert (first.readings[0], last.readings[0]) == (_FIFTH, Reading(year=2024, month=3, day=7))


def test_a_month_without_a_mark_is_weak() -> None:
    """A month's name alone may support a date, but is not checked."""
    assert only("January sales").weak
    assert not only("in January").weak


@given(
    st.dates(min_value=dt.date(1900, 1, 1), max_value=dt.date(2099, 12, 31)),
    st.sampled_from(_FORMS),
    st.sampled_from(_FORMS),
)
def test_every_form_of_a_date_supports_every_other(date: dt.date, one: str, two: str) -> None:
    """However a date is written, it is the same date, and not the day after."""
    th = {1: "st", 2: "nd", 3: "rd"}.get(date.day % 10 if date.day not in (11, 12, 13) else 0, "th")
    context = extract_dates(one.format(d=date, th=th))[0]
    answer = extract_dates(two.format(d=date, th=th))[0]
    assert supports_date(context, answer) == "equal_value"
    assert supports_date(context, Date(start=0, end=1, readings=(Reading(year=date.year),), granularity="year"))
    wrong = Reading(year=date.year + 1, month=date.month, day=min(date.day, 28))
    assert supports_date(context, Date(start=0, end=1, readings=(wrong,), granularity="day")) is None
