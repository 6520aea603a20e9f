"""Reads what follows a numeral: its scale, its unit or currency, or the noun that it counts."""

import re
from fractions import Fraction
from typing import NamedTuple

from plumbrule.text.units import (
    CELSIUS,
    CENT,
    CODES,
    DEGREE,
    DOLLAR_CODES,
    FAHRENHEIT,
    FILLERS,
    FUNCTION_WORDS,
    MONEY_SUFFIXES,
    PAIRS,
    PERCENT,
    SCALES,
    SIGNS,
    SUFFIXES,
    SYMBOLS,
    WORDS,
    Unit,
)

# The next word or sign, and how it is joined: touching, by a hyphen, by a space, by a line's end.
_NEXT = re.compile(
    r"([ \t\u00a0\u2009\u202f]{1,2}|\r?\n|-)?"
    r"(?:([^\W\d_]+[²³]?)|([%％‰°º$€£¥₹₩₽₪₦₱₫฿₿¢]))"
)
_DEGREES = re.compile(r" ?([CF])(?!\w)")
# "U.S. dollars", and the "(30)" of "thirty (30) days".
_US = re.compile(r" U\.S\. (?=dollars?\b)")
_REPEATED = re.compile(r" ?\(([0-9]{1,9})(?:[.,]0+)?(%?)\)")


_NAME = re.compile(r"\.? [A-Z][a-z]")


class Tail(NamedTuple):
    """What follows a numeral; ``end`` is where the number with its scale and unit ends."""

    end: int
    scale: int = 1
    unit: Unit | None = None
    counted: str | None = None


def read_tail(text: str, end: int, currency: Unit | None) -> Tail | None:
    """Read the tail of a numeral that ends here; ``None`` when the numeral is a part of an identifier."""
    scale = 1
    money = currency is not None
    while True:
        match = _NEXT.match(text, end)
        if match is None:
            return Tail(end, scale, currency)
        gap, word, sign = match.groups()
        if sign is not None:
            return _read_sign(text, end, match.end(), sign, gap, scale, currency)
        after = match.end()
        if gap is None or gap == "-":
            following = text[after : after + 1]
            if (gap is None or len(word) == 1) and (following.isalnum() or following == "_"):
                return None  # 17a4
            if gap == "-" and len(word) == 1:
                return None  # form 10-K
        lower = word.lower()
        factor = SCALES.get(lower)
        if factor is None:
            factor = (MONEY_SUFFIXES if money else SUFFIXES).get(word) if money or gap is None else None
        if factor is not None and scale * factor <= 10**30:
            scale *= factor
            end = after
            continue
        return _read_word(text, end, after, word, lower, gap, scale, currency)


def _read_sign(
    text: str, end: int, after: int, sign: str, gap: str | None, scale: int, currency: Unit | None
) -> Tail | None:
    if sign in "%％":
        return Tail(after, scale, PERCENT) if gap != "-" else Tail(end, scale, currency)
    if currency is not None or gap == "-":
        return Tail(end, scale, currency)
    if sign in "°º":
        degrees = _DEGREES.match(text, after)
        if degrees is None:
            return Tail(after, scale, DEGREE)
        return Tail(degrees.end(), scale, CELSIUS if degrees[1] == "C" else FAHRENHEIT)
    if sign == "¢":
        return Tail(after, scale, CENT)
    unit = SIGNS.get(sign)
    if unit is None or text[after : after + 1].isdigit():  # the sign belongs to the next number
        return Tail(end, scale)
    return Tail(after, scale, unit)


def _read_word(
    text: str, end: int, after: int, word: str, lower: str, gap: str | None, scale: int, currency: Unit | None
) -> Tail | None:
    if currency is not None:
        return _read_money_word(end, after, word, lower, gap, scale, currency)
    unit = SYMBOLS.get(word) or WORDS.get(lower) or CODES.get(word)
    if unit is not None and gap is not None and word.isupper() and _NAME.match(text, after):
        unit = None  # the street of "232 W Carrillo St"
    if lower in PAIRS or lower in FILLERS:
        second = _NEXT.match(text, after)
        if second is not None and second[1] is not None and second[2] is not None:
            pair = WORDS.get(second[2].lower()) if lower in FILLERS else PAIRS[lower].get(second[2].lower())
            if pair is not None:
                return Tail(second.end(), scale, pair)
    if unit is not None:
        return Tail(after, scale, unit)
    if gap is None:
        return None if scale == 1 else Tail(end, scale)
    if word == "U":
        states = _US.match(text, end)
        if states is not None:
            dollars = _NEXT.match(text, states.end())
            return Tail(dollars.end() if dollars else end, scale, CODES["USD"])
    if "\n" in gap or lower in FUNCTION_WORDS:  # the next line of a table is another cell
        return Tail(end, scale)
    return Tail(end, scale, None, lower)


def _read_money_word(
    end: int, after: int, word: str, lower: str, gap: str | None, scale: int, currency: Unit
) -> Tail | None:
    """Read a word after a number that has its currency already: "$5 million USD", "$50 CAD"."""
    named = CODES.get(word) or WORDS.get(lower)
    if named is not None:
        if named.dimension == currency.dimension and named.factor == currency.factor:
            return Tail(after, scale, currency)
        if currency.dimension == "USD" and word in DOLLAR_CODES:
            return Tail(after, scale, named)
    if gap is None and scale == 1:
        return None
    return Tail(end, scale, currency)


def read_repeated(text: str, end: int, value: Fraction) -> tuple[int, bool]:
    """Step over the same value repeated in digits, "thirty (30)"; tell whether it was a percentage."""
    match = _REPEATED.match(text, end)
    if match is None or int(match[1]) != value:
        return end, False
    return match.end(), match[2] == "%"
