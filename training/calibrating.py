"""Whether the probabilities come true on data sets that the model never saw, before and after some of their labels."""

import random
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from plumbrule.support.calibration import Bin, Curve, Example, calibration_error, fit_curve, log_odds_of, reliability
from plumbrule.support.support_scorer import Band
from training.data import Labelled
from training.folds import Models, answer_probabilities
from training.support import Table, scored_log_odds
from training.table import tasks_of

LABELS = 200
DRAWS = 300  # thirty move the mean by as much as 0.007


class Calibrated(NamedTuple):
    """The expected calibration error on one left-out data set."""

    unsupported: float
    before: float
    prior: float  # with nothing but the data set's own share of unsupported answers
    after: float  # labels drawn at random, measured on all other answers: the mean of the draws
    worst: float
    elsewhere: float  # labels drawn from one half of the sources, measured on the answers of the other half
    floor: float  # what a perfect probability would show on as many answers as those of one half


def calibrate_sets(table: Table, models: Models) -> dict[str, Calibrated]:
    """Return the calibration error of each left-out data set."""
    return {name: _calibrate(table, models, name) for name in tasks_of(table.rows)}


def _calibrate(table: Table, models: Models, name: str) -> Calibrated:
    model = models[name]
    rows = [row for row in table.rows if row.data_set == name]
    raw = [
        scored_log_odds(model, compared)
        for row, compared in zip(table.rows, table.compared, strict=True)
        if row.data_set == name
    ]
    before = [
        probability
        for row, probability in zip(table.rows, answer_probabilities(table, models), strict=True)
        if row.data_set == name
    ]
    share = sum(row.unsupported for row in rows) / len(rows)
    moved = model.answers.moved(log_odds_of(1 - share) - log_odds_of(1 - model.unsupported_share))
    every = range(len(rows))
    after, elsewhere, floors = [], [], []
    for draw in range(DRAWS):
        rng = random.Random(f"{name} {draw}")  # noqa: S311 - no secret
        labelled, others = _by_source(rows, rng)
        curve = _fitted(rows, raw, labelled, model.answers.tail_slope)
        elsewhere.append(_error(rows, raw, curve, others))
        probabilities = _probabilities(raw, curve, others)
        floors.append(calibration_error(probabilities, [rng.random() < each for each in probabilities]))
        labelled, others = _by_answer(rows, rng)
        after.append(_error(rows, raw, _fitted(rows, raw, labelled, model.answers.tail_slope), others))
    return Calibrated(
        unsupported=share,
        before=calibration_error(before, [not row.unsupported for row in rows]),
        prior=_error(rows, raw, moved, every),
        after=float(np.mean(after)),
        worst=max(after),
        elsewhere=float(np.mean(elsewhere)),
        floor=float(np.mean(floors)),
    )


def _fitted(rows: Sequence[Labelled], raw: Sequence[float | None], labelled: Sequence[int], tail_slope: float) -> Curve:
    """Return the curve of some labels; an answer that claims nothing tells it nothing."""
    return fit_curve(
        [Example(log_odds, not rows[index].unsupported) for index in labelled if (log_odds := raw[index]) is not None],
        tail_slope,
    )


def _by_answer(rows: Sequence[Labelled], rng: random.Random) -> tuple[list[int], list[int]]:
    """Return rows to label, and all the others."""
    labelled = rng.sample(range(len(rows)), LABELS)
    return labelled, sorted(set(range(len(rows))).difference(labelled))


def _by_source(rows: Sequence[Labelled], rng: random.Random) -> tuple[list[int], list[int]]:
    """Return rows to label, from one half of the sources, and all rows of the other half."""
    sources = sorted({row.origin for row in rows})
    half = set(rng.sample(sources, len(sources) // 2))
    inside = [index for index, row in enumerate(rows) if row.origin in half]
    others = [index for index, row in enumerate(rows) if row.origin not in half]
    return rng.sample(inside, min(LABELS, len(inside))), others


def _probabilities(raw: Sequence[float | None], curve: Curve, indices: Sequence[int]) -> list[float]:
    """Return calibrated probabilities; an answer that claims nothing is supported."""
    return [1.0 if (log_odds := raw[index]) is None else curve.probability(log_odds) for index in indices]


def _error(rows: Sequence[Labelled], raw: Sequence[float | None], curve: Curve, indices: Sequence[int]) -> float:
    return calibration_error(_probabilities(raw, curve, indices), [not rows[index].unsupported for index in indices])


class Bands(NamedTuple):
    """What the bands of one left-out data set hold."""

    supported: int
    supported_right: int
    unsupported: int
    unsupported_wrong: int
    doubtful: float


def banded(found: Mapping[str, Bands]) -> tuple[float, float]:
    """Return which share of the answers held supported is right, and of those held unsupported wrong, of all sets."""
    bands = found.values()
    supported = sum(each.supported_right for each in bands) / max(1, sum(each.supported for each in bands))
    unsupported = sum(each.unsupported_wrong for each in bands) / max(1, sum(each.unsupported for each in bands))
    return supported, unsupported


def bands_of(rows: Sequence[Labelled], bands: Sequence[Band]) -> dict[str, Bands]:
    """Return what the bands of each data set hold, before any calibration of its own."""
    found = {}
    for name, tasks in tasks_of(rows).items():
        indices = [index for some in tasks.values() for index in some]
        high, low = (
            [rows[index].unsupported for index in indices if bands[index] == band]
            for band in ("supported", "unsupported")
        )
        doubtful = 1 - (len(high) + len(low)) / len(indices)
        found[name] = Bands(len(high), len(high) - sum(high), len(low), sum(low), doubtful)
    return found


def reliability_of(table: Table, models: Models) -> dict[str, list[Bin]]:
    """Return the bins of each left-out data set's diagram, before any calibration of its own; then those of all."""
    probabilities = answer_probabilities(table, models)
    found = {}
    for name, tasks in tasks_of(table.rows).items():
        indices = [index for some in tasks.values() for index in some]
        supported = [not table.rows[index].unsupported for index in indices]
        found[name] = reliability([probabilities[index] for index in indices], supported)
    found["all answers"] = reliability(probabilities, [not row.unsupported for row in table.rows])
    return found
