"""How the answers are ranked: AUROC by task with its interval, and within the answers of one generator."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from plumbrule.stats.quantiles import t_quantile
from training.data import Labelled
from training.folds import ranks
from training.table import Array, by_task, ranked, tasks_of

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
    """Return the mean AUROC of support, and how far it is above overlap, with intervals from drawing sources again.

    Those are for other answers of the same data sets. The figures ``new`` are for a data set that is not among them:
    one more draw from where these come from, by Student's t of the data sets' own means.
    """
    drawn: dict[str, list[Array]] = {"support": [], "overlap": []}
    rng = np.random.default_rng(SEED)
    for tasks in tasks_of(rows).values():
        of_set: dict[str, list[Array]] = {"support": [], "overlap": []}
        weights = drawn_weights(rows, tasks, rng)
        for task, indices in tasks.items():
            labels = np.array([float(rows[index].unsupported) for index in indices])
            of_set["support"].append(weighted_auroc(labels, _part(support, indices), weights[task]))
            of_set["overlap"].append(weighted_auroc(labels, _part(overlap, indices), weights[task]))
        for name, figures in of_set.items():
            drawn[name].append(np.mean(figures, axis=0))
    means = {name: np.mean(figures, axis=0) for name, figures in drawn.items()}
    by_set = {
        name: np.array([np.mean(list(tasks.values())) for tasks in figures.values()])
        for name, figures in auroc(rows, {"support": support, "overlap": overlap}).items()
    }
    above = by_set["support"] - by_set["overlap"]
    return {
        "support": interval_of(float(by_set["support"].mean()), means["support"]),
        "above overlap": interval_of(float(above.mean()), means["support"] - means["overlap"]),
        "support, new": _new_interval(by_set["support"], low=0.0),
        "above overlap, new": _new_interval(above, low=-1.0),
    }


def interval_of(mean: float, draws: Array) -> Interval:
    """Return a mean with the bounds that its draws give it; a draw without both classes tells nothing."""
    low, high = np.nanpercentile(draws, [2.5, 97.5])
    return Interval(mean, float(low), float(high))


def _new_interval(figures: Array, *, low: float) -> Interval:
    """Return where the figure of one more data set lies in 95%: mean -+ t s sqrt(1 + 1 / k), within ``low`` and 1."""
    count, mean = len(figures), float(figures.mean())
    if count < 2:
        return Interval(mean, low, 1.0)
    reach = t_quantile(0.975, count - 1) * float(figures.std(ddof=1)) * math.sqrt(1 + 1 / count)
    return Interval(mean, max(low, mean - reach), min(1.0, mean + reach))


def _part(risks: Sequence[float], indices: Sequence[int]) -> Array:
    return np.array(ranks([risks[index] for index in indices]))


def drawn_weights(
    rows: Sequence[Labelled], tasks: Mapping[str, Sequence[int]], rng: np.random.Generator
) -> dict[str, Array]:
    """Return for each task of a data set how often each of its rows is drawn, in each draw.

    Sources are drawn with replacement, for all tasks of the data set at once: some share them.
    """
    everything = [index for indices in tasks.values() for index in indices]
    _, owner = np.unique(np.array([rows[index].origin for index in everything], dtype=object), return_inverse=True)
    number = int(owner.max()) + 1
    times = rng.multinomial(number, np.full(number, 1.0 / number), size=DRAWS)
    place = {index: owner[position] for position, index in enumerate(everything)}
    return {task: times[:, [place[index] for index in indices]].astype(float) for task, indices in tasks.items()}


def weighted_auroc(labels: Array, risks: Array, weights: Array) -> Array:
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
