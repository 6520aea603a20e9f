"""Completeness is the share of the question's keywords that stand in the answer (R2)."""

from fractions import Fraction

import pytest

import plumbrule
from plumbrule.verdicts.completeness import Completeness


def completeness(question: str, answer: str) -> Completeness:
    """Return the completeness of an answer by the rubric that ships."""
    found = plumbrule.score(question=question, answer=answer).completeness
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("question", "keywords"),
    [
        ("What is the holding period?", ("holding", "period")),
        ("How long is the period?", ("period",)),
        ("How many reports must firms file each year?", ("report", "firm", "file", "year")),
        ("Please explain the fees.", ("fee",)),
        ("Fee, fees and FEES?", ("fee",)),
        ("Is a long period good?", ("long", "period", "good")),
        ("What is it?", ()),
        ("", ()),
        ("?!", ()),
    ],
)
def test_keywords_are_the_content_of_the_question(question: str, keywords: tuple[str, ...]) -> None:
    """Question words, stop words, asking words and measures after 'how' are no keywords; each counts once."""
    assert completeness(question, "Anything.").keywords == keywords


@pytest.mark.parametrize(
    ("question", "answer", "share", "missing"),
    [
        ("What is the holding period?", "The period is held for a year.", Fraction(1), ()),
        ("What is the holding period?", "The period is a year.", Fraction(1, 2), ("holding",)),
        ("What is the holding period?", "A year.", Fraction(0), ("holding", "period")),
        ("Do fees apply?", "The fee applies.", Fraction(1), ()),
    ],
)
def test_keywords_are_found_by_lemma(question: str, answer: str, share: Fraction, missing: tuple[str, ...]) -> None:
    """R2: |K_Q in R| / |K_Q|; what is missing is named."""
    found = completeness(question, answer)
    assert (found.share, found.missing) == (share, missing)
    assert found.score == float(share)


def test_no_keyword_is_complete() -> None:
    """G4: an empty K_Q gives 1.0 and the flag no_keywords."""
    verdict = plumbrule.score(question="What is it?", answer="It is what it is.")
    assert verdict.completeness is not None
    assert verdict.completeness.score == 1.0
    assert "no_keywords" in verdict.flags


def test_an_empty_answer_is_incomplete() -> None:
    """G4: an empty answer gives 0, also where nothing could be missing."""
    assert completeness("What is it?", "").score == 0.0
    assert completeness("What is the fee?", " ").missing == ("fee",)


@pytest.mark.parametrize(("answer", "verdict"), [("a b c", "PASS"), ("a b", "WARN")])
def test_six_tenths_is_enough(answer: str, verdict: str) -> None:
    """R2: below 0.6 warns; 3 of 5 is 0.6 exactly and does not."""
    letters = {"a": "alpha", "b": "bravo", "c": "carrot"}
    said = " ".join(letters[letter] for letter in answer.split())
    assert plumbrule.score(question="alpha bravo carrot delta echo", answer=said, contexts=[said]).verdict == verdict
