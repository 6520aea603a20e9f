"""Reads a number that is written in digits."""

import re
from fractions import Fraction

from plumbrule.text.number_tails import Tail, read_tail
from plumbrule.text.numbers import Number
from plumbrule.text.ratios import ratio
from plumbrule.text.text_scan import FRACTIONS
from plumbrule.text.units import BEFORE, DOLLARS, SIGNS, Unit, word_list

#: Longer runs of digits are identifiers, not quantities.
MAX_DIGITS = 30

_FRACTION_VALUES = dict(
    zip(FRACTIONS, map(Fraction, word_list("1/2 1/4 3/4 1/3 2/3 1/8 3/8 5/8 7/8 1/5 2/5 3/5 4/5 1/6 5/6")), strict=True)
)

# Most numbers are a few digits with nothing of a larger numeral beside them.
_SIMPLE = re.compile(rf"[0-9]{{1,{MAX_DIGITS}}}(?![0-9.,'’/⁄\u00a0\u2009\u202f{FRACTIONS}]|[ -][0-9{FRACTIONS}])")
_NUMERAL = re.compile(
    rf"""
      (?P<grouped> [0-9]{{1,3}} (?: (?:,[0-9]{{3}})+                       # 1,200,000
                                  | (?:,[0-9]{{2}}){{1,5}},[0-9]{{3}}      # 12,00,000
                                  | (?:['’][0-9]{{3}})+                    # 1'200'000
                                  | (?:[\u00a0\u2009\u202f][0-9]{{3}})+    # 1 200 000
                                ) (?![0-9]) ) (?P<grouped_part> \.[0-9]+ )?
    | (?P<dotted> [0-9]{{1,3}} (?: (?:\.[0-9]{{3}}){{2,}} (?![0-9]) (?:,[0-9]+)?   # 1.200.000
                                 | \.[0-9]{{3}},[0-9]{{1,2}} (?![0-9,]) ) )        # 1.200,50
    | (?P<over> [0-9]{{1,3}} ) [/⁄] (?P<under> [234568]|16|32 ) (?! [0-9/] )       # 1/2
    | (?P<comma> [0-9]+,[0-9]{{1,2}} (?![0-9,]) )                                  # 12,50
    | (?P<plain> [0-9]+ (?:\.[0-9]+)? ) (?: [ ]? (?P<vulgar> [{FRACTIONS}] ) )?    # 1200.50, 1½
    | (?P<fraction> [{FRACTIONS}] )
    """,
    re.VERBOSE,
)
_MIXED = re.compile(r"[ -]([0-9]{1,2})[/⁄]([234568]|16|32)(?![0-9/])")  # the 1/2 of "1 1/2"

# Digits that are no quantity: versions, telephone numbers, ordinals, identifiers.
_NOT_A_NUMBER = re.compile(
    r"""
      [0-9]+ (?: \.[0-9]+ ){2,} (?! [,]?[0-9] )
    | [0-9]+ (?: -[0-9]+ ){2,} (?:[\w-]*)
    | [0-9]{1,4} (?: /[0-9]{1,4} ){2,}
    | [0-9]+ (?: st|nd|rd|th|ST|ND|RD|TH ) (?! \w )
    | [0-9]{3} \) [ -]? [0-9]{3} [ .-] [0-9]{4} (?! [0-9] )
    """,
    re.VERBOSE,
)
_THOUSANDS_BY_DOTS = re.compile(r"[0-9]{1,3}(?:\.[0-9]{3}){2,}(?![.0-9])")
_EXTENSIONS = ("extension ", "ext. ", " ext ")
_PHONE_AFTER_PLUS = re.compile(r"[0-9]{1,3}(?:[ .-]\(?[0-9]{2,5}\)?){2,5}")
_CHUNK = re.compile(r"\w*(?:[.\-/:@]\w+)*")
_CITATION = re.compile(r"[\[【] ?\^?[0-9]{1,3}(?: ?[,;–-] ?[0-9]{1,3}){0,30} ?[\]】]")
_ENUMERATOR = re.compile(r"[0-9]{1,2}\)[ \t]")
_LIST_MARKER = re.compile(r"[0-9]{1,2}[.)][ \t]+(?=\S)")
_LIST_MARKS = frozenset(".)")
_LINE_START = re.compile(r"(?:\n|\A)[ \t(*]*$")
_CURRENCY_BEFORE = re.compile(r"(?:(?<![A-Za-z])(U\.S\.|[A-Z]{1,3}))?([$€£¥₹₩₽₪₦₱₫฿₿＄￡￥])[ \u00a0]?$")
_CODE_BEFORE = re.compile(r"(?<![A-Za-z])([A-Z]{3}|Rs|Fr)\.?[ \u00a0]?$")
_RANGE = re.compile(r" ?[-–—] ?(?=[$€£¥₹]?[0-9])|[ ](?:to|or|and|through)[ ](?=(?:[A-Z]{0,3}[$€£¥₹])?[0-9])")
_BETWEEN = re.compile(r"\b(?:between|from)[ ](?:[A-Z]{0,3}[$€£¥₹])?$", re.IGNORECASE)
_DIGIT = re.compile(r"[0-9]")
_SEPARATOR = re.compile(r"[^0-9]")
_SIGN_CHARACTERS = "-−+±–"
_PREFIXES = frozenset(
    word_list("mid sub pre post under over non plus minus about circa to from and age aged ages days months years")
)
# Before a space, these end no currency code; most numbers stand after such a word.
_PLAIN_BEFORE = frozenset("abcdefghijklmnopqrstuvwxyz,;:)0123456789")


def _skip_from(text: str, at: int) -> int:
    """Return the end of the identifier that stands here."""
    match = _CHUNK.match(text, at)
    return max(match.end() if match else at, at + 1)


def read_numeral(text: str, at: int, floor: int) -> tuple[Number | None, int]:
    """Read the number whose first digit stands here, and where to go on reading.

    ``floor`` is where the value before ended: nothing before it is looked at as a sign or a currency.
    """
    skip = _not_a_number(text, at)
    if skip:
        return None, skip
    start, sign, currency = _read_before(text, at, floor)
    if start < 0:
        return None, _skip_from(text, at)
    number = _read(text, at, start, sign, currency)
    if number is None:
        whole = _NUMERAL.match(text, at)
        endless = whole is not None and whole.end() - at > MAX_DIGITS
        return None, max(_skip_from(text, at), whole.end() if whole is not None and endless else 0)
    if number.counted is None and number.unit is currency:
        number = _inherit(text, at, number)
    return number, number.end


def citation_end(text: str, at: int) -> int:
    """Return the end of the citation marker whose bracket opens here, or 0."""
    match = _CITATION.match(text, at)
    return match.end() if match is not None else 0


def _not_a_number(text: str, at: int) -> int:
    """Return the end of the digits that stand here if they are no number, or 0."""
    match = _NOT_A_NUMBER.match(text, at)
    if match is not None and not _THOUSANDS_BY_DOTS.match(text, at):
        return match.end()
    before = text[at - 1 : at]
    match = None
    if before == "+":
        match = _PHONE_AFTER_PLUS.match(text, at)
    elif before == " " and text[max(0, at - 10) : at].lower().endswith(_EXTENSIONS):
        return _skip_from(text, at)
    elif (not before or before in " \t\n(*") and not _LIST_MARKS.isdisjoint(text[at + 1 : at + 3]):
        match = _LIST_MARKER.match(text, at)
        if match is not None and not _LINE_START.search(text, max(0, at - 12), at):
            match = None
    return match.end() if match is not None else 0


def _read_before(text: str, at: int, floor: int) -> tuple[int, int, Unit | None]:
    """Read sign and currency before a numeral: its start with them, -1 if it is part of an identifier."""
    if at <= floor:
        return at, 1, None
    before = text[at - 1]
    if before == " " and text[at - 2] in _PLAIN_BEFORE and text[max(at - 3, 0) : at - 1] not in {"Rs", "Fr"}:
        return at, 1, None
    if before in "-−" and at - 1 > floor and text[at - 2] in SIGNS:  # $-5
        currency, start = _currency_before(text, at - 1, floor)
        return start, -1, currency
    currency, start = _currency_before(text, at, floor)
    if start == at and (before.isalnum() or before == "_"):
        return -1, 1, None
    if start > floor:
        mark = text[start - 1]
        further = text[start - 2] if start > 1 else " "
        if mark in _SIGN_CHARACTERS:
            return _read_sign(text, start, mark, further, currency)
        if mark in "./@&\\" and start == at and start - 1 > floor and (further.isalnum() or further in "/&"):
            return (start if mark == "." and further.islower() else -1), 1, None
        if mark == "." and start == at and not further.isalnum():
            return start - 1, 1, currency
        if mark == "#" and further == "&":  # &#39;
            return -1, 1, None
    return start, 1, currency


def _read_sign(text: str, start: int, mark: str, further: str, currency: Unit | None) -> tuple[int, int, Unit | None]:
    if mark in "-−–" and (further.isspace() or further in "([{:=,;\"'“~≈<>|/"):
        # A dash that stands alone between words is punctuation, not a sign, unless it touches the number.
        return (start - 1, -1, currency) if mark != "–" else (start, 1, currency)
    if mark == "-" and further.isalpha():
        word_start = start - 1
        while word_start > 0 and text[word_start - 1].isalpha() and start - word_start < 20:
            word_start -= 1
        # "mid-50" and "sub-5" are words with a number; covid-19, omega-3 and F-16 are names.
        return (start, 1, currency) if text[word_start : start - 1].lower() in _PREFIXES else (-1, 1, None)
    return start, 1, currency


def _currency_before(text: str, at: int, floor: int) -> tuple[Unit | None, int]:
    window = text[max(floor, at - 8) : at]
    match = _CURRENCY_BEFORE.search(window)
    if match is not None:
        letters, sign = match.groups()
        unit = DOLLARS.get(letters) if sign == "$" and letters else None
        if unit is not None or not letters:
            return unit or SIGNS[sign], at - len(window) + match.start()
        return SIGNS[sign], at - len(window) + match.start(2)
    match = _CODE_BEFORE.search(window)
    if match is not None and match[1] in BEFORE:
        return BEFORE[match[1]], at - len(window) + match.start()
    return None, at


def _read(text: str, at: int, start: int, sign: int, currency: Unit | None) -> Number | None:
    simple = _SIMPLE.match(text, at)
    if simple is not None:
        end, over, under = simple.end(), int(simple[0]), 1
        tail = read_tail(text, end, currency)
    else:
        match = _NUMERAL.match(text, at)
        if match is None or match.end() - at > MAX_DIGITS:
            return None
        end, over, under = _convert(text, match)
        tail = read_tail(text, end, currency)
        if match["comma"] is not None and (tail is None or tail.unit is None):
            # Without a unit "1,5" is a list of two numbers; the first of them is read here.
            end, over, under = match.start() + match["comma"].index(","), int(match["comma"].partition(",")[0]), 1
            tail = Tail(end)
    if tail is None or text[end : end + 1] in {"²", "³"}:
        return None
    if start == at - 1 and text[start] == "." and under == 1:  # .5
        under = 10 ** (end - at)
    over *= sign * tail.scale
    weak = text[end : end + 1] == ")" and _is_enumerator(text, at)
    return Number(start, tail.end, ratio(over, under), tail.unit, tail.counted, weak)


def _is_enumerator(text: str, at: int) -> bool:
    """Tell whether a number is the mark of an item in running text: "(1) ... and (2) ..." or "1) ... 2) ..."."""
    if _ENUMERATOR.match(text, at) is None:
        return False
    window = text[max(0, at - 60) : at]
    return window.endswith("(") or window.rfind("(") <= window.rfind(")")


def _decimal(digits: str) -> tuple[int, int]:
    """Return a decimal number with a point as numerator and denominator."""
    whole, _, part = digits.partition(".")
    return int(whole + part), 10 ** len(part)


def _convert(text: str, match: re.Match[str]) -> tuple[int, int, int]:
    """Return the end, the numerator and the denominator of a numeral."""
    end = match.end()
    plain, grouped = match["plain"], match["grouped"]
    if grouped is not None:
        return end, *_decimal(_SEPARATOR.sub("", grouped) + (match["grouped_part"] or ""))
    if plain is not None:
        return _convert_plain(text, end, plain, match["vulgar"])
    if match["dotted"] is not None:
        return end, *_decimal(match["dotted"].replace(".", "").replace(",", "."))
    if match["comma"] is not None:
        return end, *_decimal(match["comma"].replace(",", "."))
    value = (
        _FRACTION_VALUES[match["fraction"]] if match["fraction"] else Fraction(int(match["over"]), int(match["under"]))
    )
    return end, value.numerator, value.denominator


def _convert_plain(text: str, end: int, plain: str, vulgar: str | None) -> tuple[int, int, int]:
    over, under = _decimal(plain)
    if under > 1:
        return end, over, under
    part = _FRACTION_VALUES.get(vulgar or "")
    if part is None:
        mixed = _MIXED.match(text, end)
        if mixed is None or int(mixed[1]) >= int(mixed[2]):
            return end, over, under
        part, end = Fraction(int(mixed[1]), int(mixed[2])), mixed.end()
    return end, over * part.denominator + part.numerator, part.denominator


def _inherit(text: str, at: int, number: Number) -> Number:
    """Give the first number of a range the scale, unit or noun of the second: "5 to 10 million dollars"."""
    joint = _RANGE.match(text, number.end)
    if joint is None:
        return number
    if joint[0] == " and " and not _BETWEEN.search(text, max(0, at - 12), at):
        return number
    first = _DIGIT.search(text, joint.end())
    if first is None:
        return number
    _, _, second_currency = _read_before(text, first.start(), joint.end())
    second = _read(text, first.start(), first.start(), 1, second_currency)
    if second is None:
        return number
    return inherit(number, second, _written(text, first.start()))


def _written(text: str, at: int) -> Fraction:
    """Return the second number of a range without its scale."""
    match = _NUMERAL.match(text, at)
    plain = match["plain"] if match else None
    return Fraction(plain) if plain and len(plain) <= MAX_DIGITS else Fraction(0)


def inherit(number: Number, second: Number, written: Fraction) -> Number:
    """Return the first number of a range with what it leaves to the second to say.

    The scale is shared only where the range then ascends: in "500 to 1 million" the first is plain 500.
    """
    shares_scale = 0 < abs(number.value) < written < second.value
    unit = number.unit or second.unit
    value = number.value * second.value / written if shares_scale else number.value
    return number._replace(value=value, unit=unit, counted=second.counted if unit is None else None)
