"""A ledger: durable appends a second, the time to verify many entries, and what verified reading costs.

``python -m bench.ledger [--entries 1000000] [--url URL]``; without a URL it uses a temporary SQLite file.
"""

import argparse
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from plumbrule.ledger import Draft, Ledger, ResultKey, open_ledger

AT = datetime(2026, 1, 31, tzinfo=UTC)
BODY = {"accuracy": 2, "faithfulness": 1, "latency_e2e_ms": 812.5, "total_tokens": 1432, "rationale": "x" * 300}
RUN_SIZE = 1000


def main() -> None:
    """Print each figure on a line."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--entries", type=int, default=1_000_000)
    options.add_argument("--url")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        say("writes of 4 kB a second that this disk makes durable", disk(Path(folder) / "disk"))
        measure(chosen.url or f"sqlite:///{Path(folder) / 'ledger.db'}", chosen.entries)


def measure(url: str, entries: int) -> None:
    """Fill a ledger with results, one by one and in bulk, verify it, and read from it with and without checks."""
    with open_ledger(url, at=AT) as ledger:
        for writers in (1, 8, 32):
            say(f"durable results a second, {writers} at once", rate(ledger, writers))
        begin = time.perf_counter()
        for start in range(0, entries, 20_000):
            ledger.append_many(
                Draft(kind="result", subject=bulk_key(n).subject, body={**BODY, "n": n}, author="measure", at=AT)
                for n in range(start, min(start + 20_000, entries))
            )
        say("entries a second in bulk", entries / (time.perf_counter() - begin))
        begin, cpu = time.perf_counter(), time.process_time()
        found = ledger.verify()
        say(f"seconds to verify {found.entries} entries", time.perf_counter() - begin)
        say("  of them on the processor", time.process_time() - cpu)
        if not found.whole:
            sys.exit(1)
    for what, read in READS.items():
        plain, verified = (least_time(url, read, checked=checked) for checked in (False, True))
        say(f"milliseconds on the processor to {what}, verified", verified * 1000)
        say("  times as long as without verifying", verified / plain)


READS: dict[str, Callable[[Ledger], object]] = {
    "open and close the ledger": lambda _ledger: None,
    f"read a run of {RUN_SIZE} results": lambda ledger: sum(1 for _ in ledger.results("bulk-0")),
    f"find one of {RUN_SIZE} results": lambda ledger: ledger.result(bulk_key(7)),
}


def least_time(url: str, read: Callable[[Ledger], object], *, checked: bool, times: int = 7) -> float:
    """Return the least processor time that a command takes for a read, with opening and closing the ledger."""
    taken = []
    for _ in range(times):
        begin = time.process_time()
        with open_ledger(url, checked=checked) as ledger:
            read(ledger)
        taken.append(time.process_time() - begin)
    return min(taken)


def disk(path: Path, seconds: float = 2.0) -> float:
    """Return how often a second this disk can be waited for: the limit of any single writer."""
    count, end = 0, time.perf_counter() + seconds
    with path.open("wb", buffering=0) as file:
        while time.perf_counter() < end:
            file.seek(count % 256 * 4096)
            file.write(b"x" * 4096)
            os.fdatasync(file.fileno())
            count += 1
    return count / seconds


def key(run: str, number: int) -> ResultKey:
    """Return the key of a result."""
    return ResultKey(run=run, repeat=0, sample=f"q{number}")


def bulk_key(number: int) -> ResultKey:
    """Return the key of a result of one of many runs."""
    return key(f"bulk-{number // RUN_SIZE}", number)


def rate(ledger: Ledger, writers: int, seconds: float = 3.0) -> float:
    """Return how many single results a second ``writers`` threads append, each durable before the next."""
    counts = [0] * writers
    end = time.perf_counter() + seconds

    def work(writer: int) -> None:
        while time.perf_counter() < end:
            ledger.append("result", key(f"run-{writers}-{writer}", counts[writer]).subject, BODY, "measure", at=AT)
            counts[writer] += 1

    threads = [threading.Thread(target=work, args=(writer,)) for writer in range(writers)]
    begin = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(counts) / (time.perf_counter() - begin)


def say(what: str, value: float) -> None:
    """Print a figure."""
    print(f"{value:12,.2f}  {what}", flush=True)


if __name__ == "__main__":
    main()
