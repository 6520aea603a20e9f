"""Relevance: how much of the question's wording the answer takes up."""

from collections.abc import Sequence
from dataclasses import dataclass

from plumbrule.text.similarity import compare_tokens

_DECIMALS = 12  # what is printed is what was compared, on every platform


@dataclass(frozen=True, slots=True, kw_only=True)
class Relevance:
    """The mean of TF-IDF cosine and Jaccard between question and answer."""

    score: float
    cosine: float
    jaccard: float


def score_relevance(question: Sequence[str], answer: Sequence[str]) -> Relevance:
    """Compare the tokens of a question with those of its answer."""
    cosine, jaccard = compare_tokens(question, answer)
    return Relevance(
        score=round((cosine + jaccard) / 2, _DECIMALS),
        cosine=round(cosine, _DECIMALS),
        jaccard=round(jaccard, _DECIMALS),
    )
