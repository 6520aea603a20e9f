"""Callers at the same time share a commit; none is forgotten when one of them fails or leaves."""

import threading
from datetime import UTC, datetime

import pytest
from tests.clock import LONG_S

from plumbrule.ledger import Draft
from plumbrule.ledger.shared_commit import SharedCommit, Ticket

DRAFT = Draft(kind="note", subject="n", body={}, author="ana", at=datetime(2026, 1, 31, tzinfo=UTC)).sealed()


class Disk:
    """A slow disk: it writes when it is told to, and keeps what it was given."""

    def __init__(self) -> None:
        self.batches: list[list[int]] = []  # how many drafts each ticket had
        self.begun = threading.Semaphore(0)
        self.go_on = threading.Semaphore(0)
        self.failure: Exception | None = None

    def write(self, tickets: list[Ticket]) -> None:
        """Write all tickets, or fail."""
        self.batches.append([len(ticket.drafts) for ticket in tickets])
        self.begun.release()
        self.go_on.acquire(timeout=LONG_S)
        if self.failure is not None:
            failure, self.failure = self.failure, None
            raise failure


def submitted(shared: SharedCommit, count: int) -> list[Ticket]:
    """Return tickets that were queued, one after the other."""
    return [shared.submit([DRAFT]) for _ in range(count)]


@pytest.mark.parametrize("failure", [None, OSError("full")])
def test_those_who_wait_are_written_together(failure: Exception | None) -> None:
    """While the first is written the others queue; then they are written at once, even after a failure."""
    disk = Disk()
    disk.failure = failure
    shared = SharedCommit(disk.write)
    [first] = submitted(shared, 1)
    disk.begun.acquire(timeout=LONG_S)
    others = submitted(shared, 5)
    assert not any(ticket.written.done() for ticket in (first, *others))
    disk.go_on.release(2)
    assert first.written.exception(timeout=LONG_S) is failure
    for ticket in others:
        ticket.written.result(timeout=LONG_S)
        assert ticket.written is others[0].written
        assert ticket.appended() == []
    assert disk.batches == [[1], [1] * 5]
    shared.close()


def test_an_error_is_raised_to_its_own_caller() -> None:
    """The writer refuses one of two that are written together."""
    disk = Disk()

    def write(tickets: list[Ticket]) -> None:
        disk.write(tickets)
        tickets[0].error = ValueError("refused")

    shared = SharedCommit(write)
    submitted(shared, 1)
    disk.begun.acquire(timeout=LONG_S)
    refused, fine = submitted(shared, 2)
    disk.go_on.release(2)
    with pytest.raises(ValueError, match="refused"):
        refused.appended()
    assert fine.appended() == []
    shared.close()


def test_what_a_caller_who_left_had_queued_is_not_written() -> None:
    """Those who queued with it are written; what is being written already cannot be taken back."""
    disk = Disk()
    shared = SharedCommit(disk.write)
    [first] = submitted(shared, 1)
    disk.begun.acquire(timeout=LONG_S)
    gone, last = submitted(shared, 2)
    shared.withdraw(gone)
    shared.withdraw(first)
    disk.go_on.release(2)
    last.written.result(timeout=LONG_S)
    assert disk.batches == [[1], [0, 1]]
    assert first.drafts == [DRAFT]
    shared.close()


def test_closing_waits_for_what_is_queued() -> None:
    """Nothing that was queued is lost when the ledger is closed."""
    disk = Disk()
    shared = SharedCommit(disk.write)
    disk.go_on.release(1)
    [ticket] = submitted(shared, 1)
    shared.close()
    assert ticket.written.done()
    assert disk.batches == [[1]]
