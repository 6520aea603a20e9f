"""A cache in a file lasts from one opening to the next."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from plumbrule.errors import UsageError
from plumbrule.models.completion_cache import CacheFile


def test_it_is_a_mapping_that_lasts(tmp_path: Path) -> None:
    """What was set is there when the file is opened again; a folder on the way to it is made."""
    path = tmp_path / "folder" / "cache.db"
    kept = CacheFile(path)
    kept["b"], kept["a"] = b"1", b"2"
    kept["b"] = b"3"
    kept.close()
    again = CacheFile(path)
    assert dict(again) == {"a": b"2", "b": b"3"}
    assert (len(again), list(again), again.get("c")) == (2, ["a", "b"], None)
    del again["a"]
    with pytest.raises(KeyError):
        del again["a"]
    assert list(again) == ["b"]
    again.close()


def test_what_is_no_cache_is_told(tmp_path: Path) -> None:
    """A file that holds something else is left as it is."""
    path = tmp_path / "notes.txt"
    path.write_bytes(b"these are notes, and no database at all" * 50)
    with pytest.raises(UsageError, match=r"notes\.txt: cannot be used as a cache"):
        CacheFile(path)
    assert path.read_bytes().startswith(b"these are notes")


def test_nothing_is_written_before_it_is_used(tmp_path: Path) -> None:
    """A plan that names a cache makes none."""
    CacheFile(tmp_path / "folder" / "cache.db").close()
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(UsageError, match="cannot be used as a cache"):
        CacheFile(tmp_path / "a\0b")


def test_a_cache_that_cannot_be_reached_only_misses(tmp_path: Path) -> None:
    """What is paid for is not lost to a locked file."""
    path = tmp_path / "cache.db"
    kept = CacheFile(path)
    kept["a"] = b"1"
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        kept["b"] = b"2"
        assert kept.get("a") in {b"1", None}
        other.execute("ROLLBACK")
    assert dict(kept) == {"a": b"1"}
    kept.close()
