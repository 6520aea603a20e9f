"""Passages that conflict: the same thing said of the same subject, with different values."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, islice, product

from plumbrule.prescores.study import Study
from plumbrule.text.text_view import TextView
from plumbrule.text.values import Value, comparable, match_value

_MOST_PASSAGES = 20  # bounds the work on endless lists
_MOST_STATEMENTS = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """Two values for one thing: the passages, and where in each the value stands."""

    first: int
    one: Value
    second: int
    other: Value


@dataclass(frozen=True, slots=True, kw_only=True)
class _Statement:
    """A sentence of a passage with values in it, and the words that say what the values are about."""

    words: frozenset[str]
    values: tuple[Value, ...]


def find_conflicts(study: Study) -> Iterator[Conflict]:
    """Yield each pair of passages that give different values where the question asks."""
    stated = [list(islice(_statements(view, study), _MOST_STATEMENTS)) for view in study.passages[:_MOST_PASSAGES]]
    overlap = study.policy.compliance.grounding.conflict_overlap
    for first, second in combinations(range(len(stated)), 2):
        if _same_place(study, first, second):
            continue
        for one, other in product(stated[first], stated[second]):
            if not _alike(one.words, other.words, overlap):
                continue
            pair = _differing(one, other, study.passages[first].text, study.passages[second].text)
            if pair is not None:
                yield Conflict(first=first, one=pair[0], second=second, other=pair[1])
                break


def takes_side(study: Study, conflict: Conflict) -> bool:
    """Tell whether the answer gives one of the conflicting values: a conflict about other things is not its own."""
    sides = ((conflict.first, conflict.one), (conflict.second, conflict.other))
    return any(
        match_value(value, study.answer.text, side, study.passages[index].text) is not None
        for value in study.answer.values
        for index, side in sides
    )


def _same_place(study: Study, first: int, second: int) -> bool:
    """Tell whether two passages are one: an authority does not disagree with itself."""
    one, other = study.interaction.passages[first], study.interaction.passages[second]
    return one.text == other.text or (one.source_id is not None and one.source_id == other.source_id)


def _statements(view: TextView, study: Study) -> Iterator[_Statement]:
    """Yield the sentences that give a value for something that the question asks about."""
    share = study.policy.compliance.retrieval.relevant_from
    for sentence in view.sentences:
        values = tuple(value for value in view.values_between(sentence.start, sentence.end) if not value.weak)
        if not values:
            continue
        words = view.lemmas_beside(sentence.start) - study.policy.words.stop
        asked = len(words & study.keywords)
        if asked * share.denominator >= share.numerator * len(study.keywords):
            yield _Statement(words=words, values=values)


def _alike(one: frozenset[str], other: frozenset[str], overlap: Fraction) -> bool:
    shared, either = len(one & other), len(one | other)
    return shared > 0 and shared * overlap.denominator >= overlap.numerator * either


def _differing(one: _Statement, other: _Statement, text: str, other_text: str) -> tuple[Value, Value] | None:
    """Return two values of a kind that differ, where neither sentence has the other's."""
    for value in one.values:
        rivals = [rival for rival in other.values if comparable(value, rival)]
        if rivals and not any(
            match_value(value, text, rival, other_text) or match_value(rival, other_text, value, text)
            for rival in other.values
        ):
            return value, rivals[0]
    return None
