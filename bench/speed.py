"""Speed and memory of the verdict rubric, against the textbook implementation, in one run.

Each case runs in a process of its own on one core's worth of work, so that its CPU time and its peak memory are its
own. Read the ratios: the machine's other work moves the times, not the ratios.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path

import datasets

CASES = [  # implementation, claims, contexts, samples
    ("plumbrule", False, "shared", 6000),
    ("textbook", False, "shared", 600),
    ("plumbrule", False, "distinct", 3000),
    ("textbook", False, "distinct", 600),
    ("plumbrule", True, "shared", 1500),
    ("textbook", True, "shared", 150),
    ("plumbrule", True, "distinct", 900),
    ("textbook", True, "distinct", 150),
]
MEMORY = [(False, 10_000), (False, 200_000), (True, 1_000), (True, 10_000)]
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
        _print_tables(10 if chosen.quick else 1)


def _print_tables(share: int) -> None:
    print("one process each, CPU time; contexts of four passages, about 300 words\n")
    print(f"{'implementation':<16}{'claims':<8}{'contexts':<10}{'samples/s':>10}{'peak MB':>9}{'ratio':>8}")
    rates: dict[tuple[bool, str], float] = {}
    for name, claims, contexts, count in CASES:
        result = _measure("--case", name, str(claims), contexts, str(max(50, count // share)))
        ratio = ""
        if name == "plumbrule":
            rates[claims, contexts] = result["rate"]
        else:
            ratio = f"{rates[claims, contexts] / result['rate']:.1f}x"
        yes = "yes" if claims else "no"
        print(f"{name:<16}{yes:<8}{contexts:<10}{result['rate']:>10.0f}{result['peak_mb']:>9.0f}{ratio:>8}")
    print("\npeak memory of a whole streamed file: read, scored, tallied, written\n")
    print(f"{'claims':<8}{'samples':>9}{'file MB':>9}{'peak MB':>9}")
    for claims, count in MEMORY:
        result = _measure("--stream", str(claims), str(count // share))
        yes = "yes" if claims else "no"
        print(f"{yes:<8}{count // share:>9}{result['file_mb']:>9.0f}{result['peak_mb']:>9.0f}")


def _measure(*arguments: str) -> dict[str, float]:
    command = [sys.executable, __file__, *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    measured: dict[str, float] = json.loads(done.stdout)
    return measured


def _run_case(name: str, claims: str, contexts: str, count: str) -> None:
    with_claims = claims == "True"
    samples = list(datasets.generate(int(count) + WARM_UP, contexts=contexts))
    warm, timed = samples[:WARM_UP], samples[WARM_UP:]
    score = _plumbrule(with_claims) if name == "plumbrule" else _textbook(with_claims)
    score(warm)
    start = time.process_time()
    score(timed)
    _report(rate=len(timed) / (time.process_time() - start))


def _plumbrule(claims: bool):  # noqa: ANN202, FBT001 - two local functions of the same shape
    from plumbrule.rubrics import load_verdict  # noqa: PLC0415 - each case imports only its own
    from plumbrule.samples import samples_from  # noqa: PLC0415
    from plumbrule.scorers.verdict import VerdictScorer  # noqa: PLC0415

    scorer = VerdictScorer(load_verdict(overrides={} if claims else {"hallucination.anchors": ["number", "date"]}))
    return lambda samples: [verdict.verdict for verdict in scorer.score_many(samples_from(samples))]


def _textbook(claims: bool):  # noqa: ANN202, FBT001 - as above
    import textbook  # noqa: PLC0415 - each case imports only its own

    from plumbrule.rubrics import load_verdict  # noqa: PLC0415
    from plumbrule.text.parser import load_parser  # noqa: PLC0415

    stop = frozenset(load_verdict().rubric.words.stop)
    parser = load_parser() if claims else None
    return lambda samples: textbook.map_chunks(samples, stop, parser)


def _run_stream(claims: str, count: str) -> None:
    from plumbrule.cli import run  # noqa: PLC0415 - each case imports only its own

    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "samples.jsonl"), Path(folder, "verdicts.jsonl")
        with source.open("w", encoding="utf-8") as file:
            pending = datasets.generate(int(count), contexts="distinct")
            while lines := [json.dumps(sample) for sample in islice(pending, 1000)]:
                file.write("\n".join(lines) + "\n")
        arguments = ["score", str(source), "-o", str(target), "--workers", "1", "--json"]
        with Path(folder, "summary.json").open("w") as summary:
            kept, sys.stdout = sys.stdout, summary
            code = run(arguments if claims == "True" else [*arguments, "--no-claims"])
            sys.stdout = kept
        if code:
            raise SystemExit(code)
        _report(file_mb=source.stat().st_size / 1e6)


def _report(**figures: float) -> None:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({**figures, "peak_mb": peak}))


if __name__ == "__main__":
    main()
