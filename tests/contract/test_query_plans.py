"""Searches of a ledger use an index on every database."""

from datetime import UTC, datetime

import pytest
from sqlalchemy import select
from tests.contract.conftest import Backend

from plumbrule.ledger import open_ledger
from plumbrule.ledger.store import _begins, _conditions
from plumbrule.ledger.tables import entries

AT = datetime(2026, 1, 31, tzinfo=UTC)


@pytest.mark.parametrize(
    "conditions",
    [
        _conditions(kind="result", run="run-1"),
        _conditions(kind=None, run="run-1"),
        _conditions(kind=None, subject="run-1"),
        _conditions(kind="result", subject="run-1/0/q"),
        [entries.c.kind == "run", *_begins("run-")],
    ],
)
def test_no_search_reads_every_entry(backend: Backend, conditions: list[object]) -> None:
    """A page about one run stays quick in a ledger of millions of entries."""
    wanted = select(entries).where(*conditions)  # type: ignore[arg-type]
    with open_ledger(backend.url, at=AT) as ledger, ledger.engine.connect() as connection:
        text = wanted.compile(ledger.engine, compile_kwargs={"literal_binds": True})
        if backend.kind == "sqlite":
            [plan] = [str(row[3]) for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}")]
            assert "SEARCH entries USING INDEX" in plan
            used = plan.split("(")[1]  # the part of the index in use, not its name
        else:
            connection.exec_driver_sql("SET LOCAL enable_seqscan = off")  # an empty table is read whole otherwise
            lines = connection.exec_driver_sql(f"EXPLAIN {text}").scalars().all()
            assert not any("Seq Scan" in line for line in lines)
            [used] = [line for line in lines if "Index Cond" in line]
    assert "subject" in used
