"""The ledger on a terminal: whether its chain is whole, and what was written out."""

from collections.abc import Sized
from pathlib import Path

from rich.console import Console

from plumbrule.api.ledger import ArchivePlan, LedgerBackup
from plumbrule.cli.terminal_console import plain
from plumbrule.ledger import ArchiveFolder, BundleVerification, Checkpoint, Verification
from plumbrule.reviews.disclosure import Written


def show_verification(console: Console, name: str, verification: Verification) -> None:
    """Print whether the chain is whole, and else the first broken entry."""
    if verification.broken is not None:
        console.print(plain(f"broken: {name}, {verification.broken.message}", "bold red"), soft_wrap=True)
        return
    last = verification.last_sha256[:12]
    console.print(plain(f"whole: {name}, {verification.entries} entries, last {last}", "green"))
    if verification.archives_verified:
        console.print(plain(f"{verification.archives_verified} bodies are whole in the archives given", "green"))
    if verification.archived:
        text = f"{verification.archived} bodies are in archives, and were not hashed: name them with --archive"
        console.print(plain(text, "yellow"), soft_wrap=True)
    for guard in verification.missing_guards:
        text = f"missing or changed guard: {guard}; the database would let entries be changed"
        console.print(plain(text, "bold red"))
    for back in verification.times_back or ():
        console.print(plain(back.message, "yellow"), soft_wrap=True)


def show_bundle(console: Console, file: Path, held: BundleVerification) -> None:
    """Print what a whole bundle holds."""
    entries = f"{held.entries_of_run} of {held.entries} entries of {held.ledger_id}, last {held.last_sha256[:12]}"
    console.print(plain(f"whole: {file}, run {held.run_id}, {entries}", "green"), soft_wrap=True)


def show_checkpoint(
    console: Console, name: str, checkpoint: Checkpoint, *, to: Path | None, accepted_by: str | None
) -> None:
    """Print the end of the verified chain, and where it was written to."""
    if accepted_by is not None:
        console.print(plain(f"accepted as it is by {accepted_by}, and recorded", "yellow"))
    key = "not signed" if checkpoint.key_id is None else f"signed by key {checkpoint.key_id}"
    end = f"entry {checkpoint.sequence}, {checkpoint.entry_sha256[:12]}, {checkpoint.recorded_at_utc}"
    console.print(plain(f"{name}: {end}, {key}"), soft_wrap=True)
    if to is not None:
        console.print(plain(f"{to}: the checkpoint, to keep elsewhere"), soft_wrap=True)


def show_export(console: Console, file: Path, written: Written) -> None:
    """Print how many entries were written, and how many of their bodies were withheld."""
    console.print(plain(f"{file}: {written.entries} entries"), soft_wrap=True)
    if written.withheld:
        text = f"withheld while their campaigns are open, but for the hashes: the bodies of {written.withheld} records"
        console.print(plain(text, "yellow"), soft_wrap=True)


def show_backup(console: Console, file: Path, copy: LedgerBackup) -> None:
    """Print how far the copy goes, and whose ratings are in it."""
    end = f"entry {copy.end.sequence}, {copy.end.entry_sha256[:12]}"
    console.print(plain(f"{file}: a verified copy up to {end}"), soft_wrap=True)
    if copy.open_campaigns:
        names = ", ".join(copy.open_campaigns)
        text = f"it is whole, with the ratings of open campaigns: keep it from their evaluators ({names})"
        console.print(plain(text, "yellow"), soft_wrap=True)


def _runs(runs: Sized) -> str:
    return f"{len(runs):,} run{'s' * (len(runs) != 1)}"


def show_archive_plan(console: Console, name: str, plan: ArchivePlan) -> None:
    """Print what there is to archive."""
    if not plan.runs:
        console.print(plain(f"{name}: there is nothing to archive"), soft_wrap=True)
        return
    text = f"{name}: {_runs(plan.runs)} to archive, the first {next(iter(plan.runs))}"
    console.print(plain(text), soft_wrap=True)
    for kind, extent in plan.kinds.items():
        console.print(plain(f"  {kind}: {extent.entries:,} entries, {extent.size / 1e6:,.1f} MB"))


def show_archive(console: Console, archive: ArchiveFolder) -> None:
    """Print what was archived, and how to check it and put it back."""
    manifest = archive.manifest
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in manifest.kinds.items())
    size = sum(file.bytes for file in manifest.files) / 1e6
    console.print(
        plain(f"{archive.path}: {manifest.entries:,} entries of {_runs(manifest.runs)} ({kinds}), {size:,.1f} MB"),
        soft_wrap=True,
    )
    console.print(plain(f"manifest {archive.manifest_sha256[:12]}: keep the folder, the ledger has the hashes only"))


def show_restored(console: Console, name: str, archive: ArchiveFolder) -> None:
    """Print what was put back."""
    manifest = archive.manifest
    text = f"{name}: {manifest.entries:,} entries of {_runs(manifest.runs)} are back; {archive.path} stays as it is"
    console.print(plain(text), soft_wrap=True)
