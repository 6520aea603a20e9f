"""A dataset opens whatever its packing, and every way that can fail has one clear message."""

import gzip
import io
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zstandard
from tests.clock import LONG_S

from plumbrule.errors import InputError, MissingExtraError, UsageError
from plumbrule.samples import Reading
from plumbrule.samples.byte_streams import format_of

Read = Callable[..., Any]
Write = Callable[..., Path]

LINES = b"".join(b'{"id": "q%d", "answer": "a"}\n' % number for number in range(20_000))
SKIPPABLE_FRAME = b"\x50\x2a\x4d\x18\x02\x00\x00\x00ab"


@pytest.mark.parametrize(
    ("path", "form"),
    [
        ("a.jsonl", "jsonl"),
        ("a.ndjson.gz", "jsonl"),
        ("A.JSON", "json"),
        ("a.b.csv.zst", "csv"),
        ("a.tsv", "tsv"),
        ("a.parquet", "parquet"),
        ("-", "jsonl"),
    ],
)
def test_the_suffix_tells_the_format(path: str, form: str) -> None:
    """The suffix under .gz and .zst tells the format; standard input is JSON Lines."""
    assert format_of(path) == form


@pytest.mark.parametrize("name", ["a.txt", "a", "a.gz", "jsonl"])
def test_an_unknown_suffix_is_a_usage_error(tmp_path: Path, name: str) -> None:
    """Another suffix names the known ones, unless the format is given; a file that is not there says that first."""
    path = str(tmp_path / name)
    with pytest.raises(InputError, match="no such file"):
        format_of(path)
    Path(path).touch()
    with pytest.raises(UsageError, match=r"\.jsonl, \.ndjson, \.json, \.csv, \.tsv, \.parquet"):
        format_of(path)
    assert format_of(path, "csv") == "csv"


def test_an_unknown_format_is_a_usage_error() -> None:
    """A format that does not exist names those that do."""
    with pytest.raises(UsageError, match="csv, json, jsonl, parquet, tsv"):
        format_of("a.jsonl", "xml")


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("plain.jsonl", LINES),
        ("packed.jsonl.gz", gzip.compress(LINES, mtime=0)),
        ("packed.jsonl.zst", zstandard.compress(LINES)),
        ("misnamed.jsonl", gzip.compress(LINES, mtime=0)),
        ("misnamed.jsonl.gz", zstandard.compress(LINES)),
        ("unpacked.jsonl.gz", LINES),
        ("mark.jsonl", b"\xef\xbb\xbf" + LINES),
        ("packed_mark.jsonl.gz", gzip.compress(b"\xef\xbb\xbf" + LINES, mtime=0)),
        ("members.jsonl.gz", gzip.compress(LINES[:1000], mtime=0) + gzip.compress(LINES[1000:], mtime=0)),
        ("frames.jsonl.zst", zstandard.compress(LINES[:1000]) + zstandard.compress(LINES[1000:])),
        ("skip.jsonl.zst", zstandard.compress(LINES[:1000]) + SKIPPABLE_FRAME + zstandard.compress(LINES[1000:])),
    ],
)
def test_packing_is_told_by_content(read: Read, name: str, data: bytes) -> None:
    """Compression is known by its first bytes, not by the suffix; several members are one stream."""
    outcome = read(name, data)

    assert len(outcome.samples) == 20_000
    assert outcome.reading.position() == (len(data), len(data))


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("cut.jsonl.gz", gzip.compress(LINES, mtime=0)[:-20], "the gzip data ends early"),
        ("cut.jsonl.zst", zstandard.compress(LINES)[:-20], "the zstd data ends early"),
        ("odd.jsonl.gz", gzip.compress(LINES, mtime=0) + b"garbage", "the gzip data is damaged"),
        ("odd.jsonl.zst", zstandard.compress(LINES) + b"garbage", "the zstd data is damaged"),
        ("wide.jsonl", "{}".encode("utf-16")[:-1], "not utf-16 text"),
        ("a.jsonl", b"PK\x03\x04....", "zip archive"),
        ("empty.jsonl", b"", "there are no records"),
        ("blank.jsonl", b"\n  \n", "there are no records"),
        ("empty.jsonl.gz", gzip.compress(b"", mtime=0), "there are no records"),
        ("empty.json", b"", "there are no records"),
        ("blank.json", b" \n ", "there are no records"),
        ("none.json", b"[]", "there are no records"),
        ("header.csv", b"question,answer\n", "there are no records"),
        ("empty.parquet", b"", "there are no records"),
    ],
)
def test_a_broken_file_is_one_clear_error(read: Read, name: str, data: bytes, words: str) -> None:
    """A file that is cut off, damaged, foreign or empty is an InputError on one line, even with on_bad."""
    with pytest.raises(InputError) as caught:
        read(name, data)

    assert words in str(caught.value)
    assert name in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_unpacker_that_is_not_installed(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file packed with zstd says which extra reads it."""
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(MissingExtraError, match=r"plumbrule\[zstd\]"):
        list(Reading(write("a.jsonl.zst", zstandard.compress(LINES))))


def test_records_before_the_break_are_given(write: Write) -> None:
    """What can be read of a file that is cut off is given before the error."""
    reading = Reading(write("cut.jsonl.gz", gzip.compress(LINES, mtime=0)[:-20]))

    with pytest.raises(InputError):
        list(reading)
    assert reading.read > 10_000


def test_a_missing_file_and_a_directory(tmp_path: Path) -> None:
    """A path that is not there, or is a directory, says so."""
    with pytest.raises(InputError, match=r"a\.jsonl: no such file"):
        list(Reading(tmp_path / "a.jsonl"))
    with pytest.raises(InputError, match="directory"):
        list(Reading(tmp_path, format="jsonl"))
    with pytest.raises(InputError, match="cannot be opened"):
        list(Reading("a\0.jsonl"))


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission(write: Write) -> None:
    """A file that may not be read says so."""
    path = write("a.jsonl", LINES)
    path.chmod(0)

    with pytest.raises(InputError, match="cannot be opened: Permission denied"):
        list(Reading(path))


@pytest.mark.parametrize("data", [LINES, gzip.compress(LINES, mtime=0), zstandard.compress(LINES)])
def test_standard_input(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    """``-`` reads JSON Lines from standard input, packed or not, and leaves it open."""
    stdin = io.TextIOWrapper(io.BytesIO(data))
    monkeypatch.setattr(sys, "stdin", stdin)
    reading = Reading("-")

    assert len(list(reading)) == 20_000
    assert reading.source == "standard input"
    assert reading.position() == (len(data), None)
    assert not stdin.closed


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A named pipe is read like a file; its size is not known."""
    monkeypatch.setattr("plumbrule.files.MAX_WAIT_S", LONG_S)
    pipe = tmp_path / "pipe.jsonl"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=[LINES])
    writer.start()
    reading = Reading(pipe)

    assert len(list(reading)) == 20_000
    assert reading.position() == (len(LINES), None)
    writer.join()
