"""A checkpoint is one small file that can be read back."""

from pathlib import Path

import pytest

from plumbrule.errors import InputError
from plumbrule.ledger import Checkpoint, read_checkpoint, write_checkpoint

CHECKPOINT = Checkpoint(ledger_id="ledger-1", sequence=7, entry_sha256="ab" * 32, recorded_at_utc="2026-01-31")


def test_a_checkpoint_is_read_back(tmp_path: Path) -> None:
    """One line of JSON with four names."""
    path = tmp_path / "checkpoint.json"
    write_checkpoint(CHECKPOINT, path)
    assert read_checkpoint(path) == CHECKPOINT
    assert path.read_bytes().count(b"\n") == 1


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b"\xff",
        b'{"sequence":7}',
        b'{"entry_sha256":"a","ledger_id":"b","recorded_at_utc":"c","sequence":"7"}',
        b'{"entry_sha256":"a","ledger_id":"b","recorded_at_utc":"c","sequence":true}',
        b'{"entry_sha256":"a","ledger_id":"b","recorded_at_utc":"c","sequence":7,"more":1}',
    ],
)
def test_another_file_is_refused(tmp_path: Path, content: bytes) -> None:
    """The error names the file."""
    path = tmp_path / "checkpoint.json"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"checkpoint\.json: is not a checkpoint"):
        read_checkpoint(path)


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    """The error says why it cannot be read."""
    with pytest.raises(InputError, match="cannot be read: No such file"):
        read_checkpoint(tmp_path / "none.json")
