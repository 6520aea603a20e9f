"""Duels: a value is held against the places that speak of the same thing."""

from collections import Counter
from typing import Any

import pytest

from plumbrule.support.binding import duels
from plumbrule.support.binding.binding_words import binding_words
from plumbrule.support.binding.duels import Binding, Duels
from plumbrule.support.binding.mentions import Mention, equal
from plumbrule.support.binding.slots import BoundGround, Piece, Slot
from plumbrule.text.sentences import sentences
from plumbrule.text.text_view import TextView

KNOWN = binding_words()
FARES = "| Ticket | Weekday | Weekend |\n|---|---|---|\n| Adult | £9 | £12 |\n| Child | £5 | £7 |\n"
POOL = "The pool opens at 7:00 on weekdays and at 9:00 on Saturdays."
RENT = "The deposit is £40 and the rent is £300."
FORMS = "Renew a passport with form PA-12. Report a lost passport with form PA-30."
PRICES = "| Item | Fee |\n|---|---|\n| Bike | 40 |\n| Boat | 90 |\n"
ROOM = "The room costs £80 a night. Breakfast costs £12 a person."
CODES = "Extensions: reception 4471; dispatch 2290; the gate 3305."
GAS = '{"bottle": "Harbour 11", "deposit": 30.50, "refill": 14.75}'
RETURNS = "A bike may be returned within 30 days. Helmets are sold on the second floor of the shop."


def bindings(question: str, answer: str, *contexts: str) -> dict[str, Binding]:
    """Return what became of each value of an answer, by its text."""
    ground = BoundGround([TextView(context) for context in contexts], KNOWN)
    pieces = [Piece(answer[place.start : place.end], KNOWN) for place in sentences(answer)]
    return {each.mention.text: each for each in Duels(Piece(question, KNOWN), pieces, ground, KNOWN).bindings()}


@pytest.mark.parametrize(
    ("answer", "value", "context"),
    [
        ("A child pays £7 at the weekend.", "£7", FARES),
        ("On Saturdays the pool opens at 9:00.", "9:00", POOL),
        ("The deposit is £40 and the rent is £300.", "£40", RENT),
        ("Renew a passport with form PA-12.", "PA-12", FORMS),
        ("The boat costs £90.", "£90", PRICES),
        ("Dispatch is on 2290.", "2290", CODES),
        ("A refill is 14.75.", "14.75", GAS),
        ("A bike may be returned within 30 days.", "30 days", RETURNS),
    ],
)
def test_a_value_at_its_place_loses_to_no_rival(answer: str, value: str, context: str) -> None:
    """In cells and in prose, for amounts, times, periods and identifiers."""
    binding = bindings("", answer, context)[value]
    assert binding.outcome == "bound"
    assert binding.margin < KNOWN.constants.least_bound


@pytest.mark.parametrize(
    ("answer", "value", "rival", "context"),
    [
        ("A child pays £12 at the weekend.", "£12", "£7", FARES),
        ("A child pays £5 at the weekend.", "£5", "£7", FARES),
        ("On Saturdays the pool opens at 7:00.", "7:00", "9:00", POOL),
        ("The deposit is £300 and the rent is £40.", "£300", "£40", RENT),
        ("The deposit is £300 and the rent is £40.", "£40", "£300", RENT),
        ("Renew a passport with form PA-30.", "PA-30", "PA-12", FORMS),
        ("The boat costs £40.", "£40", "90", PRICES),
        ("Dispatch is on 4471.", "4471", "2290", CODES),
        ("A refill is 30.50.", "30.50", "14.75", GAS),
    ],
    ids=[
        "other row",
        "other column",
        "role in a sentence",
        "swapped",
        "swapped back",
        "identifier",
        "header's unit",
        "bare codes",
        "bare cells of other keys",
    ],
)
def test_the_value_of_another_thing_loses_to_the_right_one(answer: str, value: str, rival: str, context: str) -> None:
    """The rival is the value that the contexts have at the place the sentence speaks of."""
    binding = bindings("", answer, context)[value]
    assert binding.outcome == "bound"
    assert binding.margin > 0
    assert binding.rival is not None
    assert binding.rival.mention.text == rival


def test_a_mark_inside_a_value_parts_no_segment() -> None:
    """The colon of 7:00 and the comma of 1,000 are no marks between words: both times have their own day nearest."""
    slots = {slot.mention.text: slot.words for slot in BoundGround([TextView(POOL)], KNOWN).slots}
    assert slots["9:00"]["saturday"] > slots["7:00"]["saturday"]
    assert slots["9:00"]["pool"] == slots["7:00"]["pool"] == 1.0


def test_a_value_that_the_asker_brought_is_not_missed() -> None:
    """No context need have it."""
    found = bindings("I paid £60 for a bike, may I return it?", "You paid £60 and may return it.", RETURNS)
    assert found["£60"].outcome == "asked"


def test_a_value_that_no_context_has_stands_against_its_rival() -> None:
    """The value of the place that fits best."""
    binding = bindings("How long may I return a bike?", "A bike may be returned within 45 days.", RETURNS)["45 days"]
    assert binding.outcome == "absent"
    assert binding.rival is not None
    assert binding.rival.mention.text == "30 days"
    assert binding.rival_weight > KNOWN.constants.rivalled


@pytest.mark.parametrize(
    ("question", "answer", "value", "context"),
    [
        ("", "The room is £80 and breakfast £12, so £92 in total.", "£92", ROOM),
        ("What do 3 nights cost?", "The room is £80 a night, so 3 nights come to £240.", "£240", ROOM),
        ("", "With 20% off the bike is £32.", "£32", "The bike costs £40. Members get 20% off."),
        ("", "It begins at 10:30 and lasts 45 minutes, so it ends at 11:15.", "11:15",
         "The tour begins at 10:30 and lasts 45 minutes."),
        ("", "It is 5 miles.", "5 miles", "The walk is 8 km long."),
    ],
)  # fmt: skip
def test_a_value_that_follows_from_others_is_derived(question: str, answer: str, value: str, context: str) -> None:
    """A sum, a product, a discount, a time, a conversion."""
    assert bindings(question, answer, context)[value].outcome == "derived"


def test_a_result_may_stand_before_what_it_is_reckoned_from() -> None:
    """In its sentence, and in the one before."""
    found = bindings("", "£92: £80 for the room and £12 for breakfast.", ROOM)
    assert found["£92"].outcome == "derived"
    found = bindings("", "That is £92 in total. The room is £80, breakfast £12.", ROOM)
    assert found["£92"].outcome == "derived"


def test_the_nearest_values_are_reckoned_with() -> None:
    """However many stand farther away in the answer."""
    listed = ", ".join(f"£{number}" for number in range(101, 125))
    found = bindings(
        "",
        f"The fees are {listed}. The room is £80 and breakfast £12, so £92 in total.",
        ROOM + f" The fees are {listed}.",
    )
    assert found["£92"].outcome == "derived"


def test_a_moment_of_data_is_a_day_and_a_time() -> None:
    """Both stand where it does."""
    context = '{"booking": "B-12", "free_cancellation_until": "2025-07-11T18:00"}'
    found = bindings("", "She can cancel until 18:00 on 11 July 2025.", context)
    assert {each.outcome for each in found.values()} == {"bound"}
    found = bindings("", "She can cancel until 17:00 on 12 July 2025.", context)
    assert {each.outcome for each in found.values()} == {"absent"}


def test_a_wrong_figure_is_no_operand() -> None:
    """Three nights at a price that no context has: neither the price nor what follows from it."""
    found = bindings("What do 3 nights cost?", "The room is £85 a night, so 3 nights come to £255.", ROOM)
    assert [found[value].outcome for value in ("£85", "£255")] == ["absent", "absent"]


def test_a_day_within_a_range_is_there() -> None:
    """And a day outside it is not."""
    context = "The shop is open Mon-Thu."
    assert bindings("", "The shop is open on Tuesday.", context)["Tuesday"].outcome == "bound"
    assert bindings("", "The shop is open on Sunday.", context)["Sunday"].outcome == "absent"


def test_a_small_count_is_too_vague_to_be_missed() -> None:
    """So is a fraction."""
    found = bindings("", "There are two ways, and half of them are short.", "The paths are long.")
    assert {each.outcome for each in found.values()} == {"vague"}


def test_only_the_best_places_and_rivals_duel(monkeypatch: pytest.MonkeyPatch) -> None:
    """However often the contexts have the value and other values: their product is bounded."""
    context = " ".join(f"The fee of office {number} is £{5 + number % 2}." for number in range(400))
    compared: list[int] = []
    duel = Duels._duel

    def counted(self: Duels, place: Slot, mention: Mention, rivals: list[Slot], *rest: Any) -> Any:
        compared.append(len(rivals))
        return duel(self, place, mention, rivals, *rest)

    monkeypatch.setattr(Duels, "_duel", counted)
    assert bindings("", "The fee is £5.", context)["£5"].outcome == "bound"
    assert compared == [KNOWN.constants.most_rivals] * KNOWN.constants.most_rivals


@pytest.mark.parametrize(("value", "wrong"), [("£10", True), ("£6", False)])
def test_the_askers_number_chooses_the_range(value: str, *, wrong: bool) -> None:
    """At 70 one is not "aged 18 to 64": a range with two ends is not open."""
    context = "Visitors aged 18 to 64 pay £10; visitors over 65 pay £6."
    binding = bindings("I am 70 years old, what do I pay?", f"You pay {value}.", context)[value]
    assert (binding.margin > 0) is wrong


def test_the_fit_of_a_slot_is_the_sum_of_what_is_wanted_of_it() -> None:
    """All slots are summed up at once, each in the order of its own words."""
    ground = BoundGround([TextView(text) for text in (FARES, POOL, RENT, ROOM)], KNOWN)
    wanted = ground.wanted({"child": 1.0, "weekend": 0.3, "rent": 0.7, "open": 0.1, "night": 1 / 3, "bicycle": 1.0})
    fits = ground.fits(wanted)
    for slot in ground.slots:
        assert fits[slot] == sum(wanted[lemma] * weight for lemma, weight in slot.words.items() if lemma in wanted)
    assert any(fits[slot] for slot in ground.slots)


def test_a_value_is_held_against_a_slot_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The work grows with the values of the answer times those of the contexts, and not once more with the former."""
    compared = Counter[tuple[int, int]]()

    def count(mine: Mention, my_text: str, theirs: Mention, their_text: str) -> bool:
        compared[mine.start, theirs.start] += 1
        return equal(mine, my_text, theirs, their_text)

    monkeypatch.setattr(duels, "equal", count)
    rows = [f"plan {chr(97 + number)} costs £{number + 10}" for number in range(20)]
    bindings("", f"The {', '.join(rows)}.", f"The {', '.join(reversed(rows))}.")
    assert max(compared.values()) <= 3


def test_a_result_may_stand_before_what_it_was_worked_out_from() -> None:
    """Values that follow from others are reckoned with wherever they stand."""
    found = bindings(
        "I park from 10:00 to 13:00. What is it?", "£7.20, as that makes 3 hours.", "Parking: £2.40 an hour."
    )
    assert (found["3 hours"].outcome, found["£7.20"].outcome) == ("derived", "derived")


def test_a_value_that_is_repeated_takes_no_place_of_another() -> None:
    """A table repeats its headers with each cell; a result may follow from any of its values."""
    ages = "".join(f"| {age} to {age + 1} years | {90 + age} ml | {age} | 5 |\n" for age in range(3, 12))
    table = f"| Age | Water | Scoops | Bottles |\n|---|---|---|---|\n{ages}"
    found = bindings("How much water is it for 4 to 5 years?", "That makes 470 ml of water altogether.", table)
    assert found["470 ml"].outcome == "derived"
