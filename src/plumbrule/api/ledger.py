"""The ledger for Python callers and the command line: verify its chain, keep checkpoints of it, and copy it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from plumbrule.api.reports import report_on
from plumbrule.errors import InputError, UsageError
from plumbrule.ledger import (
    ArchiveFolder,
    BundleVerification,
    Checkpoint,
    Extent,
    Ledger,
    Verification,
    accept,
    archive,
    archived_bodies,
    backup,
    extent_of,
    open_ledger,
    read_checkpoint,
    restore_archive,
    verify_bundle,
    write_bundle,
    write_checkpoint,
)
from plumbrule.reports import FORMATS
from plumbrule.reviews.record_store import open_campaigns
from plumbrule.runs.archive.query_columns import query_columns
from plumbrule.runs.archive.retention import read_retention, select_before, select_due, select_runs
from plumbrule.runs.run_entries import find_run


def verify_ledger(
    ledger: Ledger, *, checkpoint: Path | None = None, keep: Path | None = None, archives: Sequence[Path] = ()
) -> Verification:
    """Walk the hash chain, against what is kept of it outside the database and, too, against a checkpoint file.

    ``keep`` is where the end of a whole chain is written; the bodies in ``archives`` are hashed, too. A ledger that may
    be broken is opened with ``checked=False``.
    """
    checkpoints = [] if checkpoint is None else [_read(ledger, checkpoint)]
    anchors: list[tuple[int, str]] = []
    if ledger.files is not None:
        kept = ledger.files.read()
        kept.see_ledger(ledger.ledger_id, name=ledger.name)
        anchors += kept.known_hashes()
    verification = ledger.verify(*checkpoints, anchors=anchors, archived=archived_bodies(ledger, archives))
    if keep is not None and verification.whole:
        write_checkpoint(ledger.checkpoint(), keep)
    return verification


def checkpoint_ledger(ledger: Ledger, *, to: Path | None = None) -> Checkpoint:
    """Return the end of the verified chain, signed; ``to`` is a file elsewhere that it is written to."""
    end = ledger.checkpoint()
    checkpoint = end if ledger.files is None else ledger.files.key.signed(end)
    if to is not None:
        write_checkpoint(checkpoint, to)
    return checkpoint


def bundle_run(ledger: Ledger, run: str, file: Path) -> BundleVerification:
    """Write the audit bundle of a run to a file, check it as whoever gets it will, and return what it holds."""
    entry = find_run(ledger, run)
    report = report_on(ledger, entry)
    reports = {"report.html": FORMATS[".html"](report), "report.json": FORMATS[".json"](report)}
    write_bundle(ledger, entry.subject, file, checkpoint=checkpoint_ledger(ledger), reports=reports)
    return verify_bundle(file)


def check_bundle(file: Path, *, checkpoint: Path | None = None) -> BundleVerification:
    """Return what a bundle holds where it is whole; ``checkpoint`` is one of its ledger that was kept elsewhere."""
    return verify_bundle(file, None if checkpoint is None else read_checkpoint(checkpoint))


def reset_checkpoint(address: str, author: str, *, at: datetime) -> Checkpoint:
    """Accept a ledger as it is, whatever was kept of it before, and record in it who did; return the new checkpoint."""
    if not author.strip():
        raise UsageError("who accepts the ledger as it is? a name is needed")
    with open_ledger(address, checked=False) as ledger:
        return accept(ledger, author.strip(), at=at)


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerBackup:
    """The last entry of a verified copy, and the open campaigns whose ratings are in it."""

    end: Checkpoint
    open_campaigns: tuple[str, ...]


def back_up_ledger(ledger: Ledger, file: Path) -> LedgerBackup:
    """Copy the ledger to a file, verified, while others may go on writing."""
    return LedgerBackup(end=backup(ledger, file), open_campaigns=open_campaigns(ledger))


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchivePlan:
    """What is to be archived: which kinds of entries of which runs, and how much that is by kind."""

    runs: Mapping[str, tuple[str, ...]]
    kinds: Mapping[str, Extent]


def select_for_archive(
    ledger: Ledger,
    *,
    at: datetime,
    runs: Sequence[str] = (),
    before: datetime | None = None,
    retention: Path | None = None,
) -> Mapping[str, tuple[str, ...]]:
    """Return what there is to archive of finished runs, as kinds by run: of those named, before a moment, or due."""
    if retention is not None:
        return select_due(ledger, read_retention(retention), at=at)
    return select_runs(ledger, runs) if before is None else select_before(ledger, before)


def plan_archive(ledger: Ledger, selection: Mapping[str, tuple[str, ...]]) -> ArchivePlan:
    """Return how much a selection is, without archiving it."""
    return ArchivePlan(runs=selection, kinds=extent_of(ledger, selection))


def archive_runs(
    ledger: Ledger,
    selection: Mapping[str, tuple[str, ...]],
    folder: Path,
    *,
    author: str,
    reason: str,
    at: datetime,
) -> ArchiveFolder:
    """Move what is selected to a new folder of Parquet files; return the archive."""
    columns = query_columns(ledger)
    return archive(ledger, selection, folder, author=author, reason=reason, at=at, columns=columns)


def restore_runs(
    ledger: Ledger, folder: Path, *, author: str, at: datetime, reason: str | None = None
) -> ArchiveFolder:
    """Put back into the ledger what is in an archive of it; return the archive, which stays as it is."""
    return restore_archive(ledger, folder, author=author, at=at, reason=reason)


def _read(ledger: Ledger, path: Path) -> Checkpoint:
    """Read a checkpoint, and refuse one that names our key and was changed since it was signed."""
    checkpoint = read_checkpoint(path)
    key = None if ledger.files is None else ledger.files.key
    if key is not None and checkpoint.key_id == key.key_id and not key.signs(checkpoint):
        raise InputError(f"{path}: is not a checkpoint as it was signed: it was changed")
    return checkpoint
