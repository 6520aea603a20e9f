"""A result is kept while the ledger has no newer entry of its kinds; a large one is shown while it is made again."""

import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest

from plumbrule.ledger import Ledger, open_ledger
from plumbrule.web import result_memory
from plumbrule.web.result_memory import ResultMemory

AT = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)
LONG_S = 60.0  # a limit that only ends a test that hangs


@pytest.fixture
def address(tmp_path: Path) -> str:
    """Return the address of a new ledger."""
    address = f"sqlite:///{tmp_path}/ledger.db"
    with open_ledger(address, at=AT):
        return address


def add(address: str, kind: str) -> None:
    """Append an entry."""
    with open_ledger(address) as ledger:
        ledger.append(kind, "x", {}, "Ana", at=AT)


def count(ledger: Ledger) -> int:
    """Return how many notes there are."""
    return len(list(ledger.entries(kind="note")))


def test_it_is_made_again_only_for_a_new_entry_of_its_kinds(address: str) -> None:
    """Entries of other kinds change nothing."""
    memory, made = ResultMemory(), []

    def make(ledger: Ledger) -> int:
        made.append(1)
        return count(ledger)

    assert memory.recall(address, "n", ("note",), make).value == 0
    add(address, "alert")
    assert memory.recall(address, "n", ("note",), make).value == 0
    add(address, "note")
    recalled = memory.recall(address, "n", ("note",), make)
    assert (recalled.value, recalled.extent, len(made)) == (1, (1, 2), 2)


def test_a_large_one_is_shown_while_it_is_made_again(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits for it, it says what it was made from, and the next one is there when its thread is done."""
    monkeypatch.setattr(result_memory, "_LARGE", 0)
    memory, go_on, done = ResultMemory(), threading.Event(), threading.Event()
    assert memory.recall(address, "n", ("note",), count).value == 0

    def make_slowly(ledger: Ledger) -> int:
        go_on.wait(LONG_S)
        try:
            return count(ledger)
        finally:
            done.set()

    add(address, "note")
    old = memory.recall(address, "n", ("note",), make_slowly)
    assert (old.value, old.extent) == (0, (0, -1))
    go_on.set()
    assert done.wait(LONG_S)
    with memory._lock_of("n"):  # the thread has put it in its place
        pass
    assert memory.recall(address, "n", ("note",), count).value == 1


def test_the_oldest_is_forgotten(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory does not grow with the number of addresses that somebody asks for."""
    monkeypatch.setattr(result_memory, "_MOST", 2)
    memory = ResultMemory()
    for name in ("a", "b", "c"):
        memory.recall(address, name, ("note",), count)
    assert list(memory._results) == ["b", "c"]
