"""Write a file whole or not at all: to a temporary name beside it, renamed when complete."""

import os
import stat
import tempfile
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from plumbrule.errors import UsageError

PRIVATE = 0o600


@contextmanager
def written_whole(path: Path, *, private: bool = False) -> Iterator[BinaryIO]:
    """Give a file to write to; ``path`` changes only when the block ends well.

    Only its owner may read or write a ``private`` one.
    """
    path = Path(os.path.realpath(path))  # a link stays a link
    mode = _mode_for(path) & (PRIVATE if private else ~0)
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


def make_private(path: Path) -> None:
    """Make an empty file that only its owner may read, where there is none; SQLite's own files follow it."""
    with suppress(OSError):  # that it cannot be made is for the caller to find, who writes it
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, PRIVATE))


def as_listed(path: Path) -> Path:
    """Return an absolute path with each part as its folder lists it, where the file system ignores case or accents."""
    listed = Path(path.anchor)
    for part in path.parts[1:]:
        listed /= _listed_name(listed, part)
    return listed


def _listed_name(folder: Path, name: str) -> str:
    try:
        names = [child.name for child in folder.iterdir()]
    except OSError:
        return name
    if name in names:
        return name
    alike = [other for other in names if _folded(other) == _folded(name)]
    return alike[0] if len(alike) == 1 else name


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


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
