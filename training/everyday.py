"""The support score on everyday rows: ``python -m training.everyday`` prints its figures by author and by kind.

The rows of the development authors are scored with a model of binding that was fitted, and scaled, without their
author. Rules, word lists and constants were made with a look at all five, so those figures flatter. For the authors
that nothing was made with, everything is as it ships, without the verifier and with it. Beside that: how often a right
answer of a public data set is said to be contradicted.
"""

import argparse
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np

from plumbrule.errors import InputError
from plumbrule.rubrics import load_verdict
from plumbrule.support.binding.binding_words import BindingWords
from plumbrule.support.support_scorer import Band, SupportScorer
from plumbrule.support.verifier import Verifier, open_verifier
from plumbrule.text.text_view import TextView
from plumbrule.verdicts.contradictions import contradictions
from training.binding import left_out, measure_rows, read_fitted, scaled
from training.data import FOLDER, Labelled, read_labelled
from training.everyday_rows import CONFIRMED, DEVELOPED, MEASURED, EverydayRow, read_contrasts, read_everyday
from training.folds import ranks
from training.page import count, share, table
from training.ranking import DRAWS, SEED, Interval, interval_of, weighted_auroc
from training.table import Array

VERIFIER = Path(__file__).parents[1] / "packages/plumbrule-verifier/src/plumbrule_verifier"
UNREAD, VERIFIED = "unread authors", "unread authors, verified"
FALSE_ALARMS = 0.1
MOST_SUPPORTED = 100  # answers of one task or data set, for false contradictions
_BY_TASK = "ragtruth"  # the one data set whose tasks are shown apart


class Scored(NamedTuple):
    """One everyday row with what the support score says of it."""

    row: EverydayRow
    probability: float
    band: Band
    rival: bool  # a finding shows what the context has in place of a value
    coverage: float  # the probability where no question is given, so that coverage decides

    @property
    def flagged(self) -> bool:
        """Whether it is held wrong: band unsupported, or a rival."""
        return self.rival or self.band == "unsupported"


class EverydayFigures(NamedTuple):
    """The figures of some rows, with intervals by drawing their pairs again."""

    rows: int
    wrong: int
    coverage: Interval  # the AUROC of coverage alone
    auroc: Interval
    found: Interval  # the share of wrong rows found at 10% false alarms
    balanced: Interval  # the balanced accuracy of "band unsupported, or a rival"
    supported_right: Interval  # of the rows held supported, those that are right
    unsupported_wrong: Interval
    doubtful: Interval


class KindFigures(NamedTuple):
    """What becomes of the rows of one kind."""

    kind: str
    wrong: bool
    rows: int
    auroc: float | None  # of wrong rows against all right ones of the same authors
    flagged: float
    rival: float
    supported: float


class FalseContradictions(NamedTuple):
    """How many right answers of a task or data set have a rival, and how many are said to be contradicted by any."""

    name: str
    answers: int
    rivals: int
    contradicted: int  # by a finding of any kind, in a sentence that is not held supported


class Everyday(NamedTuple):
    """All figures of everyday rows: by author or authors, and by kind for each group of authors."""

    by_author: Mapping[str, EverydayFigures]
    developed: Sequence[KindFigures]
    measured: Sequence[KindFigures]


def measure_everyday() -> Everyday:
    """Score all everyday rows, those of unread authors with the verifier as well, and work out their figures."""
    scored = {**score_developed(), **{author: score_rows(read_everyday(author)) for author in MEASURED}}
    verifier = open_verifier(VERIFIER)
    verified = {f"{author}, verified": score_rows(read_everyday(author), verifier=verifier) for author in MEASURED}
    contrasts = read_contrasts(CONFIRMED)
    confirmed = {CONFIRMED: score_rows(contrasts), f"{CONFIRMED}, verified": score_rows(contrasts, verifier=verifier)}
    groups = {"development authors": DEVELOPED, UNREAD: MEASURED, VERIFIED: tuple(verified)}
    scored |= verified | confirmed
    return Everyday(
        by_author={author: figures_of([rows]) for author, rows in scored.items()}
        | {name: figures_of([scored[author] for author in authors]) for name, authors in groups.items()},
        developed=by_kind([each for author in DEVELOPED for each in scored[author]]),
        measured=by_kind([each for rows in verified.values() for each in rows]),
    )


def score_developed() -> dict[str, list[Scored]]:
    """Score the rows of each development author with a model that was fitted and scaled without them."""
    measured = measure_rows(read_fitted())
    fits = left_out(measured)
    return {author: score_rows(read_everyday(author), scaled(fits[author], measured, fits)) for author in DEVELOPED}


def score_rows(
    rows: Sequence[EverydayRow], binding: BindingWords | None = None, verifier: Verifier | None = None
) -> list[Scored]:
    """Score rows with the product's own scorer, with the weights that ship or with others, and perhaps a verifier."""
    scorer = SupportScorer(load_verdict().rubric.support, verifier, binding=binding)
    found = []
    for row in rows:
        answer, contexts = TextView(row.answer), [TextView(context) for context in row.contexts]
        support, coverage = scorer.score(answer, contexts, row.question), scorer.score(answer, contexts)
        if support is None or coverage is None:
            raise InputError(f"{row.id}: an everyday row has an answer with words")
        rival = any(finding.kind == "rival" for each in support.sentences for finding in each.findings)
        found.append(Scored(row, support.score, support.band, rival, coverage.score))
    return found


def figures_of(groups: Sequence[Sequence[Scored]]) -> EverydayFigures:
    """Return the figures of some authors: each author's own, then their mean, so that all weigh the same."""
    rng = np.random.default_rng(SEED)
    drawn: dict[str, list[Array]] = {}
    whole: dict[str, list[float]] = {}
    for rows in groups:
        weights = np.concatenate([np.ones((1, len(rows))), draw_pairs([each.row for each in rows], rng)])
        for name, figures in _weighted(rows, weights).items():
            whole.setdefault(name, []).append(float(figures[0]))
            drawn.setdefault(name, []).append(figures[1:])
    told = {name: interval_of(float(np.mean(whole[name])), np.mean(drawn[name], axis=0)) for name in whole}
    everything = [each for rows in groups for each in rows]
    return EverydayFigures(rows=len(everything), wrong=sum(not each.row.right for each in everything), **told)


def draw_pairs(rows: Sequence[EverydayRow], rng: np.random.Generator) -> Array:
    """Return how often each row is drawn in each draw: the rows of a pair have contexts and question in common."""
    _, owner = np.unique(np.array([row.pair for row in rows], dtype=object), return_inverse=True)
    number = int(owner.max()) + 1
    return rng.multinomial(number, np.full(number, 1.0 / number), size=DRAWS)[:, owner].astype(float)


def _weighted(rows: Sequence[Scored], weights: Array) -> dict[str, Array]:
    """Return each figure for each way to weigh the rows."""
    wrong = np.array([not each.row.right for each in rows], dtype=float)
    flagged = np.array([each.flagged for each in rows], dtype=float)
    risks = np.array(ranks([-each.probability for each in rows]))
    coverage = np.array(ranks([-each.coverage for each in rows]))
    band = {name: np.array([each.band == name for each in rows], dtype=float) for name in ("supported", "unsupported")}
    caught, spared = _mean(flagged, weights * wrong), _mean(1 - flagged, weights * (1 - wrong))
    return {
        "coverage": weighted_auroc(wrong, coverage, weights),
        "auroc": weighted_auroc(wrong, risks, weights),
        "found": found_at(wrong, risks, weights, FALSE_ALARMS),
        "balanced": (caught + spared) / 2,
        "supported_right": _mean(1 - wrong, weights * band["supported"]),
        "unsupported_wrong": _mean(wrong, weights * band["unsupported"]),
        "doubtful": _mean(1 - band["supported"] - band["unsupported"], weights),
    }


def _mean(values: Array, weights: Array) -> Array:
    """Return the weighted mean of each draw; NaN where nothing was drawn."""
    with np.errstate(invalid="ignore"):
        mean: Array = (weights @ values) / weights.sum(axis=1)
    return mean


def found_at(wrong: Array, risks: Array, weights: Array, false_alarms: float) -> Array:
    """Return, for each draw, the largest share of wrong rows above a limit that at most so many right ones pass."""
    order = np.argsort(-risks, kind="stable")
    ends = np.flatnonzero(np.diff(risks[order], append=-1.0))  # a limit cannot part equal risks
    bad = np.cumsum(weights[:, order] * wrong[order], axis=1)
    good = np.cumsum(weights[:, order] * (1 - wrong[order]), axis=1)
    caught, alarms = bad[:, ends] / bad[:, -1:], good[:, ends] / good[:, -1:]
    best: Array = np.where(alarms <= false_alarms + 1e-12, caught, 0.0).max(axis=1)
    return best


def by_kind(rows: Sequence[Scored]) -> list[KindFigures]:
    """Return what becomes of each kind: those of wrong rows first, the best found of them first."""
    right = [each for each in rows if each.row.right]
    found = []
    for kind in sorted({each.row.kind for each in rows}):
        own = [each for each in rows if each.row.kind == kind]
        wrong = not own[0].row.right
        found.append(
            KindFigures(
                kind=kind,
                wrong=wrong,
                rows=len(own),
                auroc=_auroc([*own, *right]) if wrong else None,
                flagged=_share(own, lambda each: each.flagged),
                rival=_share(own, lambda each: each.rival),
                supported=_share(own, lambda each: each.band == "supported"),
            )
        )
    return sorted(found, key=lambda each: (not each.wrong, -each.flagged if each.wrong else each.flagged, each.kind))


def _auroc(rows: Sequence[Scored]) -> float:
    risks = np.array(ranks([-each.probability for each in rows]))
    wrong = np.array([not each.row.right for each in rows], dtype=float)
    return float(weighted_auroc(wrong, risks, np.ones((1, len(rows))))[0])


def _share(rows: Sequence[Scored], holds: Callable[[Scored], bool]) -> float:
    return sum(map(holds, rows)) / len(rows)


def false_contradictions(rows: Iterable[Labelled]) -> list[FalseContradictions]:
    """Score some right answers of each public data set, of RAGTruth of each task, and count the contradicted ones."""
    groups: dict[str, list[Labelled]] = {}
    for row in rows:
        if not row.unsupported:
            name = f"{row.data_set}: {row.task}" if row.data_set == _BY_TASK else row.data_set
            groups.setdefault(name, []).append(row)
    rng = random.Random(SEED)  # noqa: S311 - no secret
    chosen = {name: rng.sample(own, min(MOST_SUPPORTED, len(own))) for name, own in sorted(groups.items())}
    with ProcessPoolExecutor() as pool:
        return [
            FalseContradictions(name, len(own), sum(one for one, _ in told), sum(other for _, other in told))
            for name, own in chosen.items()
            for told in [list(pool.map(_contradicted, own, chunksize=10))]
        ]


def _contradicted(row: Labelled) -> tuple[bool, bool]:
    scorer = SupportScorer(load_verdict().rubric.support)
    support = scorer.score(TextView(row.answer), [TextView(context) for context in row.contexts], row.question)
    if support is None:
        return False, False
    rival = any(finding.kind == "rival" for each in support.sentences for finding in each.findings)
    return rival, bool(contradictions((), support))


def author_table(figures: Mapping[str, EverydayFigures]) -> str:
    """Return the table of the figures by author."""
    header = [
        "author", "rows", "wrong", "AUROC of coverage alone", "AUROC", "found at 10% false alarms", "balanced accuracy",
        "*supported* that is right", "*unsupported* that is wrong", "*doubtful*",
    ]  # fmt: skip
    lines = []
    for name, each in figures.items():
        told = [each.coverage, each.auroc, each.found, each.balanced, each.supported_right, each.unsupported_wrong]
        shown = [*[_with_interval(figure) for figure in told], share(each.doubtful.mean)]
        lines.append([name, count(each.rows), count(each.wrong), *shown])
    return table(header, lines)


def _with_interval(figure: Interval) -> str:
    return f"{share(figure.mean)} ({figure.low:.2f} to {figure.high:.2f})"


def kind_tables(developed: Sequence[KindFigures], measured: Sequence[KindFigures]) -> tuple[str, str]:
    """Return the tables of the kinds of wrong rows and of right rows, unread authors before development authors."""
    others = {each.kind: each for each in developed}
    wrong, right = [], []
    for each in measured:
        other = others.get(each.kind)
        shown = [*_shares(each), *(_shares(other) if other is not None else ["0", "", "", ""])]
        if each.wrong:
            ranked = [share(of.auroc) if of is not None and of.auroc is not None else "" for of in (each, other)]
            wrong.append([f"`{each.kind}`", *shown[:1], ranked[0], *shown[1:5], ranked[1], *shown[5:]])
        else:
            right.append([f"`{each.kind}`", *shown])
    columns = ["rows", "flagged", "with a rival", "held *supported*"]
    ranking = ["rows", "AUROC", *columns[1:]]
    return (
        table(["wrong", *[f"{column}{of}" for of in ("", "; development") for column in ranking]], wrong),
        table(["right", *[f"{column}{of}" for of in ("", "; development") for column in columns]], right),
    )


def _shares(each: KindFigures) -> list[str]:
    return [count(each.rows), f"{each.flagged:.2f}", f"{each.rival:.2f}", f"{each.supported:.2f}"]


def contradiction_table(found: Sequence[FalseContradictions]) -> str:
    """Return the table of false contradictions."""
    lines = [
        [
            each.name, count(each.answers),
            f"{each.rivals} ({each.rivals / each.answers:.0%})",
            f"{each.contradicted} ({each.contradicted / each.answers:.0%})",
        ]
        for each in [*found, together(found)]
    ]  # fmt: skip
    return table(["right answers of", "answers", "with a rival", "contradicted by any finding"], lines)


def together(found: Sequence[FalseContradictions]) -> FalseContradictions:
    """Return all of them as one."""
    return FalseContradictions("**all**", *[sum(figures) for figures in list(zip(*found, strict=True))[1:]])


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--data", type=Path, default=FOLDER, help="the folder of labelled answers")
    folder = options.parse_args(arguments).data
    figures = measure_everyday()
    print(author_table(figures.by_author), *kind_tables(figures.developed, figures.measured), sep="\n\n")
    try:
        rows = read_labelled(folder)
    except InputError as error:
        print(f"\nfalse contradictions are not measured: {error}")
        return 0
    print(f"\n{contradiction_table(false_contradictions(rows))}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
