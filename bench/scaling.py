"""What a sample costs by the length of its contexts, how that grows with their number, and what a billion needs.

The cost by length is that of scoring in one process, after a warm-up; the curve is the whole command (read, score,
tally, write) with the CPU time of its workers. Memory is the peak of each process of one command, read from ``/proc``
as the command goes on. The machine's other work moves the seconds, and much less the CPU time.
"""

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench import datasets, processes
from bench.ray_nodes import ray_cluster

_COMMAND = Path(sys.executable).with_name("plumbrule")
OPTIONS = {"values": ["--no-claims"], "support": []}
LENGTHS = [(100, 400), (300, 400), (1_000, 200), (5_000, 60), (20_000, 20)]  # words of context, samples at each
CURVE = (1_000, 10_000, 100_000, 1_000_000)
TYPICAL_WORDS = 300
CHUNK = 1_000
MOST_MB, MOST_GROWTH = 600, 1.1  # of any process; of a worker from 100,000 samples to the end
_LOOK_S = 0.5
PARTS = ("lengths", "curve", "memory", "cores", "nodes")
WARM_UP = 8
_MONTH_S = 30 * 24 * 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What one command took."""

    samples: int
    seconds: float
    cpu_s: float
    peak_mb: float
    output_bytes: int

    @property
    def cpu_ms(self) -> float:
        """Milliseconds of CPU time for each sample."""
        return 1000 * self.cpu_s / self.samples


def main() -> None:
    """Run every case and print the tables."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--most", type=int, default=1_000_000, help="the longest dataset of the curve")
    options.add_argument("--share", type=int, default=1, help="so many times fewer samples for the cost by length")
    options.add_argument("--nodes", action="store_true", help="also one and two Ray nodes on this machine")
    options.add_argument("--part", action="append", choices=PARTS, help="only this; may be given again")
    options.add_argument("--workers", type=int, default=os.cpu_count(), help="processes of the part memory")
    options.add_argument("--core-hour", type=float, default=0.04, help="dollars for an hour of a core")
    options.add_argument("--gb-month", type=float, default=0.023, help="dollars for a month of a gigabyte")
    options.add_argument("--case", nargs=3, help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.case:
        checks, words, count = chosen.case
        _run_case(checks, int(words), int(count))
        return
    parts = chosen.part or [part for part in PARTS if part != "nodes" or chosen.nodes]
    flat = True
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        costs = _print_lengths(chosen.share) if "lengths" in parts else {}
        if "curve" in parts:
            _print_curve(folder, chosen.most)
        if "memory" in parts:
            flat = _print_memory(folder, chosen.most, chosen.workers)
        if "cores" in parts:
            _print_cores(folder, chosen.most // 4)
        if "nodes" in parts:
            _print_nodes(folder, min(chosen.most, 10_000))
    if costs:
        _print_billion(costs, core_hour=chosen.core_hour, gb_month=chosen.gb_month)
    print(f"\nload of the machine over the last minute: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    sys.exit(0 if flat else 1)


def _print_lengths(share: int) -> dict[str, Cost]:
    """Print the cost of a sample by the length of its contexts; return those of the usual length."""
    print("CPU time for each sample by the words of its contexts, all distinct, one process, without its start\n")
    print(f"{'checks':<9}{'words':>7}{'samples':>9}{'ms CPU':>9}{'peak MB':>9}")
    usual = {}
    for checks in OPTIONS:
        for words, count in LENGTHS:
            case = [sys.executable, "-m", "bench.scaling", "--case", checks, str(words), str(max(10, count // share))]
            done = subprocess.run(case, check=True, stdout=subprocess.PIPE)
            cost = Cost(**json.loads(done.stdout))
            if words == TYPICAL_WORDS:
                usual[checks] = cost
            print(f"{checks:<9}{words:>7}{cost.samples:>9}{cost.cpu_ms:>9.2f}{cost.peak_mb:>9.0f}", flush=True)
    return usual


def _run_case(checks: str, words: int, count: int) -> None:
    """Score in this process, after a warm-up, and print what it took: from the record read to the line written."""
    from plumbrule.api.scoring import verdict_rules  # noqa: PLC0415 - only a case needs it
    from plumbrule.codec import json_line  # noqa: PLC0415 - the same
    from plumbrule.samples import samples_from  # noqa: PLC0415 - the same
    from plumbrule.verdicts import VerdictScorer  # noqa: PLC0415 - the same

    scorer = VerdictScorer(verdict_rules(claims=checks != "values"))
    records = list(_texts(count + WARM_UP, words))
    for _ in scorer.score_many(samples_from(records[:WARM_UP])):
        pass
    start = time.process_time()
    verdicts = scorer.score_many(samples_from(records[WARM_UP:]))
    written = sum(len(json_line(verdict.to_dict())) for verdict in verdicts)
    spent = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"samples": count, "seconds": spent, "cpu_s": spent, "peak_mb": peak, "output_bytes": written}))


def _print_curve(folder: Path, most: int) -> None:
    print("\nThe whole command on all cores, values, shared contexts of about 300 words\n")
    print(f"{'samples':>9}{'seconds':>9}{'samples/s':>11}{'ms CPU':>9}{'peak MB':>9}")
    for count in CURVE:
        if count <= most:
            cost = _measured(folder, datasets.generate(count, contexts="shared"), "values")
            rate = count / cost.seconds
            print(f"{count:>9}{cost.seconds:>9.1f}{rate:>11.0f}{cost.cpu_ms:>9.2f}{cost.peak_mb:>9.0f}", flush=True)


def _print_memory(folder: Path, count: int, workers: int) -> bool:
    """Print the peak memory of each process of one command as it goes on; tell whether it stays small and flat."""
    print("\nPeak memory of each process of one command, support, short samples: a passage of about 50 words from a")
    print("pool of 1,000, an answer of one sentence, one in ten of them new; made as they are written, never held\n")
    print(f"{'samples':>9}{'seconds':>9}{'CPU s':>9}{'ms CPU':>9}{'command MB':>12}   MB of each worker")
    source, target = folder / "short.jsonl", folder / "short"
    datasets.write(source, datasets.generate_short(count))
    marks = [mark for mark in (CURVE[2] // 10, CURVE[2], CURVE[3] // 4, CURVE[3] // 2) if mark < count] + [count]
    start, first = time.monotonic(), 0.0
    for samples, cpu_s, command_mb, worker_mb in _watched(
        [*_command(source, target), "--chunk-size", str(CHUNK), "--workers", str(workers)], target, marks
    ):
        cost = f"{time.monotonic() - start:>9.0f}{cpu_s:>9.0f}{1000 * cpu_s / samples:>9.2f}"
        print(f"{samples:>9}{cost}{command_mb:>12.0f}   {' '.join(f'{each:.0f}' for each in worker_mb)}", flush=True)
        most = max(worker_mb)
        if samples >= CURVE[2] and not first:
            first = most
    return max(most, command_mb) < MOST_MB and (not first or most <= first * MOST_GROWTH)


def _watched(
    command: Sequence[str | Path], target: Path, marks: Sequence[int]
) -> Iterator[tuple[int, float, float, list[float]]]:
    """Run a command that scores, and yield at each mark: samples written, CPU time, its peak and those of its workers.

    A process is looked at twice a second, so that the last half second of each is not seen.
    """
    left = list(marks)
    spent: dict[int, float] = {}
    peaks: dict[int, float] = {}
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        while process.poll() is None:
            for pid in (process.pid, *processes.children(process.pid)):
                with suppress(OSError):  # it has just ended
                    if pid == process.pid or processes.is_worker(pid):
                        spent[pid], peaks[pid] = processes.cpu_s(pid), max(peaks.get(pid, 0), processes.peak_mb(pid))
            if len(left) > 1 and sum(1 for _ in target.glob("verdicts-*.jsonl")) * CHUNK >= left[0]:
                yield left.pop(0), sum(spent.values()), peaks[process.pid], _others(peaks, process.pid)
            time.sleep(_LOOK_S)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    yield left[0], sum(spent.values()), peaks[process.pid], _others(peaks, process.pid)


def _others(peaks: Mapping[int, float], own: int) -> list[float]:
    return [peak for pid, peak in sorted(peaks.items()) if pid != own]


def _print_cores(folder: Path, most: int) -> None:
    """Print what one and two worker processes take for the same samples.

    Two cores that nothing else uses would take half the seconds. Where other work moves the seconds, the CPU time tells
    what sharing out costs: reading, sending and ordering; the start of the processes is measured apart and left out.
    """
    print("\nOne process and two, support, distinct contexts of about 300 words\n")
    print(f"{'workers':>9}{'samples':>9}{'seconds':>9}{'CPU s':>9}{'CPU s of start':>16}{'peak MB':>9}")
    count, few = min(most, 2_000), 256
    spent = {}
    for workers in (1, 2):
        options = ("--workers", str(workers))
        start = _measured(folder, datasets.generate(few, contexts="distinct"), "support", *options)
        cost = _measured(folder, datasets.generate(count, contexts="distinct"), "support", *options)
        alone = (cost.cpu_s - start.cpu_s) / (count - few) * count
        spent[workers] = alone
        print(
            f"{workers:>9}{count:>9}{cost.seconds:>9.1f}{cost.cpu_s:>9.1f}{cost.cpu_s - alone:>16.1f}"
            f"{cost.peak_mb:>9.0f}",
            flush=True,
        )
    print(f"\nparallel efficiency by CPU time, without the start: {spent[1] / spent[2]:.2f}")


def _print_nodes(folder: Path, count: int) -> None:
    print(f"\nThe same on Ray nodes of one core each, {count:,} samples, with the start of their workers\n")
    print(f"{'nodes':>9}{'seconds':>9}{'samples/s':>11}")
    for nodes in (1, 2):
        with ray_cluster(nodes) as cluster:
            engine = ["--engine", "ray", "--address", cluster.address]
            cost = _measured(
                folder, datasets.generate(count, contexts="shared"), "values", *engine, environment=cluster.environment
            )
        print(f"{nodes:>9}{cost.seconds:>9.1f}{count / cost.seconds:>11.0f}", flush=True)


def _print_billion(costs: dict[str, Cost], *, core_hour: float, gb_month: float) -> None:
    """Print what a billion samples a month need, by the cost of one at the usual length."""
    print(f"\nOn paper: 1,000,000,000 samples a month, contexts of {TYPICAL_WORDS} words, cores busy 70% of the time,")
    print(f"${core_hour} for an hour of a core, ${gb_month} for a month of a gigabyte, results not packed\n")
    print(f"{'checks':<9}{'cores':>7}{'results TB':>12}{'$ cores':>9}{'$ storage':>11}")
    for checks, cost in costs.items():
        cores = cost.cpu_ms / 1000 * 1e9 / _MONTH_S / 0.7
        terabytes = cost.output_bytes / cost.samples * 1e9 / 1e12
        money, storage = cores * _MONTH_S / 3600 * core_hour, terabytes * 1000 * gb_month
        print(f"{checks:<9}{cores:>7.0f}{terabytes:>12.1f}{money:>9.0f}{storage:>11.0f}")


def _texts(count: int, words: int) -> Iterator[dict[str, Any]]:
    """Yield samples with so many words of context, all distinct."""
    generator = random.Random(words)  # noqa: S311 - a benchmark, not a secret
    source = list(datasets.generate(300, contexts="distinct", seed=words))
    for number in range(count):
        sample = generator.choice(source)
        passages: list[str] = []
        while sum(len(text.split()) for text in passages) < words:
            text = generator.choice(generator.choice(source)["contexts"])
            passages.append(f"{text} Page {generator.randint(1, 10**9)}.")
        left = words
        cut = []
        for text in passages:
            cut.append(" ".join(text.split()[:left]))
            left -= len(cut[-1].split())
        yield {**sample, "id": f"length-{number}", "contexts": cut}


def _command(source: Path, target: Path) -> list[str | Path]:
    return [_COMMAND, "score", source, "-o", f"{target}/", "--worst", "0", "--json"]


def _measured(
    folder: Path,
    samples: Iterator[dict[str, Any]],
    checks: str,
    *options: str,
    environment: dict[str, str] | None = None,
) -> Cost:
    source, target = folder / "samples.jsonl", folder / "verdicts"
    count = datasets.write(source, samples)
    for path in target.glob("*"):
        path.unlink()
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    measure = (
        "import json, resource, subprocess, sys; "
        "subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL); "
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    done = subprocess.run(
        [sys.executable, "-c", measure, *_command(source, target), *OPTIONS[checks], *options],
        check=True,
        stdout=subprocess.PIPE,
        env=environment,
    )
    seconds, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return Cost(
        samples=count,
        seconds=seconds,
        cpu_s=after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
        peak_mb=int(done.stdout) / 1024,
        output_bytes=sum(path.stat().st_size for path in target.glob("verdicts-*.jsonl")),
    )


if __name__ == "__main__":
    main()
