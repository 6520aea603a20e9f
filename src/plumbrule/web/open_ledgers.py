"""The ledger of a running application: opened once and shared by its threads, so that little is verified twice."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from plumbrule.ledger import Ledger, LedgerError, open_ledger
from plumbrule.reviews.replays import keep_replays


class OpenLedgers:
    """Opens a ledger at its first use, and again after it could not be read."""

    def __init__(self) -> None:
        self._open: dict[str, Ledger] = {}
        self._lock = threading.Lock()

    @contextmanager
    def use(self, address: str) -> Iterator[Ledger]:
        """Give the open ledger at an address."""
        with self._lock:
            ledger = self._open.get(address)
            if ledger is None:
                ledger = self._open[address] = open_ledger(address)
                keep_replays(ledger)
        try:
            yield ledger
        except LedgerError:
            with self._lock:  # others may still read from it; it goes when they are done
                if self._open.get(address) is ledger:
                    del self._open[address]
            raise

    def close(self) -> None:
        """Close every ledger, which keeps a checkpoint of what was verified."""
        with self._lock:
            opened, self._open = self._open, {}
        for ledger in opened.values():
            ledger.close()
