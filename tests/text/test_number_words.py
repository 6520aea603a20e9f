"""Numbers in words: where they stand, what they are worth, and which words are no number."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.text_values import extract_numbers

_SMALL = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")


def in_words(number: int) -> str:
    """Write a number below a billion in words."""
    for scale, name in ((10**6, "million"), (1000, "thousand")):
        if number >= scale:
            rest = number % scale
            return f"{in_words(number // scale)} {name}" + (f" {in_words(rest)}" if rest else "")
    if number >= 100:
        rest = number % 100
        return f"{_SMALL[number // 100]} hundred" + (f" and {in_words(rest)}" if rest else "")
    if number >= 20:
        return _TENS[number // 10] + (f"-{_SMALL[number % 10]}" if number % 10 else "")
    return _SMALL[number]


@pytest.mark.parametrize(
    ("text", "surface", "value"),
    [
        ("some one hundred and twenty-five people", "one hundred and twenty-five", 125),
        ("for two and a half years", "two and a half years", Fraction(5, 2)),
        ("paid half a million dollars", "half a million dollars", 500_000),
        ("waited half an hour", "half an hour", Fraction(1, 2)),
        ("bought a dozen eggs", "a dozen", 12),
        ("bought two dozen eggs", "two dozen", 24),
        ("about a hundred clients", "a hundred", 100),
        ("a six-month period", "six-month", 6),
        ("within thirty (30) days", "thirty (30) days", 30),
        ("only five (5) per cent", "five (5) per cent", 5),
        ("Ten percent", "Ten percent", 10),
        ("two-thirds of them", "two-thirds", Fraction(2, 3)),
        ("three quarters of them", "three quarters", Fraction(3, 4)),
        ("one trillion dollars", "one trillion dollars", 10**12),
        ("one year", "one year", 1),
        ("zero errors", "zero", 0),
    ],
)
def test_words_are_numbers(text: str, surface: str, value: Fraction) -> None:
    """A run of number words is one number, with its unit."""
    (number,) = extract_numbers(text)
    assert text[number.start : number.end] == surface
    assert number.value == value
    assert not number.weak


@pytest.mark.parametrize(
    "text",
    [
        "one of them", "no one came", "one another", "the one that", "each one", "One is enough", "the twenty-first",
        "several hundred", "hundreds of them", "dozens of them", "someone", "often", "the weight", "half of them",
        "one more", "one-hundredth",
    ],
)  # fmt: skip
def test_words_that_are_no_number(text: str) -> None:
    """The pronoun "one", ordinals, vague scales and words within words are not quantities."""
    assert extract_numbers(text) == ()


@pytest.mark.parametrize("text", ["a year", "an hour", "A month", "one employee"])
def test_weak_numbers(text: str) -> None:
    """An article before a unit, or "one" before a noun, may support one but is not checked."""
    (number,) = extract_numbers(text)
    assert number.value == 1
    assert number.weak


@pytest.mark.parametrize("text", ["twice a year", "once a week", "$5 a month", "three times a day"])
def test_rates_are_no_durations(text: str) -> None:
    """In a rate "a year" is not one year."""
    assert all(number.unit is None or number.unit.name == "USD" for number in extract_numbers(text))


def test_a_counted_one_after_a_word_of_quantity_is_checked() -> None:
    """In "only one employee" the number matters."""
    (number,) = extract_numbers("only one employee")
    assert not number.weak


def test_a_range_in_words_shares_its_unit() -> None:
    """The first number of a range has the unit of the second."""
    first, second = extract_numbers("five to six months")
    assert first.unit == second.unit
    first, _ = extract_numbers("one or two days")
    assert first.unit is not None


@given(st.integers(min_value=2, max_value=10**9 - 1))
def test_words_and_digits_agree(number: int) -> None:
    """A number in words is worth the same as in digits."""
    text = f"There were {in_words(number)} clients."
    (read,) = extract_numbers(text)
    assert read.value == number
    assert read.counted == "clients"
