"""Speed and memory of a review's way in: import into a ledger, pre-score and sample, without and with claims.

Each case runs in a process of its own, so that its CPU time and its peak memory are its own. The interactions are made
from the demo's: responses and traces in two files, passages by id from a third. Read the ratios to a bare parse of the
same two files as JSON: the machine's other work moves the times, not the ratios.
"""

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from plumbrule.demo import samples_path
from plumbrule.suites import corpus_path

COUNT = 10_000
SAMPLE = 50  # a week's
AT = datetime(2026, 1, 31, tzinfo=UTC)
STAGES = {
    "parse": "the two files as JSON and no more",
    "read": "read, join, hold to the contract, find the passages",
    "prescore": "propose a level for each dimension",
    "import": "keep in a SQLite ledger, raw and with the proposals",
    "sample": "read, draw 50 by strata, pre-score those",
    "whole": "read, pre-score, import and sample",
}


def main() -> None:
    """Run every case and print the table."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--quick", action="store_true", help="a tenth of the interactions")
    options.add_argument("--case", nargs=2, help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.case:
        _run_case(chosen.case[0] == "True", int(chosen.case[1]))
        return
    count = COUNT // 10 if chosen.quick else COUNT
    print(
        f"{count} interactions, one process each; a second of CPU time does so many, and the time against a bare parse"
    )
    for claims in (False, True):
        command = [sys.executable, "-m", "bench.prescores", "--case", str(claims), str(count)]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        result = json.loads(done.stdout)
        took, peak = result["took"], result["peak_mb"]
        print(
            f"\n{'with' if claims else 'without'} claims; peak memory {peak:.0f} MB, the clock {result['clock']:.1f} s"
        )
        for stage, what in STAGES.items():
            print(f"{stage:<10}{count / took[stage]:>9.0f}/s{took[stage] / took['parse']:>9.0f}x  {what}", flush=True)


def generate(count: int, seed: int = 7) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Yield responses with their traces, the same for the same seed; the passages are named by id."""
    draw = random.Random(seed)  # noqa: S311 - a benchmark, not a secret
    samples = [json.loads(line) for line in samples_path().read_text(encoding="utf-8").splitlines()]
    for _ in range(count):
        sample = draw.choice(samples)
        trace_id = str(uuid.UUID(int=draw.getrandbits(128), version=4))
        kept = (
            "answer",
            "citations",
            "refusal",
            "grounding_status",
            "timestamp",
            "metadata",
            "expected",
            "output_tokens",
        )
        response = {"trace_id": trace_id, "query": sample["question"], **{name: sample[name] for name in kept}}
        scores = [passage["score"] for passage in sample["contexts"]]
        retrieval = {
            "passages_retrieved": len(scores),
            "passages_above_threshold": sum(score >= 0.7 for score in scores),
            "top_passage_score": max(scores, default=None),
            "passage_ids": [passage["id"] for passage in sample["contexts"]],
        }
        status = {"status": sample["grounding_status"]}
        yield response, {"trace_id": trace_id, "retrieval": retrieval, "grounding": status}


def write(folder: Path, count: int) -> None:
    """Write responses and traces into a new folder."""
    folder.mkdir()
    with (folder / "responses.jsonl").open("w") as responses, (folder / "traces.jsonl").open("w") as traces:
        for response, trace in generate(count):
            responses.write(json.dumps(response) + "\n")
            traces.write(json.dumps(trace) + "\n")


def _run_case(claims: bool, count: int) -> None:  # noqa: FBT001 - a column of the table
    from plumbrule.api.prescores import prescore_many  # noqa: PLC0415 - the same
    from plumbrule.interactions.interaction_reader import read_interactions  # noqa: PLC0415 - the same
    from plumbrule.ledger import open_ledger  # noqa: PLC0415 - the same
    from plumbrule.reviews.interaction_archive import keep_interactions  # noqa: PLC0415 - each case its own
    from plumbrule.reviews.sample_draw import Request, draw  # noqa: PLC0415 - the same
    from plumbrule.rubrics import load_scorecard  # noqa: PLC0415 - the same

    with tempfile.TemporaryDirectory() as name:
        folder, passages = Path(name) / "evidence", corpus_path()
        write(folder, count)
        warm = [interaction for interaction, _ in zip(read_interactions(folder, passages), range(64), strict=False)]
        list(prescore_many(warm, claims=claims))
        begin = time.perf_counter()
        took = {"parse": _timed(lambda: _parse(folder))[1]}
        interactions, took["read"] = _timed(lambda: list(read_interactions(folder, passages)))
        prescores, took["prescore"] = _timed(lambda: list(prescore_many(interactions, claims=claims)))
        with open_ledger(f"sqlite:///{name}/ledger.db", at=AT) as ledger:
            kept, took["import"] = _timed(
                lambda: keep_interactions(ledger, interactions, prescores, author="measure", at=AT)
            )
        request = Request(trigger="monitoring", path=str(folder), passages=str(passages), size=SAMPLE, claims=claims)
        drawn, took["sample"] = _timed(lambda: draw(request, load_scorecard()))
        if kept.new != count or len(drawn.manifest.drawn) + drawn.manifest.shortfall != SAMPLE:
            sys.exit(f"kept {kept.new} of {count}, drew {len(drawn.manifest.drawn)} of {SAMPLE}")
    took["whole"] = sum(took[stage] for stage in ("read", "prescore", "import", "sample"))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"took": took, "peak_mb": peak, "clock": time.perf_counter() - begin}))


def _timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """Return what the work gave, and the CPU time that it took."""
    begin = time.process_time()
    return work(), time.process_time() - begin


def _parse(folder: Path) -> None:
    for path in folder.iterdir():
        with path.open(encoding="utf-8") as lines:
            for line in lines:
                json.loads(line)


if __name__ == "__main__":
    main()
