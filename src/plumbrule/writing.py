"""Write a file whole or not at all: to a temporary name beside it, renamed when complete."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from plumbrule.errors import UsageError


@contextmanager
def written_whole(path: Path) -> Iterator[BinaryIO]:
    """Give a file to write to; ``path`` changes only when the block ends well."""
    if path.is_dir():
        raise UsageError(f"{path}: cannot be written: it is a directory")
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror}") from None
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(_mode_of_new_files())
        temporary.replace(path)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror or error}") from None
    finally:
        with suppress(FileNotFoundError):
            temporary.unlink()


def _mode_of_new_files() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
