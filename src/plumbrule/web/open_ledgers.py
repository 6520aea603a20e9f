"""The ledger of a running application: opened once and shared by its threads, so that little is verified twice."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from plumbrule.ledger import Ledger, LedgerError, open_ledger
from plumbrule.reviews.replays import keep_replays

_KEEP_EVERY_S = 30.0


class OpenLedgers:
    """Opens a ledger at its first use, and again after it could not be read; keeps checkpoints while it is used."""

    def __init__(self) -> None:
        self._kept_at = float("-inf")
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
            at = time.monotonic()
            keeps = at - self._kept_at >= _KEEP_EVERY_S
            self._kept_at = at if keeps else self._kept_at
        try:
            if keeps:
                ledger.keep_checkpoint()
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
