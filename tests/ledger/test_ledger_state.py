"""The state of a ledger: its end, the checkpoint that is kept of it, and how far entries of a kind go."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from plumbrule.ledger import AbsentLedgerError, open_ledger, state_of_ledger

AT = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)


def test_the_checkpoint_is_as_old_as_the_last_closing(tmp_path: Path) -> None:
    """While a ledger is open its checkpoint covers what was kept before; closing keeps the rest."""
    address = f"sqlite:///{tmp_path}/ledger.db"
    with open_ledger(address, at=AT) as ledger:
        entry = ledger.append("note", "x", {}, "Ana", at=AT)
        state = state_of_ledger(ledger)
        assert (state.entries, state.last_sha256, state.checkpoint_entries) == (2, entry.entry_sha256, 1)
    with open_ledger(address) as ledger:
        state = state_of_ledger(ledger)
    assert (state.entries, state.checkpoint_entries, state.ledger_id) == (2, 2, ledger.ledger_id)
    assert state.checkpoint_at is not None
    assert state.checkpoint_at.tzinfo is UTC


def test_more_entries_of_some_kinds_than_a_number(tmp_path: Path) -> None:
    """Entries of these kinds are counted together, and no others."""
    with open_ledger(f"sqlite:///{tmp_path}/ledger.db", at=AT) as ledger:
        assert not ledger.holds_more_than(0, "note", "alert")
        ledger.append("note", "x", {}, "Ana", at=AT)
        ledger.append("alert", "x", {}, "Ana", at=AT)
        ledger.append("record", "x", {}, "Ana", at=AT)
        assert ledger.holds_more_than(1, "note", "alert")
        assert not ledger.holds_more_than(2, "note", "alert")
        assert not ledger.holds_more_than(1, "note")


def test_no_ledger_yet(tmp_path: Path) -> None:
    """It is an error of its own, so that a page can say what to do next."""
    with pytest.raises(AbsentLedgerError, match="there is no ledger here yet"):
        open_ledger(f"sqlite:///{tmp_path}/none.db")
