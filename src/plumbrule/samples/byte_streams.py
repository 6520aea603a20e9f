"""Opens a dataset as one stream of bytes: compression, byte-order mark and every way it can fail."""

import codecs
import gzip
import io
import os
import stat
import sys
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Self

from plumbrule.errors import InputError, MissingExtraError, UsageError
from plumbrule.files import open_file
from plumbrule.names import FORMATS
from plumbrule.object_stores import is_url, open_url

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Buffer

STANDARD_INPUT = "-"
MAX_RECORD_MB = 16
MAX_RECORD_BYTES = MAX_RECORD_MB * 1024 * 1024

_COMPRESSED_SUFFIXES = (".gz", ".zst")
NOT_STREAMED = frozenset({"arrow", "parquet", "xlsx"})  # read by seeking in the file, so neither packed nor from a pipe
# What a file's name may end with, for whoever offers to read one.
DATASET_SUFFIXES = (
    *FORMATS,
    *(
        suffix + packed
        for suffix, kind in FORMATS.items()
        if kind not in NOT_STREAMED
        for packed in _COMPRESSED_SUFFIXES
    ),
)
_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"
_BOM = b"\xef\xbb\xbf"
_UTF16_BOMS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
# Where the first bytes of plain text in UTF-16 are zero.
_BARE_UTF16: Mapping[tuple[bool, ...], str] = {(False, True) * 3: "utf-16-le", (True, False) * 3: "utf-16-be"}
_FOREIGN = {
    b"PK\x03\x04": "a zip archive; unpack it first, or give it the suffix .xlsx if it is a spreadsheet",
    b"BZh": "bzip2 data; unpack it, or pack it with gzip or zstd",
    b"\xfd7zXZ": "xz data; unpack it, or pack it with gzip or zstd",
    b"PAR1": "a Parquet file; give it the suffix .parquet",
    b"ARROW1": "an Arrow file; give it the suffix .arrow",
}
_BUFFER = 1 << 18
_ENDLESS = 16 * MAX_RECORD_BYTES  # what is passed over of one line, at most
_TRANSCODED_BITE = 1 << 16
# Four bytes of zstd can unpack to 128 KB: small bites keep a hostile file from filling the memory at once.
_ZSTD_BITE = 1 << 12


@dataclass(frozen=True, slots=True)
class Flaw:
    """Why one record of a file could not even be parsed; reading goes on after it."""

    reason: str


# What each format's reader gives: the record's line or number, and the record or its flaw.
Rows = Iterator[tuple[int, object]]


def format_of(path: str, given: str | None = None) -> str:
    """Return the format of ``path``: the one given, else by its suffix, JSONL for standard input."""
    known = sorted(set(FORMATS.values()))
    if given is not None:
        if given not in known:
            raise UsageError(f"no format {given!r}; the formats are {', '.join(known)}")
        return given
    if path == STANDARD_INPUT:
        return "jsonl"
    name = Path(path).name.lower()
    for packed in _COMPRESSED_SUFFIXES:
        name = name.removesuffix(packed)
    suffix = Path(name).suffix
    if suffix not in FORMATS:
        if not is_url(path) and Path(path).is_dir():
            raise InputError(f"{path}: this is a directory; name a file in it")
        if not is_url(path) and not Path(path).exists():
            raise InputError(f"{path}: no such file")
        raise UsageError(
            f"{path}: the suffix does not tell the format; known are {', '.join(FORMATS)} "
            f"(also with {' or '.join(_COMPRESSED_SUFFIXES)}), or name it with --format"
        )
    return FORMATS[suffix]


def check_encoding(encoding: str | None) -> None:
    """Refuse a name that is no encoding of text."""
    if encoding is None:
        return
    try:
        "".encode(encoding)
    except (LookupError, ValueError):
        raise UsageError(f"--encoding {encoding[:40]}: no such encoding; such as utf-8, utf-16, cp1252") from None


class Source:
    """One opened dataset: ``unpacked`` gives its bytes as UTF-8, ``consumed`` counts them as they lie on disk."""

    def __init__(self, path: str, name: str, *, encoding: str | None = None) -> None:
        self.name = name
        self._encoding = encoding
        self.consumed = 0
        self.size: int | None = None
        self._standard = path == STANDARD_INPUT
        self.handle = self._open(path)
        self._stack: list[BinaryIO] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: "TracebackType | None"
    ) -> None:
        for layer in reversed(self._stack):
            layer.close()
        if not self._standard:
            self.handle.close()

    def mark_share(self, share: float) -> None:
        """Count as consumed this share of the file, for a format that is not read front to back."""
        self.consumed = round(share * (self.size or 0))

    def unpacked(self) -> io.BufferedReader:
        """Return the bytes without compression and byte-order mark, as UTF-8 whatever the file's encoding."""
        packed = self._layer(self._read_handle)
        start = packed.peek(4)[:4]
        stream = packed
        if start.startswith(_GZIP):
            unzipped = gzip.GzipFile(fileobj=packed, mode="rb")
            stream = self._layer(unzipped.read1, "gzip")
        elif start == _ZSTD:
            stream = self._layer(_ZstdStream(packed).read, "zstd")
        start = stream.peek(6)[:6]
        for magic, what in _FOREIGN.items():
            if start.startswith(magic):
                raise InputError(f"{self.name}: this is {what}")
        if self._encoding is None and len(start) == 6 and (bare := _BARE_UTF16.get(tuple(not byte for byte in start))):
            raise InputError(f"{self.name}: this looks like UTF-16 without its mark; --encoding {bare} reads it")
        encoding = self._encoding or ("utf-16" if start.startswith(_UTF16_BOMS) else "utf-8")
        if codecs.lookup(encoding).name not in {"utf-8", "utf-8-sig"}:
            return self._layer(_Transcoder(stream, encoding).read, encoding)
        if start.startswith(_BOM):
            stream.read(len(_BOM))
        return stream

    def _open(self, path: str) -> BinaryIO:
        if self._standard:
            if sys.stdin is None:
                raise InputError(f"{self.name}: there is none")
            return sys.stdin.buffer
        if is_url(path):
            handle, self.size = open_url(path)
            return handle
        try:
            handle = open_file(Path(path), pipes=True)
            status = os.fstat(handle.fileno())
        except FileNotFoundError:
            raise InputError(f"{self.name}: no such file") from None
        except IsADirectoryError:
            raise InputError(f"{self.name}: this is a directory; name a file in it") from None
        except (OSError, ValueError) as error:
            raise InputError(f"{self.name}: cannot be opened: {_reason(error)}") from None
        if stat.S_ISREG(status.st_mode):
            self.size = status.st_size
        return handle

    def _read_handle(self, size: int) -> bytes:
        # read1 hands over what a pipe holds so far instead of waiting for a full buffer
        read = getattr(self.handle, "read1", self.handle.read)
        data: bytes = read(size)
        self.consumed += len(data)
        return data

    def _layer(self, read: Callable[[int], bytes], packing: str = "") -> io.BufferedReader:
        layer: io.BufferedReader = io.BufferedReader(_Reader(read, self.name, packing), _BUFFER)
        self._stack.append(layer)
        return layer


class _Reader(io.RawIOBase):
    """A read function as a raw stream, whose failures are one clear error."""

    def __init__(self, read: Callable[[int], bytes], name: str = "", packing: str = "") -> None:
        self._read = read
        self._name = name
        self._packing = packing

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "Buffer", /) -> int:
        view = memoryview(buffer)
        try:
            data = self._read(len(view))
        except EOFError:
            raise InputError(f"{self._name}: the {self._packing} data ends early; the file is cut off") from None
        except UnicodeError as error:
            raise InputError(f"{self._name}: this is not {self._packing} text: {_reason(error)}") from None
        except (OSError, ValueError, zlib.error) as error:
            what = f"the {self._packing} data is damaged" if self._packing else "cannot be read"
            raise InputError(f"{self._name}: {what}: {_reason(error)}") from None
        view[: len(data)] = data
        return len(data)


class _Transcoder:
    """Text of another encoding, as UTF-8."""

    def __init__(self, stream: BinaryIO, encoding: str) -> None:
        self._stream = stream
        self._decode = codecs.getincrementaldecoder(encoding)().decode
        self._ready = io.BytesIO()
        self._ended = False

    def read(self, size: int) -> bytes:
        data = self._ready.read(size)
        while not data and not self._ended:
            bite = self._stream.read(_TRANSCODED_BITE)
            self._ended = not bite
            self._ready = io.BytesIO(self._decode(bite, self._ended).removeprefix("\ufeff").encode())
            data = self._ready.read(size)
        return data


class _ZstdStream:
    """Unpacks zstd frames one after another and, unlike the library's own reader, notices a missing end."""

    def __init__(self, packed: BinaryIO) -> None:
        try:
            import zstandard  # noqa: PLC0415 -- an extra: only packed files need it
        except ImportError:
            raise MissingExtraError(need="reading zstd", extra="zstd") from None
        self._error = zstandard.ZstdError
        self._new_frame = zstandard.ZstdDecompressor().decompressobj
        self._frame = self._new_frame()
        self._packed = packed
        self._begun = False
        self._ready = io.BytesIO()

    def read(self, size: int) -> bytes:
        data = self._ready.read(size)
        while not data:
            bite = self._packed.read(_ZSTD_BITE)
            if not bite:
                if self._begun:
                    raise EOFError
                return b""
            self._ready = io.BytesIO(self._unpack(bite))
            data = self._ready.read(size)
        return data

    def _unpack(self, bite: bytes) -> bytes:
        parts = []
        try:
            while bite:
                parts.append(self._frame.decompress(bite))
                self._begun = not self._frame.eof
                bite = b""
                if self._frame.eof:
                    bite = self._frame.unused_data
                    self._frame = self._new_frame()
        except self._error as error:
            raise ValueError(error) from None
        return b"".join(parts)


def rewound(front: bytes, rest: BinaryIO) -> io.BufferedReader:
    """Return the stream ``rest`` with the bytes ``front`` put back before it."""
    before = io.BytesIO(front)
    return io.BufferedReader(_Reader(lambda size: before.read(size) or rest.read(size)), _BUFFER)


def read_lines(stream: BinaryIO) -> Iterator[tuple[int, bytes | None]]:
    """Yield each line with its number; None stands for a line over the limit, which is passed over."""
    number = 0
    readline = stream.readline
    limit = MAX_RECORD_BYTES + 2  # room for the line's end
    while line := readline(limit):
        number += 1
        if len(line) == limit and not line.endswith(b"\n"):
            passed = 0
            while (rest := readline(_BUFFER)) and not rest.endswith(b"\n"):
                passed += len(rest)
                if passed > _ENDLESS:
                    raise InputError(f"line {number:,} has no end: this is no dataset")
            yield number, None
        else:
            yield number, line


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
