"""Finds every number and date of a text, and matches those of an answer with those of a context."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from fractions import Fraction
from math import gcd
from operator import itemgetter

from plumbrule.text import date_forms, date_words, number_words
from plumbrule.text.dates import (
    Date,
    Reason,
    comparable_dates,
    date_keys,
    supports_date,
    supports_in_every_reading,
    telling_key,
)
from plumbrule.text.numbers import Number, comparable_numbers, singular, supports
from plumbrule.text.numerals import citation_end, read_numeral
from plumbrule.text.text_scan import fold

Value = Number | Date
_Reader = Callable[[str, int, int], tuple[tuple[Value, ...], int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """How a value of the context supports one of the answer.

    ``ambiguous`` when that holds in one reading of a date and not in another.
    """

    reason: Reason
    ambiguous: bool = False


_FOUND, _EQUAL = Match(reason="found"), Match(reason="equal_value")


def _number_reader(read: Callable[[str, int, int], tuple[Number | None, int]]) -> _Reader:
    def reader(text: str, at: int, floor: int) -> tuple[tuple[Value, ...], int]:
        number, end = read(text, at, floor)
        return ((number,) if number is not None else ()), end

    return reader


def _date_reader(read: Callable[[str, int, int], tuple[Date, ...]]) -> _Reader:
    def reader(text: str, at: int, floor: int) -> tuple[tuple[Value, ...], int]:
        dates = read(text, at, floor)
        return dates, dates[-1].end if dates else floor

    return reader


# The words that call for a search, each with the phrase to search for and its reader.
_TRIGGERS: dict[bytes, tuple[bytes, _Reader]] = {
    word: (phrase, reader)
    for reader, phrases in [
        (_number_reader(number_words.read_cardinal), {word: word for word in number_words.CARDINAL_TRIGGERS}),
        (_number_reader(number_words.read_scale), {word: word for word in number_words.SCALE_TRIGGERS}),
        (_number_reader(number_words.read_half), {word: word for word in number_words.HALF_TRIGGERS}),
        (_number_reader(number_words.read_article), number_words.ARTICLE_TRIGGERS),
        (_date_reader(date_words.read_month), {word: word for word in date_words.MONTH_TRIGGERS}),
        (_date_reader(date_words.read_weekday), {word: word for word in date_words.WEEKDAY_TRIGGERS}),
        (_date_reader(date_words.read_quarter), {word: word for word in date_words.QUARTER_TRIGGERS}),
        (_date_reader(date_words.read_fiscal), {word: word for word in date_words.FISCAL_TRIGGERS}),
        (_date_reader(date_words.read_named_time), {word: word for word in date_words.NAMED_TIME_TRIGGERS}),
    ]
    for word, phrase in phrases.items()
}
_TRIGGER_WORDS = frozenset(_TRIGGERS)


def _read_digits(text: str, at: int, floor: int) -> tuple[tuple[Value, ...], int]:
    """Read the date, or else the number, whose first digit stands here."""
    before = text[at - 1] if at > floor else " "
    if before in "[【^" and (end := citation_end(text, at - 2 if before == "^" else at - 1)):
        return (), end
    if not (before.isalnum() or before == "_") or (before == "T" and text[at - 2 : at - 1].isdigit()):
        dates = date_forms.read_digits(text, at)
        if dates:
            return dates, dates[-1].end
    number, end = read_numeral(text, at, floor)
    return ((number,) if number is not None else ()), end


def extract_values(text: str) -> tuple[Value, ...]:
    """Return the numbers and dates of a text in their order; none overlaps another."""
    folded = fold(text)
    text, marks = folded
    words: list[tuple[int, _Reader]] = []
    for word in _TRIGGER_WORDS.intersection(marks.split()):
        phrase, reader = _TRIGGERS[word]
        words += [(place, reader) for place in folded.places(phrase)]
    words.sort(key=itemgetter(0), reverse=True)
    extracted: list[Value] = []
    cursor = 0
    digit = folded.digit_from(0)
    while digit >= 0 or words:
        if words and (digit < 0 or words[-1][0] <= digit):
            at, reader = words.pop()
            if at < cursor:
                continue
        else:
            at, reader = digit, _read_digits
        values, end = reader(text, at, cursor)
        extracted += values
        cursor = max(cursor, end)
        if 0 <= digit < cursor:
            digit = folded.digit_from(cursor)
    return tuple(extracted)


def _same_surface(answer: Value, answer_text: str, context: Value, context_text: str) -> bool:
    one, other = answer_text[answer.start : answer.end], context_text[context.start : context.end]
    return one == other or one.casefold().split() == other.casefold().split()


def _as_number(date: Date) -> Number | None:
    """Return a year as the naked number that it may be."""
    if date.granularity != "year" or date.ambiguous or date.readings[0].year is None:
        return None
    return Number(start=date.start, end=date.end, value=Fraction(date.readings[0].year))


def index_keys(value: Value) -> list[Hashable]:
    """Return the keys under which a value of a context is kept, for ``lookup_keys`` to find."""
    if isinstance(value, Date):
        keys: list[Hashable] = [key for reading in value.readings for key in date_keys(reading)]
        return keys if value.granularity != "year" else [*keys, ("bare", value.readings[0].year, 1)]
    over, under = value.value.as_integer_ratio()  # hashed faster than the fraction itself
    if value.unit is None:
        return [("bare" if value.naked else "counted", over, under)]
    percent = value.unit.dimension == "percent"
    return [*_unit_keys(value), *([] if percent else [("measured", over, under)])]


def lookup_keys(value: Value) -> list[Hashable]:
    """Return the keys under which the values stand that may match this one of an answer; almost all of them do."""
    if isinstance(value, Date):
        keys: list[Hashable] = [telling_key(reading) for reading in value.readings]
        year = value.readings[0].year if value.granularity == "year" else None
        if year is not None:
            keys += [(kind, year, 1) for kind in (("bare", "counted", "measured") if value.plain else ("bare",))]
        return keys
    over, under = value.value.as_integer_ratio()
    if value.unit is not None:
        bare = [] if value.unit.dimension == "percent" else [("bare", over, under)]
        return [*_unit_keys(value), *bare]
    kinds = ("bare", "counted", "measured") if value.naked else ("counted", "bare")
    return [(kind, over, under) for kind in kinds]


def _unit_keys(number: Number) -> list[Hashable]:
    keys: list[Hashable] = []
    unit = number.unit
    value_over, value_under = number.value.as_integer_ratio()
    while unit is not None:
        over, under = unit.factor.as_integer_ratio()
        over, under = over * value_over, under * value_under
        common = gcd(over, under)
        keys.append((unit.dimension, over // common, under // common))
        unit = unit.other
    return keys


def rival_keys(value: Value) -> list[Hashable]:
    """Return keys of which any two comparable values share at least one."""
    if isinstance(value, Date):
        return [] if value.weak else [value.granularity]
    if value.weak or value.naked:
        return []
    if value.unit is None:
        return [("counted", singular(value.counted or ""))]
    other = value.unit.other
    return [value.unit.dimension] if other is None else [value.unit.dimension, other.dimension]


def match_value(answer: Value, answer_text: str, context: Value, context_text: str) -> Match | None:
    """Tell how a value of the context supports one of the answer, or ``None``."""
    if isinstance(answer, Number) and isinstance(context, Number):
        if not supports(context, answer):
            return None
        return _FOUND if _same_surface(answer, answer_text, context, context_text) else _EQUAL
    if isinstance(answer, Date) and isinstance(context, Date):
        how = supports_date(context, answer)
        if how is None:
            return None
        if _same_surface(answer, answer_text, context, context_text):
            return _FOUND
        return Match(reason=how, ambiguous=not supports_in_every_reading(context, answer))
    date, number = (answer, context) if isinstance(answer, Date) else (context, answer)
    if not isinstance(date, Date) or not isinstance(number, Number):  # for the type checker
        return None
    year = _as_number(date)
    if year is None or not (number.naked or date.plain) or not supports(year, number):
        return None
    return _FOUND if _same_surface(answer, answer_text, context, context_text) else _EQUAL


def comparable(answer: Value, context: Value) -> bool:
    """Tell whether both speak of the same kind of thing, so that a different value would contradict."""
    if isinstance(answer, Number) and isinstance(context, Number):
        return comparable_numbers(answer, context)
    return isinstance(answer, Date) and isinstance(context, Date) and comparable_dates(answer, context)
