"""Reads the times of day that begin with a digit."""

import re

from plumbrule.text.dates import NO_DATES, Dates, Reading, make_date

_TIME = re.compile(
    r"""([0-9]{1,2})
        (?: :([0-5][0-9] | 0(?=-[0-9]) | (?:(?<=-[0-9]:)|(?<=-[0-9]{2}:))0(?![0-9]))   # 14:30; 9:0-17:0 in data
            (?: :([0-5][0-9]) (?:\.[0-9]{1,9})? )? )?
        (?: [ \u00a0\u202f]? (?P<half> [aApP] (?: \.[ ]?[mM]\. | [mM] (?!\w) | \.[mM](?!\w) ) ) )?
        (?: [ ]? (?P<zone> Z(?!\w) | (?:UTC|GMT)(?!\w)(?!\ ?[+-][0-9]) | (?:UTC|GMT)?[+-][01][0-9]:?[0-9]{2}(?!\w)
                 | (?:[ECMP][SD]?T|CET|CEST|BST|IST|JST|AEST|AEDT|SGT|HKT)(?!\w) ) )?""",
    re.VERBOSE,
)
_CLOCK = re.compile(r"([0-9]{1,2}) ?o['’]clock\b")
_TIME_RANGE = re.compile(
    r"([0-9]{1,2})(?::([0-5][0-9]))? ?(?:[-–—]|to|or|and) ?[0-9]{1,2}(?::[0-5][0-9])? ?([aApP])(?:\.?[mM])(?!\w)"
)


def _time_readings(hour: int, minute: int, second: int | None, half: str, zone: str | None) -> list[Reading]:
    """Return the readings of a time: an hour up to twelve without am or pm may be either."""
    if zone in {"Z", "GMT", "+00:00", "+0000", "UTC+00:00"}:
        zone = "UTC"
    if half:
        hours = [hour % 12 + (12 if half in "pP" else 0)]
    elif 1 <= hour <= 12:
        hours = [hour, (hour + 12) % 24]
    else:
        hours = [hour]
    return [Reading(time=(hour, minute, second), zone=zone) for hour in hours]


def read_time(text: str, at: int) -> Dates:
    """Read 14:30, 2:30 pm or 2 p.m., with its seconds and its zone."""
    match = _TIME.match(text, at)
    if match is None:
        return NO_DATES
    hour, half, zone, end = int(match[1]), (match["half"] or "")[:1], match["zone"], match.end()
    if (match[2] is None and (not half or hour > 12)) or hour > 23:
        return NO_DATES
    if zone is not None and zone[0] == "-" and match[3] is None and text[at - 1 : at] != "T":
        zone, end = None, match.start("zone")  # 11:30-12:30 is a range
    if text[end : end + 1].isalnum():
        return NO_DATES
    second = int(match[3]) if match[3] else None
    readings = _time_readings(hour, int(match[2] or 0), second, half if hour <= 12 else "", zone)
    if len(match[1]) == 2 and match[1][0] == "0" and not half:  # 02:30 is of the 24-hour clock
        readings = readings[:1]
    return (make_date(at, end, "time", *readings),)


def read_time_range(text: str, at: int) -> Dates:
    """Read the first time of "2-3 pm", which shares the second's half of the day."""
    match = _TIME_RANGE.match(text, at)
    if match is None or not 1 <= int(match[1]) <= 12:
        return NO_DATES
    readings = _time_readings(int(match[1]), int(match[2] or 0), None, match[3], None)
    return (make_date(at, match.end(2) if match[2] else match.end(1), "time", *readings),)


def read_clock(text: str, at: int) -> Dates:
    """Read "2 o'clock"."""
    match = _CLOCK.match(text, at)
    if match is None or int(match[1]) > 24:
        return NO_DATES
    return (make_date(at, match.end(), "time", *_time_readings(int(match[1]) % 24, 0, None, "", None)),)
