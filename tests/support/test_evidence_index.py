"""Ground: contexts are cut into units, found by word, and told by their places."""

from unittest.mock import Mock

import pytest

from plumbrule.support.evidence_index import Ground, Names, Window, _highest, bare
from plumbrule.support.word_lists import support_words
from plumbrule.text.text_view import TextView


def ground(*contexts: str) -> Ground:
    """Return the ground that contexts make."""
    return Ground([TextView(context) for context in contexts], support_words())


def wanted(*lemmas: str) -> dict[str, float]:
    """Return lemmas that all weigh the same."""
    return dict.fromkeys(lemmas, 1.0)


FEES = "Cats sleep. The wire fee is $25. Bonds are sold in June. Dogs bark. Stocks fall."


def test_the_best_window_has_most_of_what_is_wanted() -> None:
    """A unit and its neighbours: the first that has most, by weight."""
    found = ground(FEES)
    assert found.best_window(wanted("fee", "bond")) == Window(0, 2)
    assert found.best_window(wanted("dog", "stock")) == Window(2, 4)
    assert found.best_window({"fee": 1.0, "stock": 3.0}) == Window(3, 4)
    assert found.best_window(wanted("zebra")) is None
    assert found.best_window({}) is None


def test_the_first_of_equal_windows_is_taken() -> None:
    """The same words twice: the earlier ones."""
    assert ground("Fees rose.", "Fees rose.").best_window(wanted("fee", "rise")) == Window(0, 0)


def test_the_same_window_is_looked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer that says the same a thousand times costs no more than one that says it once."""
    found = ground(FEES)
    asked = Mock(wraps=found._telling)
    monkeypatch.setattr(found, "_telling", asked)
    assert {found.best_window(wanted("fee", "bond")) for _ in range(10)} == {Window(0, 2)}
    assert asked.call_count == 1


def test_of_many_equal_units_the_first_are_looked_at() -> None:
    """The highest first, then those that are level with the last, by their order."""
    scores = {**dict.fromkeys(range(100, 0, -1), 1.0), 7: 2.0, 50: 3.0}
    assert _highest(scores, 5) == [50, 7, 1, 2, 3]
    assert _highest({3: 1.0, 2: 1.0}, 5) == [2, 3]
    assert _highest({}, 5) == []


def test_a_window_stays_in_its_context() -> None:
    """The neighbours of a unit are those of its own context."""
    found = ground("One cat. Two dogs.", "Three fees.", "Four birds. Five fish.")
    window = found.best_window(wanted("fee"))
    assert window == Window(2, 2)
    assert found.place(window) == (1, 0, 11)


def test_a_trimmed_window_keeps_what_bears() -> None:
    """Ends that bring nothing of their own are left; what stands between is kept."""
    found = ground(FEES)
    assert found.trimmed(Window(0, 2), wanted("fee")) == Window(1, 1)
    assert found.trimmed(Window(0, 2), wanted("cat", "bond")) == Window(0, 2)
    assert found.trimmed(Window(0, 2), wanted("fee", "bond")) == Window(1, 2)
    assert found.trimmed(Window(0, 2), {}) == Window(2, 2)


def test_a_window_tells_its_text_and_values() -> None:
    """Of its own units only."""
    found = ground("Nothing here.", FEES)
    window = Window(2, 3)
    assert found.text_of(window) == "The wire fee is $25. Bonds are sold in June."
    assert found.view_of(window).text == FEES
    assert [FEES[value.start : value.end] for value in found.values_of(window)] == ["$25", "June"]
    assert found.values_of(Window(4, 5)) == ()
    assert {"wire", "bond"} <= found.lemmas_of(window)


@pytest.mark.parametrize(
    "contexts", [("", "The fee is $5."), ("The fee is $5.", ""), ("", " \n", "The fee is $5.", "", "...", "")]
)
def test_empty_contexts_between_move_no_owner(contexts: tuple[str, ...]) -> None:
    """A context without units owns none: evidence is told by the place of the context that has it."""
    found = ground(*contexts)
    window = found.best_window(wanted("fee"))
    assert window is not None
    context, start, end = found.place(window)
    assert contexts[context][start:end] == "The fee is $5."


@pytest.mark.parametrize("contexts", [(), ("",), ("", " \t\n"), ("---", "***"), ("{}", "[]")])
def test_contexts_without_words_bear_nothing(contexts: tuple[str, ...]) -> None:
    """There is no window, no name and no other form."""
    found = ground(*contexts)
    assert found.best_window(wanted("fee")) is None
    assert found.alike("acquisition") is None
    assert not found.has_name("Berlin")
    assert not found.abbreviates(["World", "Bank"])
    assert found.weight("fee") > 0


def test_a_context_without_sentences_is_one_unit() -> None:
    """Words without an end mark are found too."""
    found = ground("wire fee list")
    assert found.units == [frozenset({"wire", "fee", "list"})]


def test_data_is_told_by_its_place_in_the_raw_text() -> None:
    """Read as facts, shown as JSON."""
    text = '{"OutdoorSeating": true, "stars": 4.5}'
    found = ground("Other words.", text)
    window = found.best_window(wanted("outdoor"))
    assert window is not None
    window = found.trimmed(window, wanted("outdoor"))
    assert found.text_of(window) == "Outdoor Seating: yes"
    context, start, end = found.place(window)
    assert (context, text[start:end]) == (1, '"OutdoorSeating": true')


def test_rarer_words_tell_more() -> None:
    """The weight falls with the number of units that have the word."""
    found = ground("Fees rose. Fees fell. Fees stayed. Bonds fell.")
    assert found.weight("zebra") > found.weight("bond") > found.weight("fall") > found.weight("fee") > 0


@pytest.mark.parametrize(
    ("lemma", "alike"),
    [
        ("acquisition", "acquisitive"),
        ("acquittal", None),
        ("manager", "management"),
        ("bank", None),
        ("managua", "management"),
    ],
)
def test_another_form_shares_the_stem(lemma: str, alike: str | None) -> None:
    """Five letters at least, and most of the shorter word."""
    assert ground("The acquisitive management of the bank.").alike(lemma) == alike


def test_the_closest_form_is_taken() -> None:
    """The longest common beginning, then the alphabet."""
    assert ground("Regular regulation regulates regulators.").alike("regulatory") == "regulator"


TEXT = (
    "The World Health Organization met President Jane O'Neil of China. "
    "NASA's Smith went to Berlin, and Bank of America too."
)


@pytest.mark.parametrize(
    ("word", "has"),
    [
        ("Berlin", True),
        ("Berlin's", True),
        ("Berlin’s", True),
        ("WHO", True),
        ("Who", False),
        ("WHA", False),
        ("BA", True),
        ("NASA", True),
        ("Chinese", True),
        ("Chilean", False),
        ("America", True),
        ("American", True),
        ("Jane", True),
        ("Paris", False),
        ("Went", True),
        ("Smithsonianesque", False),
    ],
)
def test_names_are_known_in_part_by_initials_and_in_other_forms(word: str, *, has: bool) -> None:
    """In full, with a possessive, as initials in capitals, as "Chinese" for "China", or as a plain word."""
    assert Names(TEXT, support_words()).has(word, bare(word)) == has


def test_initials_stand_for_the_name_in_full() -> None:
    """The context may have the short form alone."""
    names = ground("Nobody asked.", "NASA and the EU met.")
    assert names.abbreviates(["National", "Aeronautics", "Space", "Administration"])
    assert names.abbreviates(["European", "Union"])
    assert not names.abbreviates(["European", "Commission"])
    assert not names.abbreviates(["Nasa"])


def test_a_name_does_not_run_on_into_the_next_context() -> None:
    """Initials are made of one context's words: the order of contexts makes no name."""
    found = ground("He met Anna Berg", "Carla Diaz left.")
    assert found.has_name("AB")
    assert not found.has_name("BC")


def test_a_possessive_ending_is_left_out() -> None:
    """With either apostrophe, and nothing else."""
    assert [bare(word) for word in ("Smith's", "Smith’s", "James'", "IT")] == ["smith", "smith", "james'", "it"]


def test_a_view_keeps_its_passage() -> None:
    """A context that comes again is not read again."""
    view = TextView(FEES)
    one, other = (Ground([view], support_words()) for _ in range(2))
    assert one.passages[0] is other.passages[0]
    assert one.passages[0].names is other.passages[0].names


def test_the_postings_of_a_kept_passage_do_not_grow() -> None:
    """A context listed twice counts twice in this ground and leaves its own postings as they were."""
    view = TextView("Fees rose.")
    found = Ground([view, view], support_words())
    assert found.where.get("fee") == [0, 1]
    assert Ground([view], support_words()).where.get("fee") == [0]
