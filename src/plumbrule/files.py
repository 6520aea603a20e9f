"""Write a file whole or not at all: to a temporary name beside it, renamed when complete."""

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from plumbrule.errors import UsageError


@contextmanager
def written_whole(path: Path) -> Iterator[BinaryIO]:
    """Give a file to write to; ``path`` changes only when the block ends well."""
    path = Path(os.path.realpath(path))  # a link stays a link
    mode = _mode_for(path)
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name[:100]}.", suffix=".part", dir=path.parent)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror}") from None
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(mode)
        temporary.replace(path)
    except BrokenPipeError:
        raise  # of another stream, not of this file
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror or error}") from None
    finally:
        with suppress(FileNotFoundError):
            temporary.unlink()


def _mode_for(path: Path) -> int:
    """Return the permissions that the file has, or that a new one gets."""
    try:
        mode = path.stat().st_mode
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask
    if not stat.S_ISREG(mode):
        kind = "a directory" if stat.S_ISDIR(mode) else "not a regular file"
        raise UsageError(f"{path}: cannot be written: it is {kind}")
    return stat.S_IMODE(mode)
