"""How much faster one source tree scores than another: ``python -m bench.in_turn --old SRC_DIR [--new SRC_DIR]``.

SRC_DIR is the folder with the package: the src of a checkout. Each tree has one process for the whole run, and both
score the same few samples in turn, so that what else the machine does slows both alike. Printed are the samples for
each second of CPU time, the ratio of the sums and the median of the ratios of all rounds. The verifier is left out.

``--same FILE`` instead compares the verdicts on the samples of a JSONL file, byte by byte.
"""

import argparse
import gzip
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any

from bench import datasets
from training.everyday_rows import DEVELOPED

ROOT = Path(__file__).parents[1]
RAGTRUTH = ROOT.parent / "shared/data/groundedness/ragtruth.jsonl.gz"
EVERYDAY = ROOT / "training/everyday"
OVERRIDES: dict[str, dict[str, object]] = {"support": {}, "claims": {"support.when": "never"}}
CASES = [  # checks, samples, how many to warm up with, how many in a round
    ("support", "ragtruth", 64, 32),
    ("support", "distinct", 32, 32),
    ("support", "shared", 128, 64),
    ("support", "everyday", 64, 64),
    ("claims", "distinct", 32, 64),
    ("support", "long", 1, 1),
]
LONG_WORDS = 20_000
_STEP = 128


def main() -> int:
    """Print a line for each case, or how many verdicts differ; return 1 if any does."""
    parser = argparse.ArgumentParser(prog="python -m bench.in_turn", description=__doc__.partition("\n")[0])
    parser.add_argument("--old", type=Path, required=True, help="the source folder to compare with")
    parser.add_argument("--new", type=Path, default=ROOT / "src", help="by default that of this checkout")
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--case", action="append", help="only this, such as support-ragtruth; may be given again")
    parser.add_argument("--ragtruth", type=Path, default=RAGTRUTH, help="the labelled answers, not kept here")
    parser.add_argument("--same", type=Path, help="compare the verdicts on the samples of this file")
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.work:
        _work()
        return 0
    trees = [_Tree(chosen.old.resolve()), _Tree(chosen.new.resolve())]
    if chosen.same:
        return _print_differing(chosen.same, trees)
    print(f"{'checks':<9}{'samples':<10}{'number':>7}{'old':>9}{'new':>9}{'ratio':>7}{'median':>8}")
    with tempfile.TemporaryDirectory() as folder:
        for checks, name, warm_up, size in CASES:
            if not chosen.case or f"{checks}-{name}" in chosen.case:
                path = Path(folder, f"{name}.jsonl")
                count = datasets.write(path, islice(_samples(name, chosen.ragtruth), warm_up + size * chosen.rounds))
                _print_rates(checks, path, trees, [*range(warm_up, count, size)], size)
    return 0


def _print_rates(checks: str, path: Path, trees: "list[_Tree]", starts: list[int], size: int) -> None:
    for tree in trees:
        tree.score(checks, path, 0, starts[0])
    spent: list[list[float]] = [[], []]
    number = 0
    for start in starts:
        order = (0, 1) if start // size % 2 else (1, 0)
        for each in order:
            done = trees[each].score(checks, path, start, start + size)
            spent[each].append(done["cpu_s"])
        number += done["samples"]
    old, new = (number / sum(each) for each in spent)
    middle = median(one / other for one, other in zip(*spent, strict=True))
    print(f"{checks:<9}{path.stem:<10}{number:>7}{old:>9.3g}{new:>9.3g}{new / old:>7.2f}{middle:>8.2f}", flush=True)


def _print_differing(path: Path, trees: "list[_Tree]") -> int:
    start = differing = count = 0
    while True:
        old, new = (tree.score("support", path, start, start + _STEP)["verdicts"] for tree in trees)
        if not old and not new:
            break
        differing += len([None for one, other in zip(old, new, strict=True) if one != other])
        count += len(old)
        start += _STEP
    print(f"{differing} of {count} verdicts differ")
    return int(differing > 0)


def _samples(name: str, ragtruth: Path) -> Iterator[Mapping[str, Any]]:
    if name == "long":
        from bench.scaling import _texts  # noqa: PLC0415 - only this case needs it

        return _texts(1_000, LONG_WORDS)
    if name == "ragtruth":
        return _labelled(gzip.open(ragtruth, "rt", encoding="utf-8"))
    if name == "everyday":
        paths = [EVERYDAY / f"{author}.jsonl" for author in DEVELOPED]
        return (sample for path in paths for sample in _labelled(path.read_text(encoding="utf-8").splitlines()))
    return datasets.generate(100_000, contexts=name)


def _labelled(lines: Iterable[str]) -> Iterator[Mapping[str, Any]]:
    """Yield what is scored of labelled answers."""
    for line in lines:
        row = json.loads(line)
        yield {name: row[name] or "" for name in ("id", "question", "answer", "contexts")}


class _Tree:
    """The process of one source tree."""

    def __init__(self, source: Path) -> None:
        environment = {
            **os.environ, "PYTHONPATH": f"{source}{os.pathsep}{ROOT}", "PLUMBRULE_VERIFIER": "none"
        }  # fmt: skip
        command = [sys.executable, "-m", "bench.in_turn", "--old", str(source), "--work"]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )

    def score(self, checks: str, path: Path, first: int, last: int) -> dict[str, Any]:
        """Return what the samples of a stretch of a file took, and their verdicts."""
        if self._process.stdin is None or self._process.stdout is None:  # for the type checker
            raise RuntimeError
        print(json.dumps([checks, str(path), first, last]), file=self._process.stdin, flush=True)
        done: dict[str, Any] = json.loads(self._process.stdout.readline())
        return done


def _work() -> None:
    """Score what each line of the standard input asks for, and print a line for it."""
    from plumbrule.rubrics import load_verdict  # noqa: PLC0415 - of the tree that is measured
    from plumbrule.samples import samples_from  # noqa: PLC0415 - the same
    from plumbrule.verdicts.verdict import VerdictScorer  # noqa: PLC0415 - the same

    scorers = {checks: VerdictScorer(load_verdict(overrides=each)) for checks, each in OVERRIDES.items()}
    for asked in sys.stdin:
        checks, path, first, last = json.loads(asked)
        lines = Path(path).read_text(encoding="utf-8").splitlines()[first:last]
        samples = list(samples_from(map(json.loads, lines)))
        start = time.process_time()
        verdicts = list(scorers[checks].score_many(samples))
        spent = time.process_time() - start
        written = [json.dumps(verdict.to_dict()) for verdict in verdicts]
        print(json.dumps({"cpu_s": spent, "samples": len(samples), "verdicts": written}), flush=True)


if __name__ == "__main__":
    sys.exit(main())
