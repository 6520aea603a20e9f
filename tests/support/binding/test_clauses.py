"""Clauses: which of them the words of a sentence come from, and what they say otherwise."""

import pytest

from plumbrule.support.binding.binding_words import binding_words
from plumbrule.support.binding.clauses import ClauseIndex, clause_measures
from plumbrule.support.binding.slots import BoundGround, Piece
from plumbrule.text.text_view import TextView

KNOWN = binding_words()
DESK = (
    "Your badge is handed out by Reception, your laptop by the workshop. Travel is paid for entrants, not for helpers.",
    "Guests may park in the yard if they have a permit. The canteen opens for lunch.",
)


def measures(sentence: str, question: str = "How is it?", contexts: tuple[str, ...] = DESK) -> dict[str, float]:
    """Return the measures of a sentence by the clauses of its contexts."""
    views = [TextView(context) for context in contexts]
    index = ClauseIndex(views, BoundGround(views, KNOWN), KNOWN)
    return clause_measures(Piece(sentence, KNOWN), frozenset(Piece(question, KNOWN).lemmas), index, KNOWN)


def test_a_word_of_another_clause_strays() -> None:
    """The more, the better the other words fit a clause that does not have it."""
    right, wrong = measures("Your laptop is at the workshop."), measures("Your laptop is at Reception.")
    assert right.get("stray_noun", 0.0) < wrong["stray_noun"]
    assert right.get("stray", 0.0) < wrong["stray"]
    assert wrong["stray_name"] > 0
    assert "stray_name" not in right


def test_what_the_asker_brought_does_not_stray() -> None:
    """It may stand beside anything."""
    assert "stray_name" not in measures("Your laptop is at Reception.", "Do I get my laptop at Reception?")


@pytest.mark.parametrize(
    ("sentence", "told"),
    [
        ("Travel is paid for helpers.", True),
        ("Travel is paid for entrants.", False),
        ("Travel is not paid for helpers.", False),
        ("Helpers must not go without their travel being paid.", True),
    ],
    ids=["asserted", "asserted there too", "denied there too", "denied twice"],
)
def test_what_its_clause_denies_is_told(sentence: str, *, told: bool) -> None:
    """A clause denies by itself, not by its neighbour; two denials say yes."""
    assert (measures(sentence).get("deny_lost", 0.0) > 0) is told


def test_a_condition_left_out_and_a_limit_put_in_are_told() -> None:
    """Held against the sentence of the contexts that a clause comes from."""
    assert measures("Guests may park in the yard.")["less_if"] == 1.0
    assert "less_if" not in measures("If they have a permit, guests may park in the yard.")
    assert measures("Only guests may park in the yard if they have a permit.")["more_only"] == 1.0


def test_a_sentence_has_only_so_many_clauses() -> None:
    """The rest of a sentence of very many marks is one clause, so that work grows with its length alone."""
    text = "Bring " + ", ".join(f"item{number}" for number in range(300)) + "."
    views = [TextView(text)]
    index = ClauseIndex(views, BoundGround(views, KNOWN), KNOWN)
    assert len(index.gains("bring")) == KNOWN.constants.most_clauses


def test_nothing_is_told_of_a_sentence_without_content() -> None:
    """Nor of one that shares no word with the contexts, but that it has words."""
    assert measures("It is so.") == {}
    assert measures("Penguins swim.") == {}
