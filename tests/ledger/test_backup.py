"""A backup is one whole file that was verified, or none."""

import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy.engine import URL

from plumbrule.errors import InputError, PlumbruleError, RecordError
from plumbrule.ledger import Draft, Ledger, LedgerBrokenError, backup, open_ledger, restore

AT = datetime(2026, 1, 31, tzinfo=UTC)


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    """Give a ledger with some entries, in a folder of its own."""
    with open_ledger(f"sqlite:///{tmp_path}/here/ledger.db", at=AT) as opened:
        opened.append_many(Draft(kind="note", subject="n", body=n, author="ana", at=AT) for n in range(50))
        yield opened


@pytest.mark.parametrize("name", ["copy.db", "with space?and=100%.db"])
def test_a_copy_is_a_ledger_of_its_own(ledger: Ledger, tmp_path: Path, name: str) -> None:
    """One file, the same entries, ready to be used."""
    path = tmp_path / "there" / name
    path.parent.mkdir()
    end = backup(ledger, path)
    assert list(path.parent.iterdir()) == [path]
    assert end == ledger.checkpoint()
    with open_ledger(URL.create("sqlite", database=str(path))) as copy:
        assert list(copy.entries(after=-1)) == list(ledger.entries(after=-1))
        assert copy.verify(end).missing_guards == ()
        copy.append("note", "n", "goes on", "ana", at=AT)
        assert copy.verify(end).whole


def test_a_copy_is_made_while_others_write(ledger: Ledger, tmp_path: Path) -> None:
    """The copy is the ledger at one moment, never a mixture."""
    stop = threading.Event()

    def write() -> None:
        number = 0
        while not stop.is_set():
            ledger.append("note", "n", "x" * 2000, "ana", at=AT)
            number += 1

    writer = threading.Thread(target=write)
    writer.start()
    try:
        ends = [
            backup(ledger, tmp_path / f"copy-{number}.{suffix}") for number, suffix in enumerate(["db", "jsonl"] * 2)
        ]
    finally:
        stop.set()
        writer.join()
    for end in ends:
        assert ledger.verify(end).whole


def test_a_broken_ledger_gives_no_backup(ledger: Ledger, tmp_path: Path) -> None:
    """A copy that does not verify is not kept."""
    with ledger.engine.begin() as connection:
        connection.exec_driver_sql("DROP TRIGGER entries_refuse_update")
        connection.exec_driver_sql("UPDATE entries SET author = 'eve' WHERE sequence = 7")
    with pytest.raises(LedgerBrokenError, match=r"entry 7: .*: no backup was kept"):
        backup(ledger, tmp_path / "copy.db")
    assert [path.name for path in tmp_path.iterdir()] == ["here"]


def test_a_place_that_cannot_be_written(ledger: Ledger, tmp_path: Path) -> None:
    """One line for a folder that is not there."""
    for suffix in ("db", "jsonl"):
        with pytest.raises(PlumbruleError, match="cannot be"):
            backup(ledger, tmp_path / "none" / f"copy.{suffix}")


@pytest.mark.parametrize("content", [b"[]\n", b"{}\n", b"x\n", b'{"sequence":"0"}\n', b"\xff\n", b"7\n"])
def test_what_is_no_backup_is_not_restored(tmp_path: Path, content: bytes) -> None:
    """The line is named, and no ledger is made."""
    source = tmp_path / "in.jsonl"
    source.write_bytes(content)
    with pytest.raises(RecordError, match=r"in\.jsonl:1: is not an entry of a ledger"):
        restore(source, f"sqlite:///{tmp_path}/new.db")
    assert list(tmp_path.iterdir()) == [source]


def test_an_empty_backup_is_not_restored(tmp_path: Path) -> None:
    """A file without entries is no ledger; one that is not there is told."""
    (tmp_path / "in.jsonl").touch()
    with pytest.raises(InputError, match="the opening entry is missing: nothing was restored"):
        restore(tmp_path / "in.jsonl", f"sqlite:///{tmp_path}/new.db")
    with pytest.raises(InputError, match="cannot be read"):
        restore(tmp_path / "none.jsonl", f"sqlite:///{tmp_path}/new.db")
