"""Accepts a ledger as it is, where what is kept of it says otherwise: somebody vouches for it, and it is recorded."""

from contextlib import closing
from datetime import datetime

from plumbrule.errors import UsageError
from plumbrule.ledger.chain import walk
from plumbrule.ledger.chain_state import ChainState
from plumbrule.ledger.chain_watch import fold
from plumbrule.ledger.checkpoint import Checkpoint
from plumbrule.ledger.entry_rows import stream
from plumbrule.ledger.guards import restore_guards
from plumbrule.ledger.ledger_errors import LedgerBrokenError
from plumbrule.ledger.state_files import StateFiles
from plumbrule.ledger.store import Ledger

SUBJECT = "checkpoint"  # of the notes that record it


def accept(ledger: Ledger, author: str, *, at: datetime) -> Checkpoint:
    """Keep a new checkpoint of a ledger that was opened without checks; return it.

    The chain must be whole in itself. Guards that are missing are put back, and a note in the ledger says who accepted
    what, in place of which checkpoint.
    """
    if ledger.files is None:
        raise UsageError(f"{ledger.name}: no checkpoint can be kept, since there is no settings directory for a key")
    verification = ledger.verify()
    if verification.broken is not None:
        raise LedgerBrokenError(f"{ledger.name}: {verification.broken.message}: it cannot be accepted")
    if verification.missing_guards:
        restore_guards(ledger.engine, ledger.name)
        if strange := ledger.verify().missing_guards:
            raise LedgerBrokenError(f"{ledger.name}: remove these first: {', '.join(strange)}")
    body = {
        "event": "checkpoint reset",
        "accepted": {"sequence": verification.entries - 1, "entry_sha256": verification.last_sha256},
        "before": _before(ledger.files),
        "guards_restored": list(verification.missing_guards),
    }
    ledger.append("note", SUBJECT, body, author, at=at)
    state = ChainState(ledger_id=ledger.ledger_id)
    with closing(stream(ledger.engine, ledger.name)) as rows:
        for row in walk(rows):
            fold(state, row)
    if failed := ledger.files.write(state, over=True):
        raise UsageError(f"{failed[0]}: cannot be written: the old checkpoint is still there")
    return ledger.files.key.signed(state.checkpoint)


def _before(files: StateFiles) -> object:
    """Return the ends of what was kept, or why it could not be read."""
    try:
        kept = files.read()
    except LedgerBrokenError as error:
        return str(error)
    return [
        {"ledger_id": state.ledger_id, "sequence": state.sequence, "entry_sha256": state.entry_sha256}
        for state in kept.states
    ]
