"""What can go wrong with a ledger, each as one clear line.

::

    PlumbruleError
    └── LedgerError               2  anything that the ledger refuses
        ├── EntryError            2  an entry that cannot be stored as it is
        ├── ResultStandsError     2  another result already stands for this run, repeat and sample
        ├── LeaseLostError        4  whoever appends was silent for too long, and others have taken over
        ├── ArchivedError         2  bodies that are in an archive
        ├── NotALedgerError       2  a file or database that holds something else
        ├── LedgerVersionError    2  a ledger of another version of Plumbrule
        ├── LedgerReadOnlyError   2  a ledger that may be read but not written
        ├── LedgerBusyError       4  another process holds the ledger for too long
        ├── LedgerFullError       4  the disk is full or failing
        ├── LedgerUnreachableError 4 the server does not answer
        └── LedgerBrokenError     4  the chain is broken where whole entries were needed
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import exc

from plumbrule.errors import InputError, PlumbruleError, UsageError


class LedgerError(PlumbruleError):
    """Anything that the ledger refuses."""


class EntryError(LedgerError):
    """An entry that cannot be stored as it is."""


class ResultStandsError(LedgerError):
    """Another result already stands for this run, repeat and sample."""


class LeaseLostError(LedgerError):
    """Whoever appends was silent for too long, and others have taken over."""

    exit_code = 4


class ArchivedError(LedgerError):
    """The bodies that are asked for, of a run, are in an archive."""

    def __init__(self, message: str, *, run: str = "") -> None:
        super().__init__(message)
        self.run = run


class AbsentLedgerError(UsageError):
    """There is no ledger yet where one was looked for."""


class NotALedgerError(LedgerError):
    """A file or a database that holds something else."""


class LedgerVersionError(LedgerError):
    """A ledger of another version of Plumbrule."""


class LedgerReadOnlyError(LedgerError):
    """A ledger that may be read but not written."""


class LedgerBusyError(LedgerError):
    """Another process holds the ledger for too long."""

    exit_code = 4


class LedgerFullError(LedgerError):
    """The disk under the ledger is full or failing; nothing of the last write was kept."""

    exit_code = 4


class LedgerUnreachableError(LedgerError):
    """The ledger's server does not answer."""

    exit_code = 4


class LedgerBrokenError(LedgerError):
    """The chain is broken where whole entries were needed."""

    exit_code = 4


@contextmanager
def told_clearly(name: str) -> Iterator[None]:
    """Turn what a database driver raises inside the block into one clear line about the ledger ``name``."""
    try:
        yield
    except exc.DBAPIError as error:
        raise _clear(name, error.orig if error.orig is not None else error) from None
    except exc.TimeoutError:
        raise LedgerBusyError(f"{name}: too many readers at once in this process: close some and try again") from None
    except UnicodeEncodeError:
        raise InputError(f"{name}: a name that is looked up or kept must be text: what was given is no UTF-8") from None
    except Exception as error:
        if isinstance(error, sqlite3.Error) or hasattr(error, "sqlstate"):  # from a raw cursor
            raise _clear(name, error) from None
        raise


_BUSY = "is locked by another process: wait for it, or stop it, and try again"
_READ_ONLY = "is read-only: allow writing to it and its folder, or copy it to a place that can be written"
_FULL = "the disk is full or failing: free some space and try again; what was acknowledged before is kept"

_SQLITE: dict[int, tuple[type[LedgerError], str]] = {
    sqlite3.SQLITE_BUSY: (LedgerBusyError, _BUSY),
    sqlite3.SQLITE_LOCKED: (LedgerBusyError, _BUSY),
    sqlite3.SQLITE_READONLY: (LedgerReadOnlyError, _READ_ONLY),
    sqlite3.SQLITE_PERM: (LedgerReadOnlyError, _READ_ONLY),
    sqlite3.SQLITE_FULL: (LedgerFullError, _FULL),
    sqlite3.SQLITE_IOERR: (LedgerFullError, _FULL),
    sqlite3.SQLITE_CANTOPEN: (LedgerReadOnlyError, "cannot be opened: see that its folder exists and can be written"),
    sqlite3.SQLITE_NOTADB: (NotALedgerError, "is not a ledger: name another file"),
    sqlite3.SQLITE_CORRUPT: (LedgerBrokenError, "the file is damaged: restore it from a backup"),
}
_POSTGRES: dict[str, tuple[type[LedgerError], str]] = {
    "55P03": (LedgerBusyError, _BUSY),
    "25006": (LedgerReadOnlyError, _READ_ONLY),
    "25P03": (LeaseLostError, "this process stood still in the middle of a change, and others took over"),
    "42501": (LedgerReadOnlyError, "this user may not write to it: grant the rights, or name another user"),
    "53100": (LedgerFullError, _FULL),
    "3D000": (LedgerUnreachableError, "there is no such database on the server: create it first"),
    "53300": (LedgerBusyError, "the server has no free connection: wait, or raise its max_connections"),
}


def _clear(name: str, error: BaseException) -> LedgerError:
    """Return the error that tells the user what to do about ``error``."""
    said = (str(error).strip().splitlines() or [type(error).__name__])[0]
    if isinstance(error, sqlite3.Error):
        code = getattr(error, "sqlite_errorcode", None) or 0
        kind, advice = _SQLITE.get(code & 0xFF, (LedgerError, said))  # the low byte; the rest tells the variety
        return kind(f"{name}: {advice}")
    state = getattr(error, "sqlstate", None)
    if state in _POSTGRES:
        kind, advice = _POSTGRES[state]
        return kind(f"{name}: {advice}")
    if state is None or state[:2] in {"08", "28", "57"}:  # no connection, no admission, shut down
        return LedgerUnreachableError(f"{name}: the server cannot be reached: {said}")
    return LedgerError(f"{name}: {said}")
