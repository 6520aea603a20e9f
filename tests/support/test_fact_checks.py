"""Fact checks: a sentence is held against the facts of data that it names."""

import json

import pytest

from plumbrule.support.fact_checks import FactFindings, FactSheet
from plumbrule.support.facts import read_facts
from plumbrule.support.weekdays import days_said
from plumbrule.support.word_lists import support_words
from plumbrule.text.text_view import TextView
from plumbrule.text.tokens import lemmas

RECORD = {
    "name": "Harbor Grill",
    "city": "Oakland",
    "stars": 4.5,
    "review_count": 128,
    "attributes": {
        "OutdoorSeating": True,
        "WiFi": False,
        "Parking": {"street": True, "garage": False, "valet": False},
        "TakesReservations": None,
        "DogsAllowed": False,
        "BikeParking": True,
    },
    "hours": {
        "Monday": "9:00 AM - 5:00 PM",
        "Tuesday": "9:00 AM - 5:00 PM",
        "Wednesday": "9:00 AM - 5:00 PM",
        "Saturday": "10:00 AM - 2:00 PM",
    },
}


def sheet_of(record: object) -> FactSheet:
    """Return the facts of a record, ready to be asked."""
    text = json.dumps(record)
    return FactSheet(read_facts(text, support_words()) or [], support_words(), text)


GRILL = sheet_of(RECORD)


def check(sentence: str, sheet: FactSheet = GRILL) -> FactFindings:
    """Return what a sentence speaks against."""
    view = TextView(sentence)
    return sheet.check(view.lemmas, sentence, view.values, sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "The restaurant has outdoor seating.",
        "It does not offer WiFi.",
        "It does not offer Wi-Fi.",
        "WiFi is not available.",
        "There is no WiFi, valet or garage parking.",
        "There is no WiFi but it has outdoor seating.",
        "It lacks WiFi and offers outdoor seating.",
        "Without WiFi, it offers outdoor seating.",
        "It has outdoor seating although there is no WiFi.",
        "It has outdoor seating, street parking and bike parking.",
        "Dogs are not allowed.",
        "Dogs are never allowed, but bike parking is available.",
        "It does not take reservations.",
        "The Harbor Grill is in Oakland.",
    ],
)
def test_a_fact_said_rightly_is_no_finding(sentence: str) -> None:
    """A yes that is said and a no that is denied, in a list and on either side of a turn; a denial of the unknown."""
    assert check(sentence) == FactFindings((), (), ())


@pytest.mark.parametrize(
    ("sentence", "denied"),
    [
        ("The restaurant does not have outdoor seating.", ["attributes Outdoor Seating: yes"]),
        ("Outdoor seating is not available.", ["attributes Outdoor Seating: yes"]),
        ("Outdoor seating isn't offered.", ["attributes Outdoor Seating: yes"]),
        ("It offers WiFi.", ["attributes Wi Fi: no"]),
        ("It offers free Wi-Fi.", ["attributes Wi Fi: no"]),
        ("It has valet parking.", ["attributes Parking valet: no"]),
        ("Dogs are allowed.", ["attributes Dogs Allowed: no"]),
        ("It has outdoor seating, bike parking and WiFi.", ["attributes Wi Fi: no"]),
        ("There is no outdoor seating but it has WiFi.", ["attributes Outdoor Seating: yes", "attributes Wi Fi: no"]),
        ("It does not accept dogs, but garage parking exists.", ["attributes Parking garage: no"]),
    ],
)
def test_a_fact_said_the_other_way_is_denied(sentence: str, denied: list[str]) -> None:
    """A no that is said and a yes that is denied, before or after its name; a turn ends the denial."""
    assert check(sentence) == FactFindings(tuple(denied), (), ())


def test_what_the_data_does_not_know_is_not_to_be_said() -> None:
    """A null that is said to be so is unknown."""
    assert check("It takes reservations.") == FactFindings((), ("attributes Takes Reservations: unknown",), ())


@pytest.mark.parametrize(
    ("sentence", "other"),
    [
        ("It is open on Monday from 9 a.m. to 5 p.m.", []),
        ("It is open on Monday from 8 a.m. to 5 p.m.", ["Monday"]),
        ("It is open Monday to Wednesday from 9 AM to 5 PM.", []),
        ("It is open Monday to Wednesday from 9 AM to 6 PM.", ["Monday", "Tuesday", "Wednesday"]),
        ("It is open Monday through Saturday from 9 AM to 5 PM.", ["Saturday"]),
        ("It is open daily from 9 AM to 5 PM.", ["Saturday"]),
        ("It is open every day from 10 AM to 2 PM.", ["Monday", "Tuesday", "Wednesday"]),
        ("It is open Monday to Wednesday from 9 AM to 5 PM and on Saturday from 10 AM to 2 PM.", []),
        ("It is open on Sunday from 8 AM to 1 PM.", []),
        ("It is open on Monday.", []),
    ],
)
def test_hours_are_checked_by_day(sentence: str, other: list[str]) -> None:
    """The hours of each day that is named, or lies in a range, must be among the times said."""
    hours = RECORD["hours"]
    assert isinstance(hours, dict)
    assert check(sentence) == FactFindings((), (), tuple(f"hours {day}: {hours[day]}" for day in other))


@pytest.mark.parametrize(
    ("sentence", "other"),
    [
        ("It is rated 4.5 stars.", []),
        ("It is rated 3.5 stars.", ["stars: 4.5"]),
        ("It has a review count of 128.", []),
        ("It has a review count of 90.", ["review count: 128"]),
        ("In 90 countries guests have wondered how many stars it has.", []),
        ("It has many stars.", []),
    ],
)
def test_a_number_near_a_key_is_its_value(sentence: str, other: list[str]) -> None:
    """Another number right beside the name of a fact gives it another value; one far from it does not."""
    assert check(sentence) == FactFindings((), (), tuple(other))


def test_one_of_several_values_is_enough() -> None:
    """Under a name that comes again, each of its values is right."""
    sheet = sheet_of({"reviews": [{"stars": 5}, {"stars": 2}]})
    assert check("One guest gave 2 stars.", sheet).other_value == ()
    assert check("One guest gave 3 stars.", sheet).other_value == ("reviews stars: 5",)


def test_a_name_that_is_said_both_ways_says_nothing() -> None:
    """Yes here and no there: neither can be denied."""
    sheet = sheet_of([{"parking": True}, {"parking": False}])
    assert check("It has no parking.", sheet) == check("It has parking.", sheet) == FactFindings((), (), ())


def test_a_key_is_known_by_what_tells_it_from_the_others() -> None:
    """The words "credit cards" are enough for BusinessAcceptsCreditCards where no other key has these words."""
    sheet = sheet_of({"BusinessAcceptsCreditCards": False, "BusinessAcceptsBitcoin": True})
    assert check("They accept credit cards.", sheet).denied == ("Business Accepts Credit Cards: no",)
    assert check("They accept bitcoin.", sheet).denied == ()


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("Monday to Friday", 5),
        ("Mondays through Sundays", 7),
        ("Friday to Monday", 4),
        ("Monday and Friday", 2),
        ("Monday until Tuesday and Thursday", 3),
        ("seven days a week", 7),
        ("Monday-Friday", 5),
        ("Mondays – Thursdays and Sunday", 5),
        ("on weekdays", 5),
        ("on weekends and on Monday", 3),
        ("on holidays", 0),
    ],
)
def test_days_are_counted_over_ranges(text: str, days: int) -> None:
    """A range names all days in it, also over the end of the week."""
    assert len(days_said(lemmas(text), support_words(), text.casefold())) == days


@pytest.mark.parametrize(
    ("key", "days"),
    [
        ("Mon", 1),
        ("Thurs", 1),
        ("Mon-Fri", 5),
        ("Monday – Friday", 5),
        ("Saturday to Sunday", 2),
        ("Monday, Wednesday", 2),
        ("Mon & Wed & Fri", 3),
        ("weekdays", 5),
        ("Monday fee", 0),
    ],
)
def test_a_key_may_name_several_days(key: str, days: int) -> None:
    """In full or cut short, alone, several, or from one to another; a key that names more is not one of days."""
    assert len(sheet_of({"hours": {key: "9:00 - 17:00"}}).days) == days


@pytest.mark.parametrize(
    ("sentence", "other"),
    [
        ("It is open Monday-Friday from 9 AM to 5 PM.", []),
        ("It is open on weekdays from 9 AM to 6 PM.", ["hours Mon Fri: 9:00 AM - 5:00 PM"]),
        ("It is open on Sunday from 9 AM to 5 PM.", ["hours Sun: Closed"]),
        ("It is open on weekdays from 9 AM to 5 PM and closed on Sunday.", []),
        ("It is closed on Sundays.", []),
        ("It is closed on Fridays.", ["hours Mon Fri: 9:00 AM - 5:00 PM"]),
        ("It is not closed on Fridays.", []),
        ("It is open Monday to Friday and closed on Sunday.", []),
        ("It is close to the park on Fridays.", []),
        ("It opens at 9 AM on Mondays.", []),
        ("It opens at 8 AM on Mondays.", ["hours Mon Fri: 9:00 AM - 5:00 PM"]),
        ("It is open Mon-Thu from 9 AM to 6 PM.", ["hours Mon Fri: 9:00 AM - 5:00 PM"]),
        ("Bring it back within 7 days, by 10 AM.", []),
        ("It is open on Fridays.", []),
    ],
)
def test_hours_of_several_days_and_of_days_that_are_shut(sentence: str, other: list[str]) -> None:
    """A day that lies in a key's range has its hours; one that is shut has none, and one with hours is not shut."""
    sheet = sheet_of({"hours": {"Mon-Fri": "9:00 AM - 5:00 PM", "Sun": "Closed"}})
    assert check(sentence, sheet) == FactFindings((), (), tuple(other))


def test_a_fact_without_words_is_not_asked() -> None:
    """A key of signs alone can be named by no sentence."""
    assert check("It has 5.", sheet_of({"!!": False, "": 4})) == FactFindings((), (), ())
