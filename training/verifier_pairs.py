"""Pairs of evidence and sentence to fit a verifier to: those that people labelled, and those made by rule."""

import math
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from plumbrule.support.measures import MEASURES, Comparison
from plumbrule.support.word_lists import support_words
from training.data import Labelled
from training.rule_pairs import SOURCES, make_pairs
from training.table import compare_texts, label_of

_SHORTEST, _LONGEST = 3, 60  # words of a sentence that is learned from
_RULE_WEIGHT = 0.5  # of a made pair beside one that people labelled
_MADE = 4  # pairs that one sentence of a source gives, about
_WORDS = MEASURES.index("words")


class Pair(NamedTuple):
    """A sentence with its evidence, and whether the evidence supports it."""

    evidence: str
    sentence: str
    supported: bool
    weight: float


class Asked(NamedTuple):
    """A sentence that claims something, with its evidence: what a verifier is asked of an answer."""

    evidence: str
    sentence: str
    found: Comparison


def asked_of(answer: str, contexts: Sequence[str]) -> list[Asked]:
    """Return what the package asks a verifier of an answer; a sentence without evidence is asked with none."""
    compared, ground = compare_texts(answer, contexts)
    return [
        Asked(
            ground.text_of(each.window) if each.window is not None else "",
            answer[each.sentence.start : each.sentence.end],
            each,
        )
        for each in compared
        if each.claims
    ]


def labelled_pairs(rows: Sequence[Labelled]) -> list[Pair]:
    """Return the pairs of the answers that people judged; data sets and classes weigh the same."""
    found = [
        (row.data_set, asked.evidence, asked.sentence, supported)
        for row in rows
        for asked, supported in _labelled(row)
        if asked.evidence and _SHORTEST <= len(asked.sentence.split()) <= _LONGEST
    ]
    counts = Counter((data_set, supported) for data_set, _, _, supported in found)
    return [
        Pair(evidence, sentence, supported, len(found) / (len(counts) * counts[data_set, supported]))
        for data_set, evidence, sentence, supported in found
    ]


def _labelled(row: Labelled) -> Iterator[tuple[Asked, bool]]:
    """Give the sentences of which the label is known, or else the one with most words that no context has."""
    asked = asked_of(row.answer, row.contexts)
    labels = [label_of(row, each.found, len(asked)) for each in asked]
    yield from ((each, not label) for each, label in zip(asked, labels, strict=True) if not math.isnan(label))
    if any(map(math.isnan, labels)):
        yield max(asked, key=lambda each: each.found.measures[_WORDS]), False


def rule_pairs(rows: Sequence[Labelled], *, count: int, seed: int) -> list[Pair]:
    """Return up to ``count`` pairs made by rule, as many from each data set, and as many supported as not."""
    rng = random.Random(seed)  # noqa: S311 - a choice of examples, not a secret
    sets = sorted({row.data_set for row in rows})
    sources = min(len({row.source for row in rows if row.data_set == name}) for name in sets)
    each = math.ceil(count / len(sets) / (_MADE * min(sources, SOURCES)))
    made = list(dict.fromkeys(make_pairs(rows, support_words(), each=each)))
    chosen = []
    for data_set in sets:
        for unsupported in (False, True):
            alike = [pair for pair in made if pair.data_set == data_set and pair.unsupported is unsupported]
            chosen += rng.sample(alike, min(len(alike), count // (2 * len(sets))))
    return [
        Pair(asked[0].evidence, pair.sentence, not pair.unsupported, _RULE_WEIGHT)
        for pair in chosen
        if (asked := asked_of(pair.sentence, pair.contexts)) and asked[0].evidence
    ]
