"""The hallucination score on labelled answers: claims by proximity, and by evidence as the recommended rubric does."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache, lru_cache
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np

from plumbrule.rubrics import Loaded, VerdictRubric, load_verdict
from plumbrule.samples.sample_model import Passage, Sample
from plumbrule.support.support_model import SupportModel
from plumbrule.support.support_scorer import SupportScorer, gives_support
from plumbrule.support.verifier import Verifier, open_verifier
from plumbrule.text.claims import Claim, extract_claims
from plumbrule.text.ratios import is_below
from plumbrule.text.text_view import TextView
from plumbrule.verdicts.lexicon import lexicon_of
from plumbrule.verdicts.verdict import VerdictScorer
from training.data import Labelled
from training.folds import Models
from training.ranking import SEED, Interval, drawn_weights, interval_of
from training.table import Array, tasks_of

RECOMMENDED = Path("recommended")  # the rubric that checks claims by evidence
_BATCH = 64


class Checked(NamedTuple):
    """The hallucination score of one answer, and whether the rubric fails it, by both ways to check a claim."""

    proximity: float
    failed_by_proximity: bool
    evidence: float
    failed_by_evidence: bool


def check_rows(rows: Sequence[Labelled], models: Models, verifier: Path | None = None) -> list[Checked]:
    """Score every row by both ways, the evidence by the model that never saw the row's data set, and a verifier."""
    work = []
    for tasks in tasks_of(rows).values():
        indices = sorted(chain.from_iterable(tasks.values()))
        for first in range(0, len(indices), _BATCH):
            some = indices[first : first + _BATCH]
            work.append((some, [rows[index] for index in some], models[rows[some[0]].data_set], verifier))
    found: dict[int, Checked] = {}
    with ProcessPoolExecutor() as pool:
        for (some, *_), checked in zip(
            work, pool.map(_check, *zip(*[each[1:] for each in work], strict=True)), strict=True
        ):
            found.update(zip(some, checked, strict=True))
    return [found[index] for index in range(len(rows))]


def sample_of(row: Labelled) -> Sample:
    """Return a labelled answer as the sample that a user would score."""
    return Sample(
        id=row.id,
        question=row.question,
        answer=row.answer,
        contexts=tuple(Passage(text=context) for context in row.contexts),
    )


class SupportedBy(VerdictScorer):
    """The scorer of the verdict with another model of support; two of them parse a batch once."""

    def __init__(self, loaded: Loaded[VerdictRubric], model: SupportModel, verifier: Verifier | None = None) -> None:
        super().__init__(loaded)
        if gives_support(loaded.rubric):
            self._support = SupportScorer(loaded.rubric.support, verifier, model=model)

    def _claims(self, answers: Sequence[TextView]) -> list[tuple[Claim, ...]]:
        return _claims_of(tuple(answer.text for answer in answers))


@lru_cache(maxsize=1)
def _claims_of(texts: tuple[str, ...]) -> list[tuple[Claim, ...]]:
    return extract_claims(texts, lexicon_of(load_verdict().rubric).claims)


@cache
def opened_verifier(folder: Path | None) -> Verifier | None:
    """Return the verifier of a folder, opened once in each process."""
    return open_verifier(folder) if folder else None


def _check(rows: Sequence[Labelled], model: SupportModel, verifier: Path | None) -> list[Checked]:
    scores = []
    for loaded in (load_verdict(overrides={"support.when": "never"}), load_verdict(RECOMMENDED)):
        limit = loaded.rubric.hallucination.fail_above
        verdicts = SupportedBy(loaded, model, opened_verifier(verifier)).score_many(map(sample_of, rows))
        scores.append([(each.hallucination.score, is_below(limit, each.hallucination.exact)) for each in verdicts])
    return [Checked(*one, *other) for one, other in zip(*scores, strict=True)]


def gain(rows: Sequence[Labelled], checked: Sequence[Checked]) -> Interval:
    """Return how far evidence is above proximity, the mean over all tasks, with its interval by source."""
    rng = np.random.default_rng(SEED)
    drawn = []
    for tasks in tasks_of(rows).values():
        weights_of = drawn_weights(rows, tasks, rng)
        for task, indices in tasks.items():
            weights = weights_of[task]
            bad = np.array([rows[index].unsupported for index in indices])
            better = np.array(
                [
                    float(checked[index].failed_by_evidence == rows[index].unsupported)
                    - float(checked[index].failed_by_proximity == rows[index].unsupported)
                    for index in indices
                ]
            )
            drawn.append(np.mean([_weighted_mean(better, weights * (bad == kind)) for kind in (False, True)], axis=0))
    ways = [[each.failed_by_proximity for each in checked], [each.failed_by_evidence for each in checked]]
    proximity, evidence = (flat_mean(balanced_accuracy(rows, failed)) for failed in ways)
    return interval_of(evidence - proximity, np.mean(drawn, axis=0))


def _weighted_mean(values: Array, weights: Array) -> Array:
    mean: Array = (weights @ values) / weights.sum(axis=1)
    return mean


def flat_mean(by_task: Mapping[str, Mapping[str, float]]) -> float:
    """Return the mean over all tasks, however many a data set has."""
    return float(np.mean([figure for tasks in by_task.values() for figure in tasks.values()]))


def balanced_accuracy(rows: Sequence[Labelled], failed: Sequence[bool]) -> dict[str, dict[str, float]]:
    """Return, by data set and task, the mean of the shares of either class that are told right."""
    return {
        data_set: {
            task: float(
                np.mean(
                    [
                        np.mean([failed[index] == bad for index in indices if rows[index].unsupported == bad])
                        for bad in (False, True)
                    ]
                )
            )
            for task, indices in tasks.items()
        }
        for data_set, tasks in tasks_of(rows).items()
    }
