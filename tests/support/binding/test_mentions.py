"""Mentions: what a text names that can be right or wrong, and which of two mentions are the same."""

from fractions import Fraction
from itertools import pairwise

import pytest

from plumbrule.support.binding import mentions
from plumbrule.support.binding.binding_words import binding_words
from plumbrule.support.binding.mentions import (
    Mention,
    comparable,
    compared_sorts,
    equal,
    find_mentions,
    implied_dates,
    sort_of,
    with_unit,
)

KNOWN = binding_words()


def only(text: str) -> Mention:
    """Return the one mention of a text."""
    (mention,) = find_mentions(text, KNOWN)
    return mention


def same(one: str, other: str) -> bool:
    """Tell whether the only mentions of two texts are equal."""
    return equal(only(one), one, only(other), other)


@pytest.mark.parametrize(
    ("text", "dimension", "keys"),
    [
        ("Write to Help@example.org today.", "email", ["help@example.org"]),
        ("See www.example.org/help.", "url", ["www.example.org/help"]),
        ("See https://example.org/a/b.", "url", ["https://example.org/a/b"]),
        ("Look at example.org/prices now.", "url", ["example.org/prices"]),
        ("Call /v1/users first.", "path", ["/v1/users"]),
        ("Ring 020 7946 0018.", "phone", ["02079460018"]),
        ("Ring +44 20 7946 0018.", "phone", ["442079460018"]),
        ("Use 2.4.1 or v3.", "version", ["2.4.1", "v3"]),
        ("Take bus X12 with code AB-1234.", "code", ["x12", "ab-1234"]),
        ("Set MAX_RETRIES and max_size.", "name", ["max_retries", "max_size"]),
        ("3.2 Refunds are due. 4. Fees rise.", "enumerator", ["3.2", "4"]),
        ("See §5.1 for more.", "enumerator", ["5.1"]),
    ],
)
def test_an_identifier_is_known_by_its_form(text: str, dimension: str, keys: list[str]) -> None:
    """Addresses, phones, versions, codes, names of settings and numbers of clauses; case and spacing do not count."""
    found = find_mentions(text, KNOWN)
    assert [(each.kind, each.dimension, each.key) for each in found] == [("identifier", dimension, key) for key in keys]


@pytest.mark.parametrize(
    ("text", "dimension", "key"),
    [
        ("Fill in form 12.", "form", "12"),
        ("Wait at desk C.", "desk", "c"),
        ("Room 14 is free to enter.", "room", "14"),
        ("See Annex B.", "annex", "b"),
        ("They sit in Zone 4.", "zone", "4"),
    ],
)
def test_a_number_or_letter_names_the_thing_it_stands_behind(text: str, dimension: str, key: str) -> None:
    """So "form 12" is no count of forms; any capitalised word before a bare number is such a thing."""
    mention = only(text)
    assert (mention.kind, mention.dimension, mention.key) == ("identifier", dimension, key)


@pytest.mark.parametrize(
    ("text", "dimension", "amount"),
    [
        ("It is 30km long.", "length", Fraction(30_000)),
        ("It costs 80p.", "money", Fraction(4, 5)),
        ("It costs £1.50.", "money:GBP", Fraction(3, 2)),
        ("It costs five pounds.", "money:GBP", Fraction(5)),
        ("Platform 5% fee", "percent", Fraction(5)),
        ("It lasts a fortnight.", "period", Fraction(14 * 86_400)),
        ("Two thirds of them.", "fraction", Fraction(2, 3)),
        ("Half of them.", "fraction", Fraction(1, 2)),
        ("They pay twice.", "count:time", Fraction(2)),
        ("Entry is free of charge.", "money", Fraction(0)),
        ("There is no charge.", "money", Fraction(0)),
        ("They have 12 bikes.", "count:bike", Fraction(12)),
    ],
)
def test_a_number_has_a_dimension_and_an_amount(text: str, dimension: str, amount: Fraction) -> None:
    """A quantity is no code, pence and pounds are money, what is free costs nothing, a fortnight is fourteen days."""
    mention = only(text)
    assert (mention.kind, mention.dimension, mention.amount) == ("number", dimension, amount)


@pytest.mark.parametrize(
    "text",
    [
        "Under-16s swim.",
        "The under 16s swim.",
        "You are free to go.",
        "They come on the 2nd visit.",
        "The first visit is short.",
        "As the leaflet says [1] and [2, 3].",
    ],
)
def test_what_is_no_value_is_no_mention(text: str) -> None:
    """Ages in a name are no seconds, "free to" costs nothing, ordinals are vague, citation markers name passages."""
    assert not find_mentions(text, KNOWN)


@pytest.mark.parametrize(
    ("words", "digits"),
    [
        ("It opens at half past ten.", "It opens at 10:30."),
        ("It opens at quarter to six.", "It opens at 5:45."),
        ("It opens at quarter past 9.", "It opens at 9:15."),
        ("It opens from 9.30 on.", "It opens from 9:30 on."),
        ("It opens at 4.15 pm.", "It opens at 16:15."),
        ("It opens at six o'clock.", "It opens at 6:00."),
        ("It shuts at ten at night.", "It shuts at 22:00."),
        ("It opens at eight in the morning.", "It opens at 8 am."),
        ("Closed on Tues.", "Closed on Tuesday."),
        ("Closed on Sat and so on.", "Closed on Saturdays."),
    ],
)
def test_times_and_days_are_read_in_words_and_in_short(words: str, digits: str) -> None:
    """That is, "half past ten" is 10:30, 9.30 after "from" is a time, "Tues" is Tuesday."""
    assert only(words).kind == "date"
    assert same(words, digits)


def test_a_dotted_number_is_a_time_only_where_one_is_expected() -> None:
    """Not without a word such as "at", and not with a unit."""
    assert [each.kind for each in find_mentions("The rate is 9.30 now.", KNOWN)] == ["number"]
    assert [each.kind for each in find_mentions("It rose to 9.30 km.", KNOWN)] == ["number"]


def test_mentions_stand_in_order_and_do_not_overlap() -> None:
    """Each is what its text has at its place."""
    text = "Ring 020 7946 0018 before 12 March 2024, at half past ten, for form PA-12: £40 (20% off) at desk C."
    found = find_mentions(text, KNOWN)
    assert len(found) == 7
    assert all(one.end <= other.start for one, other in pairwise(found))
    assert [text[each.start : each.end] for each in found] == [
        "020 7946 0018", "12 March 2024", "half past ten", "PA-12", "£40", "20%", "C",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("It is £40.", "It is 40 pounds."),
        ("It is 50%.", "Half of it."),
        ("It takes 90 minutes.", "It takes 1.5 hours."),
        ("It takes 2 weeks.", "It takes a fortnight."),
        ("It takes 1 month.", "It takes 30 days."),
        ("It takes 1 year.", "It takes 365 days."),
        ("It is on 12 March 2024.", "It is on March 12."),
        ("It is 0.8 km away.", "It is 800 m away."),
        ("It costs £0.80.", "It costs 80p."),
        ("Use form 12.", "Use form 12."),
    ],
)
def test_the_same_value_in_another_form_is_equal(one: str, other: str) -> None:
    """Either way round."""
    assert same(one, other)
    assert same(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("It is £40.", "It is $40."),
        ("It is £40.", "It is 40%."),
        ("It is 25%.", "Half of it."),
        ("It takes 2 months.", "It takes 59 days."),
        ("It is on 12 March 2024.", "It is on 12 March 2025."),
        ("It opens at 9 am.", "It opens at 9 pm."),
        ("Use form 12.", "Use form 13."),
        ("They have 12 bikes.", "They have 13 bikes."),
    ],
)
def test_another_value_is_not_equal(one: str, other: str) -> None:
    """Nor is the same number in another currency or unit."""
    assert not same(one, other)
    assert not same(other, one)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("It is £40.", "It is $50.", True),
        ("It takes 3 months.", "It takes 40 days.", True),
        ("They have 12 bikes.", "They have 13 bikes.", True),
        ("They have 12 bikes.", "They have 13 boats.", False),
        ("It is £40.", "It is 40%.", False),
        ("It opens at 9 am.", "It opens on Monday.", False),
        ("Use form 12.", "Go to desk 12.", False),
        ("Use form 12.", "They have 12 bikes.", False),
        ("It is 3.20.", "It is 14.75.", True),
        ("It is 3.20.", "It is 14.5.", False),
        ("It is 3.20.", "It is 14.", False),
        ("It is 4471.", "It is 2290.", True),
        ("It is 4471.", "It is 229.", False),
        ("It is 44.", "It is 22.", False),
        ("It is 4471.", "They have 2290 bikes.", True),
    ],
)
def test_values_of_one_dimension_can_contradict_each_other(one: str, other: str, *, expected: bool) -> None:
    """Money in any currency, periods, counts of one thing, identifiers of one sort, bare numbers written alike."""
    assert comparable(only(one), only(other)) is expected


@pytest.mark.parametrize(
    ("key", "dimension"),
    [
        ("price eur", "money:EUR"),
        ("Fee (£)", "money:GBP"),
        ("monthly fee", "money"),
        ("share pct", "percent"),
        ("length km", "length"),
        ("days", "period"),
        ("seats", "count:"),
    ],
)
def test_a_naked_number_of_a_cell_has_the_unit_of_its_header(key: str, dimension: str) -> None:
    """A currency first; a price without one is money; a header without a unit changes nothing."""
    given = with_unit(only("40"), key, KNOWN)
    assert given.dimension == dimension
    assert given.naked == (dimension != "count:")


def test_a_naked_price_is_any_currency() -> None:
    """The header says that 40 is money, not which."""
    cell = with_unit(only("40"), "price", KNOWN)
    for text in ("It is £40.", "It is $40."):
        assert equal(only(text), text, cell, "40")
    assert not equal(only("It is £41."), "It is £41.", cell, "40")


def test_a_unit_that_is_only_guessed_may_be_another() -> None:
    """No milliseconds in "wind_ms"; but what is guessed right is held against its unit."""
    speed = with_unit(only("12.5"), "wind ms", KNOWN)
    assert equal(only("12.5 m/s"), "12.5 m/s", speed, "12.5")
    assert not equal(only("12.6 m/s"), "12.6 m/s", speed, "12.5")
    length = with_unit(only("40"), "length km", KNOWN)
    assert equal(only("40 km"), "40 km", length, "40")
    assert not equal(only("40 miles"), "40 miles", length, "40")


@pytest.mark.parametrize(
    "text",
    [
        "Write to help@shop.example or see shop.example/returns, form AB-12.",
        "Call 0555 014 220 about order_id ZX-99/7 or v2.1.0.",
        "See www.shop.example for more; nothing here has a number.",
        "Plain words only, with a dash - and no codes.",
    ],
)
def test_only_words_with_a_sign_are_searched_for_codes(text: str) -> None:
    """And all codes are found, as in the whole text."""
    assert [each.span() for each in mentions._codes(text)] == [
        each.span() for each in mentions._IDENTIFIER.finditer(text)
    ]


@pytest.mark.parametrize(
    "word", ["£40", "40", "40 km", "40%", "half", "40 days", "form 40", "2040", "11 July", "18:00"]
)
def test_only_values_of_compared_sorts_can_be_equal_or_rival(word: str) -> None:
    """What is left out of the comparison could be neither."""
    mine = only(word)
    sorts = compared_sorts(mine)
    for text in ("£41", "£40", "40", "41 km", "40 km", "50%", "40%", "40 days", "form 40", "2040", "11 July", "18:00"):
        theirs = only(text)
        if sorts is not None and sort_of(theirs) not in sorts:
            assert not equal(mine, word, theirs, text)
            assert not comparable(mine, theirs)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Open Mon-Thu.", ["Tuesday", "Wednesday"]),
        ("Open Saturday to Monday.", ["Sunday"]),
        ("Open from April to August.", ["May", "June", "July"]),
        ("Open at weekends.", ["Saturday", "Sunday"]),
        ("Open on Monday, Thursday.", []),
    ],
)
def test_a_range_has_the_days_and_months_between_its_ends(text: str, names: list[str]) -> None:
    """Round the end of the week too; a list has none."""
    assert [each.text for each in implied_dates(text, find_mentions(text, KNOWN), KNOWN)] == names


def test_daily_is_every_day() -> None:
    """Seven of them, and five for "weekdays"."""
    assert len(implied_dates("Open daily.", [], KNOWN)) == 7
    assert len(implied_dates("Open on weekdays.", [], KNOWN)) == 5
