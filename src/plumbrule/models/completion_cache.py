"""A cache of completions, keyed by the full request, and the file that keeps them from run to run."""

import dataclasses
import sqlite3
from collections.abc import Iterator, Mapping, MutableMapping
from pathlib import Path
from typing import Any

import orjson

from plumbrule.errors import UsageError
from plumbrule.files import open_file
from plumbrule.hashing import canonical_json, sha256_of
from plumbrule.http.exchange import Exchange
from plumbrule.models.chat_model import Completion


class CompletionCache:
    """Keeps completions as JSON in any mapping of texts to bytes: a dict, a shelf, a table."""

    def __init__(self, store: MutableMapping[str, bytes]) -> None:
        self._store = store

    def find(self, described: Mapping[str, Any]) -> Completion | None:
        """Return the completion kept for a request; an entry that cannot be read counts as none."""
        kept = self._store.get(cache_key(described))
        if kept is None:
            return None
        try:
            content = orjson.loads(kept)
            exchange = Exchange(**{**content.pop("exchange"), "cached": True})
            return Completion(**content, exchange=exchange)
        except (orjson.JSONDecodeError, AttributeError, KeyError, TypeError):
            return None

    def keep(self, described: Mapping[str, Any], completion: Completion) -> None:
        """Keep the completion of a request."""
        self._store[cache_key(described)] = canonical_json(dataclasses.asdict(completion))


def cache_key(described: Mapping[str, Any]) -> str:
    """Return the key of a request as its model describes it."""
    return sha256_of(described)


_SQLITE = b"SQLite format 3\0"
_PATIENCE_S = 2.0


class CacheFile(MutableMapping[str, bytes]):
    """Texts and bytes in one SQLite file, opened on first use; several processes may share it.

    What cannot be read or written, because another process holds the file for too long or the disk is full, counts as
    not kept: it is only paid for again.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._opened: sqlite3.Connection | None = None
        try:
            with open_file(path) as file:
                start = file.read(len(_SQLITE))
        except FileNotFoundError:
            start = b""
        except (OSError, ValueError) as error:
            raise UsageError(f"{str(path)[:200]!r}: cannot be used as a cache: {error}; name another file") from None
        if start not in (b"", _SQLITE):
            raise UsageError(f"{path}: cannot be used as a cache: it holds something else; name another file")

    def close(self) -> None:
        """Let go of the file."""
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    def __getitem__(self, key: str) -> bytes:
        rows = self._run("SELECT value FROM kept WHERE key = ?", key)
        if not rows:
            raise KeyError(key)
        return bytes(rows[0][0])

    def __setitem__(self, key: str, value: bytes) -> None:
        self._run("INSERT OR REPLACE INTO kept VALUES (?, ?)", key, value)

    def __delitem__(self, key: str) -> None:
        if not self._run("DELETE FROM kept WHERE key = ? RETURNING key", key):
            raise KeyError(key)

    def __iter__(self) -> Iterator[str]:
        return (key for (key,) in self._run("SELECT key FROM kept ORDER BY key"))

    def __len__(self) -> int:
        return sum(int(count) for (count,) in self._run("SELECT count(*) FROM kept"))

    def _run(self, statement: str, *values: str | bytes) -> list[tuple[Any, ...]]:
        try:
            if self._opened is None:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                self._opened = sqlite3.connect(self._path, timeout=_PATIENCE_S, isolation_level=None)
                self._opened.execute("PRAGMA journal_mode = WAL")
                self._opened.execute("CREATE TABLE IF NOT EXISTS kept (key TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID")
            return self._opened.execute(statement, values).fetchall()
        except (OSError, sqlite3.Error):
            return []
