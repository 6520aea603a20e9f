"""Lets callers in threads and on event loops share one commit, so that the disk is waited for once."""

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Protocol

from sqlalchemy import Connection

from plumbrule.ledger.entry import Entry, Sealed


class Guard(Protocol):
    """Raises, in the transaction of a write, where what it guards must not be written any more."""

    def __call__(self, connection: Connection, /) -> None:
        """Ask in the transaction of this connection."""
        ...


@dataclass(slots=True, eq=False)
class Ticket:
    """What one caller wants appended together, and what became of it once ``written`` is done."""

    drafts: Sequence[Sealed]
    written: Future[None]  # one for all that are written together
    guard: Guard | None = None  # asked in the transaction of the write
    entries: list[Entry] = field(default_factory=list)
    error: Exception | None = None

    def appended(self) -> list[Entry]:
        """Return the entries in the order of the drafts, or raise what came in their way."""
        self.written.result()
        if self.error is not None:
            raise self.error
        return self.entries


class SharedCommit:
    """One thread that writes what waits; what comes while it writes waits together for the next write."""

    def __init__(self, write: Callable[[list[Ticket]], None]) -> None:
        self._write = write
        self._writer = ThreadPoolExecutor(max_workers=1, thread_name_prefix="ledger")
        self._lock = threading.Lock()
        self._waiting: list[Ticket] = []

    def submit(self, drafts: Sequence[Sealed], *, gathering_s: float = 0.0, guard: Guard | None = None) -> Ticket:
        """Queue drafts; the first of a write decides how long others may join it once the writer is free."""
        with self._lock:
            if self._waiting:
                written = self._waiting[0].written
            else:
                written = self._writer.submit(self._write_waiting, gathering_s)
            ticket = Ticket(drafts, written, guard)
            self._waiting.append(ticket)
        return ticket

    def withdraw(self, ticket: Ticket) -> None:
        """Take a ticket back whose caller does not wait for it any more, unless it is being written."""
        with self._lock:
            if ticket in self._waiting:
                ticket.drafts = ()

    def close(self) -> None:
        """Return when everything that was queued is written."""
        self._writer.shutdown()

    def _write_waiting(self, gathering_s: float) -> None:
        time.sleep(gathering_s)
        with self._lock:
            tickets, self._waiting = self._waiting, []
        self._write(tickets)
