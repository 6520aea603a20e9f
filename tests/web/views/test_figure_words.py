"""Figures and rules as the pages show them."""

import pytest

from plumbrule.web.views.figure_words import aligned, remark_words, rule_words, shown_figure, shown_score


def test_figures_of_a_column_have_the_same_decimals() -> None:
    """The one with the most decimals decides; what is not known is a dash, and whole numbers stay whole."""
    assert aligned([1, 0.428, None, 0.4]) == ["1.000", "0.428", "–", "0.400"]
    assert aligned([1_200, 3]) == ["1,200", "3"]
    assert aligned([]) == []


def test_a_figure_that_there_is_not_is_a_dash() -> None:
    """Never the word of the command line, and a figure is not rounded across its limit."""
    assert shown_figure(None) == "–"
    assert shown_figure(0.29996, against=0.3) == "0.29996"


def test_a_score_of_people_has_two_decimals() -> None:
    """The same on every page, so that 3.5 and 3.556 of two pages can be compared."""
    assert [shown_score(value) for value in (3.5, 3.5556, 4, None)] == ["3.50", "3.56", "4.00", "–"]


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("hallucination 0.71 > 0.30", "Share of numbers, dates and claims in no passage: 0.71, above 0.30"),
        ("support 0.12 < 0.30", "Probability that the passages support all of it: 0.12, below 0.30"),
        ("contradicted: '$35', the context says '$25'", "Contradicted: '$35', the context says '$25'"),
        ("", ""),
    ],
)
def test_a_rule_is_in_words(reason: str, words: str) -> None:
    """A score is named by what it measures; what is words already begins as a sentence does."""
    assert rule_words(reason) == words


def test_a_remark_on_a_verdict_has_its_rules_in_words() -> None:
    """Every rule that fired; other remarks stay as they are."""
    assert remark_words("Verdict FAIL: relevance 0.05 < 0.10; completeness 0.20 < 0.50") == (
        "Verdict fail: Words that question and answer share: 0.05, below 0.10; "
        "Share of the question's keywords answered: 0.20, below 0.50"
    )
    assert remark_words("Alert in the same week: a: b") == "Alert in the same week: a: b"
