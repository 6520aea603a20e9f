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
        ("£18", "£3 per £1,000, for £6,000"),
        ("£124.50", "£37 and £4.50 for 3 nights"),
        ("£360", "2% of £6,000 for 3 weeks"),
        ("£295", "£95 and 20% of £1,000"),
        ("£54", "£10, £12, £15 and £17"),
        ("10 minutes", "4 minutes per 100,000 cards, 250,000 cards"),
        ("25 minutes", "from 07:35 to 08:00"),
        ("14 days", "from 3 May to 17 May"),
        ("eight years", "from 2014 to 2022"),
        ("3 months", "from March 2024 to June 2024"),
        ("2.4%", "60 of 2,500"),
        ("€1,700", "6% and 2.5% of €20,000"),
        ("€55", "€22 each for 2 people, and half for one"),
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


@pytest.mark.parametrize(("value", "follows"), [("25 July", True), ("8 August", True), ("26 July", False)])
def test_a_day_follows_from_a_day_and_a_period(value: str, *, follows: bool) -> None:
    """A month is its first day."""
    assert bool(level(f"on {value}", said="from August, 7 days")) is follows


@pytest.mark.parametrize(("value", "follows"), [("Monday", True), ("Tuesday", False)])
def test_a_weekday_follows_from_its_day(value: str, *, follows: bool) -> None:
    """Where the year is said."""
    assert bool(level(f"on {value}", said="on 8 June 2026")) is follows
    assert not level(f"on {value}", said="on 8 June")
