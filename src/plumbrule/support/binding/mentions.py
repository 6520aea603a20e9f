"""What a sentence mentions that can be right or wrong: identifiers, quantities, dates, times, fractions."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import Literal

from plumbrule.support.binding import chunk_signs
from plumbrule.support.binding.binding_words import BindingWords
from plumbrule.text.dates import Date
from plumbrule.text.numbers import Number, singular
from plumbrule.text.tokens import lemmas
from plumbrule.text.values import Value, extract_values, match_value

MentionKind = Literal["identifier", "number", "date"]

_IDENTIFIER = re.compile(
    r"""(?P<url>(?:https?://|www\.)\S+[\w/]|(?<![\w.-])[\w-]+(?:\.[\w-]+)+/[\w/.-]*\w)
      |(?P<email>(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+)
      |(?P<path>(?<![\w/])/[a-z][\w/{}.-]+)
      |(?P<phone>(?<![\w.,£$€-])(?!\d{4}-\d\d-\d\d)\+?\d{2,5}(?:[ -]\d{2,4}){2,4}(?![\w%]))
      |(?P<version>\bv?\d+\.\d+\.\d+(?:\.\d+)*\b|\bv\d+(?:\.\d+)*\b)
      |(?P<code>\b(?=[\w/-]{0,80}\d)(?=[\w/-]{0,80}[A-Za-z])[A-Z0-9][A-Za-z0-9]*(?:[-/][A-Za-z0-9]+)*\b)
      |(?P<name>\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b|\b[a-z]+(?:_[a-z0-9]+)+\b)""",
    re.VERBOSE,
)
_CODED = re.compile(r"(?<!\S)[^\s\d_/@]*[\d_/@]\S*(?:\s[^\s\d_/@]*[\d_/@]\S*)*")
_DIGIT_GROUPS = re.compile(r"\d \d{2,4} \d")  # of a telephone number
# quantities that look like codes: 30km, 17-year, 2nd, 1080p; moments: 2025-07-11T18; words with a number: under-16s
_NO_CODE = re.compile(
    r"\d[\d.,]*(?:[A-Za-z]{1,4}|-[a-z]+)?|\d+(?:st|nd|rd|th)|\d[\d.]*[a-z/]+\d?|\d+-[a-z-]+|\d{4}-\d\d-\d\dT\d+Z?"
)
_AGE = re.compile(r"(?:[a-z]|[A-Z][a-z])[A-Za-z]*-\d+s?")
_NAMED = re.compile(r"\s(?:[A-Z]?\d|[A-Z]\b)")  # what a label or a numbered thing ends with
_LABEL = re.compile(r"\b([A-Z][a-z]+)\s+(\d\d?|[A-HJ-Z])\b(?![\w'’.-]*\w)(?!\s*%)")
_ENUMERATOR = re.compile(
    r"(?:^|(?<=[.;:]\s))(\d\d?(?:\.\d\d?)+)(?=\.?\s+[A-Z])|(?:^|(?<=[.;:]\s))(\d\d?)(?=\.\s+[A-Z])"
    r"|§\s*(\d\d?(?:\.\d\d?)*)"
)
_PENCE = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)p\b")
_WEEKDAY = re.compile(r"\b(Mon|Tue|Tues|Wed|Thu|Thur|Thurs|Fri|Sat|Sun)\b\.?")
_DAY_OF_MONTH = re.compile(r"\b\d\d?(?=(?:,| and| or)\s+\d\d? [A-Z][a-z]{2})")
_DOTTED_TIME = re.compile(
    r"\b(?:from|until|till|at|by|to|before|after|between|and)\s+((?:[01]?\d|2[0-3])\.[0-5]\d)(?![\d%]|\s*(?:[€£$%]|[A-Za-z]{1,3}\b(?<!to)(?<!and)(?<!on)))"
)
_HALF_DAY = re.compile(r"\d\.\d\d\s*[ap]\.?m\b", re.IGNORECASE)
_SHORT_SECONDS = re.compile(r"\d+s")
CITATION = re.compile(r"[\[【]\^?\d+(?:\s*[,;–-]\s*\d+)*[\]】]")
_MONEY = frozenset({"USD", "EUR", "GBP", "JPY", "INR", "CNY", "CHF", "RUB", "peso"})
_PERIODS = frozenset({"clock_time", "calendar_time", "business_day"})


@dataclass(slots=True, kw_only=True, eq=False)
class Mention:
    """A value, an identifier or a date in a text: where it stands, and what it can be compared with.

    Numbers of one ``dimension`` can be compared; ``amount`` is in its base unit. A number of a table's cell may be
    ``naked``: its unit is only guessed from the header.
    """

    start: int
    end: int
    kind: MentionKind
    dimension: str
    text: str
    key: str = ""
    amount: Fraction = Fraction(0)
    value: Value | None = None
    cell: bool = False
    naked: bool = False
    base: str = field(init=False)  # the dimension without a currency or a counted noun
    noun: str = field(init=False)  # what a count counts; empty where nothing tells
    plain: Fraction = field(init=False)  # the number as it is written, without its unit

    def __post_init__(self) -> None:
        self.base, _, self.noun = self.dimension.partition(":")
        if isinstance(self.value, Number):
            self.plain = self.value.value
        else:
            self.plain = self.amount * 100 if self.base == "money" and self.text.endswith("p") else self.amount

    @property
    def unit(self) -> str:
        """The unit's name; empty where there is none."""
        return self.value.unit.name if isinstance(self.value, Number) and self.value.unit is not None else ""


class _Free:
    """Which stretches of a text are not taken by a mention yet."""

    def __init__(self) -> None:
        self._taken: list[tuple[int, int]] = []  # in their order; none overlaps another

    def take(self, start: int, end: int) -> bool:
        """Take a stretch; False where a part of it is taken."""
        at = bisect_left(self._taken, (end,))
        if at and self._taken[at - 1][1] > start:
            return False
        self._taken.insert(at, (start, end))
        return True


def find_mentions(text: str, known: BindingWords, signs: int | None = None) -> list[Mention]:
    """Return the mentions of a text in their order; none overlaps another. ``signs`` are its own, if they are read."""
    signs = known.signs.of(text) if signs is None else signs
    values = [value for value in extract_values(text) if not value.weak]
    if not signs and not values:
        return []
    free = _Free()
    for marker in CITATION.finditer(text) if signs & chunk_signs.CITATION else ():
        free.take(*marker.span())
    found = [mention for mention in _candidates(text, signs, values, known) if free.take(mention.start, mention.end)]
    found.sort(key=lambda mention: mention.start)
    return found


def _candidates(text: str, signs: int, values: Iterable[Value], known: BindingWords) -> Iterator[Mention]:
    """Yield what may be a mention, the surest first; only what the signs of the text allow is searched for."""
    yield from _identifiers(text, signs, values, known)
    yield from _times(text, signs, known)
    for mark in _ENUMERATOR.finditer(text) if signs & chunk_signs.ENUMERATOR else ():
        start, end = mark.span(mark.lastindex or 0)
        yield Mention(start=start, end=end, kind="identifier", dimension="enumerator", text=text[start:end],
                      key=text[start:end])  # fmt: skip
    for day in _WEEKDAY.finditer(text) if signs & chunk_signs.WEEKDAY else ():
        name = next(each for each in known.days if each.startswith(day[1][:3].lower())).capitalize()
        yield _dated(day.start(), day.end(), "weekday", name, extract_values(name)[0])
    for several in known.several.finditer(text) if signs & chunk_signs.SEVERAL else ():
        part = known.numerators[several[1].lower()] * known.fractions[several[2].lower()]
        yield _number(several, "fraction", part)
    for pence in _PENCE.finditer(text) if signs & chunk_signs.PENCE else ():
        yield _number(pence, "money", Fraction(pence[1]) / 100)
    skipped = [day.span() for day in _DAY_OF_MONTH.finditer(text)] if signs & chunk_signs.DIGIT else []
    for value in values:
        if isinstance(value, Date):
            yield _dated(value.start, value.end, value.granularity, text[value.start : value.end], value)
        elif not (any(start <= value.start < end for start, end in skipped) or _is_age(value, text)):
            dimension, amount = _read_unit(value)
            yield Mention(start=value.start, end=value.end, kind="number", dimension=dimension,
                          text=text[value.start : value.end], amount=amount, value=value)  # fmt: skip
    yield from _counted(text, signs, known)
    for gift in known.free.finditer(text) if signs & chunk_signs.FREE else ():
        yield _number(gift, "money", Fraction(0))


def _times(text: str, signs: int, known: BindingWords) -> Iterator[Mention]:
    """Yield the times of day that are said in words or written with a dot."""
    may_have_times = signs & chunk_signs.CLOCK or (signs & chunk_signs.DOTTED and _HALF_DAY.search(text))
    for clock in known.clock.finditer(text) if may_have_times else ():
        time = _clock_time(clock, known)
        if time is not None:
            yield _dated(clock.start(), clock.end(), "time", clock[0], time)
    for dotted in _DOTTED_TIME.finditer(text) if signs & chunk_signs.DOTTED else ():
        values_there = extract_values(dotted[1].replace(".", ":"))
        if values_there and isinstance(values_there[0], Date):
            yield _dated(dotted.start(1), dotted.end(1), "time", dotted[1], values_there[0])


def _codes(text: str) -> Iterator[re.Match[str]]:
    """Yield the codes: each stands in words with a digit or a sign of its own, so that no other words are read."""
    if "www." in text:
        yield from _IDENTIFIER.finditer(text)
        return
    for words in _CODED.finditer(text):
        if not chunk_signs.NUMBER_ALONE.fullmatch(words[0]):
            yield from _IDENTIFIER.finditer(text, *words.span())


def _identifiers(text: str, signs: int, values: Iterable[Value], known: BindingWords) -> Iterator[Mention]:
    may_have_codes = signs & chunk_signs.CODE or (signs & chunk_signs.DIGIT and _DIGIT_GROUPS.search(text))
    for code in _codes(text) if may_have_codes else ():
        kind = code.lastgroup or ""
        if kind == "code" and (_NO_CODE.fullmatch(code[0]) or _AGE.fullmatch(code[0])):
            continue
        key = re.sub(r"\D", "", code[0]) if kind == "phone" else code[0].lower().rstrip(".")
        yield Mention(start=code.start(), end=code.end(), kind="identifier", dimension=kind, text=code[0], key=key)
    if not signs & chunk_signs.NAMED or not _NAMED.search(text):
        return
    for thing in known.numbered.finditer(text) if signs & chunk_signs.NUMBERED else ():
        yield Mention(start=thing.start(2), end=thing.end(2), kind="identifier", dimension=thing[1].lower(),
                      text=thing[0], key=thing[2].lower())  # fmt: skip
    dates = [value for value in values if isinstance(value, Date) or value.unit is not None or value.counted]
    for label in _LABEL.finditer(text):
        head = label[1].lower()
        if head in known.support.stop or head in known.support.talk or head in known.days or head in known.months:
            continue
        if not any(date.start < label.end(2) and date.end > label.start(2) for date in dates):
            yield Mention(start=label.start(2), end=label.end(2), kind="identifier", dimension=singular(head),
                          text=label[0], key=label[2].lower())  # fmt: skip


def _is_age(value: Number, text: str) -> bool:
    """Tell whether a number is an age that reads like seconds: "under-16s"."""
    if text[value.end - 1] != "s" or text[value.start - 1 : value.start] not in ("-", " "):
        return False
    return _SHORT_SECONDS.fullmatch(text[value.start : value.end]) is not None


def _counted(text: str, signs: int, known: BindingWords) -> Iterator[Mention]:
    for word in known.counted.finditer(text) if signs & chunk_signs.COUNTED else ():
        said = word[1].lower()
        if said in known.times:
            yield _number(word, "count:time", known.times[said])
        elif said in known.fractions and said not in known.ordinals:
            yield _number(word, "fraction", known.fractions[said])
        elif said not in known.ordinals:  # "first" is too vague to be held against a place
            weeks = extract_values("two weeks")[0]
            yield Mention(start=word.start(), end=word.end(), kind="number", dimension="period", text=word[0],
                          amount=Fraction(1_209_600), value=weeks)  # fmt: skip


def _number(place: re.Match[str], dimension: str, amount: Fraction) -> Mention:
    return Mention(start=place.start(), end=place.end(), kind="number", dimension=dimension, text=place[0],
                   amount=amount)  # fmt: skip


def _dated(start: int, end: int, granularity: str, text: str, value: Value) -> Mention:
    return Mention(start=start, end=end, kind="date", dimension=granularity, text=text, value=value)


def _clock_time(place: re.Match[str], known: BindingWords) -> Value | None:
    """Return the time of day that is said in words: "half past ten", "4.15 pm", "ten at night"."""
    if place["hour"]:
        written = f"{place['hour']}:{place['minute']} {place['half']}m"
    elif place["part"]:
        hour = _hour(place["of"], known)
        if hour is None:
            return None
        minute = 30 if place["part"].lower() == "half" else 15
        if place["side"].lower() == "to":
            hour, minute = (hour - 1) % 24, 60 - minute
        written = f"{hour}:{minute:02d}"
    else:
        hour = _hour(place["sharp"] or place["spoken"], known)
        if hour is None:
            return None
        half = "" if place["sharp"] else ("am" if (place["day"] or "").lower() == "morning" else "pm")
        written = f"{hour} {half}" if half else f"{hour}:00"
    values = extract_values(written)
    return values[0] if values and isinstance(values[0], Date) else None


def _hour(word: str, known: BindingWords) -> int | None:
    said = word.lower()
    if said in known.hours:
        return known.hours[said]
    return int(said) if said.isascii() and said.isdigit() and int(said) < 24 else None


def _read_unit(number: Number) -> tuple[str, Fraction]:
    """Return a number's dimension and its amount in the base unit; "pounds" are money where nothing else tells."""
    unit = number.unit
    if unit is None:
        noun = lemmas(number.counted)[-1:] if number.counted else []
        return f"count:{noun[0] if noun else ''}", number.value
    if unit.other is not None and unit.other.dimension in _MONEY and unit.dimension not in _MONEY:
        unit = unit.other
    name = unit.dimension
    if name in _MONEY:
        name = f"money:{name}"
    amount = number.value if unit.factor == 1 else number.value * unit.factor
    return "period" if name in _PERIODS else name, amount


_CODE = 3  # digits that a number has at least that may be a code


def sort_of(mention: Mention) -> str:
    """Return what tells which values may equal or rival this one."""
    if mention.kind == "date":
        return "year" if mention.dimension == "year" else "date"
    if mention.kind == "identifier" or mention.naked:  # a unit that is only guessed may be another
        return "identifier" if mention.kind == "identifier" else "count"
    return mention.base


def compared_sorts(mention: Mention) -> frozenset[str] | None:
    """Return the sorts that a value may equal or rival; None for all of them."""
    sort = sort_of(mention)
    if sort in ("count", "year"):  # a naked number may be of anything
        return None
    if mention.kind == "identifier":
        return frozenset({"identifier", "count"})
    if mention.kind == "date":
        return frozenset({"date", "year"})
    parts = {"percent", "fraction"} if sort in ("percent", "fraction") else set()
    return frozenset({sort, "count", "year", *parts})


def comparable(mine: Mention, theirs: Mention) -> bool:
    """Tell whether another value of the one would contradict the other, were both said of the same thing."""
    if mine.kind != theirs.kind:
        return False
    if mine.kind == "number" and mine.base == theirs.base == "count":
        return mine.noun == theirs.noun if mine.noun and theirs.noun else _written_alike(mine, theirs)
    return (mine.base if mine.kind == "number" else mine.dimension) == (
        theirs.base if theirs.kind == "number" else theirs.dimension
    )


def _written_alike(mine: Mention, theirs: Mention) -> bool:
    """Tell whether two numbers, of which nothing says what one counts, look like prices, or like codes of a length.

    Of two cells the headers tell what they are of, so there the length need not be quite the same.
    """
    ours, others = (each.text.partition(".") for each in (mine, theirs))
    if mine.cell and theirs.cell:
        return bool(ours[2]) == bool(others[2]) and abs(len(ours[0]) - len(others[0])) <= 1
    if ours[2] or others[2]:
        return len(ours[2]) == len(others[2])
    return len(ours[0]) == len(others[0]) >= _CODE


def equal(mine: Mention, my_text: str, theirs: Mention, their_text: str) -> bool:
    """Tell whether two mentions have the same value."""
    if "identifier" in (mine.kind, theirs.kind):
        return _equal_identifiers(mine, theirs)
    if mine.kind != theirs.kind:
        return _matches(mine, my_text, theirs, their_text)
    if mine.kind == "date":
        return _matches(mine, my_text, theirs, their_text) or _equal_dates(mine, theirs)
    return _equal_numbers(mine, theirs)


def _equal_identifiers(mine: Mention, theirs: Mention) -> bool:
    if mine.kind == theirs.kind:
        return mine.key == theirs.key
    named, counted = (mine, theirs) if mine.kind == "identifier" else (theirs, mine)
    return counted.kind == "number" and counted.base == "count" and named.key == counted.text.lower()


def _matches(mine: Mention, my_text: str, theirs: Mention, their_text: str) -> bool:
    if mine.value is None or theirs.value is None:
        return False
    return match_value(mine.value, my_text, theirs.value, their_text) is not None


def _equal_dates(mine: Mention, theirs: Mention) -> bool:
    if not isinstance(mine.value, Date) or not isinstance(theirs.value, Date):
        return False
    pairs = [(one, other) for one in mine.value.readings for other in theirs.value.readings]
    if mine.dimension == theirs.dimension == "time":  # 7:15 may be 19:15 where nothing says which
        return any(one.time and other.time and one.time[:2] == other.time[:2] for one, other in pairs)
    if mine.dimension == theirs.dimension == "day":
        return any(
            (one.month, one.day) == (other.month, other.day) and (one.year is None or other.year is None)
            for one, other in pairs
        )
    if mine.dimension == "month" and theirs.dimension == "day":
        return any(one.month == other.month for one, other in pairs)
    return False


def _equal_numbers(mine: Mention, theirs: Mention) -> bool:
    one, other = mine.base, theirs.base
    if one == other:
        if one == "money" and theirs.naked and _same(mine.plain, theirs.plain):
            return True
        if not _same(mine.amount, theirs.amount):
            return one == "period" and _same_period(mine, theirs)
        return one != "money" or _same_currency(mine, theirs)
    if {one, other} == {"percent", "fraction"}:
        percent, part = (mine, theirs) if one == "percent" else (theirs, mine)
        return percent.amount == part.amount * 100
    if not _same(mine.plain, theirs.plain):
        return False
    if theirs.naked:  # its unit is only guessed
        return True
    if "count" not in (one, other):
        return False
    if theirs.cell and (theirs.dimension == "count:" or one == "count"):
        return True
    bare, measured = (mine, theirs) if one == "count" else (theirs, mine)
    return measured.base != "percent" and not bare.noun


def _same(one: Fraction, other: Fraction) -> bool:
    """Tell whether two fractions are equal; their own comparison takes three times as long."""
    return one is other or one.as_integer_ratio() == other.as_integer_ratio()


def _same_currency(mine: Mention, theirs: Mention) -> bool:
    if not mine.amount or not mine.noun or not theirs.noun or mine.noun == theirs.noun:
        return True
    return isinstance(mine.value, Number) and mine.value.unit is not None and mine.value.unit.other is not None


_DAY = Fraction(86_400)


def _same_period(mine: Mention, theirs: Mention) -> bool:
    """Tell whether months and days may be the same: a year of 365 days, a month of 28, 30 or 31."""
    units = [each.value.unit.dimension for each in (mine, theirs)
             if isinstance(each.value, Number) and each.value.unit is not None]  # fmt: skip
    if sorted(units) != ["calendar_time", "clock_time"]:
        return False
    months, seconds = (mine, theirs) if units[0] == "calendar_time" else (theirs, mine)
    days = seconds.amount / _DAY
    if months.amount == 12:
        return days in (364, 365)
    return days == 30 * months.amount or (months.amount == 1 and days in (28, 31))


def with_unit(mention: Mention, key: str, known: BindingWords) -> Mention:
    """Return a cell's naked number with the unit that its header or key names; a price without one is money."""
    words = re.findall(r"[A-Za-z%£$€]+", key)
    units = [known.units.get(word.lower(), word) for word in reversed(words)]
    units.sort(key=lambda unit: not (unit in _MONEY or unit in "£$€"))
    for unit in units:
        money = unit in _MONEY or unit in "£$€"
        if not money and any(word.lower() in known.prices for word in words):
            return _as_cell(mention, "money", mention.amount, None)
        values = extract_values(f"{unit} {mention.text}" if money else f"{mention.text} {unit}")
        if values and isinstance(values[0], Number) and values[0].unit is not None:
            return _as_cell(mention, *_read_unit(values[0]), values[0])
    return mention


def _as_cell(mention: Mention, dimension: str, amount: Fraction, value: Value | None) -> Mention:
    return Mention(start=mention.start, end=mention.end, kind="number", dimension=dimension, text=mention.text,
                   amount=amount, value=value, cell=True, naked=True)  # fmt: skip


_RANGE = re.compile(r"s?\s*(?:-|–|—|to|through|until|till)\s*")


def implied_dates(
    text: str, mentions: Iterable[Mention], known: BindingWords, signs: int | None = None
) -> list[Mention]:
    """Return the days and months that a range has between its ends, and those of "daily" or "at weekends"."""
    names: list[tuple[str, str]] = []
    dated = [each for each in mentions if each.kind == "date" and each.dimension in ("weekday", "month")]
    for first, last in pairwise(dated):
        if first.dimension != last.dimension or not _RANGE.fullmatch(text[first.end : last.start]):
            continue
        cycle = known.days if first.dimension == "weekday" else known.months
        names += [(first.dimension, cycle[at]) for at in _between(_place(first), _place(last), len(cycle))]
    signs = known.signs.of(text) if signs is None else signs
    if signs & chunk_signs.EVERY_DAY and known.every_day.search(text):
        names += [("weekday", day) for day in known.days]
    if signs & chunk_signs.WEEKDAYS and known.weekdays.search(text):
        names += [("weekday", day) for day in known.days[:5]]
    if signs & chunk_signs.WEEKENDS and known.weekends.search(text):
        names += [("weekday", day) for day in known.days[5:]]
    found = []
    for granularity, name in names:
        values = extract_values(f"in {name.capitalize()}")  # "May" alone may be no month
        if values:
            found.append(_dated(0, 0, granularity, name.capitalize(), values[0]))
    return found


def _place(mention: Mention) -> int:
    reading = mention.value.readings[0] if isinstance(mention.value, Date) else None
    if reading is None:
        return 0
    return reading.weekday or 0 if mention.dimension == "weekday" else (reading.month or 1) - 1


def _between(first: int, last: int, size: int) -> list[int]:
    return [(first + step) % size for step in range(1, (last - first) % size)]
