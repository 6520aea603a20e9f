"""A ledger of millions of results: what is done with it, and how the cost of that grows with the whole ledger.

``python -m bench.large_ledger make URL --results 1000000`` makes one in bulk: real results of the demo, without their
explanations, in runs of 1,000 samples and five repeats. ``python -m bench.large_ledger measure SMALL LARGE`` measures
the same things on two of them, in turn and in one process, in processor time, with that of a PostgreSQL server; the
ratio of the two should be near 1 where only what is shown counts. The first use of a ledger verifies it whole.
"""

import argparse
import hashlib
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import islice
from pathlib import Path
from typing import Any

from bench.processes import cpu_s
from bench.web_ledger import AT, REPEATS, SMALL, Template, run_once

from plumbrule.hashing import canonical_json
from plumbrule.ledger import Ledger, open_ledger
from plumbrule.ledger.chain import TAG
from plumbrule.ledger.entry import utc_text
from plumbrule.ledger.migration import upgrade
from plumbrule.ledger.tables import COLUMNS
from plumbrule.runs.run_entries import find_run
from plumbrule.runs.sample_detail import read_sample_detail
from plumbrule.runs.summary import run_lines, summarise_run

_TIMES = 3
_MOST, _ENOUGH_S = 50, 0.2  # a server's time is counted in hundredths of a second
_PROBE = 10  # the run that is looked at
_BACKENDS = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend'"
RUN_ENTRIES = SMALL * (REPEATS + 1) + 5  # with the run, its rubrics and its decision
_AT_ONCE = 50_000
_HOLE = "@hole@"  # where a number or a name goes into a body
_BETWEEN_RUNS = timedelta(hours=6)

Content = tuple[str, str, str, str]  # kind, subject, time, body


def main() -> None:
    """Make a ledger, or measure two."""
    options = argparse.ArgumentParser(description=__doc__)
    commands = options.add_subparsers(dest="command", required=True)
    make = commands.add_parser("make")
    make.add_argument("url")
    make.add_argument("--results", type=int, default=1_000_000)
    measure = commands.add_parser("measure")
    measure.add_argument("urls", nargs=2)
    measure.add_argument("--whole", action="store_true", help="verify all of both, too")
    chosen = options.parse_args()
    if chosen.command == "make":
        make_ledger(chosen.url, chosen.results)
    else:
        measure_ledgers(chosen.urls, whole=chosen.whole)


def measure_ledgers(urls: Sequence[str], *, whole: bool) -> None:
    """Print what each thing costs on a small and on a large ledger, and the ratio."""
    for url in urls:
        open_ledger(url).close()  # verified whole, where this is its first use
    counts = [_count(url) for url in urls]
    print(f"{'milliseconds on the processor':46}{counts[0]:>12,}{counts[1]:>12,}  ratio")
    print(f"{'  of them runs':46}{counts[0] // RUN_ENTRIES:>12,}{counts[1] // RUN_ENTRIES:>12,}")
    _say("open the ledger and close it", [_least(url, lambda _: None, opened=True) for url in urls])
    for what, act in ACTS.items():
        _say(what, [_least(url, act) for url in urls])
    if whole:
        _say("verify 1,000 entries of all", [_verified(url) for url in urls])
    print(f"load of the machine over the last minute: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


def _count(url: str) -> int:
    with open_ledger(url) as ledger:
        return ledger.checkpoint().sequence + 1


def _say(what: str, seconds: Sequence[float]) -> None:
    small, large = (each * 1000 for each in seconds)
    print(f"{what:46}{small:12.2f}{large:12.2f}{large / small:7.2f}", flush=True)


def _least(url: str, act: Callable[[Ledger], object], *, opened: bool = False) -> float:
    """Return the least processor time of several times, each as a new command would take it, here and on the server."""
    taken = []
    for _ in range(_TIMES):
        opening = time.process_time()
        with open_ledger(url) as ledger:
            begin, before, count = time.process_time(), _server_time(ledger), 0
            while not count or (before and count < _MOST and time.process_time() - begin < _ENOUGH_S):
                act(ledger)
                count += 1
            spent = (time.process_time() - begin + _server_time(ledger) - before) / count
        taken.append(time.process_time() - opening if opened else spent)
    return min(taken)


def _server_time(ledger: Ledger) -> float:
    """Return the processor time that the processes of a PostgreSQL server have taken so far; 0 for SQLite."""
    if ledger.engine.dialect.name == "sqlite":
        return 0.0
    with ledger.engine.connect() as connection:
        pids = connection.exec_driver_sql(_BACKENDS).scalars().all()
    return sum(cpu_s(pid) for pid in pids)


def _verified(url: str) -> float:
    begin = time.process_time()
    with open_ledger(url, checked=False) as ledger:
        found = ledger.verify()
    if not found.whole:
        sys.exit(1)
    return (time.process_time() - begin) / found.entries * 1000


def _forget(ledger: Ledger) -> Ledger:
    """Let a ledger verify again what it reads, as a new command does."""
    if ledger._watch is not None:  # noqa: SLF001 - what another process would not have
        ledger._watch._verified.clear()  # noqa: SLF001 - the same
    return ledger


def _shown(ledger: Ledger) -> object:
    return summarise_run(ledger, find_run(ledger, run_name(_PROBE)), samples=True)


ACTS: Mapping[str, Callable[[Ledger], object]] = {
    "append an entry": lambda ledger: ledger.append("note", "bench", {"n": 1}, "bench", at=AT),
    "read the results of a run (5,000)": lambda ledger: sum(1 for _ in _forget(ledger).results(run_name(_PROBE))),
    "summary of a run with its samples": lambda ledger: _shown(_forget(ledger)),
    "one sample of a run": lambda ledger: read_sample_detail(
        _forget(ledger), find_run(ledger, run_name(_PROBE)), "s0007", 0
    ),
    "a sample in 20 runs": lambda ledger: sum(
        1 for _ in ledger.glance("result", [f"{run_name(number)}/0/s0007" for number in range(20)])
    ),
    "whether a page is up to date": lambda ledger: ledger.newest("run", "decision", "label"),
    "whether a page of a run is": lambda ledger: ledger.newest(run=run_name(_PROBE)),
    "the last run": lambda ledger: find_run(_forget(ledger), "last"),
    "list of all runs": lambda ledger: run_lines(_forget(ledger)),
}


def make_ledger(url: str, results: int) -> None:
    """Make a ledger with so many results, past everything that makes single appends safe: nobody else uses it yet."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with open_ledger(f"sqlite:///{folder}/demo.db", at=AT) as demo:
            bodies = _Bodies.of(Template.read(demo, run_once(demo, folder)))
    upgrade(url, at=AT)
    with open_ledger(url, checked=False) as ledger:
        end = ledger.checkpoint()
        runs = range(results // (SMALL * REPEATS))
        rows = _linked((content for number in runs for content in bodies.run(number)), end.entry_sha256)
        raw: Any = ledger.engine.raw_connection()
        driver = raw.driver_connection
        if ledger.engine.dialect.name == "sqlite":
            _into_sqlite(driver, rows)
        else:
            with driver.cursor() as cursor, cursor.copy(f"COPY entries ({', '.join(COLUMNS)}) FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
            driver.commit()
        raw.close()


def _into_sqlite(driver: Any, rows: Iterator[Sequence[object]]) -> None:  # noqa: ANN401 - a connection
    """Write rows without the guards and the indexes, which are put back as they were."""
    kept = driver.execute(
        "SELECT type, name, sql FROM sqlite_master WHERE tbl_name = 'entries' AND type <> 'table' AND sql IS NOT NULL"
    ).fetchall()
    driver.execute("PRAGMA synchronous = OFF")
    driver.execute("PRAGMA cache_size = -400000")
    for kind, name, _ in kept:
        driver.execute(f"DROP {kind} {name}")
    while some := list(islice(rows, _AT_ONCE)):
        driver.execute("BEGIN")
        driver.executemany(f"INSERT INTO entries VALUES ({', '.join('?' * len(COLUMNS))})", some)  # noqa: S608 - our own
        driver.execute("COMMIT")
    for _, _, statement in kept:
        driver.execute(statement)
    driver.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _linked(contents: Iterator[Content], previous: str) -> Iterator[Sequence[object]]:
    """Yield the rows of a chain after its opening entry."""
    sha256 = hashlib.sha256
    for sequence, (kind, subject, at, body) in enumerate(contents, 1):
        digest = sha256(body.encode()).hexdigest()
        text = f"{TAG}\n{sequence}\n{kind}\n{subject}\nbench\n{at}\n{digest}\n{previous}"
        own = sha256(text.encode()).hexdigest()
        yield sequence, kind, subject, "bench", at, body, digest, previous, own
        previous = own


@dataclass(frozen=True, slots=True, kw_only=True)
class _Bodies:
    """The bodies of a run as texts, those of samples and results with holes."""

    run_body: Mapping[str, Any]
    rubrics: Mapping[str, str]
    samples: Sequence[Sequence[str]]
    results: Sequence[Sequence[str]]
    decision: str

    @classmethod
    def of(cls, template: Template) -> "_Bodies":
        """Return the bodies of a template with less text: a result is about 700 bytes, and a sample, too."""
        hole = _HOLE
        samples = [
            {
                **body,
                "id": hole,
                "contexts": [{**context, "text": context["text"][:200]} for context in body["contexts"][:1]],
            }
            for body in template.samples
        ]
        results = [
            {
                **body,
                "judgement": {"judge": body["judgement"]["judge"], "flags": body["judgement"]["flags"]},
                "result": {
                    **body["result"],
                    "rationale": (body["result"]["rationale"] or "")[:80],
                    "latency_e2e_ms": hole,
                    "repeat": hole,
                    "sample_id": hole,
                },
            }
            for body in template.results
        ]
        return cls(
            run_body=template.begun.value,
            rubrics={entry.subject.partition("/")[2]: entry.body for entry in template.rubrics},
            samples=[_pieces(body) for body in samples],
            results=[_pieces(body) for body in results],
            decision=template.decision.body,
        )

    def run(self, number: int) -> Iterator[Content]:
        """Yield all of a run; one of its results in ten is another one than in the run before."""
        began = AT + number * _BETWEEN_RUNS
        name, at = run_name(number), utc_text(began)
        summary = {**self.run_body["summary"], "name": f"run {number}", "samples": SMALL, "repeats": REPEATS}
        model = f"assistant-{number % 3}@2025-01-01"
        metadata = {**self.run_body["metadata"], "model_id": model, "packages": {}}
        yield "run", name, at, canonical_json({**self.run_body, "summary": summary, "metadata": metadata}).decode()
        for rubric, body in self.rubrics.items():
            yield "rubric", f"{name}/{rubric}", at, body
        for place in range(SMALL):
            before, after = self.samples[place % len(self.samples)]
            yield "sample", f"{name}/samples/s{place:04}", at, f'{before}"s{place:04}"{after}'
        for repeat in range(REPEATS):
            for place in range(SMALL):
                pick = place + (number + repeat if place % 10 == 0 else 0)
                before, between, then, after = self.results[pick % len(self.results)]
                latency = 500 + (place * 7919 + number * 104_729 + repeat * 1_299_709) % 9000
                body = f'{before}{latency}.0{between}{repeat}{then}"s{place:04}"{after}'
                yield "result", f"{name}/{repeat}/s{place:04}", at, body
        yield "decision", name, at, self.decision


def run_name(number: int) -> str:
    """Return the id of a run."""
    return f"run-{AT + number * _BETWEEN_RUNS:%Y%m%dT%H%M%S}-{number:06}"


def _pieces(body: Mapping[str, Any]) -> list[str]:
    return canonical_json(body).decode().split(f'"{_HOLE}"')


if __name__ == "__main__":
    main()
