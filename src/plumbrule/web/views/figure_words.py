"""Figures and rules as the pages show them: aligned in a column, and in words where the command line has a key."""

import re
from collections.abc import Iterable

from plumbrule.text.figure_format import figure, figures, score

NOTHING = "–"  # in place of a figure that there is not
_BY_SCORE = re.compile(r"(hallucination|relevance|completeness|support) (\S+) ([<>]) (\S+)")
_VERDICT = re.compile(r"(Verdict [^:]*): (.*)", re.DOTALL)
_SCORES = {
    "hallucination": "Share of numbers, dates and claims in no passage",
    "relevance": "Words that question and answer share",
    "completeness": "Share of the question's keywords answered",
    "support": "Probability that the passages support all of it",
}
_SIDES = {"<": "below", ">": "above"}


def shown_figure(value: float | None, *, against: float | None = None) -> str:
    """Return a figure as people read it, never rounded across its limit; a dash where there is none."""
    return NOTHING if value is None else figure(value, against=against)


def shown_score(value: float | None) -> str:
    """Return a score of people, or a measure of how far they agree, with two decimals; a dash where there is none."""
    return NOTHING if value is None else score(value)


def aligned(values: Iterable[float | None], *, against: float | None = None) -> list[str]:
    """Return figures that stand under or beside each other, all with as many decimals as the one that has most."""
    return [NOTHING if text is None else text for text in figures(*values, against=against)]


def rule_words(reason: str) -> str:
    """Return why a verdict is what it is, with the score that a rule is about in words."""
    fired = _BY_SCORE.fullmatch(reason)
    if fired is None:
        return reason[:1].upper() + reason[1:]
    score, value, sign, limit = fired.groups()
    return f"{_SCORES[score]}: {value}, {_SIDES[sign]} {limit}"


def remark_words(text: str) -> str:
    """Return a remark on an interaction; one on its verdict has the rules that fired in words."""
    verdict = _VERDICT.fullmatch(text)
    if verdict is None:
        return text
    return f"{verdict[1].capitalize()}: {'; '.join(map(rule_words, verdict[2].split('; ')))}"
