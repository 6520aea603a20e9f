"""What is no ledger, or cannot be used, is told in one line and left as it is."""

import resource
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from plumbrule.errors import PlumbruleError, UsageError
from plumbrule.ledger import (
    LedgerBrokenError,
    LedgerBusyError,
    LedgerReadOnlyError,
    NotALedgerError,
    open_ledger,
    upgrade,
)

AT = datetime(2026, 1, 31, tzinfo=UTC)
FILL_THE_DISK = """
import resource, sys
from datetime import UTC, datetime
from plumbrule.ledger import LedgerFullError, open_ledger

at = datetime(2026, 1, 31, tzinfo=UTC)
with open_ledger(sys.argv[1], at=at) as ledger:
    resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, resource.RLIM_INFINITY))
    number = 0
    try:
        while number < 1000:
            ledger.append("note", f"s{number}", "x" * 3000, "ana", at=at)
            number += 1
    except LedgerFullError as error:
        print(number, error)
"""


@pytest.fixture
def url(tmp_path: Path) -> str:
    """Return the address of a file that is not there yet."""
    return f"sqlite:///{tmp_path}/ledger.db"


def test_a_new_ledger_and_its_folder_are_made(tmp_path: Path) -> None:
    """The default place, .plumbrule/ledger.db, needs no preparation."""
    with open_ledger(f"sqlite:///{tmp_path}/.plumbrule/ledger.db", at=AT) as ledger:
        assert ledger.verify().entries == 1
        assert ledger.ledger_id.startswith("ledger-")


def test_two_ledgers_are_never_the_same(tmp_path: Path) -> None:
    """The identity of a ledger is drawn at random, and stays."""
    with (
        open_ledger(f"sqlite:///{tmp_path}/a.db", at=AT) as one,
        open_ledger(f"sqlite:///{tmp_path}/b.db", at=AT) as two,
    ):
        assert one.ledger_id != two.ledger_id
    with open_ledger(f"sqlite:///{tmp_path}/a.db") as again:
        assert again.ledger_id == one.ledger_id


def test_reading_makes_no_file(tmp_path: Path, url: str) -> None:
    """Looking for a ledger that is not there leaves nothing behind."""
    with pytest.raises(UsageError, match="there is no ledger here yet"):
        open_ledger(url)
    assert list(tmp_path.iterdir()) == []


def test_an_empty_file_becomes_a_ledger(tmp_path: Path, url: str) -> None:
    """It is what a creation that was killed may leave."""
    (tmp_path / "ledger.db").touch()
    with open_ledger(url, at=AT) as ledger:
        assert ledger.verify().whole


@pytest.mark.parametrize("content", [b"some text that is longer than a header of SQLite, " * 20, b"\x00" * 5000])
def test_a_file_of_something_else_is_left_alone(tmp_path: Path, url: str, content: bytes) -> None:
    """Neither opening nor upgrading changes a byte of it."""
    path = tmp_path / "ledger.db"
    path.write_bytes(content)
    for attempt in (open_ledger, upgrade):
        with pytest.raises(NotALedgerError, match=r"ledger\.db: is not a ledger"):
            attempt(url, at=AT)
    assert path.read_bytes() == content
    assert list(tmp_path.iterdir()) == [path]


def test_a_database_of_something_else_is_left_alone(tmp_path: Path, url: str) -> None:
    """Another program's tables are not ours to add to."""
    path = tmp_path / "ledger.db"
    with closing(sqlite3.connect(path)) as file, file:
        file.execute("CREATE TABLE customers (name TEXT)")
    content = path.read_bytes()
    for attempt in (open_ledger, upgrade):
        with pytest.raises(NotALedgerError, match="is a database of something else, not a ledger"):
            attempt(url, at=AT)
    assert path.read_bytes() == content


def test_half_a_ledger_is_told(tmp_path: Path, url: str) -> None:
    """A ledger whose entries are gone is not filled up again."""
    open_ledger(url, at=AT).close()
    with closing(sqlite3.connect(tmp_path / "ledger.db")) as file, file:
        file.execute("DROP TABLE entries")
    with pytest.raises(NotALedgerError, match="is not a whole ledger: entries is missing"):
        open_ledger(url, at=AT)


def test_a_ledger_without_entries_takes_none(tmp_path: Path, url: str) -> None:
    """A chain is not begun a second time."""
    with open_ledger(url, at=AT) as ledger:
        with closing(sqlite3.connect(tmp_path / "ledger.db")) as file, file:
            file.execute("DROP TRIGGER entries_refuse_delete")
            file.execute("DELETE FROM entries")
        with pytest.raises(LedgerBrokenError, match="every entry is gone"):
            ledger.append("note", "n", {}, "ana", at=AT)


def test_a_folder_is_no_ledger(tmp_path: Path) -> None:
    """One line, not a traceback."""
    with pytest.raises(PlumbruleError, match="cannot be opened"):
        open_ledger(f"sqlite:///{tmp_path}", at=AT)


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    """A file is in the way."""
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="its folder cannot be made"):
        open_ledger(f"sqlite:///{tmp_path}/file/ledger.db", at=AT)


def test_a_read_only_ledger_can_be_read(tmp_path: Path, url: str) -> None:
    """Reports and verification work; an append says what to do."""
    with open_ledger(url, at=AT) as ledger:
        ledger.append("note", "n", "kept", "ana", at=AT)
    with open_ledger(f"sqlite:///file:{tmp_path}/ledger.db?mode=ro&uri=true") as ledger:
        assert ledger.verify().entries == 2
        with pytest.raises(LedgerReadOnlyError, match="is read-only: allow writing"):
            ledger.append("note", "n", "more", "ana", at=AT)
        assert [entry.value for entry in ledger.entries()] == ["kept"]


def test_a_locked_ledger_is_told_when_it_is_made(tmp_path: Path, url: str) -> None:
    """Another process that holds the new file is waited for, but not for ever."""
    with closing(sqlite3.connect(tmp_path / "ledger.db")) as file:
        file.execute("BEGIN EXCLUSIVE")
        with pytest.raises(LedgerBusyError, match="is locked by another process") as caught:
            open_ledger(url, at=AT, lock_timeout_s=0.1)
        assert caught.value.exit_code == 4
        file.rollback()
    open_ledger(url, at=AT).close()


def test_a_full_disk_tears_nothing(url: str) -> None:
    """The write that no longer fits is told; all before it are there, and the ledger goes on when there is room."""
    done = subprocess.run([sys.executable, "-c", FILL_THE_DISK, url], check=True, capture_output=True, text=True)
    number, message = done.stdout.split(" ", 1)
    assert "the disk is full or failing: free some space and try again" in message
    with open_ledger(url) as ledger:
        assert ledger.verify().broken is None
        assert [entry.subject for entry in ledger.entries()] == [f"s{n}" for n in range(int(number))]
        ledger.append("note", "after", {}, "ana", at=AT)
        assert ledger.verify().whole


def test_a_disk_that_is_full_from_the_start(tmp_path: Path, url: str) -> None:
    """A ledger that cannot be made leaves nothing that stands in the way of the next try."""
    code = (
        f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (9000, {resource.RLIM_INFINITY}))\n"
        + FILL_THE_DISK
    )
    done = subprocess.run([sys.executable, "-c", code, url], check=False, capture_output=True, text=True)
    assert "the disk is full or failing" in done.stderr
    with open_ledger(url, at=AT) as ledger:
        assert ledger.verify().entries == 1
    assert tmp_path.exists()
