"""The ledger: an append-only store of everything that was measured and decided, in one hash chain."""

from plumbrule.ledger.acceptance import accept
from plumbrule.ledger.backup import backup, restore
from plumbrule.ledger.bundle import BundleVerification, verify_bundle, write_bundle
from plumbrule.ledger.chain import Break, TimeBack, Verification
from plumbrule.ledger.checkpoint import Checkpoint, read_checkpoint, write_checkpoint
from plumbrule.ledger.entry import KINDS, Draft, Entry, ResultKey, escaped
from plumbrule.ledger.export import export
from plumbrule.ledger.ledger_errors import (
    AbsentLedgerError,
    EntryError,
    LeaseLostError,
    LedgerBrokenError,
    LedgerBusyError,
    LedgerError,
    LedgerFullError,
    LedgerReadOnlyError,
    LedgerUnreachableError,
    LedgerVersionError,
    NotALedgerError,
    ResultStandsError,
)
from plumbrule.ledger.ledger_state import LedgerState, state_of_ledger
from plumbrule.ledger.migration import open_ledger, upgrade
from plumbrule.ledger.shared_commit import Guard
from plumbrule.ledger.store import Ledger
from plumbrule.ledger.tables import SCHEMA_VERSION

__all__ = [
    "KINDS",
    "SCHEMA_VERSION",
    "AbsentLedgerError",
    "Break",
    "BundleVerification",
    "Checkpoint",
    "Draft",
    "Entry",
    "EntryError",
    "Guard",
    "LeaseLostError",
    "Ledger",
    "LedgerBrokenError",
    "LedgerBusyError",
    "LedgerError",
    "LedgerFullError",
    "LedgerReadOnlyError",
    "LedgerState",
    "LedgerUnreachableError",
    "LedgerVersionError",
    "NotALedgerError",
    "ResultKey",
    "ResultStandsError",
    "TimeBack",
    "Verification",
    "accept",
    "backup",
    "escaped",
    "export",
    "open_ledger",
    "read_checkpoint",
    "restore",
    "state_of_ledger",
    "upgrade",
    "verify_bundle",
    "write_bundle",
    "write_checkpoint",
]
