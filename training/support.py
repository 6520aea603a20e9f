"""Train the small model of the support score: ``python -m training.support`` writes ``support/model.json``.

Each weight has the sign of its measure, so that more support never raises the risk. Every data set and class weighs the
same, and the sentences made by rule as much as one data set. The constants of the model that ships are kept: they shape
the measures that are trained on.
"""

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize

from plumbrule.files import written_whole
from plumbrule.support.calibration import Curve, Example, fit_curve, logistic
from plumbrule.support.constants import load_constants
from plumbrule.support.measures import LOWERS_RISK, MEASURES
from plumbrule.support.support_model import SupportModel
from plumbrule.support.support_scorer import decided_log_odds
from plumbrule.support.word_lists import support_words
from training.data import FOLDER, Labelled, read_labelled
from training.rule_pairs import Pair, make_pairs
from training.table import Array, Compared, compare_pairs, compare_rows

TARGET = Path(__file__).parents[1] / "src/plumbrule/support/model.json"
VERSION = "10"
PAIR_WEIGHT = 0.75  # of the made sentences beside one data set
LENGTH_POWER = 0.85
_RIDGE = 5.0
_KNOTS = 12
_EACH = 1000.0  # what a data set's class weighs


class Table(NamedTuple):
    """All that is trained on."""

    rows: Sequence[Labelled]
    compared: Sequence[Compared]
    pairs: Sequence[Pair]
    pair_measures: Sequence[tuple[float, ...]]


def read_table(folder: Path = FOLDER) -> Table:
    """Read the labelled answers, make the pairs, and compare all of them with their contexts."""
    rows = read_labelled(folder)
    pairs = list(make_pairs(rows, support_words()))
    return Table(rows, compare_rows(rows), pairs, compare_pairs(pairs))


def fit(
    table: Table,
    *,
    leave_out: str | None = None,
    measures: Sequence[str] = MEASURES,
    pair_weight: float = PAIR_WEIGHT,
    more: Sequence[float] = (),
) -> SupportModel:
    """Fit the model on all data sets but one, with some of the measures.

    A table may have more columns than the measures of the score: ``more`` gives the sign of each.
    """
    kept = [index for index, row in enumerate(table.rows) if row.data_set != leave_out]
    values, labels, weights = _sentences(table, kept)
    if pair_weight:
        chosen = [index for index, pair in enumerate(table.pairs) if pair.data_set != leave_out]
        made = np.array([table.pair_measures[index] for index in chosen])
        made_labels = np.array([float(table.pairs[index].unsupported) for index in chosen])
        values = np.concatenate([values, made])
        labels = np.concatenate([labels, made_labels])
        weights = np.concatenate([weights, pair_weight * _balanced(made_labels, np.ones(len(chosen)))])
    used = np.array([*[float(name in measures) for name in MEASURES], *[1.0 for _ in more]])
    signs = np.array([*[-1.0 if name in LOWERS_RISK else 1.0 for name in MEASURES], *more])
    intercept, coefficients = _logistic(values * used, labels, weights, signs)
    constants = load_constants()
    straight = Curve(knots=((0.0, 0.0),), tail_slope=constants.answers.tail_slope)
    model = SupportModel(
        name="plumbrule-support",
        version=VERSION,
        sha256="",
        intercept=round(intercept, 6),
        weights=tuple(round(float(weight), 6) for weight in coefficients),
        length_power=LENGTH_POWER,
        constants=constants,
        sentences=straight,
        answers=straight,
        unsupported_share=0.5,
    )
    return _calibrated(model, table, kept)


def model_file(model: SupportModel) -> bytes:
    """Return a model as it is kept."""
    raw = {
        "name": model.name,
        "version": model.version,
        "intercept": model.intercept,
        "weights": dict(zip(MEASURES, model.weights, strict=True)),
        "length_power": model.length_power,
        "constants": model.constants.to_dict(),
        "calibration": {
            "sentences": model.sentences.knots,
            "answers": model.answers.knots,
            "unsupported_share": model.unsupported_share,
        },
    }
    return (json.dumps(raw, indent=1) + "\n").encode()


def answer_log_odds(model: SupportModel, compared: Compared) -> float | None:
    """Return a model's uncalibrated log-odds of one answer by coverage alone; None where it claims nothing."""
    if not compared.measures:
        return None
    return model.answer_log_odds([model.log_odds(measures) for measures in compared.measures])


def scored_log_odds(model: SupportModel, compared: Compared) -> float | None:
    """Return the uncalibrated log-odds that the support score gives an answer, by binding where that decides."""
    if not compared.bound:
        return answer_log_odds(model, compared)
    return min(
        decided_log_odds(model, model.log_odds(measures), bound)
        for measures, bound in zip(compared.measures, compared.bound, strict=True)
    )


def scored_probability(model: SupportModel, compared: Compared) -> float:
    """Return the support of an answer: where binding decides, its log-odds are calibrated as they are."""
    log_odds = scored_log_odds(model, compared)
    if log_odds is None:
        return 1.0
    return logistic(log_odds) if compared.bound else model.answers.probability(log_odds)


def _sentences(table: Table, kept: Sequence[int]) -> tuple[Array, Array, Array]:
    """Return the sentences of these rows with their labels and weights.

    Where an answer is unsupported and nobody said in which sentence, each counts as unsupported by its share.
    """
    values, labels, weights, sets = [], [], [], []
    for index in kept:
        compared = table.compared[index]
        for measures, label in zip(compared.measures, compared.labels, strict=True):
            values.append(measures)
            unknown = np.isnan(label)
            labels.append(1.0 if unknown else label)
            weights.append(1.0 / len(compared.labels) if unknown else 1.0)
            sets.append(table.rows[index].data_set)
    names = np.array(sets)
    balanced = np.array(weights)
    for name in sorted(set(sets)):
        mask = names == name
        balanced[mask] = _balanced(np.array(labels)[mask], balanced[mask])
    return np.array(values), np.array(labels), balanced


def _balanced(labels: Array, weights: Array) -> Array:
    """Make both classes weigh the same."""
    result = weights.copy()
    for label in (0.0, 1.0):
        mask = labels == label
        result[mask] *= _EACH / max(1e-9, result[mask].sum())
    return result


def _logistic(values: Array, labels: Array, weights: Array, signs: Array) -> tuple[float, Array]:
    """Fit a logistic regression whose weights keep their signs."""
    scale = values.std(axis=0) + 1e-9
    scaled = values / scale * signs

    def loss(point: Array) -> tuple[float, Array]:
        log_odds = scaled @ point[1:] + point[0]
        chance = 1.0 / (1.0 + np.exp(-log_odds))
        losses = labels * np.logaddexp(0, -log_odds) + (1 - labels) * np.logaddexp(0, log_odds)
        slope = weights * (chance - labels)
        ridge = _RIDGE * (point[1:] ** 2).sum()
        gradient = np.concatenate([[slope.sum()], scaled.T @ slope + 2 * _RIDGE * point[1:]])
        return float((weights * losses).sum() + ridge), gradient

    bounds = [(None, None), *[(0.0, None)] * len(signs)]
    found = minimize(loss, np.zeros(len(signs) + 1), jac=True, method="L-BFGS-B", bounds=bounds).x
    return float(found[0]), found[1:] / scale * signs


def _calibrated(model: SupportModel, table: Table, kept: Sequence[int]) -> SupportModel:
    """Fit the calibration that ships; every data set weighs the same, with its own share of unsupported answers."""
    counts = {row.data_set: 0 for row in table.rows}
    for index in kept:
        counts[table.rows[index].data_set] += 1
    answers: list[Example] = []
    sentences: list[Example] = []
    for index in kept:
        row, compared = table.rows[index], table.compared[index]
        weight = 1.0 / counts[row.data_set]
        log_odds = answer_log_odds(model, compared)
        if log_odds is not None:
            answers.append(Example(log_odds, not row.unsupported, weight))
        sentences += [
            Example(model.log_odds(measures), not label, weight / len(compared.labels))
            for measures, label in zip(compared.measures, compared.labels, strict=True)
            if not np.isnan(label)
        ]
    unsupported = sum(example.weight for example in answers if not example.supported)
    slope = model.constants.answers.tail_slope
    return replace(
        model,
        sentences=fit_curve(sentences, slope, _KNOTS),
        answers=fit_curve(answers, slope, _KNOTS),
        unsupported_share=round(unsupported / sum(example.weight for example in answers), 6),
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Train on everything and write the model."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=FOLDER, help="the folder of labelled answers")
    parser.add_argument("--output", type=Path, default=TARGET, help="where the model is written")
    options = parser.parse_args(arguments)
    model = fit(read_table(options.data))
    with written_whole(options.output) as file:
        file.write(model_file(model))
    print(model_file(model).decode())


if __name__ == "__main__":
    main()
