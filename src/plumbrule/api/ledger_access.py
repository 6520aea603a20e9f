"""The ledger that a caller or a command uses, and the time at which it writes."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from plumbrule.ledger import Ledger, open_ledger
from plumbrule.settings import ledger_address, ledger_is_named

Ledgers = Ledger | str | None  # an open ledger, the address of one, or None for the one that the settings name


def open_here(ledger_url: str | None, *, make: bool = False, checked: bool = True) -> Ledger:
    """Open the ledger that is meant; only a run makes a new one, and only those who look for faults do not check it."""
    return open_ledger(ledger_address(ledger_url), at=now() if make else None, checked=checked)


@contextmanager
def opened(ledger: Ledgers, *, make: datetime | None = None) -> Iterator[Ledger]:
    """Give the ledger that is meant; one that was given open stays open, one that is not there is made at ``make``."""
    if isinstance(ledger, Ledger):
        yield ledger
        return
    with open_ledger(ledger_address(ledger), at=make) as store:
        yield store


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
