"""How well fitted verifiers rank the answers they never saw, alone and with the small model, and what a pair costs."""

import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from plumbrule.errors import InputError
from plumbrule.support.calibration import log_odds_of
from plumbrule.support.support_model import SupportModel
from plumbrule.support.verifier import open_verifier
from plumbrule.support.verifier.verification import Verifier
from training.data import Labelled
from training.folds import ranks
from training.page import share, table
from training.table import by_task, mean_of, word_overlap
from training.verifier_pairs import Asked, asked_of

WEIGHTS = (0.1, 0.25, 0.5)  # of the verifier beside the small model
_CLAIMS_NOTHING = -np.inf
_WARM, _TIMED = 50, 300  # pairs before the clock starts, and pairs by the clock

Risks = dict[str, float]


def measured(rows: Sequence[Labelled], fitted: Sequence[Path], models: Mapping[str, SupportModel]) -> str:
    """Return the tables of what these fits left out; ``models`` has, by data set, the small model that never saw it."""
    fits = [(json.loads((folder / "fit.json").read_text(encoding="utf-8")), folder) for folder in fitted]
    left = [name for fit, _ in fits for name in fit["left_out"]]
    if not left or len(set(left)) < len(left):
        raise InputError(f"each data set must be left out by one fit, and some by any; left out here: {left or 'none'}")
    kept: list[Labelled] = []
    risks: list[Risks] = []
    costs = []
    for fit, folder in fits:
        verifier = open_verifier(folder / "verifier")
        unseen = [row for row in rows if row.data_set in fit["left_out"]]
        asked = [asked_of(row.answer, row.contexts) for row in unseen]
        kept += unseen
        risks += [risks_of(*each, verifier, models[each[0].data_set]) for each in zip(unseen, asked, strict=True)]
        costs.append(_cost(folder / "verifier", [pair for each in asked for pair in each]))
    return "\n\n".join([_fits([fit for fit, _ in fits], costs), *_tables(kept, risks)])


def risks_of(row: Labelled, asked: Sequence[Asked], verifier: Verifier, model: SupportModel) -> Risks:
    """Return an answer's risk by each method; sentences are added up to answers in one way for all of them."""
    told = verifier.verify([(each.evidence, each.sentence) for each in asked])
    own = [model.log_odds(each.found.measures) for each in asked]
    others = [log_odds_of(probability, model.constants.answers.verifier_bound) for probability in told]

    def risk(weight: float) -> float:
        if not asked:
            return _CLAIMS_NOTHING
        mixed = [(1 - weight) * mine + weight * other for mine, other in zip(own, others, strict=True)]
        return -model.answer_log_odds(mixed)

    return {
        "word overlap": word_overlap(row),
        "verifier": risk(1.0),
        "small model": risk(0.0),
        **{f"small model, verifier at {weight:g}": risk(weight) for weight in WEIGHTS},
    }


def _tables(rows: Sequence[Labelled], risks: Sequence[Risks]) -> list[str]:
    figures = {}
    for name in risks[0]:
        placed = ranks([each[name] for each in risks])
        figures[name] = by_task(rows, lambda _, placed=placed: placed)  # type: ignore[misc]
    sets = list(next(iter(figures.values())))
    by_set = [
        [name, *[share(float(np.mean(list(of[each].values())))) for each in sets], share(mean_of(of))]
        for name, of in figures.items()
    ]
    tasks = [
        [f"{each} {task}", *[share(of[each][task]) for of in figures.values()]]
        for each in sets
        for task in figures["verifier"][each]
    ]
    return [table(["", *sets, "mean"], by_set), table(["task", *figures], tasks)]


def _fits(fits: Sequence[Mapping[str, object]], costs: Sequence[str]) -> str:
    names = {
        "left_out": "measured on", "labelled": "labelled pairs", "repeats": "times", "made": "rule-made pairs",
        "seen": "pairs seen", "minutes": "minutes, one thread",
    }  # fmt: skip
    told = [[shown, *[_words(fit[name]) for fit in fits]] for name, shown in names.items()]
    return table(["", *[f"fit {number}" for number in range(1, len(fits) + 1)]], [*told, ["a pair", *costs]])


def _words(value: object) -> str:
    return ", ".join(value) if isinstance(value, list) else f"{value:,}"


def _cost(folder: Path, pairs: Sequence[Asked]) -> str:
    """Return what the folder and a pair of usual length cost; the verifier is a new one, which remembers none."""
    verifier = open_verifier(folder)
    chosen = [(each.evidence, each.sentence) for each in pairs[:: max(1, len(pairs) // (_WARM + _TIMED))]]
    verifier.verify(chosen[:_WARM])
    started = time.process_time()
    verifier.verify(chosen[_WARM:])
    took = (time.process_time() - started) / max(1, len(chosen[_WARM:]))
    size = sum(path.stat().st_size for path in folder.iterdir()) / 1e6
    return f"{1000 * took:.1f} ms of CPU, {size:.1f} MB"
