"""One process's part in a run that several share: join, work, and write the decision where nobody else does."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from plumbrule.engines import run_to_end
from plumbrule.errors import EvaluationError
from plumbrule.ledger import Guard, LeaseLostError, Ledger, LedgerUnreachableError
from plumbrule.runs.execution import Before, Execution, Progress
from plumbrule.runs.journal import LedgerJournal, read_before
from plumbrule.runs.plan import Plan
from plumbrule.runs.run_entries import Key
from plumbrule.runs.workers.board_store import SharedBoard, make_tables
from plumbrule.runs.workers.run_board import Board, Terms
from plumbrule.runs.workers.shared_tasks import BoardTurns, SharedTasks

_LIMITS = ("budget", "concurrency", "lease_s", "prices", "rates", "retry", "stop_after_failures")
_MOST_LEASES = 10  # that one process loses: each costs the calls that were under way
_ASK_AGAIN_S = 0.2  # whether another worker has written the decision

Watch = Callable[[Progress], None]
Decide = Callable[[Guard], None]  # writes the decision on the complete run


class NobodyAtWork(Exception):  # noqa: N818 - no error: there is nothing to join
    """Nobody else works on a run, and this process was not to work on it alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedRun:
    """A run that this process works on with others."""

    run: str
    plan: Plan
    ledger: Ledger
    clock: Callable[[], datetime]
    decide: Decide
    accept_errors: bool = False

    def carry_out(
        self, *, alone: bool = True, watch: Watch = lambda _: None, joined: Callable[[], object] = lambda: None
    ) -> Progress:
        """Work on the run until nothing is left to do of it, by anybody; return how far all of it is.

        ``joined`` is called when this process is at work. Not ``alone``: only where others are, which may raise
        ``NobodyAtWork``.
        """
        return run_to_end(self._work(watch, joined, alone=alone))

    async def _work(self, watch: Watch, joined: Callable[[], object], *, alone: bool) -> Progress:
        try:
            for lease in range(_MOST_LEASES):
                with self.ledger.hold(self.run, shared=True):  # each time: a connection that was lost has let go of it
                    make_tables(self.ledger)
                    board = SharedBoard(
                        self.ledger, self.run, lease_s=self.plan.config.lease_s, expected=self.plan.expected
                    )
                    before = await asyncio.to_thread(self._join, board, alone=alone)
                    try:
                        if not lease:
                            joined()
                        return await self._work_for_a_lease(board, before, watch)
                    except (LeaseLostError, LedgerUnreachableError):
                        continue  # what it had is others' now, or will be: it comes back as another worker
                    finally:
                        await board.leave()
            raise EvaluationError(
                f"{self.run}: this process lost its lease {_MOST_LEASES} times: give it more than lease_s "
                f"{self.plan.config.lease_s:g}, or fewer workers"
            )
        finally:
            await self.plan.opener.aclose()

    async def _work_for_a_lease(self, board: SharedBoard, before: Before, watch: Watch) -> Progress:
        terms = self._terms()
        async with board.renewed():
            self.plan.opener.share(lambda provider: BoardTurns(board, provider, terms))
            execution = Execution(
                candidate=self.plan.candidate,
                judge=self.plan.judge,
                journal=LedgerJournal(
                    self.ledger,
                    self.run,
                    self.clock,
                    paid=self.plan.paid,
                    live=self.plan.live,
                    guard=board.guard,
                ),
                tasks=SharedTasks(board, self.plan.samples, terms=terms, before=before, read_task=self._read_before),
                concurrency=terms.concurrency,
                accept_errors=self.accept_errors,
                refuses=self.plan.rubrics.refusal_reader(),
                watch=watch,
            )
            progress = await execution.run()
            if progress.finished == progress.total:
                await self._decide(board)
            return progress

    def _join(self, board: SharedBoard, *, alone: bool) -> Before:
        """Join those at work, or begin the board where nobody is; return what was in the ledger before."""
        while True:
            newest, before = self.ledger.newest(run=self.run), self._read_before()

            def make(newest: tuple[int, str] = newest, before: Before = before) -> Board | None:
                if not alone:
                    raise NobodyAtWork
                # a worker that has just gone may have written since
                return self._new_board(before) if self.ledger.newest(run=self.run) == newest else None

            if board.join(self._limits(), make):
                return before

    def _new_board(self, before: Before) -> Board:
        lost = len(before.lost)
        return Board(
            limits=self._limits(),
            finished=len(before.finished),
            ended=len(before.finished) + lost,
            spent=before.spent + self.plan.expected.task.times(lost),
        )

    async def _decide(self, board: SharedBoard) -> None:
        """Write the decision, or wait until another worker has."""
        while True:
            mine, decided = await board.do(lambda state, _now_s: (state.decide(board.worker), state.decided))
            if decided:
                return
            if mine:
                await asyncio.to_thread(self.decide, board.guard)
                await board.do(lambda state, _now_s: setattr(state, "decided", True))
                return
            await asyncio.sleep(_ASK_AGAIN_S)

    def _read_before(self, task: Key | None = None) -> Before:
        return read_before(self.ledger, self.run, judge_is_called=self.plan.judgements.calls > 0, task=task)

    def _limits(self) -> dict[str, Any]:
        content = self.plan.config.to_dict()
        return {**{name: content[name] for name in _LIMITS}, "--accept-errors": self.accept_errors}

    def _terms(self) -> Terms:
        config = self.plan.config
        return Terms(
            tasks=self.plan.tasks,
            concurrency=config.concurrency,
            stop_after_failures=config.stop_after_failures,
            budget=config.budget,
            expected=self.plan.expected,
            intervals_s={name: 60 / rate.requests_per_minute for name, rate in config.rates.items()},
            adaptive=config.retry.adaptive_concurrency,
        )
