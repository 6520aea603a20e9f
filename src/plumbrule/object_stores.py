"""Files of an object store, such as ``s3://bucket/answers.jsonl``, through fsspec."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

from plumbrule.errors import InputError, MissingExtraError, UsageError

_URL = re.compile(r"(?!file:)[a-z][a-z0-9+.-]+://", re.IGNORECASE)


def is_url(path: str) -> bool:
    """Tell whether a path names a file of an object store."""
    return _URL.match(path) is not None


def open_url(url: str) -> tuple[BinaryIO, int]:
    """Return a file of an object store, to be read, and its size in bytes."""
    store, path = _store_of(url)
    try:
        return store.open(path, "rb"), int(store.info(path)["size"])
    except FileNotFoundError:
        raise InputError(f"{url}: no such file") from None
    except _failures() as error:
        raise InputError(f"{url}: cannot be opened: {_reason(error)}") from None


class UrlFolder:
    """The files under an address; each is put whole or not at all."""

    def __init__(self, url: str) -> None:
        self.name = url.rstrip("/") + "/"
        self._store, path = _store_of(url)
        self._path = path.rstrip("/")

    def read(self, name: str) -> bytes | None:
        """Return the content of a file; None where there is none."""
        with self._told():
            try:
                content: bytes = self._store.cat_file(f"{self._path}/{name}")
            except FileNotFoundError:
                return None
            return content

    def write(self, name: str, content: bytes) -> None:
        """Put a file: readers see the old one until all of the new one is there."""
        with self._told():
            self._store.pipe_file(f"{self._path}/{name}", content)

    def names(self) -> list[str]:
        """Return the names of the files."""
        with self._told():
            self._store.invalidate_cache()
            try:
                paths = self._store.ls(self._path, detail=False)
            except FileNotFoundError:
                return []
            return sorted(str(path).rsplit("/", 1)[-1] for path in paths)

    def remove(self, name: str) -> None:
        """Remove a file."""
        with self._told():
            self._store.rm_file(f"{self._path}/{name}")

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except _failures() as error:
            raise UsageError(f"{self.name}: {_reason(error)}") from None


def _store_of(url: str) -> tuple[Any, str]:
    """Return the file system of an address, and the path in it."""
    try:
        import fsspec  # noqa: PLC0415 - an extra that most users do not need
    except ImportError:
        raise MissingExtraError(need=f"{url.split(':', maxsplit=1)[0]}://", extra="s3") from None
    try:
        store, path = fsspec.core.url_to_fs(url)
    except ImportError as error:
        if url.lower().startswith("s3:"):
            raise MissingExtraError(need="s3://", extra="s3") from None
        raise UsageError(f"{url}: {_reason(error)}") from None
    except ValueError as error:
        raise UsageError(f"{url}: {_reason(error)}") from None
    return store, path


def _failures() -> tuple[type[Exception], ...]:
    """Return what a store fails with: fsspec turns most into OSError, credentials that are missing not."""
    try:
        from botocore.exceptions import BotoCoreError  # noqa: PLC0415 - it comes with s3fs
    except ImportError:
        return (OSError, ValueError)
    return (OSError, ValueError, BotoCoreError)


def _reason(error: Exception) -> str:
    return (str(error) or type(error).__name__).split("\n", 1)[0]
