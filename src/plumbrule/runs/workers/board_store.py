"""The board of a run in the ledger's database, beside the chain: one row for the run, one for each worker.

A worker's row is its lease. Everything that workers agree on happens in transactions that hold the run's row, so that
they follow each other; what one worker wants at the same time shares one. The database tells the time.
"""

import asyncio
import os
import secrets
import threading
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractContextManager, asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import orjson
from sqlalchemy import (
    ColumnElement,
    Connection,
    Float,
    Text,
    and_,
    column,
    delete,
    insert,
    inspect,
    select,
    table,
    text,
    update,
)

from plumbrule.codec import from_json
from plumbrule.errors import UsageError
from plumbrule.ledger import LeaseLostError, Ledger
from plumbrule.ledger.database import changing, writing
from plumbrule.ledger.ledger_errors import LedgerError
from plumbrule.runs.budget import Expected
from plumbrule.runs.workers.run_board import Board

T = TypeVar("T")

_RENEWALS = 4  # in the time of a lease
_BOARDS = table("run_boards", column("run", Text), column("state", Text))
_WORKERS = table("run_workers", column("run", Text), column("worker", Text), column("expires_s", Float))
# PostgreSQL does not log them: a commit waits for no disk, and what a crash of the server takes is made again.
_MAKE = (
    "CREATE {unlogged}TABLE run_boards (run TEXT PRIMARY KEY, state TEXT NOT NULL)",
    "CREATE {unlogged}TABLE run_workers (run TEXT, worker TEXT, expires_s DOUBLE PRECISION, PRIMARY KEY (run, worker))",
)
# The row is locked from here on, whether it was there or not: the last worker may be about to take it away.
_TAKE_BOARD = text(
    "INSERT INTO run_boards (run, state) VALUES (:run, '') ON CONFLICT (run) DO UPDATE SET run = excluded.run"
)
_TIME = {
    "postgresql": text("SELECT extract(epoch FROM clock_timestamp())"),
    "sqlite": text("SELECT (julianday('now') - 2440587.5) * 86400.0"),
}

Clock = Callable[[Connection], float]


def database_time(connection: Connection) -> float:
    """Return the seconds since 1970 by the clock of the database."""
    return float(connection.execute(_TIME[connection.dialect.name]).scalar_one())


def make_tables(ledger: Ledger) -> None:
    """Make the tables that workers share, where they are not there yet."""
    with writing(ledger.engine, ledger.name) as connection:
        if inspect(connection).has_table(_WORKERS.name):
            return
        unlogged = "UNLOGGED " if connection.dialect.name == "postgresql" else ""
        for statement in _MAKE:
            connection.execute(text(statement.format(unlogged=unlogged)))


@dataclass(frozen=True, slots=True)
class _Wish(Generic[T]):
    """What is to be done with the board in the next transaction, and who waits for it."""

    change: Callable[[Board, float], T]
    done: "asyncio.Future[T] | None"


class SharedBoard:
    """The board of a run as one worker uses it; from its joining to its leaving it has a lease."""

    def __init__(
        self, ledger: Ledger, run: str, *, lease_s: float, expected: Expected, clock: Clock = database_time
    ) -> None:
        self.worker = f"{os.getpid()}-{secrets.token_hex(8)}"
        self.board: Board | None = None  # as it was in the last transaction
        self.crew: tuple[str, ...] = ()
        self._ledger, self._run, self._clock = ledger, run, clock
        self._lease_s, self._expected = lease_s, expected
        self._wishes: list[_Wish[Any]] = []
        self._writer: asyncio.Task[None] | None = None
        self._error: Exception | None = None
        self._state: str | None = None  # the board as it was read
        self._lock = threading.Lock()

    def join(self, limits: Mapping[str, Any], make: Callable[[], Board | None]) -> bool:
        """Join those who are at work, with the same limits; where nobody is, as the first, with what ``make`` returns.

        Return False where that is None: the ledger has to be read again.
        """
        with self._lock, self._changing() as connection:
            connection.execute(_TAKE_BOARD, {"run": self._run})
            board, now_s = self._locked(connection), self._clock(connection)
            alive = self._bury(connection, board, now_s)
            if not alive or board is None:
                board = make()
            if board is None:
                return False
            for name, limit in limits.items():
                if board.limits.get(name) != limit:
                    raise UsageError(
                        f"{self._run}: those at work on it have another '{name}': give the same one, or wait for them"
                    )
            lease = {"run": self._run, "worker": self.worker, "expires_s": now_s + self._lease_s}
            connection.execute(insert(_WORKERS), lease)
            self._write(connection, board)
            self.board, self.crew = board, (*alive, self.worker)
        return True

    async def leave(self) -> None:
        """Do what is left to do, give back what this worker has, and end its lease; the last one ends the board."""
        if self._writer is not None and not self._writer.done():
            await asyncio.gather(self._writer, return_exceptions=True)
        changes = [wish.change for wish in self._wishes]
        changes.append(lambda board, _now_s: board.lose(self.worker, self._expected))
        with suppress(LedgerError):  # else the lease ends by itself
            await asyncio.to_thread(self._transact, changes, leaving=True)

    def guard(self, connection: Connection) -> None:
        """Raise where the lease is lost; else nobody takes it before the transaction has ended."""
        wanted = select(_WORKERS.c.worker).where(self._own()).with_for_update(read=True)
        if connection.scalar(wanted) is None:
            raise self._lost()

    async def do(self, change: Callable[[Board, float], T]) -> T:
        """Return what ``change`` makes of the board at a time; a change that others made before is in it."""
        if self._error is not None:
            raise self._error
        done: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._wish(_Wish(change, done))
        return await done

    def post(self, change: Callable[[Board, float], object]) -> None:
        """Change the board soon, in turn with what else is wanted; nobody waits for it."""
        self._wish(_Wish(change, None))

    @asynccontextmanager
    async def renewed(self) -> AsyncIterator[None]:
        """Renew the lease while the block runs, however long its calls take."""

        async def renew() -> None:
            while True:
                await asyncio.sleep(self._lease_s / _RENEWALS)
                await self.do(lambda _board, _now_s: None)

        renewing = asyncio.create_task(renew())
        try:
            yield
        finally:
            renewing.cancel()
            await asyncio.gather(renewing, return_exceptions=True)  # what it met is met by the others, too

    def _wish(self, wish: _Wish[Any]) -> None:
        self._wishes.append(wish)
        if self._writer is None or self._writer.done():
            self._writer = asyncio.create_task(self._write_wishes())

    async def _write_wishes(self) -> None:
        while self._wishes:
            wishes, self._wishes = self._wishes, []
            waiting = [wish.done for wish in wishes]
            try:
                results = await asyncio.to_thread(self._transact, [wish.change for wish in wishes])
            except Exception as error:  # noqa: BLE001 - whatever it is, those who wait for it raise it
                self._error = error
                for done in waiting:
                    if done is not None and not done.done():
                        done.set_exception(error)
            else:
                for done, result in zip(waiting, results, strict=True):
                    if done is not None and not done.done():
                        done.set_result(result)

    def _transact(self, changes: list[Callable[[Board, float], Any]], *, leaving: bool = False) -> list[Any]:
        with self._lock, self._changing() as connection:
            board, now_s = self._locked(connection), self._clock(connection)
            alive = self._bury(connection, board, now_s)
            if board is None or self.worker not in alive:
                raise self._lost()
            self.crew = tuple(alive)
            results = [change(board, now_s) for change in changes]
            if leaving:
                connection.execute(delete(_WORKERS).where(self._own()))
            elif alive[self.worker] - now_s < self._lease_s * (1 - 1 / (2 * _RENEWALS)):
                connection.execute(update(_WORKERS).where(self._own()).values(expires_s=now_s + self._lease_s))
            if leaving and len(alive) == 1:
                connection.execute(delete(_BOARDS).where(_BOARDS.c.run == self._run))
            else:
                self._write(connection, board)
            self.board = board
        return results

    def _changing(self) -> AbstractContextManager[Connection]:
        return changing(self._ledger.engine, self._ledger.name, hasty=True)

    def _locked(self, connection: Connection) -> Board | None:
        wanted = select(_BOARDS.c.state).where(_BOARDS.c.run == self._run).with_for_update()
        state = self._state = connection.scalar(wanted)
        return from_json(Board, orjson.loads(state), where=f"the board of {self._run}") if state else None

    def _bury(self, connection: Connection, board: Board | None, now_s: float) -> dict[str, float]:
        """End the leases that are over, and give back what those workers had; return the others' ends by worker."""
        rows = connection.execute(select(_WORKERS.c.worker, _WORKERS.c.expires_s).where(_WORKERS.c.run == self._run))
        ends: dict[str, float] = {row.worker: row.expires_s for row in rows}
        gone = sorted(worker for worker, end_s in ends.items() if end_s < now_s and worker != self.worker)
        for worker in gone:
            # where the worker is about to write, this waits until it has
            connection.execute(delete(_WORKERS).where(_WORKERS.c.run == self._run, _WORKERS.c.worker == worker))
            if board is not None:
                board.lose(worker, self._expected)
        return {worker: end_s for worker, end_s in ends.items() if worker not in gone}

    def _write(self, connection: Connection, board: Board) -> None:
        state = orjson.dumps(board, option=orjson.OPT_NON_STR_KEYS).decode()
        if state != self._state:
            connection.execute(update(_BOARDS).where(_BOARDS.c.run == self._run).values(state=state))

    def _own(self) -> ColumnElement[bool]:
        return and_(_WORKERS.c.run == self._run, _WORKERS.c.worker == self.worker)

    def _lost(self) -> LeaseLostError:
        return LeaseLostError(
            f"{self._run}: this worker was silent for longer than lease_s {self._lease_s:g}, and others took over"
        )
