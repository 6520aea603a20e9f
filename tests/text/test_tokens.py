"""Words are compared by their lemmas, and every word knows where it stands."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbrule.text.tokens import lemmas, spans, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \t\n", []),
        ("... !? — *", []),
        ("The firm KEEPS records", ["the", "firm", "keep", "record"]),
        ("kept keeping keeps keep", ["keep", "keep", "keep", "keep"]),
        ("companies policies fees", ["company", "policy", "fee"]),
        ("is are was were", ["be", "be", "be", "be"]),
        ("found saw data", ["find", "see", "data"]),
        ("snake_case", ["snake", "case"]),
        ("re-open", ["re", "open"]),
        ("e-mail, fax", ["e", "mail", "fax"]),
        ("Straße STRASSE", ["strasse", "strasse"]),
        ("ﬁrm ＦＩＲＭ", ["firm", "firm"]),
        ("日本 東京", ["日", "本", "東", "京"]),
    ],
)
def test_words_become_lemmas(text: str, expected: list[str]) -> None:
    """Case, form and typography fall away; punctuation is no word; ideographs are words of their own."""
    assert lemmas(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("don't", ["do", "not"]),
        ("can't", ["can", "not"]),
        ("won't", ["will", "not"]),
        ("shan't", ["shall", "not"]),
        ("doesn’t", ["do", "not"]),
        ("DIDN'T", ["do", "not"]),
        ("isn't", ["be", "not"]),
        ("the firm's", ["the", "firm"]),
        ("the firm’s", ["the", "firm"]),
    ],
)
def test_contractions_are_taken_apart(text: str, expected: list[str]) -> None:
    """A contracted negation is a word of its own, so that it can deny; a possessive is dropped."""
    assert lemmas(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1,200,000", ["1200000"]),
        ("1,200.50", ["1200.50"]),
        ("3.5", ["3.5"]),
        ("12,34,567", ["1234567"]),
        ("$25", ["25"]),
        ("5%", ["5"]),
        ("T+1", ["t", "1"]),
        ("2024-03-05", ["2024", "03", "05"]),
    ],
)
def test_a_number_stays_one_word(text: str, expected: list[str]) -> None:
    """Thousands separators fall away and decimals stay."""
    assert lemmas(text) == expected


def test_words_know_their_place() -> None:
    """Offsets are those of the text as it came."""
    text = "The firm’s  fee isn't 1,200"
    starts, ends = spans(text)
    assert [text[start:end] for start, end in zip(starts, ends, strict=True)] == words(text)
    assert words(text) == ["The", "firm’s", "fee", "is", "n't", "1,200"]


@given(st.text())
def test_words_lemmas_and_places_agree(text: str) -> None:
    """All see the same words, in order, without overlap, inside the text, and no lemma is empty."""
    starts, ends = spans(text)
    assert words(text) == [text[start:end] for start, end in zip(starts, ends, strict=True)]
    assert len(lemmas(text)) == len(starts)
    assert all(lemmas(text))
    edges = [edge for place in zip(starts, ends, strict=True) for edge in place]
    assert edges == sorted(edges)
    assert all(start < end for start, end in zip(starts, ends, strict=True))


@given(st.lists(st.text(st.characters(codec="ascii", categories=["L", "N"]), min_size=1), max_size=6))
def test_a_word_does_not_depend_on_its_neighbours(given_words: list[str]) -> None:
    """The lemmas of a text are those of its words, one after another."""
    assert lemmas(" ".join(given_words)) == [lemma for word in given_words for lemma in lemmas(word)]


def test_a_very_long_word_is_left_alone() -> None:
    """No dictionary is asked for a word that nobody wrote by hand."""
    assert lemmas("Z" * 100_000) == ["z" * 100_000]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("O'Brien", "O'Connor", False),
        ("O'Brien", "O’Brien", True),
        ("firm's", "firm", True),
        ("firms'", "firm", True),
        ("caf\u00e9", "cafe\u0301", True),
        ("reten\u00adtion", "retention", True),
        ("\u0939\u093f\u0928\u094d\u0926\u0940", "\u0939", False),
    ],
)
def test_what_is_the_same_word(one: str, other: str, same: bool) -> None:  # noqa: FBT001 - a column of the table
    """Accents and soft hyphens do not cut a word, and an apostrophe is no end of a name."""
    assert (lemmas(one) == lemmas(other)) is same
    assert len(lemmas(one)) == len(spans(one)[0]) == 1
