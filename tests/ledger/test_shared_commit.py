"""Callers at the same time share a commit; none is forgotten when one of them fails or leaves."""

import threading
from datetime import UTC, datetime

import pytest
from tests.clock import LONG_S, wait_until

from plumbrule.ledger import Draft
from plumbrule.ledger.shared_commit import SharedCommit, Ticket

DRAFT = Draft(kind="note", subject="n", body={}, author="ana", at=datetime(2026, 1, 31, tzinfo=UTC)).sealed()


class Disk:
    """A slow disk: it writes when it is told to, and keeps what it was given."""

    def __init__(self) -> None:
        self.batches: list[list[Ticket]] = []
        self.begun = threading.Semaphore(0)
        self.go_on = threading.Semaphore(0)
        self.failure: BaseException | None = None

    def write(self, tickets: list[Ticket]) -> None:
        """Settle all tickets, or fail and settle them all the same."""
        self.batches.append(tickets)
        self.begun.release()
        self.go_on.acquire(timeout=LONG_S)
        for ticket in tickets:
            ticket.settled = True
        if self.failure is not None:
            failure, self.failure = self.failure, None
            raise failure


def call(shared: SharedCommit, ticket: Ticket, errors: list[BaseException]) -> threading.Thread:
    """Settle a ticket in a thread of its own."""

    def run() -> None:
        try:
            shared.settle(ticket)
        except OSError as error:
            errors.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    return thread


@pytest.mark.parametrize("failure", [None, OSError("full")])
def test_those_who_wait_are_written_together(failure: BaseException | None) -> None:
    """While the first is written the others queue; then one of them writes for all, even after a failure."""
    disk = Disk()
    disk.failure = failure
    shared = SharedCommit(disk.write)
    tickets = [Ticket([DRAFT]) for _ in range(6)]
    errors: list[BaseException] = []
    threads = [call(shared, tickets[0], errors)]
    disk.begun.acquire(timeout=LONG_S)
    threads += [call(shared, ticket, errors) for ticket in tickets[1:]]
    wait_until(lambda: len(shared._waiting) == 5)
    disk.go_on.release(2)
    for thread in threads:
        thread.join(timeout=LONG_S)
    assert [len(batch) for batch in disk.batches] == [1, 5]
    assert all(ticket.settled for ticket in tickets)
    assert errors == ([] if failure is None else [failure])


class Leaving(threading.Event):
    """Waits as a caller does who presses Ctrl+C."""

    def wait(self, timeout: float | None = None) -> bool:
        """Give up at once, or after having been called."""
        if timeout is None and self.after_call:
            super().wait()
        raise KeyboardInterrupt

    after_call = False


@pytest.mark.parametrize("after_call", [False, True])
def test_a_caller_who_leaves_is_not_waited_for(*, after_call: bool) -> None:
    """What it queued is taken back; when it was its turn to write, the next one does."""
    disk = Disk()
    shared = SharedCommit(disk.write)
    leaving = Leaving()
    leaving.after_call = after_call
    first, gone, last = Ticket([DRAFT]), Ticket([DRAFT], called=leaving), Ticket([DRAFT])
    left: list[bool] = []

    def leave() -> None:
        try:
            shared.settle(gone)
        except KeyboardInterrupt:
            left.append(True)

    threads = [call(shared, first, [])]
    disk.begun.acquire(timeout=LONG_S)
    threads.append(threading.Thread(target=leave))
    threads[-1].start()
    wait_until(lambda: left or gone in shared._waiting)
    threads.append(call(shared, last, []))
    wait_until(lambda: last in shared._waiting)
    disk.go_on.release(2)
    for thread in threads:
        thread.join(timeout=LONG_S)
    assert left == [True]
    assert [first.settled, gone.settled, last.settled] == [True, False, True]
    assert not shared._led
