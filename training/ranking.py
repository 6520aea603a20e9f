"""How the answers are ranked: AUROC by task with its interval, and within the answers of one generator."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from training.data import Labelled
from training.folds import ranks
from training.table import Array, by_task, mean_of, ranked, tasks_of

DRAWS = 1000
LEAST = 5  # answers of either class, for an AUROC within a generator and task
SEED = 20_240_229
_GENERATED = "ragtruth"

Columns = Mapping[str, Sequence[float]]  # by the name of a score, the risk of each row


class Interval(NamedTuple):
    """A mean with the bounds between which 95% of the draws lie."""

    mean: float
    low: float
    high: float


def auroc(rows: Sequence[Labelled], columns: Columns) -> dict[str, dict[str, dict[str, float]]]:
    """Return the AUROC of each column by data set and task."""
    placed = {name: ranks(risks) for name, risks in columns.items()}
    return {name: by_task(rows, lambda _, risks=risks: risks) for name, risks in placed.items()}  # type: ignore[misc]


def intervals(rows: Sequence[Labelled], support: Sequence[float], overlap: Sequence[float]) -> dict[str, Interval]:
    """Return the mean AUROC of support, and how far it is above overlap, with intervals from drawing sources again."""
    drawn: dict[str, list[Array]] = {"support": [], "overlap": []}
    rng = np.random.default_rng(SEED)
    for tasks in tasks_of(rows).values():
        of_set: dict[str, list[Array]] = {"support": [], "overlap": []}
        for indices in tasks.values():
            weights = drawn_weights([rows[index].source for index in indices], rng)
            labels = np.array([float(rows[index].unsupported) for index in indices])
            of_set["support"].append(_weighted_auroc(labels, _part(support, indices), weights))
            of_set["overlap"].append(_weighted_auroc(labels, _part(overlap, indices), weights))
        for name, figures in of_set.items():
            drawn[name].append(np.mean(figures, axis=0))
    means = {name: np.mean(figures, axis=0) for name, figures in drawn.items()}
    whole = {name: mean_of(figures) for name, figures in auroc(rows, {"support": support, "overlap": overlap}).items()}
    return {
        "support": interval_of(whole["support"], means["support"]),
        "above overlap": interval_of(whole["support"] - whole["overlap"], means["support"] - means["overlap"]),
    }


def interval_of(mean: float, draws: Array) -> Interval:
    """Return a mean with the bounds that its draws give it."""
    low, high = np.percentile(draws, [2.5, 97.5])
    return Interval(mean, float(low), float(high))


def _part(risks: Sequence[float], indices: Sequence[int]) -> Array:
    return np.array(ranks([risks[index] for index in indices]))


def drawn_weights(sources: Sequence[str], rng: np.random.Generator) -> Array:
    """Return how often each row is drawn, in each draw, when sources are drawn with replacement."""
    _, owner = np.unique(np.array(sources, dtype=object), return_inverse=True)
    number = int(owner.max()) + 1
    times = rng.multinomial(number, np.full(number, 1.0 / number), size=DRAWS)
    return times[:, owner].astype(float)


def _weighted_auroc(labels: Array, risks: Array, weights: Array) -> Array:
    """Return the AUROC of each draw; a tie counts one half."""
    order = np.argsort(risks, kind="stable")
    starts = np.flatnonzero(np.diff(risks[order], prepend=-1.0))
    bad = np.add.reduceat(weights[:, order] * labels[order], starts, axis=1)
    good = np.add.reduceat(weights[:, order] * (1.0 - labels[order]), starts, axis=1)
    below = np.cumsum(good, axis=1) - good / 2
    figures: Array = (bad * below).sum(axis=1) / (bad.sum(axis=1) * good.sum(axis=1))
    return figures


class Within(NamedTuple):
    """The AUROC within generators: by task and column, and in how many cells of generator and task it could be told."""

    by_task: dict[str, dict[str, float]]
    told: dict[str, int]
    cells: int
    by_cell_alone: float  # the AUROC of knowing nothing but generator and task


def within_generator(rows: Sequence[Labelled], columns: Columns) -> Within:
    """Return the mean over generators of the AUROC within each generator and task."""
    cells: dict[tuple[str, str], list[int]] = {}
    for index, row in enumerate(rows):
        if row.data_set == _GENERATED:
            cells.setdefault((row.task, row.generator or ""), []).append(index)
    usable = {
        cell: indices
        for cell, indices in cells.items()
        if LEAST <= sum(rows[index].unsupported for index in indices) <= len(indices) - LEAST
    }
    tasks = list(dict.fromkeys(task for task, _ in usable))
    placed = {name: ranks(risks) for name, risks in columns.items()}
    figures = {
        task: {
            name: float(np.mean([ranked(rows, risks, indices) for (of, _), indices in usable.items() if of == task]))
            for name, risks in placed.items()
        }
        for task in tasks
    }
    shares = [0.0] * len(rows)
    for indices in cells.values():
        for index in indices:
            shares[index] = sum(rows[each].unsupported for each in indices) / len(indices)
    return Within(
        by_task=figures,
        told={task: sum(of == task for of, _ in usable) for task in tasks},
        cells=len(cells),
        by_cell_alone=ranked(rows, shares, [index for indices in cells.values() for index in indices]),
    )
