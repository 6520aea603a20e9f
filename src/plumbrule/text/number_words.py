"""Reads a number that is written in words."""

import re
from fractions import Fraction
from functools import lru_cache

from text_to_num import text2num

from plumbrule.text.number_tails import Tail, read_repeated, read_tail
from plumbrule.text.numbers import Number
from plumbrule.text.numerals import inherit
from plumbrule.text.ratios import ratio
from plumbrule.text.units import FUNCTION_WORDS, PERCENT, SCALES, WORDS, word_list

_SMALL = word_list(
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety"
)
_BIG = ["hundred", "thousand", "million", "billion", "trillion"]
_CARDINALS = "|".join(sorted([*_SMALL, *_BIG], key=len, reverse=True))

# A run such as "one hundred and twenty-five"; whether it is one number is for text2num to say.
_RUN = re.compile(
    rf"(?:{_CARDINALS})\b(?:(?:[ -]|\r?\n| and (?=(?:{_CARDINALS})\b))(?:{_CARDINALS})\b){{0,24}}", re.IGNORECASE
)
_SMALL_RUN = re.compile(rf"(?:{'|'.join(sorted(_SMALL, key=len, reverse=True))})\b", re.IGNORECASE)
_STEP = re.compile(r"[ \n-]+")
_AND_A_FRACTION = re.compile(r" and (?:a |one[- ])(half|quarter|third)\b", re.IGNORECASE)
_PARTS = {
    "half": 2,
    "halves": 2,
    "third": 3,
    "quarter": 4,
    "fourth": 4,
    "fifth": 5,
    "sixth": 6,
    "eighth": 8,
    "tenth": 10,
}
_PART = re.compile(
    r"(?:-(halves|thirds?|quarters?|fourths?|fifths?|sixths?|eighths?|tenths?)"
    r"| (halves|thirds?|quarters?|fourths?|fifths?|sixths?|eighths?|tenths?)(?= of\b))\b",
    re.IGNORECASE,
)
_ORDINAL = re.compile(
    r"-(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth)\b|[- ](?:hundred|thousand|million)ths?\b",
    re.IGNORECASE,
)
_RANGE = re.compile(r"(?: ?[-–—] ?| to | or |-to-|-or-)", re.IGNORECASE)
_ARTICLE = re.compile(r"(?<![\w-])an? $", re.IGNORECASE)
_HALF = re.compile(r"half(?: an? |-)(?=([a-z]+))", re.IGNORECASE)
_PREVIOUS_WORD = re.compile(r"([^\W\d_]+)\W?\s*$")

#: Words before "one" that make it a pronoun, and words that make a counted "one" a quantity.
_PRONOUN_BEFORE = frozenset(word_list("no the any every each this that which some another other"))
_QUANTITY_BEFORE = frozenset(word_list("only exactly least most than just precisely approximately"))
#: Words after "one" that are not counted.
_NOT_COUNTED = frozenset(word_list("another more time thing way hand side such else self"))
_NEVER_COUNTED = (FUNCTION_WORDS | _NOT_COUNTED) - {"and", "or", "to", "per"}
_ONE = re.compile(r"one ([^\W\d_]+)", re.IGNORECASE)
#: What makes "a year" a part of a rate.
_RATE_BEFORE = frozenset(["once", "twice", "thrice", "times", "half"])
_TIME_WORDS = {f"{'an' if word == 'hour' else 'a'} {word}": word for word in
               ("minute", "hour", "day", "week", "fortnight", "month", "year", "decade", "century")}  # fmt: skip

#: The words that begin a number, as the fold spells them.
CARDINAL_TRIGGERS = frozenset(word.encode() for word in [*_SMALL, "zero"])
#: Scale words, which are numbers after an article: "a dozen", "half a million".
SCALE_TRIGGERS = frozenset(word.encode() for word in [*_BIG, "dozen", "lakh", "crore"])
HALF_TRIGGERS = frozenset({b"half"})
#: The unit of time that calls for a search, and the phrase to search for.
ARTICLE_TRIGGERS = {word.encode(): phrase.encode() for phrase, word in _TIME_WORDS.items()}


def read_cardinal(text: str, at: int, floor: int) -> tuple[Number | None, int]:
    """Read the number whose first word stands here, and where to go on reading."""
    one = _ONE.match(text, at)
    if one is not None and one[1].lower() in _NEVER_COUNTED:
        return None, one.end(1)
    number = _read_run(text, at, floor)
    if number is None:
        return None, at + 1
    if number.naked:
        number = _inherit(text, number)
    if text[at : number.end].lower() == "one" and number.value == 1 and not number.weak:
        checked = _check_one(text, at, number)
        return checked, number.end
    return number, number.end


def _read_run(text: str, at: int, floor: int) -> Number | None:
    if text[at : at + 4].lower() == "zero":
        end, value = at + 4, Fraction(0)
    else:
        run = _RUN.match(text, at)
        if run is None or (text[at - 1 : at] == "-" and at > floor and text[at - 2 : at - 1].isalpha()):
            return None
        end, whole = _convert(text, at, run.end())
        if end == at:
            return None
        value = ratio(whole, 1)
    part = _PART.match(text, end)
    if part is not None:
        word = (part[1] or part[2]).lower()
        value /= _PARTS.get(word) or _PARTS[word.removesuffix("s")]
        return Number(start=at, end=part.end(), value=value)
    if _ORDINAL.match(text, end):
        return None
    addition = _AND_A_FRACTION.match(text, end)
    if addition is not None:
        value += Fraction(1, _PARTS[addition[1].lower()])
        end = addition.end()
    end, percent = read_repeated(text, end, value)
    tail = Tail(end, 1, PERCENT) if percent else read_tail(text, end, None)
    if tail is None:
        return None
    value = value if tail.scale == 1 else value * tail.scale
    return Number(at, tail.end, value, tail.unit, tail.counted)


def _convert(text: str, at: int, end: int) -> tuple[int, int]:
    """Convert the longest part of a run of number words that is one number."""
    while end > at:
        whole = _whole(text[at:end])
        if whole is not None:
            return end, whole
        end = max(text.rfind(" ", at, end), text.rfind("-", at, end), text.rfind("\n", at, end), at)
        if text[at:end].lower().endswith(" and"):
            end -= 4
        while end > at and text[end - 1].isspace():
            end -= 1
    return at, 0


@lru_cache(maxsize=1024)
def _whole(words: str) -> int | None:
    """Return the whole number that these words say, if they say one."""
    try:
        return int(text2num(_STEP.sub(" ", words.lower()), "en"))
    except ValueError:
        return None


def _check_one(text: str, at: int, number: Number) -> Number | None:
    """Tell the quantity "one" from the pronoun: it needs a unit, or weakly a noun that it counts."""
    if number.unit is not None:
        return number
    before = _PREVIOUS_WORD.search(text, max(0, at - 16), at)
    previous = before[1].lower() if before else ""
    if number.counted is None or number.counted in _NOT_COUNTED or previous in _PRONOUN_BEFORE:
        return None
    return number if previous in _QUANTITY_BEFORE else number._replace(weak=True)


def _inherit(text: str, number: Number) -> Number:
    """Give the first number of a range what it leaves to the second to say: "five to six months"."""
    joint = _RANGE.match(text, number.end)
    if joint is None:
        return number
    second = _read_run(text, joint.end(), joint.end())
    if second is None:
        return number
    small = _SMALL_RUN.match(text, joint.end())
    written = Fraction(_convert(text, joint.end(), small.end())[1]) if small else Fraction(0)
    return inherit(number, second, written)


def read_scale(text: str, at: int, floor: int) -> tuple[Number | None, int]:
    """Read a scale word after an article, "a dozen" or "a million", with what follows."""
    before = _ARTICLE.search(text, max(floor, at - 10), at)
    if before is None:
        return None, at + 1
    tail = read_tail(text, at - 1, None)
    if tail is None or tail.scale == 1:
        return None, at + 1
    value = Fraction(tail.scale)
    return Number(start=before.start(), end=tail.end, value=value, unit=tail.unit, counted=tail.counted), tail.end


def read_half(text: str, at: int, _floor: int) -> tuple[Number | None, int]:
    """Read "half an hour" or "half a million"."""
    match = _HALF.match(text, at)
    if match is None:
        return None, at + 1
    word = match[1].lower()
    if word not in WORDS and word not in SCALES:
        return None, at + 1
    tail = read_tail(text, match.end() - 1, None)
    if tail is None:
        return None, at + 1
    value = Fraction(tail.scale, 2)
    return Number(start=at, end=tail.end, value=value, unit=tail.unit, counted=tail.counted), tail.end


def read_article(text: str, at: int, floor: int) -> tuple[Number | None, int]:
    """Read "a year" weakly, as one year, unless it is a part of a rate."""
    match = _PREVIOUS_WORD.search(text, max(floor, at - 16), at)
    if (match is not None and match[1].lower() in _RATE_BEFORE) or (at - floor < 2 and floor > 0):
        return None, at + 1
    end = text.index(" ", at) if " " in text[at : at + 3] else at + 1
    tail = read_tail(text, end, None)
    if tail is None or tail.unit is None:
        return None, at + 1
    return Number(start=at, end=tail.end, value=Fraction(1), unit=tail.unit, weak=True), tail.end
