"""Searches use an index, and what does not belong into this ledger is refused."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import select

from plumbrule.ledger import EntryError, open_ledger
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
def test_no_search_reads_every_entry(tmp_path: Path, conditions: list[object]) -> None:
    """A page about one run stays quick in a ledger of a million entries."""
    wanted = select(entries).where(*conditions)  # type: ignore[arg-type]
    with open_ledger(f"sqlite:///{tmp_path}/l.db", at=AT) as ledger, ledger.engine.connect() as connection:
        text = wanted.compile(ledger.engine, compile_kwargs={"literal_binds": True})
        plan = [str(row[3]) for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}")]
    assert len(plan) == 1
    assert "SEARCH entries USING INDEX" in plan[0]
    assert "subject" in plan[0].split("(")[1]  # the part of the index in use, not its name


def test_the_opening_entry_is_written_once(tmp_path: Path) -> None:
    """No caller can open the chain again."""
    with open_ledger(f"sqlite:///{tmp_path}/l.db", at=AT) as ledger, pytest.raises(EntryError, match="is written once"):
        ledger.append("ledger", "ledger-2", {}, "eve", at=AT)


def test_a_correction_of_another_ledgers_entry_is_refused(tmp_path: Path) -> None:
    """What is corrected must stand here."""
    with (
        open_ledger(f"sqlite:///{tmp_path}/a.db", at=AT) as one,
        open_ledger(f"sqlite:///{tmp_path}/b.db", at=AT) as two,
    ):
        entry = one.append("note", "n", {}, "ana", at=AT)
        two.append("note", "n", {}, "ana", at=AT)
        with pytest.raises(EntryError, match="entry 1 is not the one to be corrected"):
            two.correct(entry, {}, "ana", reason="r", at=AT)


def test_a_bad_draft_among_good_ones(tmp_path: Path) -> None:
    """The batch is refused whole, and the next one goes through."""
    with open_ledger(f"sqlite:///{tmp_path}/l.db", at=AT) as ledger:
        with pytest.raises(ValueError, match="without a time zone"):
            ledger.append("note", "n", {}, "ana", at=AT.replace(tzinfo=None))
        assert ledger.append("note", "n", {}, "ana", at=AT).sequence == 1
