"""``plumbrule doctor``: what is here, what is missing, whether the ledger is sound; nothing is written."""

import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from plumbrule.ledger import open_ledger

Run = Callable[..., Any]

AT = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)


def test_everything_is_here(run: Run, tmp_path: Path) -> None:
    """Each extra for users has a line; without a ledger that is said, and none is made."""
    done = run("doctor")
    assert (done.code, done.err) == (0, "")
    parts = {line.split()[0] for line in done.out.splitlines() if " installed" in line}
    extras = metadata.metadata("plumbrule").get_all("Provides-Extra") or []
    assert parts == {"default", *extras} - {"build", "test"}
    assert "ledger: none" in done.out
    assert list(tmp_path.iterdir()) == []


def test_what_is_missing_is_named_with_its_remedy(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """An extra that is not here is no fault; a package that is always needed is."""
    version = metadata.version
    gone = {"pyarrow"}

    def installed(name: str) -> str:
        if name in gone:
            raise metadata.PackageNotFoundError(name)
        return version(name)

    monkeypatch.setattr(metadata, "version", installed)
    done = run("doctor")
    assert done.code == 0
    [line] = [line for line in done.out.splitlines() if line.startswith("parquet ")]
    assert "missing" in line
    assert line.endswith("pip install 'plumbrule[parquet]'")
    gone.add("orjson")
    done = run("doctor", "--json")
    [default] = [part for part in done.records[0]["parts"] if part["extra"] is None]
    assert (done.code, default["state"]) == (1, "incomplete")


def test_a_ledger_is_verified(run: Run, tmp_path: Path) -> None:
    """A sound one with its entries; one that was tampered with by the first bad entry, and exit code 1."""
    address = f"sqlite:///{tmp_path}/ledger.db"
    with open_ledger(address, at=AT) as ledger:
        ledger.append("note", "n", {"text": "before"}, "ana", at=AT)
    done = run("doctor", "--ledger", address)
    assert done.code == 0
    assert "ledger: sound" in done.out
    with sqlite3.connect(tmp_path / "ledger.db") as database:
        for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            database.execute(f"DROP TRIGGER {name}")
        database.execute("UPDATE entries SET body = replace(body, 'before', 'after')")
    done = run("doctor", "--ledger", address)
    assert done.code == 1
    assert "ledger: not sound" in done.out
    assert "entry 1" in done.out
    assert "missing or changed guard" in done.out


def test_a_ledger_that_cannot_be_read_is_told(run: Run, tmp_path: Path) -> None:
    """A file that is no ledger, and one that is not there, are said in words."""
    (tmp_path / "ledger.db").write_text("no database")
    for name in ("ledger.db", "nowhere.db"):
        done = run("doctor", "--ledger", f"sqlite:///{tmp_path}/{name}")
        assert (done.code, done.err) == (1, "")
        assert "ledger: cannot be read" in done.out
        assert name in done.out
