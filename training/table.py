"""The measures of every labelled sentence, and how a model's risks rank the answers."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import NamedTuple

import numpy as np
from sklearn.metrics import roc_auc_score

from plumbrule.support.binding.bound_answer import BoundSentence, bind
from plumbrule.support.evidence_index import Ground
from plumbrule.support.measures import Comparison, compare
from plumbrule.support.word_lists import support_words
from plumbrule.text.text_view import TextView
from training.data import Labelled
from training.rule_pairs import Pair

Array = np.ndarray[tuple[int, ...], np.dtype[np.float64]]
_WORD = re.compile(r"\w+")


class Compared(NamedTuple):
    """One answer's sentences: the measures of those that claim something, their places, and their labels."""

    measures: list[tuple[float, ...]]
    places: list[tuple[int, int]]
    labels: list[float]  # 1: unsupported; NaN: in an unsupported answer, and nobody said which sentence
    bound: list[BoundSentence]  # what binding makes of them, where it decides; else empty


def compare_rows(rows: Sequence[Labelled]) -> list[Compared]:
    """Return the measures of every row, worked out by all cores."""
    with ProcessPoolExecutor() as pool:
        return list(pool.map(compare_row, rows, chunksize=50))


def compare_row(row: Labelled) -> Compared:
    """Return the measures of one row."""
    compared = compare_texts(row.answer, row.contexts)[0]
    found = [each for each in compared if each.claims]
    contexts = [TextView(context) for context in row.contexts]
    binding = bind(row.question, TextView(row.answer), contexts, compared=compared)
    bound = {each.sentence.start: each for each in binding.sentences}
    return Compared(
        measures=[each.measures for each in found],
        places=[(each.sentence.start, each.sentence.end) for each in found],
        labels=[label_of(row, each, len(found)) for each in found],
        bound=[bound[each.sentence.start] for each in found] if binding.decides else [],
    )


def compare_pairs(pairs: Sequence[Pair]) -> list[tuple[float, ...]]:
    """Return the measures of made sentences."""
    with ProcessPoolExecutor() as pool:
        return list(pool.map(_pair_measures, pairs, chunksize=50))


def _pair_measures(pair: Pair) -> tuple[float, ...]:
    found, _ = compare_texts(pair.sentence, pair.contexts)
    return tuple(max(values) for values in zip(*[each.measures for each in found], strict=True))


def compare_texts(answer: str, contexts: Sequence[str]) -> tuple[list[Comparison], Ground]:
    """Return what became of each sentence of an answer, and the ground it was compared with."""
    known = support_words()
    ground = Ground([TextView(context) for context in contexts], known)
    return compare(TextView(answer), ground, known), ground


def label_of(row: Labelled, found: Comparison, count: int) -> float:
    """Return the label of one of so many sentences: NaN where the answer is unsupported and nobody said which is."""
    if row.spans:
        return float(any(start < found.sentence.end and found.sentence.start < end for start, end in row.spans))
    if not row.unsupported:
        return 0.0
    return 1.0 if count == 1 else math.nan


def word_overlap(row: Labelled) -> float:
    """Return the trivial baseline: the share of the answer's words that stand nowhere in its contexts."""
    said = _WORD.findall(row.answer.lower())
    known = set(_WORD.findall(" ".join(row.contexts).lower()))
    return sum(word not in known for word in said) / max(1, len(said))


def tasks_of(rows: Sequence[Labelled]) -> dict[str, dict[str, list[int]]]:
    """Return the rows of each task of each data set."""
    found: dict[str, dict[str, list[int]]] = {}
    for index, row in enumerate(rows):
        found.setdefault(row.data_set, {}).setdefault(row.task, []).append(index)
    return {name: found[name] for name in sorted(found)}


def ranked(rows: Sequence[Labelled], risks: Sequence[float], indices: Sequence[int]) -> float:
    """Return the AUROC of these rows' risks."""
    return float(roc_auc_score([rows[index].unsupported for index in indices], [risks[index] for index in indices]))


def by_task(rows: Sequence[Labelled], risks_of: Callable[[str], Sequence[float]]) -> dict[str, dict[str, float]]:
    """Return the AUROC of each task, by the risks that are given for its data set."""
    return {
        data_set: {task: ranked(rows, risks_of(data_set), indices) for task, indices in tasks.items()}
        for data_set, tasks in tasks_of(rows).items()
    }


def mean_of(figures: Mapping[str, Mapping[str, float]]) -> float:
    """Return the mean over tasks, then over data sets."""
    return float(np.mean([np.mean(list(tasks.values())) for tasks in figures.values()]))
