"""Measures that were tried and left out of the support score: each is worked out here so that its worth can be seen."""

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import pairwise
from typing import NamedTuple

from plumbrule.support.evidence_index import Ground
from plumbrule.support.measures import Comparison, compare
from plumbrule.support.word_lists import SupportWords, support_words
from plumbrule.text.text_view import TextView
from training.support import Table

_HEDGES = frozenset({
    "may", "might", "could", "perhaps", "possibly", "probably", "likely", "seem", "appear", "suggest", "generally",
    "usually", "often", "typically",
})  # fmt: skip
_LONGEST = 120  # words of a sentence or of its evidence that are compared in order


class Tried(NamedTuple):
    """What was tried, and whether more of it should raise the risk or lower it."""

    what: str
    sign: float


TRIED = (
    Tried("pairs of neighbouring content words that the evidence does not have side by side", 1.0),
    Tried("words outside the longest common subsequence with the evidence", 1.0),
    Tried("shared words that stand in another order than in the evidence", 1.0),
    Tried("verbs with the content word before or after them, never in one unit of the contexts", 1.0),
    Tried("names that the contexts have, but not the evidence", 1.0),
    Tried("hedges (may, probably, seems)", -1.0),
)


def with_tried(table: Table) -> Table:
    """Return the table with the tried measures as further columns."""
    with ProcessPoolExecutor() as pool:
        rows = [(row.answer, row.contexts) for row in table.rows]
        found = list(pool.map(_of_answer, *zip(*rows, strict=True), chunksize=50))
        pairs = [(pair.sentence, pair.contexts) for pair in table.pairs]
        of_pairs = list(pool.map(_of_pair, *zip(*pairs, strict=True), chunksize=50))
    compared = [
        each._replace(measures=[(*old, *new) for old, new in zip(each.measures, more, strict=True)])
        for each, more in zip(table.compared, found, strict=True)
    ]
    made = [(*old, *new) for old, new in zip(table.pair_measures, of_pairs, strict=True)]
    return table._replace(compared=compared, pair_measures=made)


def only(table: Table, index: int, columns: int) -> Table:
    """Return the table with one of the tried columns behind the measures of the score."""
    compared = [
        each._replace(measures=[(*row[:columns], row[columns + index]) for row in each.measures])
        for each in table.compared
    ]
    made = [(*row[:columns], row[columns + index]) for row in table.pair_measures]
    return table._replace(compared=compared, pair_measures=made)


def _of_answer(answer: str, contexts: Sequence[str]) -> list[tuple[float, ...]]:
    known = support_words()
    view = TextView(answer)
    ground = Ground([TextView(context) for context in contexts], known)
    return [_measures(view, each, ground, known) for each in compare(view, ground, known) if each.claims]


def _of_pair(sentence: str, contexts: Sequence[str]) -> tuple[float, ...]:
    """Return the greatest of each measure, as the table has it for made sentences."""
    known = support_words()
    view = TextView(sentence)
    ground = Ground([TextView(context) for context in contexts], known)
    found = [_measures(view, each, ground, known) for each in compare(view, ground, known)]
    return tuple(max(values) for values in zip(*found, strict=True))


def _measures(view: TextView, each: Comparison, ground: Ground, known: SupportWords) -> tuple[float, ...]:
    first, last = view.words_between(each.sentence.start, each.sentence.end)
    said = view.lemmas[first:last]
    evidence = TextView(ground.text_of(each.window)).lemmas if each.window is not None else []
    content = [lemma for lemma in said if lemma not in known.stop]
    there = [lemma for lemma in evidence if lemma not in known.stop]
    short, long = content[:_LONGEST], there[: 3 * _LONGEST]
    common = _common_subsequence(short, long)
    shared = sum(lemma in set(long) for lemma in short)
    names = {
        view.lemmas[index]
        for index in range(first + 1, last)
        if view.text[view.spans[0][index]].isupper() and view.lemmas[index] not in known.stop
    }
    astray = [name for name in names if name in ground.where and name not in set(evidence)]
    return (
        _share(set(pairwise(content)) - set(pairwise(there)), set(pairwise(content))),
        1.0 - common / len(short) if short else 0.0,
        1.0 - common / shared if shared else 0.0,
        _broken_relations(content, ground, known),
        min(3.0, float(len(astray))),
        float(not _HEDGES.isdisjoint(said)),
    )


def _broken_relations(content: Sequence[str], ground: Ground, known: SupportWords) -> float:
    """Return the share of verbs' neighbours, both known to the contexts, that no unit has together with the verb."""
    relations = {
        (verb, content[index + step])
        for index, verb in enumerate(content)
        for step in (-1, 1)
        if known.thesaurus.kind(verb) == "v" and 0 <= index + step < len(content)
    }
    broken = {
        (verb, other)
        for verb, other in relations
        if set(ground.where.get(verb, ())).isdisjoint(ground.where.get(other, ()))
    }
    return _share(broken, relations)


def _share(part: set[tuple[str, str]], whole: set[tuple[str, str]]) -> float:
    return len(part) / len(whole) if whole else 0.0


def _common_subsequence(one: Sequence[str], other: Sequence[str]) -> int:
    """Return the length of the longest common subsequence."""
    before = [0] * (len(other) + 1)
    for word in one:
        row = [0]
        for index, met in enumerate(other):
            row.append(before[index] + 1 if met == word else max(row[index], before[index + 1]))
        before = row
    return before[-1]
