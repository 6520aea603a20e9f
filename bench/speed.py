"""Speed and memory of the verdict rubric, against the textbook implementation, in one run.

Each case runs in a process of its own, so that its CPU time and its peak memory are its own. Read the ratios: the
machine's other work moves the times, not the ratios.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench import datasets

Score = Callable[[list[dict[str, Any]]], float]

CASES = [  # checks, contexts, samples for Plumbrule, samples for the textbook
    ("values", "shared", 6000, 600),
    ("values", "distinct", 3000, 600),
    ("claims", "shared", 1500, 150),
    ("claims", "distinct", 900, 150),
    ("support", "shared", 1500, 150),
    ("support", "distinct", 900, 150),
]
STREAMED = [("values", 10_000), ("values", 200_000), ("claims", 2_000), ("claims", 10_000), ("support", 2_000)]
OVERRIDES: dict[str, dict[str, object]] = {  # numbers and dates; claims as well; and the support score beside them
    "values": {"hallucination.anchors": ["number", "date"]},
    "claims": {"support.when": "never"},
    "support": {},
}
OPTIONS = {"values": ["--no-claims"], "claims": ["--no-support"], "support": []}
WARM_UP = 64


def main() -> None:
    """Run every case and print the tables."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--quick", action="store_true", help="a tenth of the samples")
    options.add_argument("--case", nargs=4, help=argparse.SUPPRESS)
    options.add_argument("--stream", nargs=2, help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.case:
        _run_case(*chosen.case)
    elif chosen.stream:
        _run_stream(*chosen.stream)
    else:
        share = 10 if chosen.quick else 1
        _print_speed(share)
        _print_memory(share)


def _print_speed(share: int) -> None:
    print("Scoring, one process each, samples per second of CPU time. A context is four passages, about 300 words;")
    print("shared: the passages of one corpus come again and again; distinct: every passage is new.")
    print("values: numbers and dates; claims: claims too, without the support score; support: with it, which the")
    print("textbook does not have.\n")
    print(f"{'checks':<8}{'contexts':<10}{'plumbrule':>11}{'textbook':>10}{'ratio':>8}{'peak MB':>14}")
    for checks, contexts, ours, theirs in CASES:
        mine = _measure("--case", "plumbrule", checks, contexts, str(max(100, ours // share)))
        other = _measure("--case", "textbook", checks, contexts, str(max(50, theirs // share)))
        ratio = f"{mine['rate'] / other['rate']:.1f}x"
        peaks = f"{mine['peak_mb']:.0f} / {other['peak_mb']:.0f}"
        print(f"{checks:<8}{contexts:<10}{mine['rate']:>11.0f}{other['rate']:>10.0f}{ratio:>8}{peaks:>14}", flush=True)


def _print_memory(share: int) -> None:
    print("\nThe whole command on a file of distinct contexts: read, score, tally, write, in one process\n")
    print(f"{'checks':<8}{'samples':>9}{'file MB':>9}{'samples/s':>11}{'peak MB':>9}")
    for checks, count in STREAMED:
        result = _measure("--stream", checks, str(count // share))
        row = f"{checks:<8}{count // share:>9}{result['file_mb']:>9.0f}{result['rate']:>11.0f}{result['peak_mb']:>9.0f}"
        print(row, flush=True)


def _measure(*arguments: str) -> dict[str, float]:
    command = [sys.executable, "-m", "bench.speed", *arguments]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    measured: dict[str, float] = json.loads(done.stdout)
    return measured


def _run_case(name: str, checks: str, contexts: str, count: str) -> None:
    samples = list(datasets.generate(int(count) + WARM_UP, contexts=contexts))
    score = _plumbrule(checks) if name == "plumbrule" else _textbook(claims=checks != "values")
    score(samples[:WARM_UP])
    _report(rate=int(count) / score(samples[WARM_UP:]))


def _plumbrule(checks: str) -> Score:
    from plumbrule.rubrics import load_verdict  # noqa: PLC0415 - each case imports only its own
    from plumbrule.samples import samples_from  # noqa: PLC0415 - the same
    from plumbrule.verdicts.verdict import VerdictScorer  # noqa: PLC0415 - the same

    scorer = VerdictScorer(load_verdict(overrides=OVERRIDES[checks]))

    def score(records: list[dict[str, Any]]) -> float:
        samples = list(samples_from(records))
        start = time.process_time()
        for _ in scorer.score_many(samples):
            pass
        return time.process_time() - start

    return score


def _textbook(*, claims: bool) -> Score:
    from bench import textbook  # noqa: PLC0415 - each case imports only its own

    from plumbrule.rubrics import load_verdict  # noqa: PLC0415 - the same
    from plumbrule.text.dependency_parser import load_parser  # noqa: PLC0415 - the same

    stop = frozenset(load_verdict().rubric.words.stop)
    parser = load_parser() if claims else None

    def score(records: list[dict[str, Any]]) -> float:
        start = time.process_time()
        for record in records:
            textbook.score(record["question"], record["answer"], record["contexts"], stop, parser)
        return time.process_time() - start

    return score


def _run_stream(checks: str, count: str) -> None:
    from plumbrule.cli import invoke  # noqa: PLC0415 - each case imports only its own

    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "samples.jsonl"), Path(folder, "verdicts.jsonl")
        datasets.write(source, datasets.generate(int(count), contexts="distinct"))
        arguments = ["score", str(source), "-o", str(target), "--workers", "1", "--worst", "0"]
        with Path(folder, "summary.txt").open("w", encoding="utf-8") as summary:
            kept, sys.stdout = sys.stdout, summary
            start = time.process_time()
            code = invoke([*arguments, *OPTIONS[checks]])
            spent = time.process_time() - start
            sys.stdout = kept
        if code:
            raise SystemExit(code)
        _report(file_mb=source.stat().st_size / 1e6, rate=int(count) / spent)


def _report(**figures: float) -> None:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({**figures, "peak_mb": peak}))


if __name__ == "__main__":
    main()
