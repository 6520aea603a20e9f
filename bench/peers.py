"""Plumbrule beside the scorers of Ragas and DeepEval that need no model, and scikit-learn and spaCy by the book.

The same rows for each, one process each, in turn for several rounds: samples for each CPU second (the best round), and
how well a scorer tells right answers from wrong ones on everyday rows of the authors that nothing was made with. Errors
are counted. Ragas and DeepEval are no dependencies: pinned versions are installed in environments of their own, in a
temporary folder or in the one that ``--tools`` names, where they are found again. They run without a network, and with
their telemetry off.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from bench import datasets
from bench.gateway import make_environment
from training.data import FOLDER, read_labelled
from training.everyday import draw_pairs
from training.everyday_rows import DEVELOPED, MEASURED, EverydayRow, read_everyday
from training.folds import ranks
from training.ranking import SEED, interval_of, weighted_auroc

ROOT = Path(__file__).parents[1]
PEERS = {
    "ragas": (
        "ragas==0.4.3",
        "langchain-community==0.3.31",  # it cannot be imported with a later one
        "rapidfuzz==3.14.6",
        "rouge-score==0.1.2",
        "sacrebleu==2.6.0",
    ),
    "deepeval": ("deepeval==4.3.1", "rouge-score==0.1.2", "nltk==3.10.4"),
}
QUIET = {"RAGAS_DO_NOT_TRACK": "true", "DEEPEVAL_TELEMETRY_OPT_OUT": "1", "DEEPEVAL_UPDATE_WARNING_OPT_IN": "0"}
WARM_UP = 32


@dataclass(slots=True)
class Measured:
    """What one scorer took and told of one set of rows, over all rounds."""

    cpu_s: float = float("inf")
    scores: Sequence[float | None] = ()
    errors: Counter[str] = field(default_factory=Counter)


def main() -> None:
    """Measure all, and print a table in Markdown."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--tools", type=Path, help="folder for the other tools; kept, so that they are installed once")
    options.add_argument("--data", type=Path, default=FOLDER, help="labelled answers, for rows of RAGTruth")
    options.add_argument("--rows", type=int, default=200, help="of RAGTruth, and generated ones, for the speed alone")
    options.add_argument("--rounds", type=int, default=3)
    chosen = options.parse_args()
    everyday = [row for author in MEASURED for row in read_everyday(author)]
    sets = {"everyday": [asdict(row) for row in everyday], **_other_rows(chosen.data, chosen.rows)}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        commands = _commands(chosen.tools.resolve() if chosen.tools is not None else folder / "tools")
        for place, rows in enumerate([[asdict(row) for row in read_everyday(DEVELOPED[0])[:WARM_UP]], *sets.values()]):
            datasets.write(folder / f"{place}.jsonl", rows)
        files = [str(folder / f"{place}.jsonl") for place in range(len(sets) + 1)]
        measured: dict[tuple[str, str], dict[str, Measured]] = {}
        for _ in range(chosen.rounds):
            for product, command in commands.items():
                _add(measured, product, list(sets), _run([*command, product, *files], folder))
    _print_table(measured, sets, everyday)
    print(f"\nload of the machine over the last minute: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


def _other_rows(data: Path, most: int) -> dict[str, list[dict[str, Any]]]:
    """Return rows that only the speed is measured on: generated ones, and of RAGTruth, which weights were fitted to."""
    generated = {"generated": list(datasets.generate(most, contexts="distinct"))}
    if not (data / "ragtruth.jsonl.gz").exists():
        print(f"RAGTruth: left out, for there is no {data / 'ragtruth.jsonl.gz'}")
        return generated
    labelled = [row for row in read_labelled(data) if row.data_set == "ragtruth"]
    texts = [
        {"id": row.id, "question": row.question, "answer": row.answer, "contexts": row.contexts}
        for row in labelled[:: max(1, len(labelled) // most)]
    ]
    return {"RAGTruth": texts[:most], **generated}


def _commands(tools: Path) -> dict[str, list[str]]:
    """Return how each product is run; one that cannot be installed is left out."""
    own = [sys.executable, "-m", "bench.peer_scorers"]
    commands = {"plumbrule": own, "textbook": own}
    for product, packages in PEERS.items():
        try:
            python = make_environment(tools / product, *packages) / "python"
        except subprocess.CalledProcessError:
            print(f"{product}: left out, for {packages[0]} could not be installed")
        else:  # -P: nothing beside the script is imported
            commands[product] = [str(python), "-P", str(ROOT / "bench" / "peer_scorers.py")]
    return commands


def _run(command: Sequence[str], folder: Path) -> dict[str, Any]:
    paths = {"PYTHONPATH": str(ROOT)} if command[1] == "-m" else {}
    done = subprocess.run(
        command, cwd=folder, env=os.environ | QUIET | paths, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"{' '.join(command[:4])}: exit code {done.returncode}\n{done.stderr[-2000:]}")
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def _add(
    measured: dict[tuple[str, str], dict[str, Measured]], product: str, sets: Sequence[str], told: Mapping[str, Any]
) -> None:
    if told["connections"]:
        print(f"{product}: {told['connections']} attempts to reach the network were refused")
    for scorer, by_set in told["scorers"].items():
        own = measured.setdefault((product, scorer), {name: Measured() for name in sets})
        for name, one in zip(sets, by_set, strict=True):
            own[name].cpu_s = min(own[name].cpu_s, one["cpu_s"])
            own[name].scores, own[name].errors = one["scores"], Counter(one["errors"])


def _print_table(
    measured: Mapping[tuple[str, str], Mapping[str, Measured]],
    sets: Mapping[str, Sequence[Mapping[str, Any]]],
    everyday: Sequence[EverydayRow],
) -> None:
    counts = [f"{name} ({len(rows)})" for name, rows in sets.items()]
    print(f"| product | scorer | {' | '.join(counts)} | AUROC, everyday | errors |")
    print(f"|---|---|{'---:|' * len(sets)}---|---|")
    for (product, scorer), by_set in measured.items():
        rates = [
            "" if one.errors.total() == len(one.scores) else f"{_round(len(one.scores) / one.cpu_s):,}"
            for one in by_set.values()
        ]
        errors = sum((one.errors for one in by_set.values()), Counter[str]())
        faults = ", ".join(f"{kind} {count:,}" for kind, count in sorted(errors.items())) or "0"
        print(f"| {product} | {scorer} | {' | '.join(rates)} | {_auroc(everyday, by_set['everyday'])} | {faults} |")


def _round(rate: float) -> int:
    """Return a rate with two digits that count, for the third is noise."""
    return int(float(f"{rate:.2g}"))


def _auroc(rows: Sequence[EverydayRow], measured: Measured) -> str:
    """Return the mean of the authors' AUROC with an interval from drawing pairs again, of the rows with a score."""
    rng = np.random.default_rng(SEED)
    whole, drawn = [], []
    for author in MEASURED:
        told = [
            (row, score)
            for row, score in zip(rows, measured.scores, strict=True)
            if row.author == author and score is not None
        ]
        if not told:
            return ""
        wrong = np.array([not row.right for row, _ in told], dtype=float)
        weights = np.concatenate([np.ones((1, len(told))), draw_pairs([row for row, _ in told], rng)])
        figures = weighted_auroc(wrong, np.array(ranks([-score for _, score in told])), weights)
        whole.append(float(figures[0]))
        drawn.append(figures[1:])
    interval = interval_of(float(np.mean(whole)), np.mean(drawn, axis=0))
    return f"{interval.mean:.2f} ({interval.low:.2f} to {interval.high:.2f})"


if __name__ == "__main__":
    main()
