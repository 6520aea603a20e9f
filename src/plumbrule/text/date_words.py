"""Reads the dates and times that begin with a word: months, weekdays, quarters, fiscal years, noon."""

import re

from plumbrule.text.date_forms import COMMON_MONTHS, MONTHS, YEAR, full_year, previous_word
from plumbrule.text.dates import NO_DATES, Date, Dates, Reading, is_possible, make_date
from plumbrule.text.units import word_list

_WEEKDAY_NAMES = word_list("monday tuesday wednesday thursday friday saturday sunday")
_WEEKDAYS = {name: number for number, name in enumerate(_WEEKDAY_NAMES)}
_WEEKDAYS |= {f"{name}s": number for name, number in _WEEKDAYS.items()}
_SHORT_WEEKDAYS = {name[:3]: number for number, name in enumerate(_WEEKDAY_NAMES)}
_SHORT_WEEKDAYS |= {"tues": 1, "weds": 2, "thur": 3, "thurs": 3}
_QUARTERS = {"first": 1, "second": 2, "third": 3, "fourth": 4}

#: The words of a date, as the fold spells them.
MONTH_TRIGGERS = frozenset(name.encode() for name in MONTHS)
WEEKDAY_TRIGGERS = frozenset(name.encode() for name in [*_WEEKDAYS, *_SHORT_WEEKDAYS])
QUARTER_TRIGGERS = frozenset({b"q0", b"q0fy00", b"q0fy0000", b"quarter"})
FISCAL_TRIGGERS = frozenset({b"fy", b"fy00", b"fy0000", b"fiscal"})
NAMED_TIME_TRIGGERS = {b"noon": (12, 0, None), b"midday": (12, 0, None), b"midnight": (0, 0, None)}

_MONTH_CUES = frozenset(
    word_list(
        "in since by until till during of early late mid each every last next this from through before "
        "after for to between end beginning start month around about and or past"
    )
)
_MONTH_DAY = re.compile(
    rf"""(?P<name>[A-Za-z]{{3,9}}) \.? [ \u00a0]{{1,2}} (?:the[ ])?
         (?P<day>[0-9]{{1,2}}) (?P<ordinal>st|nd|rd|th)? (?![0-9:%]|[.,][0-9]|/|[A-Za-z])
         (?: [ ]?[-–][ ]?(?P<last>[0-9]{{1,2}}) (?:st|nd|rd|th)? (?![0-9:]|[ ]?[apAP]\.?[mM]) )?
         (?: (?:,[ ]?|[ \u00a0]|,?[ ]of[ ]) (?P<year>{YEAR}) (?![0-9%]|[.,:][0-9]) )?""",
    re.VERBOSE,
)
_MONTH_YEAR = re.compile(
    rf"([A-Za-z]{{3,9}})\.?(?:,? |-| of |\u00a0)(?:({YEAR})(?!\w|[.,:%][0-9]|%)|['’]([0-9]{{2}})(?!\w))"
)
_QUARTER = re.compile(
    rf"[Qq]([1-4])(?: ?(?:of )?(?:FY ?|fiscal (?:year )?)?(?:({YEAR})|['’]?([0-9]{{2}})(?![0-9:.,%]))(?!\w))?"
)
_QUARTER_YEAR = re.compile(
    rf"[ -]quarter(?:(?:,? of|,)? (?:the )?(?:fiscal )?(?:year )?({YEAR})(?!\w))?", re.IGNORECASE
)
_QUARTER_ORDINAL = re.compile(r"(?<!\w)(first|second|third|fourth)$", re.IGNORECASE)
_FISCAL = re.compile(rf"(?:FY|fiscal(?: year)?)[ -]?(?:({YEAR})|['’]?([0-9]{{2}}))(?!\w|[.,%][0-9]|%)", re.IGNORECASE)
_WORD = re.compile(r"[A-Za-z]+")


def read_month(text: str, at: int, _floor: int) -> Dates:
    """Read the date that begins with the month's name that stands here."""
    match = _MONTH_DAY.match(text, at)
    if match is not None and match["name"].lower() in MONTHS and int(match["day"]) <= 31:
        return _read_month_day(match)
    match = _MONTH_YEAR.match(text, at)
    if match is not None and match[1].lower() in MONTHS:
        year = full_year(match[2] or match[3])
        return (make_date(at, match.end(), "month", Reading(year=year, month=MONTHS[match[1].lower()])),)
    word = _WORD.match(text, at)
    if word is None or not word[0][0].isupper() or (len(word[0]) < 4 and word[0] != "May"):
        return NO_DATES
    name = word[0].lower()
    end = word.end()
    cue = previous_word(text, at) in _MONTH_CUES
    if not cue and name in COMMON_MONTHS:
        return NO_DATES
    reading = Reading(month=MONTHS[name])
    return (Date(start=at, end=end, readings=(reading,), granularity="month", weak=not cue),)


def _read_month_day(match: re.Match[str]) -> Dates:
    name = match["name"]
    marked = match["year"] is not None or match["ordinal"] is not None
    if name.islower() and name in COMMON_MONTHS and not marked:
        return NO_DATES
    month = MONTHS[name.lower()]
    year = int(match["year"]) if match["year"] else None
    days = [(match.start(), match.end(), int(match["day"]))]
    if match["last"] is not None:
        first_end = match.end("ordinal") if match["ordinal"] else match.end("day")
        days = [(match.start(), first_end, int(match["day"])), (match.start("last"), match.end(), int(match["last"]))]
    if not all(is_possible(year, month, day) for _, _, day in days):
        return NO_DATES
    return tuple(make_date(start, end, "day", Reading(year=year, month=month, day=day)) for start, end, day in days)


def read_weekday(text: str, at: int, _floor: int) -> Dates:
    """Read the weekday that stands here; a short form needs its full stop or a comma."""
    word = _WORD.match(text, at)
    if word is None:
        return NO_DATES
    name = word[0].lower()
    end = word.end()
    if name in _SHORT_WEEKDAYS:
        if not word[0][0].isupper() or text[end : end + 1] not in {".", ","} or previous_word(text, at) == "the":
            return NO_DATES
        end += text[end] == "."
    number = _WEEKDAYS.get(name, _SHORT_WEEKDAYS.get(name))
    if number is None:
        return NO_DATES
    return (make_date(at, end, "weekday", Reading(weekday=number)),)


def read_quarter(text: str, at: int, floor: int) -> Dates:
    """Read Q3 2024, or the "third quarter of 2024" whose word "quarter" stands here."""
    match = _QUARTER.match(text, at)
    if match is not None:
        written = match[2] or match[3]
        reading = Reading(year=full_year(written) if written else None, quarter=int(match[1]))
        return (make_date(at, match.end(), "quarter", reading),)
    ordinal = _QUARTER_ORDINAL.search(text, max(floor, at - 8), max(at - 1, 0))
    match = _QUARTER_YEAR.match(text, max(at - 1, 0))
    if ordinal is None or match is None:
        return NO_DATES
    reading = Reading(year=int(match[1]) if match[1] else None, quarter=_QUARTERS[ordinal[1].lower()])
    return (make_date(ordinal.start(), match.end(), "quarter", reading),)


def read_fiscal(text: str, at: int, _floor: int) -> Dates:
    """Read FY2024 or "fiscal year 2024" as that year."""
    match = _FISCAL.match(text, at)
    if match is None:
        return NO_DATES
    return (make_date(at, match.end(), "year", Reading(year=full_year(match[1] or match[2]))),)


def read_named_time(text: str, at: int, _floor: int) -> Dates:
    """Read noon or midnight."""
    word = _WORD.match(text, at)
    time = NAMED_TIME_TRIGGERS.get(word[0].lower().encode()) if word else None
    return (make_date(at, word.end(), "time", Reading(time=time)),) if word and time else NO_DATES
