"""Completeness: how many of the question's keywords stand in the answer."""

from dataclasses import dataclass
from fractions import Fraction

from plumbrule.text.ratios import ratio
from plumbrule.text.text_view import TextView
from plumbrule.text.tokens import words as words_of

_NONE, _ALL = ratio(0, 1), ratio(1, 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicWords:
    """The lemmas that carry no topic; they come from the rubric."""

    stop: frozenset[str]
    asking: frozenset[str]
    measure: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Completeness:
    """The share of keywords found; no keyword at all counts as complete."""

    share: Fraction
    keywords: tuple[str, ...]
    missing: tuple[str, ...]

    @property
    def score(self) -> float:
        """The share as a number."""
        return float(self.share)


def score_completeness(question: TextView, answer: TextView, words: TopicWords) -> Completeness:
    """Look for each keyword of the question among the lemmas of the answer; an empty answer covers nothing."""
    keywords = question.by(extract_keywords, words)
    content = answer.content_set  # enough to search, since no keyword is a stop word
    missing = tuple([shown for lemma, shown in keywords.items() if lemma not in content])
    if missing or not answer.lemmas:
        share = ratio(len(keywords) - len(missing), len(keywords)) if keywords else _NONE
    else:
        share = _ALL
    return Completeness(share=share, keywords=tuple(keywords.values()), missing=missing)


def extract_keywords(question: TextView, words: TopicWords) -> dict[str, str]:
    """Return the content lemmas of a question in order, each with the word that is shown for it.

    A noun phrase enters by its content lemmas, since keywords are compared with tokens.
    """
    keywords: dict[str, str] = {}
    before = ""
    for word, lemma in zip(words_of(question.text), question.lemmas, strict=True):
        asks_measure = before == "how" and lemma in words.measure
        before = lemma
        if asks_measure or lemma in words.stop or lemma in words.asking:
            continue
        if lemma not in keywords:
            keywords[lemma] = _shown(word, lemma)
    return keywords


def _shown(word: str, lemma: str) -> str:
    """Show a participle as it was asked for ("holding period"), any other word by its lemma."""
    folded = word.casefold()
    return folded if folded.endswith(("ing", "ed")) else lemma
