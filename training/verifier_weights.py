"""What a verifier of answers weighs beside binding: ``python -m training.verifier_weights FOLDER``.

The weights are fitted to authors whom neither the verifier nor the binding that they are scored with has seen: everyday
rows of four and contrasts of three, either kind as much as the other. They are written into FOLDER/verifier.yaml; the
intercept where there is nothing to bind is kept. Then it prints what the verifier brings: for the unread authors of
everyday rows with the interval of the gain, by drawing their questions again, and for the public data sets that lie in
``--data``, each with the small model that never saw it.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import yaml
from scipy.optimize import minimize

from plumbrule.errors import InputError
from plumbrule.files import written_whole
from plumbrule.rubrics import load_verdict
from plumbrule.support.binding.binding_words import BindingWords, binding_words
from plumbrule.support.binding.bound_answer import bind
from plumbrule.support.support_scorer import SupportScorer
from plumbrule.support.verifier import Verifier, open_verifier
from plumbrule.support.verifier.verifier_config import CONFIG_NAME, AnswerReading
from plumbrule.text.text_view import TextView
from training.binding import left_out as left_out_authors
from training.binding import measure_rows, read_fitted, scaled
from training.calibrating import banded, bands_of
from training.data import FOLDER, Labelled
from training.everyday import author_table, figures_of, score_rows
from training.everyday_rows import MEASURED, EverydayRow, read_contrasts, read_everyday
from training.folds import left_out, ranks, score_answers
from training.page import share, table
from training.ranking import DRAWS, SEED, interval_of, weighted_auroc
from training.support import read_table
from training.table import Array, by_task, mean_of

# Authors of everyday rows, and of contrasts.
ROWS, CONTRASTS = ("birch", "gorse", "cherry", "plum"), ("laurel", "poplar", "zelkova")
_DECIMALS = 4


class Weighed:
    """The log-odds of rows without the verifier, and those that it adds to them with a weight of 1; 0 if not asked.

    ``bound`` tells where binding decides.
    """

    def __init__(
        self, folder: Path, rows: Sequence[EverydayRow] | Sequence[Labelled], binding: BindingWords | None = None
    ) -> None:
        verifier = _OnceAsked(open_verifier(folder))
        told = []
        read = [(TextView(row.answer), [*map(TextView, row.contexts)], row.question) for row in rows]
        for weight in (0.0, 1.0):
            verifier.answers = replace(verifier.answers, intercept=0.0, binding=1.0, verifier=weight, unbound=None)
            scorer = SupportScorer(load_verdict().rubric.support, verifier, binding=binding)  # type: ignore[arg-type]
            scored = [scorer.score(*each) for each in read]
            told.append([each.log_odds if each and each.log_odds is not None else 0.0 for each in scored])
        self.alone = np.array(told[0])
        self.said = np.array(told[1]) - self.alone
        self.bound = np.array(
            [bind(question, answer, contexts, binding).decides for answer, contexts, question in read]
        )

    def fused(self, reading: AnswerReading) -> Array:
        """Return the log-odds of both."""
        each = zip(self.alone, self.said, self.bound, strict=True)
        both = [reading.weighed(own, told, decides=bound) for own, told, bound in each]
        return np.where(self.said == 0, self.alone, both)


def reading_of(verifier: Verifier) -> AnswerReading:
    """Return how a verifier reads answers."""
    if verifier.answers is None:
        raise InputError("this verifier is asked about sentences: it has no weights to choose here")
    return verifier.answers


class _OnceAsked:
    """A verifier that keeps what it says of an answer: rows are scored twice."""

    def __init__(self, verifier: Verifier) -> None:
        self.answers, self.sentences, self.identity = reading_of(verifier), verifier.sentences, verifier.identity
        self.has_room, self.verify = verifier.has_room, verifier.verify
        self._verifier = verifier
        self._kept: dict[tuple[str, ...], float] = {}

    def verify_answer(self, passages: Sequence[str], question: str, answer: str) -> float:
        key = (question, answer, *passages)
        if key not in self._kept:
            self._kept[key] = self._verifier.verify_answer(passages, question, answer)
        return self._kept[key]


def fit_weights(folder: Path) -> dict[str, float]:
    """Return the weights by logistic regression over the rows that it was asked about, right and wrong alike.

    Both kinds say what binding and verifier weigh against each other. Contrasts alone say how
    far the sum is to be trusted: rules were made with a look at everyday rows, so those flatter.
    """
    measured = measure_rows(read_fitted())
    fits = left_out_authors(measured)
    rows = [_Asked(folder, read_everyday(author), scaled(fits[author], measured, fits), len(ROWS)) for author in ROWS]
    contrasts = [_Asked(folder, read_contrasts(author), binding_words(), len(CONTRASTS)) for author in CONTRASTS]
    ratio = _fit([each.values for each in (*rows, *contrasts)], [*rows, *contrasts], np.array([0.0, 1.0, 0.3]))
    sums = [np.stack([np.ones(len(each.values)), each.values @ ratio], 1) for each in contrasts]
    offset, slope = _fit(sums, contrasts, np.array([0.0, 1.0]))
    found = offset + slope * ratio[0], slope * ratio[1], slope * ratio[2]
    names = "intercept", "binding", "verifier"
    return {name: round(float(each), _DECIMALS) for name, each in zip(names, found, strict=True)}


class _Asked:
    """The rows of an author, one of so many, that binding decides on and the verifier was asked about.

    Each has three numbers, and what is right.
    """

    def __init__(self, folder: Path, rows: Sequence[EverydayRow], binding: BindingWords, authors: int) -> None:
        weighed, right = Weighed(folder, rows, binding), np.array([row.right for row in rows])
        asked = (weighed.said != 0) & weighed.bound
        self.values = np.stack([np.ones(len(rows)), weighed.alone, weighed.said], 1)[asked]
        self.right = right[asked]
        self.weights = np.where(right, 1 / right.sum(), 1 / (~right).sum())[asked] / authors


def _fit(values: Sequence[Array], asked: Sequence[_Asked], first: Array) -> Array:
    """Fit by logistic regression, each author of a kind as much as the others."""
    numbers = np.concatenate(values)
    right, weights = (np.concatenate([getattr(each, name) for each in asked]) for name in ("right", "weights"))

    def loss(parameters: Array) -> float:
        moved = numbers @ parameters
        return float((weights * np.logaddexp(0.0, np.where(right, -moved, moved))).sum())

    found: Array = minimize(loss, first, method="Nelder-Mead", options={"xatol": 1e-5, "maxiter": 4000}).x
    return found


def write_weights(folder: Path, weights: dict[str, float]) -> None:
    """Write the weights into the configuration of a verifier."""
    path = folder / CONFIG_NAME
    said = yaml.safe_load(path.read_text(encoding="utf-8"))
    said["answers"] |= weights
    with written_whole(path) as file:
        file.write(yaml.safe_dump(said, sort_keys=False).encode())


def everyday_tables(verifier: Verifier) -> str:
    """Return the figures of the unread authors without the verifier and with it, and the gain in AUROC."""
    without = [score_rows(read_everyday(author)) for author in MEASURED]
    beside = [score_rows(read_everyday(author), verifier=verifier) for author in MEASURED]
    rng, gains = np.random.default_rng(SEED), []
    for old, new in zip(without, beside, strict=True):
        wrong = np.array([not each.row.right for each in old], dtype=float)
        _, owner = np.unique(np.array([each.row.pair for each in old], dtype=object), return_inverse=True)
        number = int(owner.max()) + 1
        drawn = rng.multinomial(number, np.full(number, 1.0 / number), size=DRAWS)[:, owner].astype(float)
        weights = np.concatenate([np.ones((1, len(old))), drawn])
        before, after = (
            weighted_auroc(wrong, np.array(ranks([-each.probability for each in rows])), weights) for rows in (old, new)
        )
        gains.append(after - before)
    gain = np.mean(gains, axis=0)
    named = {
        f"{author}{how}": figures_of([rows])
        for how, each in (("", without), (", verified", beside))
        for author, rows in zip(MEASURED, each, strict=True)
    }
    named |= {"all": figures_of(without), "all, verified": figures_of(beside)}
    found = interval_of(float(gain[0]), gain[1:])
    return f"{author_table(named)}\n\ngain {found.mean:.4f} ({found.low:.4f} to {found.high:.4f})"


def public_table(folder: Path, data: Path) -> str:
    """Return the AUROC of the public data sets without the verifier and with it, and what becomes of the bands."""
    public = read_table(data)
    models = left_out(public)
    lines, bands = [], []
    for name, place in (("without", None), ("with the verifier", folder)):
        scores = score_answers(public.rows, models, place)
        risks = ranks([-each.probability for each in scores])
        figures = by_task(public.rows, lambda _, risks=risks: risks)  # type: ignore[misc]
        means = [share(float(np.mean(list(of.values())))) for of in figures.values()]
        lines.append([name, *means, share(mean_of(figures))])
        right, wrong = banded(bands_of(public.rows, [each.band for each in scores]))
        bands.append(f"{name}: supported that is right {right:.3f}, unsupported that is wrong {wrong:.3f}")
    return "\n\n".join([table(["AUROC", *figures, "mean"], lines), *bands])


def main(arguments: Sequence[str] | None = None) -> int:
    """Fit, write and measure."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=Path, help="the folder of the verifier")
    options.add_argument("--data", type=Path, default=FOLDER, help="the folder of labelled answers")
    options.add_argument("--measure", action="store_true", help="measure the weights that are there, and write nothing")
    chosen = options.parse_args(arguments)
    if not chosen.measure:
        weights = fit_weights(chosen.folder)
        print(weights, flush=True)
        write_weights(chosen.folder, weights)
    print(everyday_tables(open_verifier(chosen.folder)), flush=True)
    if chosen.data.is_dir():
        print(public_table(chosen.folder, chosen.data))
    return 0


if __name__ == "__main__":
    sys.exit(main())
