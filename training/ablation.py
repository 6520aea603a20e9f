"""What each part of the support score is worth: the mean AUROC of the left-out data sets without it, or with more."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from plumbrule.support.measures import MEASURES
from training.folds import left_out, mean_auroc, with_length_power
from training.support import Table
from training.table import Compared, by_task, mean_of
from training.tried import TRIED, only, with_tried

LENGTH_POWERS = (0.0, 0.5, 0.7, 1.0)


def without_each(table: Table) -> Iterator[tuple[str, float]]:
    """Yield what was left out with the mean AUROC that is left: each measure, then the made sentences."""
    for name in MEASURES:
        models = left_out(table, measures=[other for other in MEASURES if other != name])
        yield f"without `{name}`", mean_auroc(table, models)
    yield "without the sentences made by rule", mean_auroc(table, left_out(table, pair_weight=0.0))


def by_level(table: Table) -> Iterator[tuple[str, float]]:
    """Yield the mean AUROC where an answer is one sentence with the mean measures, and by power of the length."""
    whole = table._replace(
        compared=[_as_one(each, float(row.unsupported)) for row, each in zip(table.rows, table.compared, strict=True)]
    )
    yield "answer level: the mean of each measure, as one sentence", mean_auroc(whole, left_out(whole))
    models = left_out(table)
    for power in LENGTH_POWERS:
        yield f"sentence level, length power {power:g}", mean_auroc(table, with_length_power(models, power))


class Trial(NamedTuple):
    """What became of one measure that was tried: by itself, and added to the model."""

    what: str
    alone: float  # the AUROC of its mean over the sentences
    weights: tuple[float, float]  # the least and the greatest that a left-out model gives it
    added: float
    added_unmade: float  # the same, fitted without the sentences made by rule


def with_each(table: Table) -> Iterator[Trial]:
    """Yield what was tried, with the mean AUROC by itself and of the model that has it as well."""
    wide = with_tried(table)
    for index, tried in enumerate(TRIED):
        some = only(wide, index, len(MEASURES))
        models = left_out(some, more=[tried.sign])
        weights = [model.weights[-1] for model in models.values()]
        risks = [
            tried.sign * float(np.mean([row[-1] for row in each.measures])) if each.measures else -1.0
            for each in some.compared
        ]
        yield Trial(
            what=tried.what,
            alone=mean_of(by_task(table.rows, lambda _, risks=risks: risks)),  # type: ignore[misc]
            weights=(min(weights), max(weights)),
            added=mean_auroc(some, models),
            added_unmade=mean_auroc(some, left_out(some, more=[tried.sign], pair_weight=0.0)),
        )


def _as_one(compared: Compared, label: float) -> Compared:
    if not compared.measures:
        return compared
    means = tuple(float(mean) for mean in np.mean(compared.measures, axis=0))
    return Compared(
        measures=[means],
        places=[(compared.places[0][0], compared.places[-1][1])],
        labels=[label],
        bound=sorted(compared.bound, key=lambda each: each.log_odds)[:1],
    )
