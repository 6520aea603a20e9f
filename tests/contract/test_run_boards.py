"""The board of a run in a database: who has a lease, who has lost it, and what a worker without one may still write."""

import asyncio
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import psycopg
import pytest
from sqlalchemy import Connection
from sqlalchemy.engine import make_url
from tests.clock import LONG_S, wait_until
from tests.contract.conftest import plain

from plumbrule.errors import UsageError
from plumbrule.ledger import Draft, LeaseLostError, Ledger, open_ledger
from plumbrule.ledger.database import writing
from plumbrule.runs.budget import Expected, Spending
from plumbrule.runs.workers.board_store import SharedBoard, make_tables
from plumbrule.runs.workers.run_board import Board

if TYPE_CHECKING:
    from tests.contract.conftest import Backend

AT = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)
NOTE = Draft(kind="note", subject="run-1/0/q", body={}, author="ana", at=AT)
LIMITS = {"concurrency": 4}


class Time:
    """A time that the test moves on."""

    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self, _: Connection) -> float:
        """Return it, whatever the database says."""
        return self.now_s


@pytest.fixture
def ledger(backend: "Backend") -> Iterator[Ledger]:
    """Return a ledger with the tables that workers share."""
    with open_ledger(backend.url, at=AT) as opened:
        make_tables(opened)
        make_tables(opened)  # which are made once
        yield opened


def new_board() -> Board:
    """Return the board of a run that nobody works on yet."""
    return Board(limits=LIMITS)


def joined(ledger: Ledger, time: Time) -> SharedBoard:
    """Return the board as a new worker has it, with a lease of ten seconds."""
    board = SharedBoard(ledger, "run-1", lease_s=10.0, expected=Expected(judgement=Spending(calls=1)), clock=time)
    assert board.join(LIMITS, new_board)
    return board


def claim(board: SharedBoard, number: int) -> Board:
    """Give a worker a task, and return the board after it."""

    def change(state: Board, _now_s: float) -> Board:
        state.claims[number] = board.worker
        return state

    return asyncio.run(board.do(change))


def look(board: SharedBoard) -> Board:
    """Return the board as it is now, which renews the lease."""
    return asyncio.run(board.do(lambda state, _now_s: state))


def wait_for_a_lock(backend: "Backend", statement: str, *, of: str = "") -> None:
    """Wait until a statement that looks like this, of an application of this name, waits for a lock of PostgreSQL."""
    waiting = (
        "SELECT count(*) FROM pg_stat_activity"
        " WHERE wait_event_type = 'Lock' AND query LIKE %s AND application_name = %s"
    )
    with closing(psycopg.connect(plain(backend.url), autocommit=True)) as watcher:
        wait_until(lambda: watcher.execute(waiting, [statement, of]).fetchone() == (1,))


def test_workers_see_what_the_others_have(ledger: Ledger) -> None:
    """The first makes the board, the second joins it, and what one changes the other sees."""
    time = Time()
    first, second = joined(ledger, time), joined(ledger, time)
    claim(first, 0)
    assert claim(second, 1).claims == {0: first.worker, 1: second.worker}
    assert sorted(second.crew) == sorted([first.worker, second.worker])


def test_what_is_wanted_at_once_is_done_in_order(ledger: Ledger) -> None:
    """Changes of one worker follow each other, those that nobody waits for too, in as few transactions as may be."""
    board, order = joined(ledger, Time()), list[int]()

    async def want() -> list[None]:
        board.post(lambda _state, _now_s: order.append(0))
        return await asyncio.gather(
            *(board.do(lambda _state, _now_s, number=number: order.append(number)) for number in range(1, 9))  # type: ignore[misc]  # bound here
        )

    asyncio.run(want())
    assert order == list(range(9))


def test_a_silent_worker_loses_its_lease(ledger: Ledger) -> None:
    """After ten seconds another one takes over what it had; neither the board nor the ledger hears it any more."""
    time = Time()
    silent, other = joined(ledger, time), joined(ledger, time)
    claim(silent, 0)
    ledger.submit([NOTE], guard=silent.guard).appended()
    time.now_s += 9
    assert look(other).lost == []
    time.now_s += 2  # the other one has renewed its lease
    board = look(other)
    assert (board.lost, board.claims, board.spent.calls) == ([0], {}, 1)
    assert other.crew == (other.worker,)
    with pytest.raises(LeaseLostError, match="silent for longer than lease_s 10"):
        ledger.submit([NOTE, NOTE], guard=silent.guard).appended()
    with pytest.raises(LeaseLostError):
        look(silent)
    ledger.submit([NOTE], guard=other.guard).appended()
    assert [entry.kind for entry in ledger.entries()] == ["note", "note"]
    assert ledger.verify().whole


def test_a_lease_that_nobody_wanted_goes_on(ledger: Ledger) -> None:
    """A machine that slept for an hour has lost nothing where there is no other worker."""
    time = Time()
    board = joined(ledger, time)
    time.now_s += 3600
    assert look(board).lost == []
    ledger.submit([NOTE], guard=board.guard).appended()


def test_one_refusal_concerns_one_worker(ledger: Ledger) -> None:
    """Others that share the write with a worker that lost its lease are written."""
    time = Time()
    silent, other = joined(ledger, time), joined(ledger, time)
    time.now_s += 11
    look(other)
    late = ledger.submit([NOTE], gathering_s=0.05, guard=silent.guard)
    good = [ledger.submit([NOTE], guard=guard) for guard in (other.guard, None)]
    assert [len(ticket.appended()) for ticket in good] == [1, 1]
    with pytest.raises(LeaseLostError):
        late.appended()


@pytest.mark.parametrize("backend", ["postgresql"], indirect=True)
def test_who_takes_over_waits_for_what_is_being_written(backend: "Backend", ledger: Ledger) -> None:
    """A lease that was good in a transaction is good until it ends, so that whoever takes over sees what it wrote."""
    time = Time()
    silent, other = joined(ledger, time), joined(ledger, time)
    time.now_s += 11
    burial = threading.Thread(target=look, args=(other,))
    with writing(ledger.engine, ledger.name) as connection:
        silent.guard(connection)
        burial.start()
        wait_for_a_lock(backend, "DELETE%")
        assert burial.is_alive()
    burial.join(LONG_S)
    assert other.crew == (other.worker,)


@pytest.mark.parametrize("backend", ["postgresql"], indirect=True)
def test_who_stands_still_in_the_middle_of_a_change_is_ended(ledger: Ledger) -> None:
    """A process that is stopped while it holds the board holds up the others for seconds only, and loses its lease."""
    time = Time()
    still, other = joined(ledger, time), joined(ledger, time)
    time.now_s += 11
    standing, going_on = threading.Event(), threading.Event()

    def stand_still(_state: Board, _now_s: float) -> None:
        standing.set()
        going_on.wait(LONG_S)

    outcome: list[BaseException] = []

    def change() -> None:
        try:
            asyncio.run(still.do(stand_still))
        except LeaseLostError as error:
            outcome.append(error)

    stopped = threading.Thread(target=change)
    stopped.start()
    assert standing.wait(LONG_S)
    assert look(other).lost == []  # it had to wait for the server to end the other's change
    going_on.set()
    stopped.join(LONG_S)
    assert [type(error) for error in outcome] == [LeaseLostError]


# Writes a note under a lease, when it is told to.
_WRITE_LATE = """
import sys
from datetime import UTC, datetime
from plumbrule.ledger import Draft, LeaseLostError, LedgerUnreachableError, open_ledger
from plumbrule.runs.budget import Expected
from plumbrule.runs.workers.board_store import SharedBoard
from plumbrule.runs.workers.run_board import Board

note = Draft(kind="note", subject="run-1/0/q", body={}, author="late", at=datetime(2026, 1, 31, tzinfo=UTC))
with open_ledger(sys.argv[1]) as ledger:
    board = SharedBoard(ledger, "run-1", lease_s=3600.0, expected=Expected())
    board.join({}, lambda: Board(limits={}))
    print("joined", flush=True)
    sys.stdin.readline()
    try:
        ledger.submit([note], guard=board.guard).appended()
    except (LeaseLostError, LedgerUnreachableError):  # by where it stood
        print("lost")
"""


@pytest.mark.parametrize("backend", ["postgresql"], indirect=True)
def test_who_stands_still_before_a_write_is_ended(backend: "Backend", ledger: Ledger) -> None:
    """A worker that is stopped while it waits for its turn to write holds up the others for seconds only."""
    url = make_url(backend.url).update_query_dict({"application_name": "late"})  # another may wait for the same lock
    command = [sys.executable, "-c", _WRITE_LATE, url.render_as_string(hide_password=False)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as worker:
        try:
            assert worker.stdin is not None
            assert worker.stdout is not None
            assert worker.stdout.readline() == "joined\n"
            with writing(ledger.engine, ledger.name):
                worker.stdin.write("\n")
                worker.stdin.flush()
                wait_for_a_lock(backend, "%advisory%", of="late")
                worker.send_signal(signal.SIGSTOP)
            ledger.submit([NOTE]).appended()  # it had to wait for the server to end the other's
            worker.send_signal(signal.SIGCONT)
            assert (worker.communicate(timeout=LONG_S), worker.returncode) == (("lost\n", ""), 0)
        finally:
            worker.kill()
    assert [entry.author for entry in ledger.entries(kind="note")] == ["ana"]


def test_a_board_is_made_anew_where_nobody_is_at_work(ledger: Ledger) -> None:
    """What workers that are gone have left counts for nothing; one whose reading is too old reads again."""
    time = Time()
    gone = joined(ledger, time)
    claim(gone, 3)
    time.now_s += 11
    next_one = SharedBoard(ledger, "run-1", lease_s=10.0, expected=Expected(), clock=time)
    assert not next_one.join(LIMITS, lambda: None)
    assert next_one.join(LIMITS, new_board)
    assert (look(next_one).claims, look(next_one).lost) == ({}, [])
    with pytest.raises(LeaseLostError):
        look(gone)


def test_the_last_worker_takes_the_board_with_it(ledger: Ledger) -> None:
    """Who leaves gives back what it had at once; after the last nothing is left in the tables."""
    time = Time()
    first, second = joined(ledger, time), joined(ledger, time)
    claim(first, 0)
    asyncio.run(first.leave())
    assert look(second).lost == [0]
    asyncio.run(second.leave())
    with ledger.engine.connect() as connection:
        for table in ("run_boards", "run_workers"):
            assert connection.exec_driver_sql(f"SELECT count(*) FROM {table}").scalar() == 0  # noqa: S608 - a name


@pytest.mark.parametrize("backend", ["postgresql"], indirect=True)
def test_who_joins_while_the_last_one_leaves_is_the_first(backend: "Backend", ledger: Ledger) -> None:
    """It waits for the other, finds no board any more, and makes one that is kept."""
    time, joiners = Time(), list[SharedBoard]()
    joined(ledger, time)
    joining = threading.Thread(target=lambda: joiners.append(joined(ledger, time)))
    with ledger.engine.begin() as leaving:
        leaving.exec_driver_sql("SELECT state FROM run_boards FOR UPDATE")
        joining.start()
        wait_for_a_lock(backend, "%run_boards%")
        leaving.exec_driver_sql("DELETE FROM run_workers")
        leaving.exec_driver_sql("DELETE FROM run_boards")
    joining.join(LONG_S)
    assert claim(joiners[0], 0).claims == {0: joiners[0].worker}


def test_limits_must_be_the_same(ledger: Ledger) -> None:
    """The error names what is not."""
    time = Time()
    joined(ledger, time)
    other = SharedBoard(ledger, "run-1", lease_s=10.0, expected=Expected(), clock=time)
    with pytest.raises(UsageError, match="have another 'concurrency'"):
        other.join({"concurrency": 5}, new_board)
    assert other.join({"concurrency": 4}, new_board)


def test_the_database_tells_the_time(ledger: Ledger) -> None:
    """Without a clock of the test, it is that of the server, in seconds since 1970."""
    board = SharedBoard(ledger, "run-1", lease_s=10.0, expected=Expected())
    assert board.join(LIMITS, new_board)
    now_s = asyncio.run(board.do(lambda _state, now_s: now_s))
    assert abs(now_s - datetime.now(UTC).timestamp()) < LONG_S
