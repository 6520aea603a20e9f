"""The ledger for Python callers and the command line: verify its chain, and copy it."""

from dataclasses import dataclass
from pathlib import Path

from plumbrule.ledger import Checkpoint, Ledger, Verification, backup, read_checkpoint, write_checkpoint
from plumbrule.reviews.record_store import open_campaigns


def verify_ledger(ledger: Ledger, *, checkpoint: Path | None = None, keep: Path | None = None) -> Verification:
    """Walk the hash chain, also against a checkpoint file; ``keep`` is where the end of a whole chain is written."""
    verification = ledger.verify(*([] if checkpoint is None else [read_checkpoint(checkpoint)]))
    if keep is not None and verification.whole:
        write_checkpoint(ledger.checkpoint(), keep)
    return verification


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerBackup:
    """The last entry of a verified copy, and the open campaigns whose ratings are in it."""

    end: Checkpoint
    open_campaigns: tuple[str, ...]


def back_up_ledger(ledger: Ledger, file: Path) -> LedgerBackup:
    """Copy the ledger to a file, verified, while others may go on writing."""
    return LedgerBackup(end=backup(ledger, file), open_campaigns=open_campaigns(ledger))
