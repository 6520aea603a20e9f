"""The journal of a run in the ledger: what is written while it is executed, and read when it is resumed."""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from datetime import datetime
from typing import TYPE_CHECKING

from plumbrule.http.exchange import Exchange
from plumbrule.ledger import Draft, Guard, Ledger, ResultKey
from plumbrule.runs.budget import Spending
from plumbrule.runs.candidate import Answered
from plumbrule.runs.execution import Before, Failed, Finished, Task
from plumbrule.runs.run_entries import AUTHOR, Key, is_dataset_sample, read_answered, read_note, read_result, task_key

if TYPE_CHECKING:
    from concurrent.futures import Future

_GATHERING_S = 0.005  # short beside a call to a model, and it saves most of the commits

Clock = Callable[[], datetime]


class LedgerJournal:
    """Writes a run's entries; each call returns when they are durable, and those that wait share one write.

    ``paid``: calls are made that cost something, so that each is announced: one under way when the process dies can
    then be told from one that was never made. ``live``: the candidate is called, so that its answers are kept.
    ``guard`` refuses what comes after the worker's lease, where several share the run.
    """

    def __init__(
        self, ledger: Ledger, run: str, clock: Clock, *, paid: bool, live: bool, guard: Guard | None = None
    ) -> None:
        self._ledger = ledger
        self._run = run
        self._clock = clock
        self._paid = paid
        self._live = live
        self._guard = guard
        self._written: Future[None] | None = None

    async def started(self, task: Task) -> None:
        """Announce the calls of a task."""
        if self._paid:
            await self._append(self._draft("note", task.key, {"event": "started"}))

    async def answered(self, task: Task, answered: Answered, spent: Spending) -> None:
        """Keep an answer."""
        if self._live:
            body = {"answered": asdict(replace(answered, exchanges=())), "spent": asdict(spent)}
            exchanges = self._exchanges(task.key, "candidate", answered.exchanges)
            await self._append(*exchanges, self._draft("sample", task.key, body))

    async def finished(self, finished: Finished) -> None:
        """Keep a result with everything that was exchanged for it."""
        result, judgement = finished.result, finished.judgement
        key = result.repeat, result.sample_id
        body = {"result": asdict(result), "judgement": judgement.to_dict(), "spent": asdict(finished.spent)}
        await self._append(*self._exchanges(key, "judge", judgement.exchanges), self._draft("result", key, body))

    async def failed(self, failed: Failed) -> None:
        """Keep what was exchanged without a result."""
        judged = failed.judgement is not None
        exchanges = failed.judgement.exchanges if failed.judgement is not None else failed.answered.exchanges
        body = {"event": "failed", "reason": failed.reason, "spent": asdict(failed.spent)}
        drafts = self._exchanges(failed.task.key, "judge" if judged else "candidate", exchanges)
        await self._append(*drafts, self._draft("note", failed.task.key, body))

    def _exchanges(self, key: Key, role: str, exchanges: tuple[Exchange, ...]) -> Iterator[Draft]:
        for exchange in exchanges:
            yield self._draft("exchange", key, {"role": role, **exchange.to_dict()})

    def _draft(self, kind: str, key: Key, body: object) -> Draft:
        subject = ResultKey(run=self._run, repeat=key[0], sample=key[1]).subject
        return Draft(kind=kind, subject=subject, body=body, author=AUTHOR, at=self._clock())

    async def _append(self, *drafts: Draft) -> None:
        """Return when the drafts are durable; callers whose drafts are written together wait for one thing."""
        ticket = self._ledger.submit(drafts, gathering_s=_GATHERING_S, guard=self._guard)
        if ticket.written is not self._written:
            self._written, self._done = ticket.written, asyncio.wrap_future(ticket.written)
        await asyncio.shield(self._done)
        ticket.appended()


def read_before(ledger: Ledger, run: str, *, judge_is_called: bool, task: Key | None = None) -> Before:
    """Return what an earlier execution of a run left in the ledger, or what is left there of one task.

    A call that was announced, and neither brought an answer or a result nor failed, was under way when the process
    ended: it is lost, whatever came of it later.
    """
    finished: set[Key] = set()
    answers: dict[Key, Answered] = {}
    open_calls: set[Key] = set()
    lost: list[Key] = []
    spent = Spending()
    subject = None if task is None else ResultKey(run=run, repeat=task[0], sample=task[1]).subject
    for entry in ledger.entries(run=run) if subject is None else ledger.entries(subject=subject):
        if entry.kind == "note":
            key, note = task_key(entry), read_note(entry)
            if note.event == "started":
                if key in open_calls:
                    lost.append(key)
                open_calls.add(key)
                continue
            open_calls.discard(key)
            spent += note.spent
        elif entry.kind == "result":
            key = task_key(entry)
            finished.add(key)
            open_calls.discard(key)
            spent += read_result(entry).spent
        elif entry.kind == "sample" and not is_dataset_sample(entry):
            key, answer = task_key(entry), read_answered(entry)
            answers[key] = answer.answered
            spent += answer.spent
            if not judge_is_called:
                open_calls.discard(key)
    return Before(
        finished=finished,
        answers={key: answered for key, answered in answers.items() if key not in finished},
        lost=(*lost, *sorted(open_calls)),
        spent=spent,
    )
