"""Speed and memory of reading and pre-scoring interactions, without and with the claims parse.

Each case runs in a process of its own, so that its CPU time and its peak memory are its own. The interactions are made
from the demo's: responses and traces in two files, passages by id from a third.
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
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from plumbrule.demo import corpus_path, samples_path

COUNT = 10_000


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
    print(f"{count} interactions, one process each; interactions per second of CPU time\n")
    print(f"{'claims':<8}{'read':>8}{'pre-score':>11}{'both':>8}{'peak MB':>9}")
    for claims in (False, True):
        command = [sys.executable, "-m", "bench.prescores", "--case", str(claims), str(count)]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        result = json.loads(done.stdout)
        row = f"{result['read']:>8.0f}{result['prescore']:>11.0f}{result['both']:>8.0f}{result['peak_mb']:>9.0f}"
        print(f"{'yes' if claims else 'no':<8}{row}", flush=True)


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


def _run_case(claims: bool, count: int) -> None:  # noqa: FBT001 - a column of the table
    from plumbrule.api.interactions import prescore_many, read_interactions  # noqa: PLC0415 - each case its own

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with (folder / "responses.jsonl").open("w") as responses, (folder / "traces.jsonl").open("w") as traces:
            for response, trace in generate(count):
                responses.write(json.dumps(response) + "\n")
                traces.write(json.dumps(trace) + "\n")
        warm = [
            interaction for interaction, _ in zip(read_interactions(folder, corpus_path()), range(64), strict=False)
        ]
        list(prescore_many(warm, claims=claims))
        start = time.process_time()
        for _ in read_interactions(folder, corpus_path()):
            pass
        read = time.process_time() - start
        start = time.process_time()
        for prescore in prescore_many(read_interactions(folder, corpus_path()), claims=claims):
            prescore.to_dict()
        both = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    rates = {"read": count / read, "prescore": count / (both - read), "both": count / both, "peak_mb": peak}
    print(json.dumps(rates))


if __name__ == "__main__":
    main()
