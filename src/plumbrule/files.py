"""Write a file whole or not at all, renamed when complete; read one within bounds, and no device in its place."""

import errno
import hashlib
import os
import select
import stat
import tempfile
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from plumbrule.errors import UsageError

PRIVATE = 0o600
_CHUNK = 1 << 20
MAX_WAIT_S = 10.0  # for a pipe that brings nothing


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


@contextmanager
def written_new(path: Path) -> Iterator[BinaryIO]:
    """Give a file to write to that is not there yet; one that is there is never written over."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    except FileExistsError:
        raise UsageError(f"{path}: is there already, and is not written over: name another file") from None
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror}") from None
    try:
        with written_whole(path) as file:
            yield file
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def open_file(path: Path, *, pipes: bool = False) -> BinaryIO:
    """Open a regular file to be read, or a pipe where ``pipes`` are allowed; anything else is an OSError.

    A device may have no end, and a pipe that nobody writes to would hold up the reader for ever.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_NONBLOCK", 0))
    try:
        _check_kind(descriptor, path, pipes=pipes)
        os.set_blocking(descriptor, True)
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def _check_kind(descriptor: int, path: Path, *, pipes: bool) -> None:
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if pipes and stat.S_ISFIFO(mode):
        if not select.select([descriptor], [], [], MAX_WAIT_S)[0]:
            raise OSError(errno.ETIMEDOUT, f"nothing came from it in {MAX_WAIT_S:g} s", str(path))
    elif not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "it is not a regular file", str(path))


def read_file(path: Path, *, most: int) -> bytes:
    """Return the content of a regular file; one of more than ``most`` bytes is an OSError."""
    with open_file(path) as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise OSError(errno.EFBIG, f"it has more than {most:,} bytes", str(path))
    return content


def sha256_of_file(path: Path) -> str:
    """Return the digest of a regular file, which is never held whole."""
    digest = hashlib.sha256()
    with open_file(path) as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


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
