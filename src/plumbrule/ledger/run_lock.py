"""Lets one process at a time carry out a run: a lock that ends with the process, however it ends."""

import hashlib
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path

from sqlalchemy import Engine, text

from plumbrule.errors import UsageError
from plumbrule.files import make_private
from plumbrule.ledger.ledger_errors import told_clearly


@contextmanager
def holding(engine: Engine, subject: str, *, name: str, ledger_id: str) -> Iterator[None]:
    """Hold ``subject`` while the block runs; a second holder is refused."""
    if engine.dialect.name == "sqlite":
        with _held_by_a_file(Path(f"{engine.url.database}.{subject}.lock"), subject, name=name):
            yield
        return
    # one number for a lock of PostgreSQL: two runs with the same one would only keep each other out
    key = int.from_bytes(hashlib.sha256(f"{ledger_id}/{subject}".encode()).digest()[:8], "big", signed=True)
    with ExitStack() as stack:
        with told_clearly(name):
            connection = stack.enter_context(engine.connect())
            if not connection.scalar(text("SELECT pg_try_advisory_lock(:key)"), {"key": key}):
                raise _taken(subject)
            connection.commit()
        try:
            yield
        finally:
            with told_clearly(name):
                connection.execute(text("SELECT pg_advisory_unlock(:key)"), {"key": key})
                connection.commit()


@contextmanager
def _held_by_a_file(path: Path, subject: str, *, name: str) -> Iterator[None]:
    """Hold a file by SQLite's own lock, which works on every system."""
    make_private(path)
    with ExitStack() as stack:
        with told_clearly(name):
            lock = stack.enter_context(closing(sqlite3.connect(path, timeout=0, isolation_level=None)))
            try:
                lock.execute("BEGIN EXCLUSIVE")
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
                    raise _taken(subject) from None
                raise
        try:
            yield
        finally:
            with suppress(OSError):  # some systems keep a file that is open
                path.unlink()


def _taken(subject: str) -> UsageError:
    return UsageError(f"{subject}: another process is carrying it out; wait for it, or stop it")
