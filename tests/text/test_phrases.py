"""Phrases are found as whole words, and quotations by their marks."""

import pytest

from plumbrule.text.phrases import contains_any, find_phrase, opens_with, quotations


@pytest.mark.parametrize(
    ("text", "phrase", "found"),
    [
        ("It might  be so.", "might be", ["might  be"]),
        ("MIGHT BE, might be", "might be", ["MIGHT BE", "might be"]),
        ("He mighty be", "might be", []),
        ("It isn’t so", "isn't", ["isn’t"]),
        ("This is not to be taken as advice.", "not * advice", ["not to be taken as advice"]),
        ("This is not at all meant or to be taken as advice.", "not * advice", []),
        ("not advice", "not * advice", ["not advice"]),
        ("Is it? (never)", "never", ["never"]),
        ("a.b aXb", "a.b", ["a.b"]),
    ],
)
def test_find_phrase(text: str, phrase: str, found: list[str]) -> None:
    """Case, spacing and apostrophes are no difference; a star leaves out a few words."""
    assert [each.group() for each in find_phrase(text, phrase)] == found


def test_any_and_opening() -> None:
    """Any of several phrases; nothing is found of none; an opening stands at the start."""
    assert contains_any("so be it", ["never", "be it"]) is not None
    assert contains_any("so be it", []) is None
    assert opens_with("In short, yes.", ["in short"])
    assert not opens_with("Yes, in short.", ["in short"])


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ('He said "never" twice.', ["never"]),
        ("He said “never” and «always».", ["never", "always"]),
        ("It's the firm's rule", []),
        ("the word 'never' is out", ["never"]),
        ("the word ‘never’ is out", ["never"]),
        ("Rule:\n> never sell\nYes.", [" never sell"]),
        ('an open " mark', []),
    ],
)
def test_quotations(text: str, inside: list[str]) -> None:
    """Double, typographic and single marks and quoted lines; an apostrophe opens nothing."""
    assert [text[start:end] for start, end in quotations(text)] == inside
