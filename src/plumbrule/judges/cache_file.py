"""A file that keeps completions from run to run, for ``CompletionCache``."""

import sqlite3
from collections.abc import Iterator, MutableMapping
from pathlib import Path

from plumbrule.errors import UsageError


class CacheFile(MutableMapping[str, bytes]):
    """Texts and bytes in one SQLite file; a value that is lost in a crash is only paid for again."""

    def __init__(self, path: Path) -> None:
        self._database = _open(path)

    def close(self) -> None:
        """Let go of the file."""
        self._database.close()

    def __getitem__(self, key: str) -> bytes:
        row = self._database.execute("SELECT value FROM kept WHERE key = ?", [key]).fetchone()
        if row is None:
            raise KeyError(key)
        return bytes(row[0])

    def __setitem__(self, key: str, value: bytes) -> None:
        self._database.execute("INSERT OR REPLACE INTO kept VALUES (?, ?)", [key, value])

    def __delitem__(self, key: str) -> None:
        if not self._database.execute("DELETE FROM kept WHERE key = ?", [key]).rowcount:
            raise KeyError(key)

    def __iter__(self) -> Iterator[str]:
        return (key for (key,) in self._database.execute("SELECT key FROM kept ORDER BY key"))

    def __len__(self) -> int:
        (count,) = self._database.execute("SELECT count(*) FROM kept").fetchone()
        return int(count)


def _open(path: Path) -> sqlite3.Connection:
    database = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        database = sqlite3.connect(path, isolation_level=None)
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("CREATE TABLE IF NOT EXISTS kept (key TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID")
    except (OSError, sqlite3.Error) as error:
        if database is not None:
            database.close()
        raise UsageError(f"{path}: cannot be used as a cache: {error}; name another file") from None
    return database
