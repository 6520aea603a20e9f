"""Lets one process at a time carry out a run, or several that share it: a lock that ends with the process."""

import hashlib
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from sqlite3 import connect

from sqlalchemy import Engine, text

from plumbrule.errors import UsageError
from plumbrule.files import make_private
from plumbrule.ledger.ledger_errors import LedgerUnreachableError, told_clearly

_LEAVING_S = 1.0  # the last of those who share a file has it alone for a moment, to remove it


@contextmanager
def holding(engine: Engine, subject: str, *, name: str, ledger_id: str, shared: bool = False) -> Iterator[None]:
    """Hold ``subject`` while the block runs; a second holder is refused, unless both hold it ``shared``."""
    if engine.dialect.name == "sqlite":
        with _held_by_a_file(Path(f"{engine.url.database}.{subject}.lock"), subject, name=name, shared=shared):
            yield
        return
    # one number for a lock of PostgreSQL: two runs with the same one would only keep each other out
    key = int.from_bytes(hashlib.sha256(f"{ledger_id}/{subject}".encode()).digest()[:8], "big", signed=True)
    kind = "_shared" if shared else ""
    with ExitStack() as stack:
        with told_clearly(name):
            connection = stack.enter_context(engine.connect())
            if not connection.scalar(text(f"SELECT pg_try_advisory_lock{kind}(:key)"), {"key": key}):
                raise _taken(subject, shared=shared)
            connection.commit()
        try:
            yield
        finally:
            with suppress(LedgerUnreachableError), told_clearly(name):  # a connection that is gone has let go
                connection.execute(text(f"SELECT pg_advisory_unlock{kind}(:key)"), {"key": key})
                connection.commit()


@contextmanager
def _held_by_a_file(path: Path, subject: str, *, name: str, shared: bool) -> Iterator[None]:
    """Hold a file by SQLite's own lock, which works on every system."""
    with ExitStack() as stack:
        with told_clearly(name):
            lock = stack.enter_context(closing(_locked_file(path, subject, shared=shared)))
        try:
            yield
        finally:
            with suppress(OSError, sqlite3.OperationalError):  # some systems keep a file that is open
                if shared:  # the last one removes it: others still hold it by its name
                    lock.execute("COMMIT")
                    lock.execute("BEGIN EXCLUSIVE")
                path.unlink()


def _locked_file(path: Path, subject: str, *, shared: bool) -> sqlite3.Connection:
    """Return the file with this name, locked; one that its last holder has removed by then keeps nobody out."""
    while True:
        make_private(path)
        opened = _identity(path)
        with ExitStack() as stack:
            lock = stack.enter_context(
                closing(connect(path, timeout=_LEAVING_S if shared else 0, isolation_level=None))
            )
            try:
                lock.execute("BEGIN" if shared else "BEGIN EXCLUSIVE")
                lock.execute("SELECT count(*) FROM sqlite_master")  # who reads shares the file from here on
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
                    raise _taken(subject, shared=shared) from None
                if opened == _identity(path):
                    raise
            else:
                if opened is not None and opened == _identity(path):
                    stack.pop_all()
                    return lock


def _identity(path: Path) -> tuple[int, int] | None:
    """Return what tells a file from another one of the same name; None where there is none."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino


def _taken(subject: str, *, shared: bool) -> UsageError:
    who = f"{subject}: another process is carrying it out"
    if shared:
        return UsageError(f"{who} alone; wait for it, or stop it and go on with --workers")
    join = ", or join it where it was begun with --workers" if subject.startswith("run-") else ""
    return UsageError(f"{who}; wait for it, or stop it{join}")
