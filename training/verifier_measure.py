"""How well a verifier ranks answers that people judged, beside word overlap, and what a pair costs."""

import json
import re
import time
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from math import fsum, log
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from plumbrule.scorers.verifier import open_verifier
from plumbrule.scorers.verifier.verify import Verifier
from training.verifier_pairs import Row, answer_sentences, evidence_of

_WINDOWS = 2
_ROOT = 0.7  # an answer's risk is the sum over its n sentences, divided by n to this power
_LEAST = 1e-4
_WARM = 50  # pairs before the clock starts


class Judged(NamedTuple):
    """An answer with its risk by each method; ``label`` is 1 where people found something unsupported."""

    file: str
    task: str
    id: str
    label: int
    overlap: float
    verifier: float


def measure(data: dict[str, dict[str, list[Row]]], out: Path) -> None:
    """Judge all answers with OUT/verifier, keep the risks in OUT/risks.jsonl, and print AUROC by task and data set."""
    folder = out / "verifier"
    verifier = open_verifier(folder)
    size = sum(path.stat().st_size for path in folder.iterdir()) / 1e6
    print(f"{verifier.identity['name']} {verifier.identity['sha256'][:12]}, {size:.1f} MB", flush=True)
    means: dict[str, list[float]] = defaultdict(list)
    print(f"{'':<34}{'rows':>6}{'overlap':>9}{'verifier':>9}{'both':>9}")
    with (out / "risks.jsonl").open("w", encoding="utf-8") as kept:
        for name, files in data.items():
            tasks: dict[str, list[Judged]] = defaultdict(list)
            for file, rows in files.items():
                for row in rows:
                    judged = judge(verifier, file, row)
                    tasks[f"{file} {judged.task}"].append(judged)
                    kept.write(json.dumps(judged._asdict()) + "\n")
            figures = {task: auroc_by_method(judged) for task, judged in tasks.items()}
            for task, by_method in figures.items():
                _print(f"  {task}", len(tasks[task]), by_method)
            own = [fmean(column) for column in zip(*figures.values(), strict=True)]
            _print(name, sum(map(len, tasks.values())), own)
            means[name] = own
    _print("mean", 0, [fmean(column) for column in zip(*means.values(), strict=True)])
    print(_speed(verifier, [row for files in data.values() for rows in files.values() for row in rows]))


def _print(name: str, rows: int, figures: Iterable[float]) -> None:
    print(f"{name:<34}{rows or '':>6}" + "".join(f"{figure:>9.3f}" for figure in figures), flush=True)


def judge(verifier: Verifier, file: str, row: Row) -> Judged:
    """Return the answer of a row with its risk by each method."""
    evidence = evidence_of(row["contexts"])
    risks = []
    for start, end in answer_sentences(row["answer"]):
        sentence = row["answer"][start:end]
        windows = evidence.windows(sentence, _WINDOWS)
        support = max(verifier.verify([(window, sentence) for window in windows]), default=0.0)
        risks.append(-log(max(support, _LEAST)))
    known = {word for context in row["contexts"] for word in _words(context)}
    own = _words(row["answer"])
    return Judged(
        file=file,
        task=row["task"],
        id=row["id"],
        label=row["label"],
        overlap=sum(word not in known for word in own) / max(1, len(own)),
        verifier=fsum(risks) / len(risks) ** _ROOT,
    )


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def auroc_by_method(judged: Sequence[Judged]) -> tuple[float, float, float]:
    """Return the AUROC of word overlap, of the verifier, and of the mean of both ranks."""
    labels = [each.label for each in judged]
    overlap, verifier = _ranks([each.overlap for each in judged]), _ranks([each.verifier for each in judged])
    both = [one + other for one, other in zip(overlap, verifier, strict=True)]
    return auroc(labels, overlap), auroc(labels, verifier), auroc(labels, both)


def _ranks(values: Sequence[float]) -> list[float]:
    ordered = sorted(values)
    return [(bisect_left(ordered, value) + bisect_right(ordered, value)) / 2 for value in values]


def auroc(labels: Sequence[int], scores: Sequence[float]) -> float:
    """Return how often a row with label 1 scores above one with label 0; a tie counts half."""
    below = sorted(score for label, score in zip(labels, scores, strict=True) if not label)
    above = [score for label, score in zip(labels, scores, strict=True) if label]
    won = fsum((bisect_left(below, score) + bisect_right(below, score)) / 2 for score in above)
    return won / (len(below) * len(above))


def _speed(verifier: Verifier, rows: Sequence[Row]) -> str:
    """Return what a pair of usual length costs, asked of pairs that are not remembered."""
    pairs = []
    for row in rows[:: max(1, len(rows) // 300)]:
        start, end = answer_sentences(row["answer"])[0]
        sentence = f"{row['answer'][start:end]} "  # a space more: the same tokens, another key
        pairs += [(window, sentence) for window in evidence_of(row["contexts"]).windows(sentence, 1)]
    verifier.verify(pairs[:_WARM])
    started = time.process_time()
    verifier.verify(pairs[_WARM:])
    took = time.process_time() - started
    return f"{1000 * took / len(pairs[_WARM:]):.1f} ms of CPU for a pair, mean of {len(pairs) - _WARM}"
