"""A body is unpacked as it arrives, within its limit."""

import gzip
import tracemalloc
import zlib
from collections.abc import Callable

import pytest
import zstandard

from plumbrule.http.body_decoder import BodyDecoder, TooLongError, UndecodableError

PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "zstd": zstandard.compress,
    "": bytes,
}
TEXT = b'{"answer": "A."}' * 1000


def raw_deflate(content: bytes) -> bytes:
    """Pack without zlib's header, as some servers do."""
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(content) + packer.flush()


def decode(encoding: str, body: bytes, *, size: int = 100, limit: int = 1_000_000) -> bytes:
    """Feed the body in pieces of this size."""
    decoder = BodyDecoder(encoding, limit=limit)
    content = b"".join(decoder.feed(body[start : start + size]) for start in range(0, len(body), size))
    decoder.end()
    return content


@pytest.mark.parametrize("size", [2, 100, 1_000_000])
@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        ("", TEXT),
        ("identity", TEXT),
        ("gzip", gzip.compress(TEXT, mtime=0)),
        ("X-Gzip", gzip.compress(TEXT, mtime=0)),
        ("deflate", zlib.compress(TEXT)),
        ("deflate", raw_deflate(TEXT)),
        ("zstd", zstandard.compress(TEXT)),
        ("zstd", zstandard.compress(TEXT[:160]) + zstandard.compress(TEXT[160:])),
        ("gzip, zstd", zstandard.compress(gzip.compress(TEXT, mtime=0))),
        ("gzip", b""),
    ],
)
def test_content_comes_back_in_any_pieces(encoding: str, body: bytes, size: int) -> None:
    """Whatever the encoding, and wherever the wire cuts it."""
    assert decode(encoding, body, size=size) == (TEXT if body else b"")


@pytest.mark.parametrize("encoding", ["", "gzip", "deflate", "zstd", "gzip, gzip", "gzip, zstd", "zstd, zstd"])
def test_no_layer_gives_more_than_the_limit(encoding: str) -> None:
    """A bomb is stopped at the limit, not after it: what is held at any time is a few times the limit."""
    body = bytes(1 << 25)
    for name in encoding.split(", "):
        body = PACKERS[name](body)
    tracemalloc.start()
    with pytest.raises(TooLongError):
        decode(encoding, body, size=65_536, limit=100_000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 30_000_000


@pytest.mark.parametrize(
    ("encoding", "body", "problem"),
    [
        ("gzip", b"no", "decompressed"),
        ("gzip", gzip.compress(TEXT, mtime=0)[:-9], "cut off"),
        ("deflate", b"\xff" * 20, "decompressed"),
        ("zstd", b"no zstd at all", "decompressed"),
        ("zstd", zstandard.compress(TEXT)[:-3], "cut off"),
        ("br", TEXT, "encoded as 'br'"),
        ("gzip, gzip, gzip", TEXT, "encoded 3 times"),
        (",".join(["gzip"] * 10_000), TEXT, "encoded 10,000 times"),
    ],
)
def test_what_cannot_be_unpacked_is_said(encoding: str, body: bytes, problem: str) -> None:
    """Damaged, cut off, in an encoding that is not read, or packed again and again."""
    with pytest.raises(UndecodableError, match=problem):
        decode(encoding, body)


def test_a_window_beyond_http_is_refused() -> None:
    """A zstd frame may ask for gigabytes of window; over HTTP it may ask for 8 MB."""
    parameters = zstandard.ZstdCompressionParameters(window_log=27)
    packer = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    body = packer.compress(TEXT) + packer.flush()
    with pytest.raises(UndecodableError, match="decompressed"):
        decode("zstd", body)
