"""The words that ship: lists and thesaurus hang together."""

import pytest

from plumbrule.support import word_lists
from plumbrule.support.word_lists import Thesaurus, support_words
from plumbrule.text.tokens import lemmas

KNOWN = support_words()


def test_antonyms_hold_both_ways_and_never_of_oneself() -> None:
    """As lemmas: a pair whose lemmas are one word would be no pair."""
    for word, others in KNOWN.antonyms.items():
        assert word not in others
        assert all(word in KNOWN.antonyms[other] for other in others)
    assert "decrease" in KNOWN.antonyms["increase"]


def test_the_days_are_lemmas() -> None:
    """A sentence is asked for them by its lemmas."""
    assert [lemmas(f"{day.title()}s") for day in KNOWN.days] == [[day] for day in KNOWN.days]


def test_listed_words_are_known_by_their_lemmas() -> None:
    """As they are listed, and as a text has them."""
    assert {"not", "lack", "cannot"} <= KNOWN.negations
    assert set(lemmas("provides provided mentions")) <= KNOWN.talk


def test_phrases_are_as_a_folded_sentence_has_them() -> None:
    """Lower case and straight apostrophes: nothing else could be found."""
    for phrase in (*KNOWN.courtesies, *KNOWN.openings, *KNOWN.unknowns, *KNOWN.unknowns_of_sources):
        assert phrase == phrase.casefold().strip()
        assert "’" not in phrase


def test_the_thesaurus_tells_kind_synonyms_and_antonyms() -> None:
    """Of a word it has; of others nothing."""
    thesaurus = Thesaurus(["abandon\tv\tgive vacate\tinhabit", "abbey\t-\t\t"])
    assert ("abandon" in thesaurus, "abacus" in thesaurus) == (True, False)
    assert [thesaurus.kind(word) for word in ("abandon", "abbey", "abacus")] == ["v", "-", "-"]
    assert (thesaurus.synonyms("abandon"), thesaurus.antonyms("abandon")) == (["give", "vacate"], ["inhabit"])
    assert thesaurus.synonyms("abbey") == thesaurus.antonyms("abbey") == thesaurus.synonyms("abacus") == []


def test_no_word_is_its_own_synonym_or_antonym_or_both_of_another() -> None:
    """Nor has a line of the file anything but lemmas."""
    for word in KNOWN.thesaurus._entries:
        same, opposite = set(KNOWN.thesaurus.synonyms(word)), set(KNOWN.thesaurus.antonyms(word))
        assert word not in same | opposite
        assert not same & opposite
        assert KNOWN.thesaurus.kind(word) in {"v", "r", "-"}


def test_a_word_weighs_by_its_kind() -> None:
    """Talk and stop words weigh less than others, and an adverb weighs like any other word in the evidence."""
    constants = KNOWN.constants.measures
    assert KNOWN.weights["zebra"] == (constants.plain_weight, constants.plain_weight)
    assert KNOWN.weights["the"] == (constants.stop_weight, constants.stop_weight_in_evidence)
    assert KNOWN.weights["quickly"] == (constants.adverb_weight, constants.plain_weight)
    assert {KNOWN.weights[word][0] for word in KNOWN.talk} == {constants.talk_weight}


def test_opposites_are_listed_or_made_by_a_prefix() -> None:
    """Those of a stop word are listed alone."""
    assert "decrease" in KNOWN.opposites["increase"]
    assert "unprofessional" in KNOWN.opposites["professional"]
    assert "professional" in KNOWN.opposites["unprofessional"]
    assert KNOWN.opposites["the"] == frozenset()


def test_what_is_kept_of_words_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A full table is emptied, and tells the same again."""
    monkeypatch.setattr(word_lists, "MOST_WORDS", 2)
    for table in (KNOWN.weights, KNOWN.opposites):
        told = [table[word] for word in ("zebrule", "zebroid", "zonkey", "zebrule")]
        assert told[0] == told[3]
        assert len(table) <= 2
