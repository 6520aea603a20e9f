"""What does not belong into this ledger is refused."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from plumbrule.ledger import EntryError, open_ledger

AT = datetime(2026, 1, 31, tzinfo=UTC)


def test_the_opening_entry_is_written_once(tmp_path: Path) -> None:
    """No caller can open the chain again."""
    with open_ledger(f"sqlite:///{tmp_path}/l.db", at=AT) as ledger, pytest.raises(EntryError, match="is written once"):
        ledger.append("ledger", "ledger-2", {}, "eve", at=AT)


def test_a_correction_of_another_ledgers_entry_is_refused(tmp_path: Path) -> None:
    """What is corrected must stand here."""
    with (
        open_ledger(f"sqlite:///{tmp_path}/a.db", at=AT) as one,
        open_ledger(f"sqlite:///{tmp_path}/b.db", at=AT) as two,
    ):
        entry = one.append("note", "n", {}, "ana", at=AT)
        two.append("note", "n", {}, "ana", at=AT)
        with pytest.raises(EntryError, match="entry 1 is not the one to be corrected"):
            two.correct(entry, {}, "ana", reason="r", at=AT)


def test_a_bad_draft_among_good_ones(tmp_path: Path) -> None:
    """The batch is refused whole, and the next one goes through."""
    with open_ledger(f"sqlite:///{tmp_path}/l.db", at=AT) as ledger:
        with pytest.raises(ValueError, match="without a time zone"):
            ledger.append("note", "n", {}, "ana", at=AT.replace(tzinfo=None))
        assert ledger.append("note", "n", {}, "ana", at=AT).sequence == 1
