"""The ledger commands at work."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from plumbrule.cli.terminal_console import plain, print_json, stdout
from plumbrule.ledger import Ledger, backup, open_ledger, read_checkpoint, upgrade, write_checkpoint
from plumbrule.reviews.disclosure import write_entries
from plumbrule.reviews.record_store import open_campaigns
from plumbrule.settings import ledger_address, ledger_is_named


def open_here(ledger_url: str | None, *, make: bool = False) -> Ledger:
    """Open the ledger that is meant; only a run makes a new one."""
    return open_ledger(ledger_address(ledger_url), at=now() if make else None)


@contextmanager
def opened_if_there(ledger_url: str | None) -> Iterator[Ledger | None]:
    """Give the ledger that is meant, or None where nobody named one and the working directory has none."""
    if not ledger_is_named(ledger_url):
        yield None
        return
    with open_here(ledger_url) as ledger:
        yield ledger


def now() -> datetime:
    """Return the moment that entries are recorded at."""
    return datetime.now(UTC)


def verify_chain(checkpoint: Path | None, keep: Path | None, *, ledger_url: str | None, as_json: bool) -> bool:
    """Verify the chain and say what was found; tell whether it is whole."""
    held = [] if checkpoint is None else [read_checkpoint(checkpoint)]
    with open_here(ledger_url) as ledger:
        found = ledger.verify(*held)
        if keep is not None and found.whole:
            write_checkpoint(ledger.checkpoint(), keep)
        name = ledger.name
    if as_json:
        print_json({"whole": found.whole, **asdict(found)})
    elif found.broken is None:
        stdout().print(plain(f"whole: {name}, {found.entries} entries, last {found.last_sha256[:12]}", "green"))
        for guard in found.missing_guards:
            stdout().print(
                plain(f"missing guard: {guard}; entries could be changed unseen until the next verify", "yellow")
            )
    else:
        stdout().print(plain(f"broken: {name}, {found.broken.message}", "bold red"), soft_wrap=True)
    return found.whole


def export_entries(file: Path, *, to: str | None, ledger_url: str | None) -> None:
    """Write the entries out."""
    with open_here(ledger_url) as ledger:
        written = write_entries(ledger, file, to=to, at=now())
    stdout().print(plain(f"{file}: {written.entries} entries"), soft_wrap=True)
    if written.withheld:
        said = f"withheld while their campaigns are open, but for the hashes: the bodies of {written.withheld} records"
        stdout().print(plain(said, "yellow"), soft_wrap=True)


def back_up(file: Path, *, ledger_url: str | None) -> None:
    """Copy the ledger."""
    with open_here(ledger_url) as ledger:
        end = backup(ledger, file)
        blind = open_campaigns(ledger)
    stdout().print(
        plain(f"{file}: a verified copy up to entry {end.sequence}, {end.entry_sha256[:12]}"), soft_wrap=True
    )
    if blind:
        said = f"it is whole, with the ratings of open campaigns: keep it from their evaluators ({', '.join(blind)})"
        stdout().print(plain(said, "yellow"), soft_wrap=True)


def upgrade_ledger(*, ledger_url: str | None) -> None:
    """Bring the ledger up to date."""
    before, after = upgrade(ledger_address(ledger_url), at=now())
    said = f"already at version {after}" if before == after else f"from version {before} to {after}"
    stdout().print(plain(said))
