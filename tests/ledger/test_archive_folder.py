"""An archive is a folder of files that are written and read a batch at a time."""

import os
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest

from plumbrule.errors import InputError, UsageError
from plumbrule.ledger import archive_folder
from plumbrule.ledger.archive_folder import NO_COLUMNS, open_archive, write_archive
from plumbrule.ledger.chain import Row

ROWS = 64
BODY = 1 << 18


def rows() -> Iterator[Row]:
    """Yield entries with large bodies, each made when it is asked for."""
    for number in range(ROWS):
        subject = f"run-1/0/q{number}".encode()
        body = b"%064d" % number * (BODY // 64)
        yield number, b"exchange", subject, b"ana", b"2026-01-31T09:30:00Z", body, b"", b"", b""


def test_memory_does_not_grow_with_an_archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """To read one takes what a few of the batches take in which it was written."""
    monkeypatch.setattr(archive_folder, "_BATCH_BYTES", 2 * BODY)
    folder = write_archive(tmp_path / "archive", rows(), ledger_id="ledger-1", columns=NO_COLUMNS)
    tracemalloc.start()
    assert sum(len(row[5]) for row in folder.rows()) == ROWS * BODY
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < ROWS * BODY / 2


def test_a_folder_whose_name_is_no_text_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    """The ledger has to name it."""
    name = os.fsdecode(b"\xff")
    with pytest.raises(UsageError, match="its name must be text"):
        write_archive(tmp_path / name, rows(), ledger_id="ledger-1", columns=NO_COLUMNS)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("manifest", "message"),
    [
        ('{"form": "plumbrule-archive-2", "shards": []}', "which this Plumbrule cannot read: upgrade it"),
        ("[]", "is not the manifest of an archive"),
        ("{", "is not the manifest of an archive"),
    ],
)
def test_what_is_no_manifest_of_this_form_is_told(tmp_path: Path, manifest: str, message: str) -> None:
    """A later form first of all by its name: it may have other fields."""
    (tmp_path / "manifest.json").write_text(manifest)
    with pytest.raises(InputError, match=message):
        open_archive(tmp_path)
