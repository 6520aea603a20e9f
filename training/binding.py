"""Fit the weights of binding on the everyday rows: ``python -m training.binding`` writes ``binding/binding.json``.

Each measure has a sign, so that a finding never speaks for an answer. All authors weigh the same. The weights are
scaled by answers of authors that a fit has not seen, so that the log-odds mean what they say but for a step on the side
of caution, by which the bands come true for authors that are new. Constants are kept. With
``--measure`` nothing is written: it prints what the weights that ship reach on the authors that nothing was made with.
"""

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from sklearn.metrics import roc_auc_score

from plumbrule.files import written_whole
from plumbrule.support.binding.bound_answer import bind
from plumbrule.text.text_view import TextView
from training.everyday_rows import DEVELOPED, MEASURED, EverydayRow, read_everyday

TARGET = Path(__file__).parents[1] / "src/plumbrule/support/binding/binding.json"
# What speaks for a sentence: a value that stands where it belongs, or that follows from others as the sentence says.
SPEAKS_FOR = frozenset({"bound", "derived_2_cue", "derived_3_cue"})
_RIDGE = 1.0
# What is added to the risk of every answer. With the limits of the rubric (0.3 and 0.7) it makes three of four answers
# wrong that are called unsupported, and three of four right that are called supported, by authors a fit has not seen.
_CAUTION = 0.4
_EACH = 300.0  # what an author weighs

Array = np.ndarray[tuple[int, ...], np.dtype[np.float64]]


class Measured(NamedTuple):
    """One row with the measures of each sentence of its answer."""

    author: str
    kind: str
    wrong: bool
    sentences: list[Mapping[str, float]]


class Weights(NamedTuple):
    """A fit: the intercept, and the weight of each measure that has one."""

    intercept: float
    weights: dict[str, float]

    def risk(self, sentences: Sequence[Mapping[str, float]]) -> float:
        """Return the log-odds that an answer is wrong: those of its worst sentence."""
        risks = [
            self.intercept + sum(self.weights.get(name, 0.0) * amount for name, amount in measures.items())
            for measures in sentences
        ]
        return max(risks, default=self.intercept)


def measure(row: EverydayRow) -> Measured:
    """Bind the answer of a row, and return the measures of its sentences."""
    bound = bind(row.question, TextView(row.answer), [TextView(context) for context in row.contexts])
    return Measured(row.author, row.kind, not row.right, [sentence.measures for sentence in bound.sentences])


def fit(rows: Sequence[Measured]) -> Weights:
    """Fit the weights by logistic regression, each with its sign, on the greatest of each measure in an answer."""
    names = sorted({name for row in rows for measures in row.sentences for name in measures})
    values = np.array(
        [[max((each.get(name, 0.0) for each in row.sentences), default=0.0) for name in names] for row in rows]
    )
    wrong = np.array([row.wrong for row in rows], dtype=float)
    counts = {author: sum(row.author == author for row in rows) for author in {row.author for row in rows}}
    each = np.array([_EACH / counts[row.author] for row in rows])

    def loss(parameters: Array) -> tuple[float, Array]:
        risk = parameters[0] + values @ parameters[1:]
        lost = np.logaddexp(0.0, np.where(wrong > 0, -risk, risk))
        slope = (1.0 / (1.0 + np.exp(-risk)) - wrong) * each
        penalty = _RIDGE * parameters[1:]
        total = float((lost * each).sum() + (penalty * parameters[1:]).sum() / 2)
        return total, np.concatenate([[slope.sum()], values.T @ slope + penalty])

    bounds = [(None, None), *[(None, 0.0) if name in SPEAKS_FOR else (0.0, None) for name in names]]
    found = minimize(
        loss, np.zeros(len(names) + 1), jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 2000}
    )
    weights = {name: float(weight) for name, weight in zip(names, found.x[1:], strict=True) if abs(weight) > 1e-4}
    return Weights(float(found.x[0]), weights)


def left_out(rows: Sequence[Measured]) -> list[float]:
    """Return the risk of each row by a fit that never saw its author."""
    risks: dict[int, float] = {}
    for author in sorted({row.author for row in rows}):
        weights = fit([row for row in rows if row.author != author])
        risks |= {index: weights.risk(row.sentences) for index, row in enumerate(rows) if row.author == author}
    return [risks[index] for index in range(len(rows))]


def scaled(weights: Weights, risks: Sequence[float], wrong: Sequence[bool]) -> Weights:
    """Return weights whose log-odds are calibrated on risks that were left out, on the side of caution."""
    values, labels = np.array(risks), np.array(wrong, dtype=float)

    def loss(parameters: Array) -> float:
        risk = parameters[0] + parameters[1] * values
        return float(np.logaddexp(0.0, np.where(labels > 0, -risk, risk)).sum())

    offset, slope = minimize(loss, np.array([0.0, 1.0]), method="Nelder-Mead").x
    return Weights(
        round(float(offset + slope * weights.intercept) + _CAUTION, 4),
        {name: round(float(slope * weight), 4) for name, weight in weights.weights.items()},
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Fit and write the weights, or measure those that ship."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--measure", action="store_true", help="measure the weights that ship, and write nothing")
    chosen = options.parse_args(arguments)
    model = json.loads(TARGET.read_text(encoding="utf-8"))
    if chosen.measure:
        weights = Weights(model["intercept"], model["weights"])
        for author in MEASURED:
            rows = [measure(row) for row in read_everyday(author)]
            risks = [weights.risk(row.sentences) for row in rows]
            print(f"{author}: AUROC {roc_auc_score([row.wrong for row in rows], risks):.3f} ({len(rows)} rows)")
        return 0
    rows = [measure(row) for author in DEVELOPED for row in read_everyday(author)]
    risks = left_out(rows)
    for author in DEVELOPED:
        own = [(row.wrong, risk) for row, risk in zip(rows, risks, strict=True) if row.author == author]
        print(f"{author}, left out: AUROC {roc_auc_score([wrong for wrong, _ in own], [risk for _, risk in own]):.3f}")
    weights = scaled(fit(rows), risks, [row.wrong for row in rows])
    model |= {"intercept": weights.intercept, "weights": weights.weights}
    with written_whole(TARGET) as file:
        file.write((json.dumps(model, indent=1) + "\n").encode())
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
