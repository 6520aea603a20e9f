"""Lets callers in several threads share one commit, so that the disk is waited for once."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from plumbrule.ledger.entry import Entry, Sealed


@dataclass(slots=True, eq=False)
class Ticket:
    """What one caller wants appended together, and what became of it."""

    drafts: Sequence[Sealed]
    entries: list[Entry] = field(default_factory=list)
    error: BaseException | None = None
    settled: bool = False
    called: threading.Event = field(default_factory=threading.Event)  # settled, or its turn to write for all


class SharedCommit:
    """A queue whose first caller writes for all who wait; ``write`` settles every ticket that it is given."""

    def __init__(self, write: Callable[[list[Ticket]], None]) -> None:
        self._write = write
        self._waiting: list[Ticket] = []
        self._queue = threading.Lock()
        self._led = False

    def settle(self, ticket: Ticket) -> None:
        """Return when ``ticket`` is settled."""
        if self._join(ticket):
            self._lead()

    def _join(self, ticket: Ticket) -> bool:
        """Queue a ticket and wait until it is settled; True means that its caller shall write for all who wait."""
        with self._queue:
            self._waiting.append(ticket)
            if not self._led:
                self._led = True
                return True
        try:
            ticket.called.wait()
        except BaseException:  # Ctrl+C: what is queued is taken back, and nobody waits for a caller who left
            with self._queue:
                if ticket in self._waiting:
                    self._waiting.remove(ticket)
                    if ticket.called.is_set():
                        self._pass_on()
            raise
        return not ticket.settled

    def _lead(self) -> None:
        """Write what waits, then let the next caller write what has come in the meantime."""
        with self._queue:
            tickets, self._waiting = self._waiting, []
        try:
            self._write(tickets)
        finally:
            with self._queue:
                self._pass_on()
            for ticket in tickets:
                ticket.called.set()

    def _pass_on(self) -> None:
        self._led = bool(self._waiting)
        if self._waiting:
            self._waiting[0].called.set()
