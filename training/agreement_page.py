"""The page that tells how far the support score agrees with people, written whole from the figures."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from plumbrule.rubrics import load_verdict
from plumbrule.support.calibration import Bin
from plumbrule.support.constants import load_constants
from plumbrule.support.measures import LOWERS_RISK, MEASURES
from plumbrule.support.support_model import load_model
from training.ablation import Trial
from training.calibrating import DRAWS, LABELS, Bands, Calibrated, banded
from training.data import Labelled
from training.everyday import (
    UNREAD,
    VERIFIED,
    Everyday,
    FalseContradictions,
    author_table,
    contradiction_table,
    kind_tables,
    together,
)
from training.everyday_rows import CONFIRMED
from training.page import count, share, signed, table
from training.page_words import (
    ABLATION,
    CALIBRATION,
    CHANGED,
    CLAIMS,
    CONTRADICTIONS,
    EVERYDAY,
    INTRODUCTION,
    MODEL,
    RANKING,
    SPANS,
    SPEED,
    WITHIN,
)
from training.ranking import DRAWS as REDRAWN
from training.ranking import LEAST, Interval, Within
from training.span_scores import Fit
from training.table import mean_of, tasks_of
from training.timing import Timing
from training.verdicts import RECOMMENDED, Checked, balanced_accuracy, flat_mean, gain

DIAGRAM = "images/reliability.svg"
# The mean AUROC of each data set's tasks by the model before binding (version 3), left out in the same way.
BEFORE = {"begin": 0.953, "expertqa": 0.515, "ragtruth": 0.753, "summedits": 0.643, "wice": 0.831}
_HEADERS = {
    "answer length": "answer length",
    "word overlap": "word overlap",
    "hallucination": "hallucination score",
    "specifics": "names, numbers, dates missing",
    "support": "**support**",
    "verified": "**with the verifier**",
}
_BY_TASK = Mapping[str, Mapping[str, float]]


class Figures(NamedTuple):
    """Every figure of the page."""

    rows: Sequence[Labelled]
    pairs: int
    auroc: Mapping[str, _BY_TASK]  # by column
    intervals: Mapping[str, Interval]
    within: Within
    whole: float
    without: Sequence[tuple[str, float]]
    levels: Sequence[tuple[str, float]]
    tried: Sequence[Trial]
    checked: Sequence[Checked]
    calibrated: Mapping[str, Calibrated]
    bins: Mapping[str, Sequence[Bin]]
    spans: Mapping[str, Fit]
    timing: Timing
    everyday: Everyday
    false_contradictions: Sequence[FalseContradictions]
    bands: Mapping[str, Bands]
    decided: int  # rows of the public data sets that binding decides on


def page_of(figures: Figures) -> str:
    """Return the whole page."""
    parts: list[Callable[[Figures], str]] = [
        _introduction, _changed, _ranking, _everyday, _contradictions, _within, _ablation, _claims, _calibration,
        _spans, _speed, _model,
    ]  # fmt: skip
    return "\n\n".join(part(figures).strip("\n") for part in parts) + "\n"


def _introduction(figures: Figures) -> str:
    bad = sum(row.unsupported for row in figures.rows)
    words = INTRODUCTION.format(
        rows=count(len(figures.rows)), unsupported=count(bad), pairs=count(figures.pairs), sets=len(figures.calibrated)
    )
    header = ["what was asked", "asked", "measured", "reached"]
    return f"{words}\n\n{table(header, [*_asked(figures)])}"


def _asked(figures: Figures) -> list[list[str]]:
    means = {name: _set_means(figures.auroc[name]) for name in ("support", "verified", "word overlap")}
    above = {name: means["verified"][name] - means["word overlap"][name] for name in means["verified"]}
    least = min(above, key=lambda name: above[name])
    data = figures.auroc["support"]["ragtruth"]["data2txt"] - figures.auroc["word overlap"]["ragtruth"]["data2txt"]
    gained = gain(figures.rows, figures.checked).mean
    worst = max(figures.calibrated, key=lambda name: figures.calibrated[name].after)
    after = figures.calibrated[worst].after
    timing = figures.timing
    everyday, false = figures.everyday.by_author[VERIFIED], figures.false_contradictions
    data_false = max((each.rivals / each.answers for each in false if each.name == "ragtruth: data2txt"), default=0.0)
    all_false = together(false).rivals / together(false).answers
    lost = {name: means["verified"][name] - before for name, before in BEFORE.items() if name in means["verified"]}
    most = min(lost, key=lambda name: lost[name])
    supported, unsupported = banded(figures.bands)

    def least_of(what: str, asked: float, found: float) -> tuple[str, str, str, bool]:
        return what, f"{asked:.3f} or more", share(found), found >= asked

    lines = [
        least_of("mean AUROC over tasks, then data sets, with the verifier", 0.745, mean_of(figures.auroc["verified"])),
        least_of("the same, without the verifier", 0.745, figures.whole),
        (
            "with the verifier: no data set more than 0.005 below what it was before binding",
            "-0.005 or more", f"{signed(lost[most])} ({most})", lost[most] >= -0.005,
        ),
        (
            "with the verifier: every data set above word overlap",
            "above", f"{signed(above[least])} ({least})", above[least] > 0,
        ),
        ("RAGTruth data2txt (JSON contexts) well above word overlap", "above", signed(data), data >= 0.02),
        (
            "balanced accuracy of claims by evidence (recommended rubric) above proximity, mean over tasks",
            "+0.100 or more", signed(gained), gained >= 0.1,
        ),
        least_of("everyday rows of unread authors, with the verifier: AUROC", 0.78, everyday.auroc.mean),
        least_of(
            "the same, without the verifier", 0.78, figures.everyday.by_author[UNREAD].auroc.mean
        ),
        least_of("with the verifier: balanced accuracy of *unsupported* or a rival", 0.7, everyday.balanced.mean),
        least_of("the same: found at 10% false alarms", 0.5, everyday.found.mean),
        least_of("the same: *supported* answers that are right", 0.75, everyday.supported_right.mean),
        least_of("the same: *unsupported* answers that are wrong", 0.75, everyday.unsupported_wrong.mean),
        least_of("public data sets, with the verifier: *supported* answers that are right", 0.85, supported),
        least_of("the same: *unsupported* answers that are wrong", 0.85, unsupported),
        ("right answers of public data sets with a rival", "5% or less", f"{all_false:.1%}", all_false <= 0.05),
        ("the same, data2txt", "10% or less", f"{data_false:.1%}", data_false <= 0.1),
        (
            f"calibration error after {LABELS} labels, the worst data set",
            "0.060 or less", f"{share(after)} ({worst})", after <= 0.06,
        ),
        (
            "CPU time for a RAGTruth answer, without the parse",
            "20 ms or less", f"{timing.support:.1f} ms", timing.support <= 20,
        ),
        ("CPU time for an everyday answer", "6 ms or less", f"{timing.everyday:.1f} ms", timing.everyday <= 6),
        (
            "with the verifier, for each of its sentences",
            "40 ms or less", f"{timing.verified:.1f} ms", timing.verified <= 40,
        ),
    ]  # fmt: skip
    return [[what, asked, found, "yes" if met else "**no**"] for what, asked, found, met in lines]


def _ranking(figures: Figures) -> str:
    lines = []
    for data_set, tasks in tasks_of(figures.rows).items():
        for task, indices in tasks.items():
            bad = sum(figures.rows[index].unsupported for index in indices)
            scores = [share(figures.auroc[name][data_set][task]) for name in _HEADERS]
            lines.append([f"{data_set}: {task}", count(len(indices)), count(bad), *scores])
        whole = [index for indices in tasks.values() for index in indices]
        bad = sum(figures.rows[index].unsupported for index in whole)
        scores = [f"**{share(_set_means(figures.auroc[name])[data_set])}**" for name in _HEADERS]
        lines.append([f"**{data_set}, mean of its tasks**", count(len(whole)), count(bad), *scores])
    bad = sum(row.unsupported for row in figures.rows)
    means = [f"**{share(mean_of(figures.auroc[name]))}**" for name in _HEADERS]
    lines.append(["**mean of the data sets**", count(len(figures.rows)), count(bad), *means])
    support, above = figures.intervals["support"], figures.intervals["above overlap"]
    new, new_above = figures.intervals["support, new"], figures.intervals["above overlap, new"]
    wice, expertqa = ([row for row in figures.rows if row.data_set == name] for name in ("wice", "expertqa"))
    words = RANKING.format(
        draws=count(REDRAWN), mean=share(support.mean), low=share(support.low), high=share(support.high),
        above=signed(above.mean), above_low=signed(above.low), above_high=signed(above.high),
        new_low=share(new.low), new_high=share(new.high), sets=len(tasks_of(figures.rows)),
        new_above_low=signed(new_above.low), new_above_high=signed(new_above.high),
        wice_rows=count(len(wice)), wice_claims=count(len({row.origin for row in wice})),
        expertqa_rows=count(len(expertqa)), expertqa_questions=count(len({row.origin for row in expertqa})),
    )  # fmt: skip
    return f"{words}\n\n{table(['task', 'answers', 'unsupported', *_HEADERS.values()], lines)}"


def _changed(figures: Figures) -> str:
    means = _set_means(figures.auroc["support"])
    lines = [
        [name, share(before), share(means[name]), signed(means[name] - before)]
        for name, before in BEFORE.items()
        if name in means
    ]
    decided = CHANGED.format(mean=share(figures.whole), decided=count(figures.decided), rows=count(len(figures.rows)))
    return f"{decided}\n\n{table(['AUROC', 'before binding', 'now', 'difference'], lines)}"


def _everyday(figures: Figures) -> str:
    everyday = figures.everyday
    authors = everyday.by_author
    unread = authors[VERIFIED]
    wrong, right = kind_tables(everyday.developed, everyday.measured)
    told = [each for each in everyday.measured if each.wrong]
    return EVERYDAY.format(
        rows=count(sum(authors[name].rows for name in ("development authors", UNREAD))),
        confirmed=count(authors[CONFIRMED].rows), alone=share(authors[UNREAD].auroc.mean),
        auroc=share(unread.auroc.mean), low=share(unread.auroc.low), high=share(unread.auroc.high),
        found=", ".join(f"`{each.kind}`" for each in told if each.flagged >= 0.5),
        missed=", ".join(f"`{each.kind}`" for each in told if each.flagged < 0.3),
        alarms=", ".join(f"`{each.kind}`" for each in everyday.measured if not each.wrong and each.flagged > 0.2),
        supported=f"{unread.supported_right.mean:.0%}", unsupported=f"{unread.unsupported_wrong.mean:.0%}",
        doubtful=f"{unread.doubtful.mean:.0%}", draws=count(REDRAWN),
        authors=author_table(authors), wrong=wrong, right=right,
    )  # fmt: skip


def _contradictions(figures: Figures) -> str:
    return f"{CONTRADICTIONS}\n\n{contradiction_table(figures.false_contradictions)}"


def _within(figures: Figures) -> str:
    within = figures.within
    lines = [
        [task, str(within.told[task]), *[share(scores[name]) for name in _HEADERS]]
        for task, scores in within.by_task.items()
    ]
    means = [share(float(np.mean([scores[name] for scores in within.by_task.values()]))) for name in _HEADERS]
    lines.append(["**mean**", str(sum(within.told.values())), *[f"**{mean}**" for mean in means]])
    words = WITHIN.format(alone=share(within.by_cell_alone), least=LEAST, cells=within.cells)
    return f"{words}\n\n{table(['task', 'generators', *_HEADERS.values()], lines)}"


def _ablation(figures: Figures) -> str:
    def lines(found: Sequence[tuple[str, float]]) -> list[list[str]]:
        return [[what, share(figure), signed(figure - figures.whole)] for what, figure in found]

    header = ["", "mean AUROC", "against the score as it ships"]
    ships = ["the score as it ships", share(figures.whole), ""]
    return ABLATION.format(
        parts=table(header, [ships, *lines(figures.without)]),
        levels=table(header, lines(figures.levels)),
        tried=table(
            [
                "tried",
                "AUROC by itself",
                "weight, least and greatest",
                "added to the model",
                "difference",
                "added, without sentences made by rule",
            ],
            [
                [
                    each.what,
                    share(each.alone),
                    " to ".join(map(signed, each.weights)),
                    share(each.added),
                    signed(each.added - figures.whole),
                    share(each.added_unmade),
                ]
                for each in figures.tried
            ],
        ),
    )


def _claims(figures: Figures) -> str:
    by_proximity, by_evidence = _accuracies(figures)
    lines = []
    for name in by_proximity:
        one, other = (float(np.mean(list(found[name].values()))) for found in (by_proximity, by_evidence))
        lines.append([name, str(len(by_proximity[name])), share(one), share(other), signed(other - one)])
    for what, mean in (("mean over all tasks", flat_mean), ("mean over tasks, then data sets", mean_of)):
        one, other = mean(by_proximity), mean(by_evidence)
        tasks = str(sum(map(len, by_proximity.values())))
        lines.append(
            [f"**{what}**", tasks, *[f"**{each}**" for each in (share(one), share(other), signed(other - one))]]
        )
    recommended = load_verdict(RECOMMENDED).rubric
    gained = gain(figures.rows, figures.checked)
    limit = float(recommended.hallucination.fail_above)
    moved = flat_mean(balanced_accuracy(figures.rows, [each.proximity > limit for each in figures.checked]))
    words = CLAIMS.format(
        limit=float(load_verdict().rubric.hallucination.fail_above), recommended=limit, moved=share(moved),
        claim_from=float(recommended.support.claim_from),
        gained=signed(gained.mean), low=signed(gained.low), high=signed(gained.high),
    )  # fmt: skip
    return f"{words}\n\n{table(['data set', 'tasks', 'proximity', 'evidence', 'difference'], lines)}"


def _calibration(figures: Figures) -> str:
    lines = [
        [
            name,
            *map(
                share, [each.unsupported, each.before, each.prior, each.after, each.worst, each.elsewhere, each.floor]
            ),
        ]
        for name, each in figures.calibrated.items()
    ]
    means = np.mean([each[1:] for each in figures.calibrated.values()], axis=0)
    lines.append(["**mean**", "", *[f"**{share(float(mean))}**" for mean in means]])
    header = ["left-out data set", "unsupported", "before, calibrated on the other data sets",
              "with the share of unsupported known",
              f"after {LABELS} labels, mean", "worst draw", "labels and answers of different sources",
              "of that, chance"]  # fmt: skip
    rules = load_verdict().rubric.support
    return CALIBRATION.format(
        labels=LABELS, draws=DRAWS, table=table(header, lines), diagram=DIAGRAM, bands=_bands(figures.bands),
        high=float(rules.supported_from), low=float(rules.unsupported_below),
        unasked=load_constants().answers.supported_unasked_from,
    )  # fmt: skip


def _bands(bands: Mapping[str, Bands]) -> str:
    lines = [
        [
            name, count(each.supported), share(each.supported_right / max(1, each.supported)),
            count(each.unsupported), share(each.unsupported_wrong / max(1, each.unsupported)), share(each.doubtful),
        ]
        for name, each in bands.items()
    ]  # fmt: skip
    header = ["left-out data set", "*supported*", "of that, right", "*unsupported*", "of that, wrong", "*doubtful*"]
    return table(header, lines)


def _spans(figures: Figures) -> str:
    lines = [[way, share(fit.precision), share(fit.recall), share(fit.f1)] for way, fit in figures.spans.items()]
    best = max(figures.spans, key=lambda way: figures.spans[way].f1)
    ships = f"sentences below {float(load_verdict().rubric.support.unsupported_below):g}"
    words = SPANS.format(
        ships=ships, f1=share(figures.spans[ships].f1), best=best, best_f1=share(figures.spans[best].f1)
    )
    return f"{words}\n\n{table(['held unsupported', 'precision', 'recall', 'F1'], lines)}"


def _speed(figures: Figures) -> str:
    timing = figures.timing
    lines = [
        ["support, every text read for the first time", f"{timing.support:.1f}"],
        ["support of an everyday answer", f"{timing.everyday:.1f}"],
        ["the same with the verifier, for each of its sentences", f"{timing.verified:.1f}"],
        ["support, contexts met before", f"{timing.cached:.1f}"],
        ["the whole verdict with claims and support", f"{timing.verdict:.1f}"],
        ["of that, the parse of the claims", f"{timing.parse:.1f} ({timing.parse / timing.verdict:.0%})"],
    ]
    words = SPEED.format(
        answers=timing.answers, words=round(timing.words), context_words=count(round(timing.context_words))
    )
    return f"{words}\n\n{table(['', 'CPU ms for an answer'], lines)}"


def _model(figures: Figures) -> str:  # noqa: ARG001 - each part takes the same
    model = load_model()
    lines = [
        [f"`{name}`", f"{weight:+.3f}", "lowers" if name in LOWERS_RISK else "raises"]
        for name, weight in zip(MEASURES, model.weights, strict=True)
    ]
    words = MODEL.format(
        name=model.name, version=model.version, sha256=model.sha256, intercept=f"{model.intercept:+.3f}"
    )
    return f"{words}\n\n{table(['measure', 'weight', 'the risk it'], lines)}"


def _accuracies(figures: Figures) -> tuple[_BY_TASK, _BY_TASK]:
    return (
        balanced_accuracy(figures.rows, [each.failed_by_proximity for each in figures.checked]),
        balanced_accuracy(figures.rows, [each.failed_by_evidence for each in figures.checked]),
    )


def _set_means(by_task: _BY_TASK) -> dict[str, float]:
    return {name: float(np.mean(list(tasks.values()))) for name, tasks in by_task.items()}
