"""The ledger is verified, also against a checkpoint that was kept elsewhere, and copied."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from plumbrule.api.ledger import back_up_ledger, verify_ledger
from plumbrule.codec import to_json
from plumbrule.errors import UsageError
from plumbrule.ledger import open_ledger

AT = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)


def test_the_end_of_a_whole_chain_is_kept(tmp_path: Path) -> None:
    """The checkpoint holds later; one of another ledger is refused."""
    with open_ledger(f"sqlite:///{tmp_path}/one.db", at=AT) as ledger:
        verification = verify_ledger(ledger, keep=tmp_path / "checkpoint.json")
        assert list(to_json(verification)) == [
            "whole",
            "ledger_id",
            "entries",
            "last_sha256",
            "broken",
            "missing_guards",
        ]
        ledger.append("note", "n", {}, "ana", at=AT)
        assert verify_ledger(ledger, checkpoint=tmp_path / "checkpoint.json").whole
    with (
        open_ledger(f"sqlite:///{tmp_path}/two.db", at=AT) as ledger,
        pytest.raises(UsageError, match="the checkpoint is of"),
    ):
        verify_ledger(ledger, checkpoint=tmp_path / "checkpoint.json")


def test_a_copy_says_how_far_it_goes(tmp_path: Path) -> None:
    """Its last entry, and the campaigns whose ratings are in it."""
    with open_ledger(f"sqlite:///{tmp_path}/ledger.db", at=AT) as ledger:
        last = ledger.append("note", "n", {}, "ana", at=AT)
        copy = back_up_ledger(ledger, tmp_path / "copy.db")
    assert (copy.end.entry_sha256, copy.open_campaigns) == (last.entry_sha256, ())
    with open_ledger(f"sqlite:///{tmp_path}/copy.db") as ledger:
        assert verify_ledger(ledger).last_sha256 == last.entry_sha256
