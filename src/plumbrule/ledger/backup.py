"""Keeps a ledger safe: a verified copy beside it, and a new ledger from such a copy with its chain intact."""

import os
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from datetime import datetime
from functools import partial
from itertools import islice
from pathlib import Path
from typing import cast

import orjson
from sqlalchemy.engine import URL

from plumbrule.errors import InputError, RecordError, UsageError
from plumbrule.files import make_private, open_file
from plumbrule.hashing import canonical_json
from plumbrule.ledger.chain import NO_BODY, BrokenChainError, Row, walk
from plumbrule.ledger.checkpoint import Checkpoint
from plumbrule.ledger.database import writing
from plumbrule.ledger.entry_rows import entry_of, insert
from plumbrule.ledger.export import export_jsonl
from plumbrule.ledger.ledger_errors import LedgerBrokenError, LedgerError, told_clearly
from plumbrule.ledger.migration import LOCK_TIMEOUT_S, open_ledger
from plumbrule.ledger.store import Ledger
from plumbrule.ledger.tables import COLUMNS

_LONGEST_ENTRY = 1 << 28  # bytes
_BATCH_ROWS = 5000


def backup(ledger: Ledger, path: Path) -> Checkpoint:
    """Copy a ledger to a new file while others may go on writing; return the end of the copy's chain.

    A SQLite ledger becomes another one, any ledger becomes JSON lines where ``path`` ends in ``.jsonl``.
    """
    if path.exists():
        raise UsageError(f"{path}: is there already: a backup is never written over, name a new file")
    if path.suffix == ".jsonl":
        return ledger.checkpoint(export_jsonl(ledger, path) - 1)
    if ledger.engine.dialect.name != "sqlite":
        raise UsageError(f"{path}: a ledger on a server is backed up to a .jsonl file, which restore reads")
    temporary = path.with_name(f".{path.name[:100]}.{secrets.token_hex(4)}.part")
    try:
        with told_clearly(str(path)):
            _copy(ledger, temporary)
        with open_ledger(URL.create("sqlite", database=str(temporary)), checked=False) as copy:
            verification, end = copy.verify(), copy.checkpoint()
        if verification.broken is not None:
            raise LedgerBrokenError(f"{ledger.name}: {verification.broken.message}: no backup was kept")
        with told_clearly(str(path)):
            _settle(temporary)
        temporary.rename(path)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror or error}") from None
    finally:
        for left in (temporary, Path(f"{temporary}-wal"), Path(f"{temporary}-shm")):
            with suppress(FileNotFoundError):
                left.unlink()
    return end


def restore(source: Path, address: str | URL, *, lock_timeout_s: float = LOCK_TIMEOUT_S) -> Checkpoint:
    """Make a new ledger at ``address`` from JSON lines; every link is checked, and all is kept or nothing."""
    rows = walk(_read(source))
    try:
        _sequence, _kind, identity, _author, at, *_rest = next(rows)
        opened = datetime.fromisoformat(at.decode())
        with open_ledger(address, at=opened, ledger_id=identity.decode(), lock_timeout_s=lock_timeout_s) as ledger:
            with writing(ledger.engine, ledger.name) as connection:
                end = ledger.checkpoint()
                if end.sequence or end.entry_sha256 != _rest[-1].decode():
                    raise LedgerError(f"{ledger.name}: is in use already: restore into a new ledger")
                while batch := [entry_of(row) for row in islice(rows, _BATCH_ROWS)]:
                    insert(connection, batch)
            return ledger.checkpoint()
    except BrokenChainError as error:
        raise InputError(f"{source}: {error.broken.message}: nothing was restored") from None


def _copy(ledger: Ledger, path: Path) -> None:
    raw = ledger.engine.raw_connection()
    make_private(path)
    try:
        with closing(sqlite3.connect(path)) as target:
            cast("sqlite3.Connection", raw.driver_connection).backup(target)
    finally:
        raw.close()


def _settle(path: Path) -> None:
    """Leave one file that needs no other beside it, not even to be read, and see it to the disk."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
    with path.open("rb") as file:
        os.fsync(file.fileno())


def _read(source: Path) -> Iterator[Row]:
    """Yield the rows that JSON lines hold."""
    try:
        with open_file(source, pipes=True) as file:
            for number, line in enumerate(iter(partial(file.readline, _LONGEST_ENTRY + 1), b""), 1):
                if len(line) > _LONGEST_ENTRY:
                    raise RecordError("is longer than any entry", source=str(source), line=number)
                try:
                    value = orjson.loads(line)
                    if value.get("withheld"):
                        said = "withholds its body: restore from a backup, or from an export with open ratings"
                        raise RecordError(said, source=str(source), line=number)
                    body = NO_BODY if value.get("archived") is True else canonical_json(value["body"]).decode()
                    yield _row({**value, "body": body})
                except (orjson.JSONDecodeError, TypeError, KeyError, AttributeError):
                    raise RecordError("is not an entry of a ledger", source=str(source), line=number) from None
    except OSError as error:
        raise InputError(f"{source}: cannot be read: {error.strerror}") from None


def _row(value: dict[str, object]) -> Row:
    sequence, *texts = (value[name] for name in COLUMNS)
    if type(sequence) is not int or not all(isinstance(text, str) for text in texts):
        raise TypeError("a part of the entry has the wrong type")
    kind, subject, author, at, body, body_sha256, previous, own = (str(text).encode() for text in texts)
    return sequence, kind, subject, author, at, body, body_sha256, previous, own
