"""Time and memory of ``monitor`` and ``incident`` over a ledger of many interactions, a few of them reviewed.

Each command runs in a process of its own, so that its CPU time and its peak memory are its own; the ledger is SQLite.
"""

import argparse
import datetime as dt
import json
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from uuid import UUID

from bench.prescores import write

from plumbrule.api.prescores import prescore_many
from plumbrule.interactions.interaction import Given, Interaction
from plumbrule.interactions.interaction_reader import read_interactions
from plumbrule.ledger import open_ledger
from plumbrule.reviews.evaluation_record import EvaluationRecord
from plumbrule.reviews.interaction_archive import keep_interactions
from plumbrule.reviews.record_store import keep_record
from plumbrule.rubrics import load_scorecard
from plumbrule.suites import corpus_path

COUNTS = (10_000, 100_000)
MADE = 1_000
REVIEWED = 200
AT = dt.datetime(2026, 1, 31, tzinfo=dt.UTC)


def main() -> None:
    """Run every case and print the table."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--quick", action="store_true", help="a tenth of the interactions")
    options.add_argument("--case", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.case:
        _run_case(chosen.case)
        return
    print(f"{'command':<10}{'interactions':>13}{'ledger MB':>11}{'CPU s':>8}{'peak MB':>9}")
    for count in COUNTS:
        total = count // 10 if chosen.quick else count
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "ledger.db"
            url = f"sqlite:///{path}"
            trace_id = fill(url, total, Path(folder))
            page = str(Path(folder) / "incident.json")
            for arguments in (["monitor", "--json"], ["incident", trace_id, "-o", page]):
                command = [sys.executable, "-m", "bench.monitoring", "--case", *arguments, "--ledger", url]
                done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
                result = json.loads(done.stdout.splitlines()[-1])
                size = path.stat().st_size / 1e6
                row = f"{arguments[0]:<10}{total:>13}{size:>11.0f}{result['cpu']:>8.1f}{result['peak_mb']:>9.0f}"
                print(row, flush=True)


def fill(url: str, count: int, folder: Path) -> str:
    """Keep so many interactions with their pre-scores, and cards on the first few; return a trace id."""
    loaded = load_scorecard()
    write(folder / "evidence", min(count, MADE))
    # What is proposed does not depend on the trace id: the proposals for a thousand stand for those for all.
    prescores = list(prescore_many(read_interactions(folder / "evidence", corpus_path()), claims=False))
    with open_ledger(url, at=AT) as ledger:
        for start in range(0, count, len(prescores)):
            again = [_renamed(each.interaction, start + number) for number, each in enumerate(prescores)]
            keep_interactions(ledger, again, prescores, author="measure", at=AT)
        for number in range(min(REVIEWED, count)):
            record = EvaluationRecord(
                scores={dimension.key: 4 for dimension in loaded.rubric.dimensions},
                trace_id=_trace_id(number),
                date=AT.date(),
                evaluator="Ada",
            )
            keep_record(ledger, record, at=AT, rubric=loaded)
    return _trace_id(0)


def _trace_id(number: int) -> str:
    return str(UUID(int=number))


def _renamed(interaction: Interaction, number: int) -> Interaction:
    name, given = {"trace_id": _trace_id(number)}, interaction.given
    if given is None or given.trace is None:
        raise SystemExit("the demo's interactions have a response and a trace")
    return replace(
        interaction,
        sample=replace(interaction.sample, trace_id=name["trace_id"]),
        given=Given(response={**given.response, **name}, trace={**given.trace, **name}),
    )


def _run_case(arguments: list[str]) -> None:
    from plumbrule.cli import invoke  # noqa: PLC0415 - each case imports only its own

    begin = time.process_time()
    code = invoke(arguments)
    spent = time.process_time() - begin
    if code not in {0, 1}:
        raise SystemExit(code)
    print(json.dumps({"cpu": spent, "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))


if __name__ == "__main__":
    main()
