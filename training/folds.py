"""Leave one data set out: the model that never saw a data set, and the risks it gives that data set's answers."""

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from plumbrule.rubrics import load_verdict
from plumbrule.support.measures import MEASURES
from plumbrule.support.support_model import SupportModel
from plumbrule.support.support_scorer import Band, SupportScorer
from plumbrule.support.verifier import Verifier, open_verifier
from plumbrule.text.text_view import TextView
from training.data import Labelled
from training.support import PAIR_WEIGHT, Table, fit, scored_probability
from training.table import by_task, mean_of, tasks_of

Models = dict[str, SupportModel]
_CHUNK = 100  # rows that are scored together


def left_out(
    table: Table,
    *,
    measures: Sequence[str] = MEASURES,
    pair_weight: float = PAIR_WEIGHT,
    more: Sequence[float] = (),
) -> Models:
    """Return, for each data set, the model fitted on all others."""
    return {
        name: fit(table, leave_out=name, measures=measures, pair_weight=pair_weight, more=more)
        for name in tasks_of(table.rows)
    }


def risks_by(table: Table, models: Models) -> list[float]:
    """Return the risk of each row by the model that never saw its data set."""
    return [-probability for probability in answer_probabilities(table, models)]


def mean_auroc(table: Table, models: Models) -> float:
    """Return the AUROC of the left-out data sets, averaged over tasks and then data sets."""
    risks = ranks(risks_by(table, models))
    return mean_of(by_task(table.rows, lambda _: risks))


def with_length_power(models: Models, power: float) -> Models:
    """Return the models with another way to add up the sentences of an answer."""
    return {name: replace(model, length_power=power) for name, model in models.items()}


def ranks(risks: Sequence[float]) -> list[float]:
    """Return the place of each risk among all, equal for equal risks: also for those without end."""
    _, places = np.unique(np.array(risks), return_inverse=True)
    return [float(place) for place in places]


def answer_probabilities(table: Table, models: Models) -> list[float]:
    """Return the probability of support that each row gets, calibrated on the other data sets."""
    return [
        scored_probability(models[row.data_set], compared)
        for row, compared in zip(table.rows, table.compared, strict=True)
    ]


class Score(NamedTuple):
    """What the product's own scorer says of one row."""

    probability: float
    band: Band


def score_answers(rows: Sequence[Labelled], models: Models, folder: Path | None) -> list[Score]:
    """Return what each row gets from the product's own scorer, perhaps with the verifier in a folder."""
    jobs = [(folder, models, rows[start : start + _CHUNK]) for start in range(0, len(rows), _CHUNK)]
    with ProcessPoolExecutor() as pool:
        return [score for scores in pool.map(_score, jobs) for score in scores]


def _score(job: tuple[Path | None, Models, Sequence[Labelled]]) -> list[Score]:
    folder, models, rows = job
    rules = load_verdict().rubric.support
    verifier = _opened(folder) if folder is not None else None
    scorers = {name: SupportScorer(rules, verifier, model=model) for name, model in models.items()}
    scored = [
        scorers[row.data_set].score(TextView(row.answer), [*map(TextView, row.contexts)], row.question) for row in rows
    ]
    return [Score(each.score, each.band) if each is not None else Score(1.0, "supported") for each in scored]


@lru_cache(maxsize=1)
def _opened(folder: Path) -> Verifier:
    return open_verifier(folder)
