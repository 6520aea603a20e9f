"""Rows are streamed as they are, even where they are damaged."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from plumbrule.ledger import Ledger, LedgerBrokenError, open_ledger
from plumbrule.ledger.guards import GUARDS, missing_guards

AT = datetime(2026, 1, 31, tzinfo=UTC)


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    """Give a ledger with two notes."""
    with open_ledger(f"sqlite:///{tmp_path}/l.db", at=AT) as opened:
        for number in range(2):
            opened.append("note", "n", number, "ana", at=AT)
        yield opened


@pytest.mark.parametrize("value", ["CAST(X'ff00fe' AS TEXT)", "X'ff'", "7", "''"])
@pytest.mark.parametrize("column", ["body", "author", "entry_sha256", "body_sha256"])
def test_damaged_text_is_named_not_a_crash(ledger: Ledger, column: str, value: str) -> None:
    """Bytes that are no text, a blob or a number: the entry is named, and the ledger can still be used to look."""
    with ledger.engine.begin() as connection:
        connection.exec_driver_sql("DROP TRIGGER entries_refuse_update")
        connection.exec_driver_sql(f"UPDATE entries SET {column} = {value} WHERE sequence = 1")  # noqa: S608 - tampering
    found = ledger.verify().broken
    assert found is not None
    assert found.sequence == 1
    with pytest.raises(LedgerBrokenError, match="entry 1: "):
        list(ledger.entries(after=0))
    with open_ledger(ledger.engine.url, checked=False) as opened:
        assert [entry.value for entry in opened.entries(after=1)] == [1]


def test_missing_guards_are_named(ledger: Ledger) -> None:
    """Who took a guard away is found out, even if nothing was changed yet."""
    assert missing_guards(ledger.engine, ledger.name) == ()
    for guard in sorted(GUARDS["sqlite"]):
        with ledger.engine.begin() as connection:
            connection.exec_driver_sql(f"DROP TRIGGER {guard}")
    found = ledger.verify()
    assert found.missing_guards == tuple(sorted(GUARDS["sqlite"]))
    assert found.whole
