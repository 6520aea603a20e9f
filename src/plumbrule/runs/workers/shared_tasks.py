"""The tasks and the turns of a run that several processes share, as one of them takes them from the board."""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress

from plumbrule.runs.budget import Expected, Spending
from plumbrule.runs.execution import Before, Begun, Progress, Task
from plumbrule.runs.run_entries import Key
from plumbrule.runs.workers.board_store import SharedBoard
from plumbrule.runs.workers.run_board import Board, Claim, Terms, Turn
from plumbrule.samples import Sample

_ASK_AGAIN_S = 0.2  # for a task, while others have them all
_BUSY_S = 2.0  # the same with tasks of its own: only what others leave or lose is asked for


class SharedTasks:
    """Gives one worker its tasks.

    ``read_task`` returns what the ledger has of a task by now: a worker that is gone may have finished it.
    """

    def __init__(
        self,
        board: SharedBoard,
        samples: Sequence[Sample],
        *,
        terms: Terms,
        before: Before,
        read_task: Callable[[Key], Before],
    ) -> None:
        self.progress = Progress(total=terms.tasks)
        self._board, self._samples, self._terms = board, samples, terms
        self._before, self._read_task = before, read_task
        self._numbers: dict[Key, int] = {}
        self._claims: deque[Claim] = deque()
        self._counted = 0  # tasks of this worker that the board counts as finished
        self._ended = asyncio.Event()
        self._show()

    @property
    def expected(self) -> Expected:
        """What a task is expected to spend."""
        return self._terms.expected

    async def begin(self) -> Begun | None:
        """Return the next task that this worker is given, as soon as there is one; None where none can come."""
        while True:
            self._ended.clear()
            if not self._claims:
                claims, over = await self._board.do(self._claim)
                self._claims.extend(claims)
                self._show()
                if over and not claims:
                    return None
            if not self._claims:
                await self._wait()
                continue
            begun = await self._take(self._claims.popleft())
            if begun is not None:
                return begun

    def end(self, task: Task, spent: Spending, *, failed: bool = False) -> None:
        """Count a task that has ended, for all workers."""
        self._count(self._numbers.pop(task.key), spent, failed=failed)
        self._ended.set()
        self._show()

    def _claim(self, board: Board, _now_s: float) -> tuple[list[Claim], bool]:
        claims = board.begin(self._board.worker, self._board.crew, self._terms, self._skip)
        return claims, board.is_over(self._terms, self._skip)

    async def _take(self, claim: Claim) -> Begun | None:
        """Return a task with what is left of earlier attempts; None where its result stands."""
        task = self._task(claim.number)
        before = await asyncio.to_thread(self._read_task, task.key) if claim.lost else self._before
        if task.key in before.finished:
            self._count(claim.number, None)
            return None
        self._numbers[task.key] = claim.number
        return Begun(task=task, answered=before.answers.get(task.key), repeated=task.key in before.lost)

    def _count(self, number: int, spent: Spending | None, *, failed: bool = False) -> None:
        def count(board: Board, _now_s: float) -> None:
            if board.end(self._board.worker, number, spent, failed=failed):
                self._counted += spent is not None and not failed

        self._board.post(count)

    async def _wait(self) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._ended.wait(), _BUSY_S if self._numbers else _ASK_AGAIN_S)

    def _skip(self, number: int) -> int:
        while number < self._terms.tasks and self._task(number).key in self._before.finished:
            number += 1
        return number

    def _task(self, number: int) -> Task:
        repeat, place = divmod(number, len(self._samples))
        return Task(repeat=repeat, sample=self._samples[place])

    def _show(self) -> None:
        """Show how far all workers are, as the board had it last."""
        board = self._board.board
        if board is not None:
            self.progress.skipped = board.finished - self._counted
            self.progress.spent = board.spent
            self.progress.stopped_by = board.stopped_by


class BoardTurns:
    """The turns of one provider on the board; one for each that calls."""

    def __init__(self, board: SharedBoard, provider: str, terms: Terms) -> None:
        self._board, self._provider, self._terms = board, provider, terms

    async def enter(self) -> None:
        """Wait until a request may be sent."""
        worker, provider, terms = self._board.worker, self._provider, self._terms
        while True:
            turn = await self._board.do(lambda board, now_s: board.enter(worker, provider, now_s, terms))
            try:
                await asyncio.sleep(turn.wait_s)
                if turn.granted and not await self._closed_since(turn):
                    return
            except asyncio.CancelledError:
                if turn.granted:
                    self.leave()
                raise
            if turn.granted:
                self.leave()

    async def _closed_since(self, turn: Turn) -> bool:
        """Tell whether the provider asked to wait while this request waited for its time."""
        if not turn.wait_s:
            return False
        return await self._board.do(lambda board, now_s: board.closed_for(self._provider, now_s)) > 0

    def leave(self) -> None:
        """Count a request as over."""
        worker, provider = self._board.worker, self._provider
        self._board.post(lambda board, _now_s: board.leave(worker, provider))

    def answered(self) -> None:
        """Take note of an answer."""
        self._board.post(lambda board, _now_s: board.answered(self._provider, self._terms))

    def asked_to_slow_down(self) -> None:
        """Take note of an answer that there are too many."""
        self._board.post(lambda board, _now_s: board.asked_to_slow_down(self._provider, self._terms))

    def close_for(self, seconds: float) -> None:
        """Let nobody call for so long."""
        self._board.post(lambda board, now_s: board.close(self._provider, now_s + seconds, self._terms))
