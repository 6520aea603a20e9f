"""Fit the model of binding: ``python -m training.binding`` writes ``binding/binding.json``.

Two parts add up. Weights, by logistic regression, are what each measure of a sentence tells by itself; small trees,
boosted, are what measures tell together. Each measure has a sign, so that a finding never speaks for an answer; only a
limit more than the passage has may speak either way, and how long a sentence is and how many values it has. Both parts
are fitted to the everyday rows of the development authors and, at half their weight, to the contrasts. A wrong answer
is wrong in the sentence that a first fit holds to be the riskiest.

The sum is scaled by contrasts of authors that a fit has not seen: rules and word lists were made with a look at the
everyday rows, so those flatter, and contrasts are harder. So the bands come true for an author who is new, and more
answers are doubtful. Constants are kept. With ``--measure`` nothing is written: it prints what the model that ships
reaches on the authors that nothing was made with.
"""

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import roc_auc_score

from plumbrule.files import written_whole
from plumbrule.support.binding.binding_words import BindingWords, binding_words
from plumbrule.support.binding.bound_answer import bind, log_risk
from plumbrule.support.binding.trees import Node, Trees
from plumbrule.support.evidence_index import Ground
from plumbrule.support.measures import compare
from plumbrule.support.word_lists import support_words
from plumbrule.text.text_view import TextView
from training.everyday_rows import CONTRASTED, DEVELOPED, MEASURED, EverydayRow, read_contrasts, read_everyday

TARGET = Path(__file__).parents[1] / "src/plumbrule/support/binding/binding.json"
# What speaks for a sentence: a value that stands where it belongs, or that follows from others as the sentence says.
SPEAKS_FOR = frozenset({"bound", "derived_2_cue", "derived_3_cue", "cover_unknown"})
# What a tree may turn either way; by itself it tells nothing.
BESIDE = frozenset({"length", "values"})
_RIDGE = 1.0
_EACH = 300.0  # what an author weighs
_CONTRAST = 0.5  # of that, the author of contrasts
_DECIMALS = 4  # of a measure in the trees
_TREES: dict[str, Any] = {
    "learning_rate": 0.1, "max_depth": 3, "min_samples_leaf": 60, "l2_regularization": 1.0, "max_bins": 32,
    "early_stopping": False, "random_state": 0,
}  # fmt: skip
_MANY, _FIRST = 250, 80  # trees: of the fit that is kept, and of that which says where a wrong answer is wrong

Array = np.ndarray[tuple[int, ...], np.dtype[np.float64]]


class Measured(NamedTuple):
    """One row with the measures of each sentence of its answer that claims something."""

    author: str
    kind: str
    wrong: bool
    sentences: list[Mapping[str, float]]


@lru_cache(maxsize=16)
def _view(text: str) -> TextView:
    """Return a context; the answers to one question follow each other."""
    return TextView(text)


def measure(row: EverydayRow) -> Measured:
    """Bind the answer of a row, and return the measures of its sentences."""
    answer, contexts, words = TextView(row.answer), [_view(context) for context in row.contexts], support_words()
    compared = compare(answer, Ground(contexts, words), words)
    bound = {each.sentence.start: each for each in bind(row.question, answer, contexts, compared=compared).sentences}
    claims = [each for each in compared if each.claims] or compared
    return Measured(row.author, row.kind, not row.right, [bound[each.sentence.start].measures for each in claims])


def measure_rows(rows: Sequence[EverydayRow]) -> list[Measured]:
    """Return the measures of many rows, worked out by all cores."""
    with ProcessPoolExecutor() as pool:
        return list(pool.map(measure, rows, chunksize=50))


def read_fitted() -> list[EverydayRow]:
    """Return the rows that the model is fitted to."""
    rows = [row for author in DEVELOPED for row in read_everyday(author)]
    return rows + [row for author in CONTRASTED for row in read_contrasts(author)]


def risk(sentences: Sequence[Mapping[str, float]], known: BindingWords) -> float:
    """Return the log-odds that an answer is wrong: those of its worst sentence."""
    return max([log_risk(measures, known) for measures in sentences], default=known.intercept)


class _Table:
    """The measures of all sentences of some rows, and what each row weighs."""

    def __init__(self, rows: Sequence[Measured]) -> None:
        self.names = sorted({name for row in rows for measures in row.sentences for name in measures})
        self.values = np.array(
            [[measures.get(name, 0.0) for name in self.names] for row in rows for measures in row.sentences]
        )
        self.owner = np.repeat(np.arange(len(rows)), [len(row.sentences) for row in rows])
        self.wrong = np.array([row.wrong for row in rows], dtype=float)
        counts = Counter((row.author, row.wrong) for row in rows)
        shares = [1.0 if row.author in DEVELOPED else _CONTRAST for row in rows]
        each = [counts[row.author, row.wrong] for row in rows]
        self.weights = np.array(shares) * _EACH / 2 / np.array(each)
        known = binding_words()
        limits = {f"{where}_{name}" for where in ("put", "more") for name in known.limits}
        self.signs = [0 if name in limits | BESIDE else (-1 if name in SPEAKS_FOR else 1) for name in self.names]


def fit(rows: Sequence[Measured]) -> BindingWords:
    """Return binding as it ships but for its weights and trees, which are those of these rows."""
    table = _Table(rows)
    intercept, weights = _fit_weights(table)
    base, trees = _fit_trees(table)
    return replace(binding_words(), intercept=intercept + base, weights=weights, trees=trees)


def _fit_weights(table: _Table) -> tuple[float, dict[str, float]]:
    """Fit weights by logistic regression, each with its sign, on the greatest of each measure in an answer."""
    alone = [column for column, name in enumerate(table.names) if name not in BESIDE]
    values = np.full((len(table.wrong), len(alone)), -np.inf)
    np.maximum.at(values, table.owner, table.values[:, alone])
    spread = values.std(axis=0) + 1e-9
    values /= spread

    def loss(parameters: Array) -> tuple[float, Array]:
        risks = parameters[0] + values @ parameters[1:]
        lost = np.logaddexp(0.0, np.where(table.wrong > 0, -risks, risks))
        slope = (1.0 / (1.0 + np.exp(-risks)) - table.wrong) * table.weights
        penalty = _RIDGE * parameters[1:]
        total = float((lost * table.weights).sum() + (penalty * parameters[1:]).sum() / 2)
        return total, np.concatenate([[slope.sum()], values.T @ slope + penalty])

    kinds = {0: (None, None), 1: (0.0, None), -1: (None, 0.0)}
    bounds = [(None, None), *[kinds[table.signs[column]] for column in alone]]
    found = minimize(
        loss, np.zeros(len(alone) + 1), jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 200}
    )
    weights = dict(zip([table.names[column] for column in alone], found.x[1:] / spread, strict=True))
    return float(found.x[0]), {name: float(weight) for name, weight in weights.items() if abs(weight) > 1e-4}


def _fit_trees(table: _Table) -> tuple[float, Trees]:
    """Fit trees to sentences: first all of a wrong answer are wrong, then the riskiest alone and the others unknown."""
    values = table.values.round(_DECIMALS)
    count = np.bincount(table.owner)[table.owner]
    wrong, weights = table.wrong[table.owner], table.weights[table.owner]
    first = _boosted(_FIRST, table).fit(values, wrong, sample_weight=weights / count)
    risks = first.decision_function(values)
    order = np.lexsort((-risks, table.owner))
    riskiest = np.zeros(len(risks), dtype=bool)
    riskiest[order[np.diff(table.owner[order], prepend=-1) > 0]] = True
    others = np.where(wrong > 0, 0.0, 0.5 * weights / np.maximum(1, count - 1))
    kept = _boosted(_MANY, table).fit(values, wrong * riskiest, sample_weight=np.where(riskiest, weights, others))
    roots = tuple(_node(predictor.nodes, 0) for (predictor,) in kept._predictors)  # noqa: SLF001 - no other way to them
    base = float(kept._baseline_prediction.item())  # noqa: SLF001
    return base, Trees(names=tuple(table.names), decimals=_DECIMALS, roots=roots)


def _boosted(trees: int, table: _Table) -> HistGradientBoostingClassifier:
    return HistGradientBoostingClassifier(max_iter=trees, monotonic_cst=table.signs, **_TREES)


def _node(nodes: Any, at: int) -> Node:  # a table of scikit-learn's own
    node = nodes[at]
    if node["is_leaf"]:
        return float(node["value"])
    limit = round(float(node["num_threshold"]), _DECIMALS + 1)
    return int(node["feature_idx"]), limit, _node(nodes, int(node["left"])), _node(nodes, int(node["right"]))


def left_out(rows: Sequence[Measured]) -> dict[str, BindingWords]:
    """Return, for each author, a fit that never saw them: one for each development author, contrasts dealt to them."""
    held = {author: {author} for author in DEVELOPED}
    for place, author in enumerate(CONTRASTED):
        held[DEVELOPED[place % len(DEVELOPED)]].add(author)
    fits = {author: fit([row for row in rows if row.author not in group]) for author, group in held.items()}
    return {author: fits[first] for first, group in held.items() for author in group}


def scaled(known: BindingWords, rows: Sequence[Measured], fits: Mapping[str, BindingWords]) -> BindingWords:
    """Return a fit whose log-odds are calibrated on the contrasts, by the risks of fits without their authors."""
    rows = [row for row in rows if row.author in CONTRASTED]
    values, labels = np.array(risks_of(rows, fits)), np.array([row.wrong for row in rows], dtype=float)
    counts = Counter((row.author, row.wrong) for row in rows)
    weights = np.array([1.0 / counts[row.author, row.wrong] for row in rows])

    def loss(parameters: Array) -> float:
        moved = parameters[0] + parameters[1] * values
        return float((weights * np.logaddexp(0.0, np.where(labels > 0, -moved, moved))).sum())

    offset, slope = (float(found) for found in minimize(loss, np.array([0.0, 1.0]), method="Nelder-Mead").x)
    return replace(
        known,
        intercept=round(offset + slope * known.intercept, 4),
        weights={name: round(slope * weight, 4) for name, weight in known.weights.items()},
        trees=replace(known.trees, roots=tuple(_scaled(root, slope) for root in known.trees.roots)),
    )


def _scaled(node: Node, slope: float) -> Node:
    if isinstance(node, tuple):
        return node[0], node[1], _scaled(node[2], slope), _scaled(node[3], slope)
    return round(slope * node, 4)


def risks_of(rows: Iterable[Measured], fits: Mapping[str, BindingWords]) -> list[float]:
    """Return the risk of each row by the fit of its author."""
    return [risk(row.sentences, fits[row.author]) for row in rows]


def written(known: BindingWords, model: Mapping[str, Any]) -> bytes:
    """Return the file of a model with the numbers of a fit: one line for each tree."""
    trees = known.trees.to_dict()
    roots = ",\n".join(json.dumps(root, separators=(",", ":")) for root in trees.pop("roots"))
    plain = {**model, "intercept": known.intercept, "weights": known.weights, "trees": trees}
    head = json.dumps(plain, indent=1).removesuffix("\n }\n}")
    return f'{head},\n  "roots": [\n{roots}\n  ]\n }}\n}}\n'.encode()


def main(arguments: Sequence[str] | None = None) -> int:
    """Fit and write the model, or measure the one that ships."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--measure", action="store_true", help="measure the model that ships, and write nothing")
    if options.parse_args(arguments).measure:
        for author in MEASURED:
            rows = measure_rows(read_everyday(author))
            _print(author, rows, [risk(row.sentences, binding_words()) for row in rows])
        return 0
    rows = measure_rows(read_fitted())
    fits = left_out(rows)
    risks = risks_of(rows, fits)
    for author in (*DEVELOPED, *CONTRASTED):
        own = [place for place, row in enumerate(rows) if row.author == author]
        _print(f"{author}, left out", [rows[place] for place in own], [risks[place] for place in own])
    model = {name: part for name, part in json.loads(TARGET.read_text(encoding="utf-8")).items() if name != "trees"}
    known = scaled(fit(rows), rows, fits)
    with written_whole(TARGET) as file:
        file.write(written(known, model))
    return 0


def _print(who: str, rows: Sequence[Measured], risks: Sequence[float]) -> None:
    print(f"{who}: AUROC {roc_auc_score([row.wrong for row in rows], risks):.3f} ({len(rows)} answers)", flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
