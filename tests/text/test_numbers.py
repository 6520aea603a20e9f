"""Numbers in digits: where they stand, what they are worth, and what is no number."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.text_values import extract_numbers

from plumbrule.text.numbers import Number, supports

_integers = st.integers(min_value=0, max_value=10**12)


def only(text: str) -> Number:
    """Read a text that holds one number."""
    (number,) = extract_numbers(text)
    return number


def indian(number: int) -> str:
    """Write a number with the separators of India."""
    digits = str(number)
    head, tail = digits[:-3], digits[-3:]
    pairs = []
    while head:
        head, pair = head[:-2], head[-2:]
        pairs.append(pair)
    return ",".join([*reversed(pairs), tail])


@pytest.mark.parametrize(
    ("text", "surface", "value", "unit"),
    [
        ("paid $1.2M in", "$1.2M", 1_200_000, "USD"),
        ("paid US$ 5bn in", "US$ 5bn", 5 * 10**9, "USD"),
        ("a 1,200,000 dollars fine", "1,200,000 dollars", 1_200_000, "dollar"),
        ("up to 1.2 million USD.", "1.2 million USD", 1_200_000, "USD"),
        ("for EUR5 only", "EUR5", 5, "EUR"),
        ("for Rs. 500 only", "Rs. 500", 500, "INR"),
        ("lost -5% today", "-5%", -5, "percent"),
        ("lost (−3.5%) today", "−3.5%", Fraction(-7, 2), "percent"),
        ("rose 25 basis points", "25 basis points", 25, "bps"),
        ("a 30-day notice", "30-day", 30, "day"),
        ("an 18-year-old client", "18-year", 18, "year"),
        ("within 5 business days.", "5 business days", 5, "business day"),
        ("a ½ cup of milk", "½ cup", Fraction(1, 2), "cup"),
        ("use 1 1/2 cups of milk", "1 1/2 cups", Fraction(3, 2), "cup"),
        ("run .5 miles", ".5 miles", Fraction(1, 2), "mile"),
        ("at 350°F for", "350°F", 350, "fahrenheit"),
        ("3 degrees Celsius", "3 degrees Celsius", 3, "celsius"),
        ("it is 5MB big", "5MB", 5, "MB"),
        ("it is 5 mm wide", "5 mm", 5, "mm"),
        ("costs 12,50 € now", "12,50 €", Fraction(25, 2), "EUR"),
    ],
)
def test_the_span_covers_sign_scale_and_unit(text: str, surface: str, value: Fraction, unit: str) -> None:
    """A number's span is what a reader would underline."""
    number = only(text)
    assert text[number.start : number.end] == surface
    assert number.value == value
    assert number.unit is not None
    assert number.unit.name == unit


@pytest.mark.parametrize(
    ("text", "counted"),
    [
        ("5 employees left", "employees"),
        ("10k users", "users"),
        ("5 million Users", "users"),
        ("a 5-star hotel", "star"),
        ("5 of them", None),
        ("5.", None),
        ("| 5 | apples |", None),
        ("5\nApples", None),
        ("5-10 employees", "employees"),
    ],
)
def test_the_counted_noun(text: str, counted: str | None) -> None:
    """The noun after a number is what it counts, unless it is a function word or another cell."""
    assert extract_numbers(text)[0].counted == counted
    assert extract_numbers(text)[0].naked is (counted is None)


@pytest.mark.parametrize(
    "text",
    [
        "Rule 17a-4", "IPv4", "COVID-19", "B2B", "F-16", "Form 10-K", "version 1.2.3", "v2.1", "10x", "5G", "10²",
        "as shown [1]", "as shown [1, 2]", "as shown [3-5]", "1. Open it", "  2) Close it", "text\n3. Next",
        "call 555-123-4567", "call (555) 123-4567", "call +44 20 7946 0958", "the 1st and 22nd", "&#39;", "9" * 40,
        "id_5", "123-45-6789",
        "call extension 4410",
        "at ext. 12",
    ],
)  # fmt: skip
def test_digits_that_are_no_number(text: str) -> None:
    """Identifiers, versions, markers, ordinals and telephone numbers are not quantities."""
    assert extract_numbers(text) == ()


@pytest.mark.parametrize(
    ("text", "surfaces"),
    [
        ("5-10 days", ["5", "10 days"]),
        ("$5 to $10 million", ["$5", "$10 million"]),
        ("between 5 and 10 percent", ["5", "10 percent"]),
        ("pages 1,5 and 7", ["1", "5", "7"]),
        ("24/7 service", ["24", "7"]),
        ("Total:500", ["500"]),
        ("costs about\n12. Then 1. more", ["1"]),
        ("It was 12. Then more", ["12"]),
        ("from 5% to 7%", ["5%", "7%"]),
        ("scores of 3, 4, and 5", ["3", "4", "5"]),
    ],
)
def test_several_numbers(text: str, surfaces: list[str]) -> None:
    """Ranges and lists give each of their numbers."""
    assert [text[number.start : number.end] for number in extract_numbers(text)] == surfaces


def test_a_range_shares_scale_and_unit() -> None:
    """The first number of a range has the scale and the unit of the second."""
    first, second = extract_numbers("$5 to $10 million")
    assert [first.value, second.value] == [Fraction(5_000_000), Fraction(10_000_000)]
    first, second = extract_numbers("$500,000 to $1 million")
    assert [first.value, second.value] == [Fraction(500_000), Fraction(1_000_000)]
    first, second = extract_numbers("5-10 days")
    assert first.unit == second.unit


def test_enumerators_are_weak() -> None:
    """An enumerator in running text may support a number, but is none to be checked."""
    assert [number.weak for number in extract_numbers("both (1) cash and (2) bonds")] == [True, True]
    assert not only("a few (about 20) bonds").weak


def test_inherited_units_do_not_make_numbers_naked() -> None:
    """A number that has its unit from its range is not taken for a percentage's or a price's."""
    (days, _) = extract_numbers("5-10 days")
    assert not supports(days, only("$5"))


@given(_integers)
def test_every_grouping_is_one_value(number: int) -> None:
    """However an integer is grouped, it is the same value."""
    plain = Number(start=0, end=1, value=Fraction(number))
    written = [f"{number:,}", f"{number:,}".replace(",", "'"), f"{number:,}".replace(",", "\u00a0"), indian(number)]
    if number >= 10**6:
        written.append(f"{number:,}".replace(",", "."))
    for text in written:
        read = only(f"a total of {text}, no more") if len(text) > 4 else only(f"a total of {text} kg")
        assert read.value == plain.value


@given(_integers, st.sampled_from(["kg", "percent", "dollars", "months", "employees"]))
def test_a_value_supports_only_its_equal(number: int, unit: str) -> None:
    """The next number never supports this one, whatever the unit."""
    assert supports(only(f"{number:,} {unit}"), only(f"{number:,} {unit}"))
    assert not supports(only(f"{number + 1:,} {unit}"), only(f"{number:,} {unit}"))
