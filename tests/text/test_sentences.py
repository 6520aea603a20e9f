"""Sentences are found by rule, with their places."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbrule.text.sentences import Sentence, sentences


def said(text: str) -> list[str]:
    """Return the text of each sentence."""
    return [text[start:end] for start, end in sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n\n ", []),
        ("No end mark", ["No end mark"]),
        ("One. Two! Three? Four…", ["One.", "Two!", "Three?", "Four…"]),
        ("The fee is $3.50 today. It rose.", ["The fee is $3.50 today.", "It rose."]),
        ("Mr. Smith met Dr. Jones.", ["Mr. Smith met Dr. Jones."]),
        ("J. Smith signed. He left.", ["J. Smith signed.", "He left."]),
        ("Fees, e.g. for wires, apply. See no. 5.", ["Fees, e.g. for wires, apply.", "See no. 5."]),
        ("It opens at 9 a.m. on Monday. It closes.", ["It opens at 9 a.m. on Monday.", "It closes."]),
        ('He said "stop." Then he left.', ['He said "stop."', "Then he left."]),
        ("It applies [1]. It ends. [2, 3] So be it.", ["It applies [1].", "It ends. [2, 3]", "So be it."]),
        ("He waited ... and left.", ["He waited ... and left."]),
        ("これは。それは。", ["これは。", "それは。"]),
    ],
)
def test_end_marks_end_sentences(text: str, expected: list[str]) -> None:
    """An end mark before white space ends a sentence, unless it belongs to an abbreviation or a number."""
    assert said(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("First paragraph\n\nSecond paragraph", ["First paragraph", "Second paragraph"]),
        ("one line\nthat goes on", ["one line\nthat goes on"]),
        ("- the first\n- the second", ["the first", "the second"]),
        ("* one\n• two\n– three", ["one", "two", "three"]),
        ("1. Keep records.\n2. File reports.", ["Keep records.", "File reports."]),
        ("(1) one\n(2) two", ["one", "two"]),
        ("# Title\nText", ["Title\nText"]),
        ("Note:\nthe fee", ["Note:", "the fee"]),
        ("| fee | 30 |\n| cap | 90 |", ["fee | 30 |", "cap | 90 |"]),
    ],
)
def test_layout_ends_sentences(text: str, expected: list[str]) -> None:
    """Blank lines, list items and table rows are sentences of their own; their markers are left out."""
    assert said(text) == expected


def test_a_marker_is_not_part_of_a_sentence() -> None:
    """Offsets point at the words, after the marker and before trailing white space."""
    assert sentences("- Keep it.  \n") == [Sentence(2, 10)]


@given(st.text(st.sampled_from("aB1 .!?…\n\t-*[](),\"”'。|>#:;")))
def test_sentences_are_disjoint_and_ordered(text: str) -> None:
    """Sentences follow each other without overlap and neither begin nor end with white space."""
    edges = [edge for sentence in sentences(text) for edge in sentence]
    assert edges == sorted(edges)
    assert all(0 <= edge <= len(text) for edge in edges)
    assert all(words and words == words.strip() for words in said(text))


@given(st.text())
def test_no_word_is_lost(text: str) -> None:
    """Every letter and digit stands in a sentence, but for the numbers of list markers."""
    inside = {place for start, end in sentences(text) for place in range(start, end)}
    assert all(place in inside for place, sign in enumerate(text) if sign.isalpha())
