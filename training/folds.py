"""Leave one data set out: the model that never saw a data set, and the risks it gives that data set's answers."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from plumbrule.support.measures import MEASURES
from plumbrule.support.support_model import SupportModel
from training.support import PAIR_WEIGHT, Table, fit, scored_probability
from training.table import by_task, mean_of, tasks_of

Models = dict[str, SupportModel]


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
