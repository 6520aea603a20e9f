"""Reads the dates and times that begin with a digit."""

import re
from collections.abc import Callable

from plumbrule.text.clock_times import read_clock, read_time, read_time_range
from plumbrule.text.dates import NO_DATES, Date, Dates, Granularity, Reading, is_possible, make_date
from plumbrule.text.units import CODES, SCALES, SYMBOLS, WORDS, word_list

_MONTH_NAMES = word_list("january february march april may june july august september october november december")
MONTHS = {name: number for number, name in enumerate(_MONTH_NAMES, 1)}
MONTHS |= {name[:3]: number for name, number in MONTHS.items()} | {"sept": 9}
# Month names that are also verbs or given names: without a mark of a date they say nothing.
COMMON_MONTHS = frozenset({"may", "march", "mar", "april", "june", "august", "jun", "dec", "sep", "jan", "oct", "nov"})
YEAR = r"(?:1[5-9]|2[01])[0-9]{2}"
_CENTURIES = frozenset(word_list("15 16 17 18 19 20 21"))  # that a year begins with
_YEAR_CUES = frozenset(
    word_list(
        "in since by until till during of early late mid from through before after year years circa ca "
        "the and to between around for fiscal calendar spring summer autumn fall winter born died"
    )
)
# Plural nouns that a year qualifies more often than a number counts them.
_YEARLY = frozenset(
    word_list(
        "sales results earnings revenues elections olympics games levels budgets financials figures "
        "estimates rules regulations amendments guidelines standards awards prices taxes profits riots "
        "protests finals playoffs primaries was is has its as this series census"
    )
)
# Units that a number above one leaves in the plural: "2019 second quarter" is not a duration.
_SINGULAR_UNITS = frozenset(word_list("second minute hour day week month quarter year decade century cup min mo"))
_DECADE_CUES = frozenset(word_list("the mid early late and or to through"))
_PEOPLE = frozenset(["people", "men", "women", "children", "pupils"])

_YEAR_FIRST = re.compile(r"([0-9]{4})([-/.])([0-9]{1,2})(?:\2([0-9]{1,2}))?(?![0-9]|[-/.][0-9])")
_SEASON = re.compile(rf"({YEAR})[-/–]([0-9]{{2}})(?![0-9]|[-/.][0-9])")
_YEAR_LAST = re.compile(r"([0-9]{1,2})([-/.])([0-9]{1,2})\2([0-9]{4}|[0-9]{2})(?![0-9]|[-/.][0-9])")
_YEAR_ALONE = re.compile(rf"({YEAR})(?![\w%$€£°]|[.,][0-9]|-[a-zA-Z]|['’][0-9])")
_DECADE = re.compile(r"([0-9]{2})?([0-9]0)['’]?s(?!\w)")
_YEAR_QUARTER = re.compile(rf"({YEAR})[ -]?Q([1-4])(?!\w)")
_NUMBER_QUARTER = re.compile(
    rf"([1-4])(?:Q ?['’]?({YEAR}|[0-9]{{2}})|(?:st|nd|rd|th)[ -][Qq]uarter(?:,? (?:of )?(?:fiscal )?({YEAR}))?)(?!\w)"
)
_DAY_FIRST = re.compile(
    rf"""([0-9]{{1,2}}) (?:st|nd|rd|th)?
         (?: [ ]?[-–][ ]?(?P<last>[0-9]{{1,2}})(?:st|nd|rd|th)? )?
         (?:[ \u00a0-]|[ ]of[ ]) (?P<month>[A-Za-z]{{3,9}}) (?![a-z]) \.?
         (?: (?:,?[ \u00a0]|-) (?P<year> {YEAR} ) (?![0-9%]|,[0-9]) | -(?P<short>[0-9]{{2}})(?![0-9]) )?""",
    re.VERBOSE,
)
_DIGITS = re.compile(r"[0-9]{1,5}")
_NEXT_WORD = re.compile(r"[ \u00a0]([^\W\d_]+)")

_SPACES = frozenset(" \u00a0\u202f")
_LEADING = frozenset("JjFfMmAaSsOoNnDdPptT-–")


def full_year(digits: str) -> int:
    """Return the year of two or four digits; two digits below 69 are of this century."""
    year = int(digits)
    if len(digits) > 2:
        return year
    return year + (2000 if year < 69 else 1900)


def previous_word(text: str, at: int) -> str:
    """Return the word before this place in lower case, or nothing."""
    before = text[max(0, at - 16) : at]
    if not before.endswith((" ", "-")):
        return ""
    word = before[:-1].replace("-", " ").replace("\n", " ").rpartition(" ")[2].lstrip("([\"'“‘")
    return word.lower() if word.isalpha() else ""


def read_digits(text: str, at: int) -> Dates:
    """Read the dates or the time that begin with the digit that stands here, if any do."""
    digits = _DIGITS.match(text, at)
    if digits is None:
        return NO_DATES
    end = digits.end()
    length = end - at
    following = text[end : end + 1]
    if length == 4:
        return _read_year_led(text, at, following)
    if length > 2:
        return NO_DATES
    if following in _SPACES:
        # Only the first letters of "of", months, am, pm, o'clock, "to" and "and" lead on to a date.
        if text[end + 1 : end + 2] not in _LEADING:
            return NO_DATES
    elif following in _AFTER_DAY:
        return _AFTER_DAY[following](text, at)
    elif following != "–" and not following.isalpha():
        return NO_DATES
    return _read_day_first(text, at) or _read_worded(text, at, end)


def _read_separated(text: str, at: int) -> Dates:
    """Read a date of numbers, or one with a hyphen before its month or before the end of its range."""
    match = _YEAR_LAST.match(text, at)
    if match is not None:
        return _read_year_last(match)
    return (_read_day_first(text, at) or read_time_range(text, at)) if "-" in text[at : at + 3] else NO_DATES


def _read_clock_time(text: str, at: int) -> Dates:
    return read_time_range(text, at) or read_time(text, at)


def _read_worded(text: str, at: int, end: int) -> Dates:
    """Read one or two digits with a letter after them: "2 pm", "3rd quarter", "2 to 3 pm"."""
    letter = text[end : end + 2].lstrip(" \u00a0\u202f")[:1]
    if letter == "s" and text[end : end + 1] == "s":
        return _read_decade(text, at) or _read_number_quarter(text, at)
    if letter and letter in "aApP":
        return read_time(text, at)
    if letter and letter in "snrt":
        return _read_number_quarter(text, at) or read_time_range(text, at)
    if letter == "o":
        return read_clock(text, at) or read_time_range(text, at)
    if letter in {"-", "–"}:
        return read_time_range(text, at)
    return NO_DATES


def _read_year_led(text: str, at: int, following: str) -> Dates:
    if text[at : at + 2] not in _CENTURIES and following not in {"s", "'", "’"}:  # as most numbers
        return NO_DATES
    if following in {"-", "/", ".", "–"}:
        season = _SEASON.match(text, at)
        match = _YEAR_FIRST.match(text, at)
        dates = _read_year_first(match, season)
        if dates or (match is not None and match[4] is not None):  # an impossible day leaves no date
            return dates
    elif following == "s" or following in {"'", "’"}:
        decade = _read_decade(text, at)
        if decade:
            return decade
    elif following in {" ", "Q"}:
        match = _YEAR_QUARTER.match(text, at)
        if match is not None:
            return (make_date(at, match.end(), "quarter", Reading(year=int(match[1]), quarter=int(match[2]))),)
    return _read_year_alone(text, at)


def _read_year_first(match: re.Match[str] | None, season: re.Match[str] | None) -> Dates:
    """Read 2024-03-05, 2024-03, or a season such as 2023-24 (which 2010-11 may be too)."""
    readings = []
    granularity: Granularity = "month"
    if match is not None and 1500 <= int(match[1]) < 2200:
        year, month = int(match[1]), int(match[3])
        if match[4] is not None:
            if is_possible(year, month, int(match[4])):
                return (
                    make_date(match.start(), match.end(), "day", Reading(year=year, month=month, day=int(match[4]))),
                )
            return NO_DATES
        if match[2] == "-" and len(match[3]) == 2 and 1 <= month <= 12:
            readings.append(Reading(year=year, month=month))
    whole = match or season
    if season is not None and (int(season[1]) + 1) % 100 == int(season[2]):
        whole = season
        granularity = "month" if readings else "year"
        readings += [Reading(year=int(season[1])), Reading(year=int(season[1]) + 1)]
    if whole is None or not readings:
        return NO_DATES
    return (make_date(whole.start(), whole.end(), granularity, *readings),)


def _read_year_last(match: re.Match[str]) -> Dates:
    """Read 03/05/2024 in both orders, and 5.3.2024 with the day first."""
    first, second, year = int(match[1]), int(match[3]), full_year(match[4])
    if match[2] == "." and len(match[4]) == 2:  # 1.2.24 is a version
        return NO_DATES
    orders = [(second, first), (first, second)] if match[2] == "." else [(first, second), (second, first)]
    readings = [Reading(year=year, month=month, day=day) for month, day in orders if is_possible(year, month, day)]
    if not readings or not 1500 <= year < 2200:
        return NO_DATES
    if match[2] == "." or readings[0] == readings[-1]:
        readings = readings[:1]
    return (make_date(match.start(), match.end(), "day", *readings),)


def _read_year_alone(text: str, at: int) -> Dates:
    match = _YEAR_ALONE.match(text, at)
    if match is None:
        return NO_DATES
    year = int(match[1])
    before = text[at - 1 : at]
    if before.isalnum() or before in {"$", "€", "£", "¥", "₹", "#", "_"}:
        return NO_DATES
    previous = previous_word(text, at)
    if previous and previous.upper() in CODES:
        return NO_DATES
    after = _NEXT_WORD.match(text, match.end())
    if after is not None and not _may_follow_year(after[1], year, previous):
        return NO_DATES
    plain = previous not in _YEAR_CUES and before != "("
    return (Date(start=at, end=match.end(), readings=(Reading(year=year),), granularity="year", plain=plain),)


def _may_follow_year(word: str, year: int, previous: str) -> bool:
    """Tell whether this word may follow a year, rather than be counted or be the unit of a number."""
    lower = word.lower()
    if lower in _YEARLY:
        return True
    if lower in SCALES or word in SYMBOLS or word in CODES or lower == "per":
        return False
    if lower in WORDS:
        return lower in _SINGULAR_UNITS
    counted = lower in _PEOPLE or (
        word.islower() and len(word) > 3 and lower.endswith("s") and not lower.endswith("ss")
    )
    # "sales of 2010 units", but "in 2010 prices rose"
    return not counted or (year % 100 != 0 and previous in _YEAR_CUES and previous != "of")


def _read_decade(text: str, at: int) -> Dates:
    match = _DECADE.match(text, at)
    if match is None:
        return NO_DATES
    if match[1] is not None:
        if not 15 <= int(match[1]) <= 21:
            return NO_DATES
        return (make_date(at, match.end(), "decade", Reading(decade=int(match[1] + match[2][0]))),)
    if text[at - 1 : at] not in {"'", "’", "‘"} and previous_word(text, at) not in _DECADE_CUES:
        return NO_DATES
    tens = int(match[2][0])
    decades = [200 + tens] if tens < 2 else [190 + tens, 200 + tens] if tens == 2 else [190 + tens]
    return (make_date(at, match.end(), "decade", *(Reading(decade=decade) for decade in decades)),)


def _read_number_quarter(text: str, at: int) -> Dates:
    match = _NUMBER_QUARTER.match(text, at)
    if match is None:
        return NO_DATES
    year = match[2] or match[3]
    reading = Reading(year=full_year(year) if year else None, quarter=int(match[1]))
    return (make_date(at, match.end(), "quarter", reading),)


def _read_day_first(text: str, at: int) -> Dates:
    """Read 5 March 2024, 5th of March, 05-Mar-2024 and 5-7 March 2024."""
    match = _DAY_FIRST.match(text, at)
    if match is None:
        return NO_DATES
    name = match["month"]
    month = MONTHS.get(name.lower())
    if month is None or (name.islower() and name in COMMON_MONTHS and match["year"] is None):
        return NO_DATES
    written = match["year"] or match["short"]
    year = full_year(written) if written else None
    end = match.end()
    if text[end - 1] == "." and len(name) > 4:  # the full stop ends the sentence
        end -= 1
    days = [(at, end, int(match[1]))]
    if match["last"] is not None:
        days = [(at, at + len(match[1]), int(match[1])), (match.start("last"), end, int(match["last"]))]
    if not all(is_possible(year, month, day) for _, _, day in days):
        return NO_DATES
    return tuple(make_date(start, stop, "day", Reading(year=year, month=month, day=day)) for start, stop, day in days)


# What to try when this character follows one or two digits.
_AFTER_DAY: dict[str, Callable[[str, int], Dates]] = {
    "/": _read_separated,
    "-": _read_separated,
    ".": _read_separated,
    ":": _read_clock_time,
    "'": _read_decade,
    "’": _read_decade,
    "Q": _read_number_quarter,
}
