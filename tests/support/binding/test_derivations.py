"""Derivations: whether a value follows from others."""

import pytest

from plumbrule.support.binding.binding_words import binding_words
from plumbrule.support.binding.derivations import derivation
from plumbrule.support.binding.mentions import find_mentions

KNOWN = binding_words()


def level(value: str, *, said: str = "", known: str = "") -> int:
    """Return how well the only value of a text follows from those of two others."""
    (mention,) = find_mentions(value, KNOWN)
    return derivation(mention, find_mentions(said, KNOWN), find_mentions(known, KNOWN), KNOWN.constants.rounded)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("£92", "£80 and £12"),
        ("£68", "£80 and £12"),
        ("£240", "£80 for 3 nights"),
        ("£20", "£80 shared by 4 people"),
        ("£8", "£40 with 20%"),
        ("£32", "£40 with 20%"),
        ("£48", "£40 with 20%"),
        ("£10", "a quarter of £40"),
        ("£100", "£80, £12 and £8"),
        ("5 miles", "8 km"),
        ("90 minutes", "1.5 hours"),
        ("68 °F", "20 °C"),
    ],
)
def test_a_right_result_follows(value: str, said: str) -> None:
    """Sums, differences, products, quotients, shares, three together, conversions."""
    assert level(value, said=said) >= 2


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("£93", "£80 and £12"),
        ("£250", "£80 for 3 nights"),
        ("£30", "£40 with 20%"),
        ("6 miles", "8 km"),
        ("75 °F", "20 °C"),
        ("$92", "8 km and 12%"),
        ("form 92", "£80 and £12"),
    ],
)
def test_a_wrong_result_does_not(value: str, said: str) -> None:
    """Nor does an identifier, or a value of another dimension."""
    assert level(value, said=said) == 0


def test_the_level_tells_where_the_operands_are_from() -> None:
    """3 from the answer and the question, 2 with one of the contexts, 1 from the contexts alone."""
    assert level("£92", said="£80 and £12") == 3
    assert level("£92", said="£80", known="£12") == 2
    assert level("£92", known="£80 and £12") == 1


@pytest.mark.parametrize(("value", "follows"), [("11:15", True), ("9:45", True), ("11:20", False)])
def test_a_time_follows_from_a_time_and_a_duration(value: str, *, follows: bool) -> None:
    """After it or before it."""
    assert bool(level(f"at {value}", said="from 10:30, 45 minutes")) is follows
