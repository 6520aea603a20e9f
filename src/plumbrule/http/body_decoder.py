"""Undoes the content encodings of a body as it arrives, and never holds more of it than is allowed."""

import zlib
from collections.abc import Callable
from typing import Protocol

ACCEPTED = "gzip, deflate"  # what is asked for; zstd is read as well
_MOST_ENCODINGS = 2  # more are no compression, but an attempt to fill the memory
_ZSTD_WINDOW = 1 << 23  # what RFC 9659 allows over HTTP
# Four bytes of zstd can unpack to 128 KB, so this many to 8 MB at once.
_ZSTD_BITE = 1 << 8


class UndecodableError(Exception):
    """The body is not what its encoding says, or in an encoding that is not read."""


class TooLongError(Exception):
    """The body, or what it is packed in, is longer than is allowed."""


class BodyDecoder:
    """Takes a body in pieces as it comes over the wire, and gives the pieces of its content; at most ``limit`` bytes.

    ``encoding`` is the header's value: the encodings in the order in which they were laid over the content.
    """

    def __init__(self, encoding: str, *, limit: int) -> None:
        names = [name for part in encoding.split(",") if (name := part.strip().lower()) not in {"", "identity"}]
        if len(names) > _MOST_ENCODINGS:
            raise UndecodableError(f"an answer that is encoded {len(names):,} times")
        for name in names:
            if name not in _UNPACKERS:
                raise UndecodableError(f"an answer encoded as {name!r:.40}, which was not asked for")
        # the raw body counts too: what unpacks to nothing must not go on for ever
        self._layers = [_Layer(make(), limit) for make in (_Plain, *(_UNPACKERS[name] for name in reversed(names)))]

    def feed(self, piece: bytes) -> bytes:
        """Return the content that this piece brings."""
        for layer in self._layers:
            piece = layer.feed(piece)
        return piece

    def end(self) -> None:
        """Check that the body was whole."""
        for layer in self._layers:
            if not layer.ended:
                raise UndecodableError("an answer that cannot be decompressed: it is cut off")


class _Unpacker(Protocol):
    """One encoding; ``unpack`` returns at most ``most`` bytes, or more than that to say that there are more."""

    ended: bool

    def unpack(self, piece: bytes, most: int) -> bytes: ...


class _Layer:
    """One encoding with what is left of its limit."""

    def __init__(self, unpacker: _Unpacker, limit: int) -> None:
        self._unpacker = unpacker
        self._left = limit

    @property
    def ended(self) -> bool:
        return self._unpacker.ended

    def feed(self, piece: bytes) -> bytes:
        content = self._unpacker.unpack(piece, self._left)
        self._left -= len(content)
        if self._left < 0:
            raise TooLongError
        return content


class _Plain:
    """The bytes as they are."""

    ended = True

    def unpack(self, piece: bytes, most: int) -> bytes:  # noqa: ARG002 - they are here already
        return piece


class _Zlib:
    """Gzip, and deflate with or without its header."""

    def __init__(self, bits: int) -> None:
        self._unpack = zlib.decompressobj(bits)
        self._headless = bits == zlib.MAX_WBITS  # as some servers send deflate
        self.ended = True  # nothing has begun

    def unpack(self, piece: bytes, most: int) -> bytes:
        if not piece:
            return b""
        try:
            content = self._unpack.decompress(piece, most + 1)
        except zlib.error:
            if not self._headless:
                raise UndecodableError("an answer that cannot be decompressed") from None
            self._headless, self._unpack = False, zlib.decompressobj(-zlib.MAX_WBITS)
            return self.unpack(piece, most)
        self._headless = False
        self.ended = self._unpack.eof
        return content


class _Zstd:
    """Zstandard, in frames one after another."""

    def __init__(self) -> None:
        import zstandard  # noqa: PLC0415 - only such answers need it

        self._error = zstandard.ZstdError
        self._new_frame = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW).decompressobj
        self._frame = self._new_frame()
        self.ended = True

    def unpack(self, piece: bytes, most: int) -> bytes:
        content = bytearray()
        for start in range(0, len(piece), _ZSTD_BITE):
            bite = piece[start : start + _ZSTD_BITE]
            while bite and len(content) <= most:
                try:
                    content += self._frame.decompress(bite)
                except self._error:
                    raise UndecodableError("an answer that cannot be decompressed") from None
                self.ended, bite = self._frame.eof, self._frame.unused_data
                if self.ended:
                    self._frame = self._new_frame()
        return bytes(content)


_UNPACKERS: dict[str, Callable[[], _Unpacker]] = {
    "gzip": lambda: _Zlib(zlib.MAX_WBITS | 16),
    "x-gzip": lambda: _Zlib(zlib.MAX_WBITS | 16),
    "deflate": lambda: _Zlib(zlib.MAX_WBITS),
    "zstd": _Zstd,
}
