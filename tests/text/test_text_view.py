"""A view works each part out once; the cache keeps the texts met last."""

from pathlib import Path
from unittest.mock import Mock

import pytest
import yaml

from plumbrule.text import text_view
from plumbrule.text.sentences import Sentence
from plumbrule.text.text_view import TextView, TextViews, ViewCache
from plumbrule.text.values import comparable, lookup_keys, match_value

PAIRS = Path(__file__).parents[1] / "data" / "value_pairs.yaml"
TEXT = "The fee is $25. Fees rose in 2024."


def test_a_view_has_all_parts() -> None:
    """Lemmas, spans, places, sentences and values are those of the text."""
    view = TextView(TEXT)
    assert view.lemmas == ["the", "fee", "be", "25", "fee", *view.lemmas[5:]]
    assert view.lemma_set == frozenset(view.lemmas)
    assert view.spans[0] == [0, 4, 8, 12, 16, 21, 26, 29]
    assert view.spans[1] == [3, 7, 10, 14, 20, 25, 28, 33]
    assert view.places.get("fee") == [1, 4]
    assert view.sentences == [Sentence(0, 15), Sentence(16, 34)]
    assert [TEXT[value.start : value.end] for value in view.values] == ["$25", "2024"]


def test_each_part_is_worked_out_once() -> None:
    """The same object is given again."""
    view = TextView(TEXT)
    assert view.spans is view.spans
    assert view.values is view.values


@pytest.mark.parametrize(("offset", "index"), [(0, 0), (2, 0), (3, 1), (4, 1), (11, 3), (12, 3), (32, 7), (999, 7)])
def test_the_first_word_at_an_offset(offset: int, index: int) -> None:
    """An offset between two words, as at the sign of "$25", belongs to the one after it."""
    assert TextView(TEXT).first_word(offset) == index


def test_the_values_of_a_stretch() -> None:
    """Those that start inside it."""
    view = TextView(TEXT)
    assert view.values_between(0, 16) == view.values[:1]
    assert view.values_between(16, 34) == view.values[1:]
    assert view.values_between(12, 16) == ()


@pytest.mark.parametrize(
    ("start", "end", "expected"), [(0, 15, (0, 4)), (16, 34, (4, 8)), (4, 7, (1, 2)), (3, 4, (1, 1)), (0, 0, (0, 0))]
)
def test_the_words_of_a_stretch(start: int, end: int, expected: tuple[int, int]) -> None:
    """The range holds the words that start inside the stretch."""
    assert TextView(TEXT).words_between(start, end) == expected


@pytest.mark.parametrize(
    ("offset", "expected"), [(0, (0, 15)), (14, (0, 15)), (15, (0, 15)), (16, (16, 34)), (33, (16, 34))]
)
def test_the_sentence_at_an_offset(offset: int, expected: tuple[int, int]) -> None:
    """An offset between two sentences belongs to the one before it."""
    assert TextView(TEXT).sentence_at(offset) == expected


def test_the_words_of_a_stretch_by_itself() -> None:
    """Told where the stretch begins and ends between runs of words; inside of one it may have other words."""
    view = TextView("The fee is $1,200. It rose.")
    assert view.words_of_stretch(0, 18) == (0, 4)
    assert view.words_of_stretch(19, 27) == (4, 6)
    assert view.words_of_stretch(0, 13) is None
    assert view.words_of_stretch(13, 18) is None


def test_the_lemmas_beside_an_offset() -> None:
    """They are those of the sentence that holds the offset."""
    view = TextView(TEXT)
    assert view.lemmas_beside(12) == {"the", "fee", "be", "25"}
    assert view.lemmas_beside(30) == {"fee", "in", "2024", *view.lemmas[5:6]}


def test_an_empty_text_has_a_view() -> None:
    """A text without words has no parts, and asking for a place in it does no harm."""
    view = TextView("")
    assert (view.lemmas, view.spans, view.sentences, view.values) == ([], ([], []), [], ())
    assert view.first_word(0) == 0
    assert view.sentence_at(0) == Sentence(0, 0)


def test_content_is_what_the_stop_words_leave() -> None:
    """Content keeps the order of the words; its set has each once; without stop words all is content."""
    view = TextView("The fee, the only fee, is late.", frozenset({"the", "be"}))
    assert view.content == ["fee", "only", "fee", "late"]
    assert view.content_set == {"fee", "only", "late"}
    assert TextView("The fee.").content == ["the", "fee"]


def test_what_rules_make_of_a_text_is_worked_out_once() -> None:
    """The same rules give the same object again; other rules are heeded."""
    view = TextView("a fee")

    def found(text: TextView, words: list[str]) -> list[str]:
        return [word for word in words if word in text.lemmas]

    rules = ["fee", "cap"]
    assert view.by(found, rules) is view.by(found, rules)
    assert view.by(found, rules) == ["fee"]
    assert view.by(found, ["a"]) == ["a"]


def test_the_cache_gives_the_same_view_again() -> None:
    """A text met before is not worked out again."""
    cache = ViewCache(100)
    assert cache.view("a fee") is cache.view("a fee")
    assert cache.view("a fee") is not cache.view("a cap")
    assert ViewCache(100, stop=frozenset({"a"})).view("a fee").content == ["fee"]


def test_the_cache_forgets_the_text_met_longest_ago() -> None:
    """When the room is used up, the texts met last stay."""
    cache = ViewCache(10)
    old, kept = cache.view("12345"), cache.view("abcde")
    assert cache.view("12345") is old  # met again: now 'abcde' is the oldest
    new = cache.view("vwxyz")
    assert cache.view("vwxyz") is new
    assert cache.view("12345") is old
    assert cache.view("abcde") is not kept


def test_a_text_larger_than_the_cache_is_not_kept() -> None:
    """One endless text does not drive out all the others."""
    cache = ViewCache(10)
    small = cache.view("small")
    assert cache.view("x" * 11) is not cache.view("x" * 11)
    assert cache.view("small") is small


@pytest.mark.parametrize("pair", yaml.safe_load(PAIRS.read_text(encoding="utf-8")), ids=lambda pair: pair["answer"])
def test_whatever_matches_is_found_under_its_keys(pair: dict[str, str]) -> None:
    """The keys leave out no value that the closer look would take."""
    answer, context = TextView(pair["answer"]), TextView(pair["context"])
    for value in answer.values:
        under = list(context.values_under(lookup_keys(value)))
        matching = [other for other in context.values if match_value(value, answer.text, other, context.text)]
        assert all(other in under for other in matching)
        rivals = list(context.rivals_of(value))
        assert all(other in rivals for other in context.values if comparable(value, other))


def test_what_may_contradict_numbers_is_looked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which numbers contradict another depends on what it is of alone, so a list of amounts is compared only once."""
    amounts = ", ".join(f"${number}" for number in range(1, 41))
    contexts, answer = TextViews([TextView(amounts)]), TextView(f"{amounts}, 3%, 4%")
    compared = Mock(wraps=comparable)
    monkeypatch.setattr(text_view, "comparable", compared)
    found = [contexts.rivals_of(value) for value in answer.values]
    assert [len(rivals) for rivals in found] == [40] * 40 + [0] * 2
    assert compared.call_count == 40
