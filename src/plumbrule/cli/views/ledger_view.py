"""The ledger on a terminal: whether its chain is whole, and what was written out."""

from pathlib import Path

from rich.console import Console

from plumbrule.api.ledger import LedgerBackup
from plumbrule.cli.terminal_console import plain
from plumbrule.ledger import BundleVerification, Checkpoint, Verification
from plumbrule.reviews.disclosure import Written


def show_verification(console: Console, name: str, verification: Verification) -> None:
    """Print whether the chain is whole, and else the first broken entry."""
    if verification.broken is not None:
        console.print(plain(f"broken: {name}, {verification.broken.message}", "bold red"), soft_wrap=True)
        return
    last = verification.last_sha256[:12]
    console.print(plain(f"whole: {name}, {verification.entries} entries, last {last}", "green"))
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
