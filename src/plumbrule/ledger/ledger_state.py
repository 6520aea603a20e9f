"""The state of a ledger in short: how long its chain is, and how old the checkpoint is that it is held against."""

from dataclasses import dataclass
from datetime import datetime

from plumbrule.ledger.store import Ledger


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerState:
    """The end of the chain, and the checkpoint that is kept of it outside the database.

    A ledger that is opened is held against the checkpoint, and what follows it is linked entry by entry: who has this
    state has read a chain that is whole from the checkpoint to its end.
    """

    name: str
    ledger_id: str
    entries: int
    last_sha256: str
    last_recorded_at_utc: str
    checkpoint_entries: int | None  # how many entries it covers; None where none is kept
    checkpoint_at: datetime | None  # when it was kept


def state_of_ledger(ledger: Ledger) -> LedgerState:
    """Return the state of an open ledger."""
    end = ledger.checkpoint()
    kept = None if ledger.files is None else ledger.files.last_known()
    return LedgerState(
        name=ledger.name,
        ledger_id=ledger.ledger_id,
        entries=end.sequence + 1,
        last_sha256=end.entry_sha256,
        last_recorded_at_utc=end.recorded_at_utc,
        checkpoint_entries=None if kept is None else kept.sequence + 1,
        checkpoint_at=None if kept is None or ledger.files is None else ledger.files.kept_at(),
    )
