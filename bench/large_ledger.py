"""A ledger of millions of results: what is done with it, and how the cost of that grows with the whole ledger.

``python -m bench.large_ledger make URL --results 1000000`` makes one in bulk: real results of the demo, without their
explanations, in runs of 1,000 samples and five repeats. ``python -m bench.large_ledger measure SMALL LARGE`` measures
the same things on two of them, in turn and in one process, in processor time; the ratio of the two should be near 1.
"""

import argparse
import hashlib
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import islice
from pathlib import Path
from typing import Any

from bench.web_ledger import AT, REPEATS, SMALL, Template, run_once

from plumbrule.hashing import canonical_json
from plumbrule.ledger import open_ledger
from plumbrule.ledger.chain import TAG
from plumbrule.ledger.entry import utc_text
from plumbrule.ledger.migration import upgrade
from plumbrule.ledger.tables import COLUMNS

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
    chosen = options.parse_args()
    make_ledger(chosen.url, chosen.results)


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
