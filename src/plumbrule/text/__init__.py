"""Pure functions on text: tokens, sentences, numbers, dates, claims, similarity."""

from plumbrule.text.claims import Claim, ClaimWords, Phrase, extract_claims
from plumbrule.text.dates import Date
from plumbrule.text.numbers import Number
from plumbrule.text.ratios import is_below, ratio
from plumbrule.text.sentences import Sentence
from plumbrule.text.similarity import compare_tokens, containment
from plumbrule.text.text_view import TextView, ViewCache
from plumbrule.text.tokens import lemmas
from plumbrule.text.values import Match, Value, comparable, lookup_keys, match_value

__all__ = [
    "Claim",
    "ClaimWords",
    "Date",
    "Match",
    "Number",
    "Phrase",
    "Sentence",
    "TextView",
    "Value",
    "ViewCache",
    "comparable",
    "compare_tokens",
    "containment",
    "extract_claims",
    "is_below",
    "lemmas",
    "lookup_keys",
    "match_value",
    "ratio",
]
