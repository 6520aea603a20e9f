"""Execute a run: answer and judge every sample, a bounded number at a time, each kept before it counts as done."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Protocol

from plumbrule.errors import PlumbruleError
from plumbrule.judges.judgement import Judge, Judgement
from plumbrule.runs.budget import Expected, Meter, Spending
from plumbrule.runs.candidate import Answered, Candidate
from plumbrule.runs.run_entries import Key
from plumbrule.runs.sample_results import SampleResult
from plumbrule.samples.sample_model import Sample


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One sample in one repeat of a run."""

    repeat: int
    sample: Sample

    @property
    def key(self) -> Key:
        """What tells it from every other task of the run."""
        return self.repeat, self.sample.id


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """A task that is to be done now, and what is left of an earlier attempt at it."""

    task: Task
    answered: Answered | None = None  # an answer that was kept, and is not asked for again
    repeated: bool = False  # a call for it was under way when a process ended


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """A task that is done: what was answered, how it was judged, and the result that counts."""

    answered: Answered
    judgement: Judgement
    result: SampleResult
    spent: Spending  # by the judge; what the answer spent is kept with the answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """A task that could not be done because a provider could not be reached: it is to be tried again."""

    task: Task
    answered: Answered
    judgement: Judgement | None  # None where there was nothing to judge
    spent: Spending  # by the one who failed

    @property
    def reason(self) -> str:
        """Who failed, and how."""
        if self.judgement is None:
            return f"candidate: {self.answered.error_detail or self.answered.error}"
        return f"judge: {self.judgement.error_detail or self.judgement.evaluator_error}"


class Journal(Protocol):
    """Makes what happens durable: each method returns when it is."""

    async def started(self, task: Task) -> None:
        """Write that calls are about to be made for a task."""
        ...

    async def answered(self, task: Task, answered: Answered, spent: Spending) -> None:
        """Write the answer: a run that is resumed after it need not ask again."""
        ...

    async def finished(self, finished: Finished) -> None:
        """Write a task that is done."""
        ...

    async def failed(self, failed: Failed) -> None:
        """Write that a task could not be done."""
        ...


@dataclass(slots=True)
class Progress:
    """How far a run is; ``skipped`` tasks were finished before, ``failed`` ones are to be tried again."""

    total: int = 0
    done: int = 0
    skipped: int = 0
    errors: int = 0
    first_error: str | None = None
    failed: int = 0
    spent: Spending = field(default_factory=Spending)
    stopped_by: str | None = None
    last_failure: str | None = None

    @property
    def finished(self) -> int:
        """How many tasks have a result."""
        return self.done + self.skipped


@dataclass(frozen=True, slots=True, kw_only=True)
class Before:
    """What an interrupted run left behind: tasks finished, answers not judged yet, and calls that were under way.

    A task stands in ``lost`` as often as it was under way when the process ended.
    """

    finished: AbstractSet[Key] = frozenset()
    answers: Mapping[Key, Answered] = field(default_factory=dict)
    lost: Sequence[Key] = ()
    spent: Spending = field(default_factory=Spending)


class TaskSource(Protocol):
    """Gives out the tasks of a run, each once, for as long as its budget has room."""

    @property
    def progress(self) -> Progress:
        """How far the run is."""
        ...

    @property
    def expected(self) -> Expected:
        """What a task is expected to spend."""
        ...

    async def begin(self) -> Begun | None:
        """Return the next task to do; None where none is left, or where the progress says what stops the run."""
        ...

    def end(self, task: Task, spent: Spending, *, failed: bool = False) -> None:
        """Count a task that has ended: it is finished, or it ``failed`` and is left for later."""
        ...


@dataclass(kw_only=True)
class OwnTasks:
    """The tasks of a run that one process carries out alone.

    What an earlier execution left in ``before`` is not done again. After ``stop_after_failures`` tasks in a row that
    could not be done none is begun, nor when the meter says so.
    """

    samples: Sequence[Sample]
    repeats: int
    before: Before = field(default_factory=Before)
    meter: Meter = field(default_factory=Meter)
    stop_after_failures: int | None = None
    progress: Progress = field(default_factory=Progress)
    _failures_in_a_row: int = 0

    def __post_init__(self) -> None:
        """Count what there is to do."""
        self.progress.total = len(self.samples) * self.repeats
        self.progress.spent = self.meter.spent
        self._left = self._tasks()

    @property
    def expected(self) -> Expected:
        """What a task is expected to spend."""
        return self.meter.expected

    async def begin(self) -> Begun | None:
        """Return the next task that is not finished yet, if there is one and nothing stops the run."""
        task = next(self._left, None)
        if task is None:
            return None
        self.progress.stopped_by = self._reason_to_stop()
        if self.progress.stopped_by is not None:
            return None
        self.meter.begin()
        answered = self.before.answers.get(task.key)
        return Begun(task=task, answered=answered, repeated=task.key in self.before.lost)

    def end(self, task: Task, spent: Spending, *, failed: bool = False) -> None:  # noqa: ARG002 - any task counts alike
        """Count a task that has ended, and what it spent."""
        self._failures_in_a_row = self._failures_in_a_row + 1 if failed else 0
        self.meter.end(spent)
        self.progress.spent = self.meter.spent

    def _tasks(self) -> Iterator[Task]:
        for repeat in range(self.repeats):
            for sample in self.samples:
                task = Task(repeat=repeat, sample=sample)
                if task.key in self.before.finished:
                    self.progress.skipped += 1
                else:
                    yield task

    def _reason_to_stop(self) -> str | None:
        if self.stop_after_failures is not None and self._failures_in_a_row >= self.stop_after_failures:
            return too_many_failures(self._failures_in_a_row)
        return self.meter.reason_to_stop()


def too_many_failures(number: int) -> str:
    """Return why a run ends in which so many tasks in a row could not be done."""
    return f"{number} samples in a row could not be evaluated"


@dataclass(kw_only=True)
class Execution:
    """One execution of a run, or of what is left of it: at most ``concurrency`` tasks are under way.

    A task counts as done when the journal has it. A task whose provider fails is left for later, unless
    ``accept_errors`` says that it counts as it is.
    """

    candidate: Candidate
    judge: Judge
    journal: Journal
    tasks: TaskSource
    concurrency: int
    accept_errors: bool = False
    refuses: Callable[[Sample], bool] = lambda sample: sample.refused  # also by its wording, where that is known
    watch: Callable[[Progress], None] = lambda _: None

    @property
    def progress(self) -> Progress:
        """How far the run is."""
        return self.tasks.progress

    async def run(self) -> Progress:
        """Do every task that there is; an interrupt lets what is being kept be kept."""
        places = asyncio.Semaphore(self.concurrency)
        try:
            async with asyncio.TaskGroup() as under_way:
                while True:
                    await places.acquire()
                    begun = await self.tasks.begin()
                    if begun is None:
                        break
                    under_way.create_task(self._do(begun)).add_done_callback(lambda _: places.release())
        except BaseExceptionGroup as group:
            raise _first(group) from None
        return self.progress

    async def _do(self, begun: Begun) -> None:
        task, answered, for_answer = begun.task, begun.answered, Spending()
        await self.journal.started(task)
        if answered is None:
            answered = await self.candidate.answer(task.sample, task.repeat)
            for_answer = self.tasks.expected.of_answer(answered)
            if not answered.final and not self.accept_errors:
                await _surely(self._fail(Failed(task=task, answered=answered, judgement=None, spent=for_answer)))
                return
            await _surely(self.journal.answered(task, answered, for_answer))
        judgement = await self.judge.judge(answered.sample)
        spent = self.tasks.expected.of_judgement(judgement)
        if not judgement.final and not self.accept_errors:
            failed = Failed(task=task, answered=answered, judgement=judgement, spent=spent)
            await _surely(self._fail(failed, for_answer))
            return
        refused = self.refuses(answered.sample)
        result = result_of(answered, judgement, refused=refused, repeat=task.repeat, call_repeated=begun.repeated)
        finished = Finished(answered=answered, judgement=judgement, result=result, spent=spent)
        await _surely(self._finish(task, finished, for_answer))

    async def _finish(self, task: Task, finished: Finished, for_answer: Spending) -> None:
        await self.journal.finished(finished)
        self.progress.done += 1
        error = finished.result.candidate_error or finished.result.evaluator_error
        if error is not None:
            self.progress.errors += 1
            message = f"{finished.result.sample_id}: {finished.result.error_detail or error}"
            self.progress.first_error = self.progress.first_error or message
        self.tasks.end(task, for_answer + finished.spent)
        self.watch(self.progress)

    async def _fail(self, failed: Failed, for_answer: Spending | None = None) -> None:
        await self.journal.failed(failed)
        self.progress.failed += 1
        self.progress.last_failure = failed.reason
        spent = failed.spent if for_answer is None else for_answer + failed.spent
        self.tasks.end(failed.task, spent, failed=True)
        self.watch(self.progress)


def result_of(
    answered: Answered, judgement: Judgement, *, refused: bool, repeat: int = 0, call_repeated: bool = False
) -> SampleResult:
    """Return the result that counts: what was measured of the candidate and what the judge said."""
    sample = answered.sample
    marks = {"refused_by_wording": refused and not sample.refused, "call_repeated": call_repeated}
    flags = (*answered.flags, *judgement.flags, *(name for name, holds in marks.items() if holds))
    return SampleResult(
        sample_id=sample.id,
        accuracy_score=judgement.accuracy_score,
        faithfulness_score=judgement.faithfulness_score,
        rationale=judgement.rationale,
        evaluator_error=judgement.evaluator_error,
        latency_e2e_ms=sample.latency_e2e_ms,
        latency_model_ms=sample.latency_model_ms,
        latency_first_token_ms=answered.latency_first_token_ms,
        timed_out=bool(sample.timed_out),
        input_tokens=sample.input_tokens,
        output_tokens=sample.output_tokens,
        refused=refused,
        candidate_error=answered.error,
        error_detail=answered.error_detail or judgement.error_detail,
        repeat=repeat,
        flags=tuple(dict.fromkeys(flags)),
        contradicted=judgement.contradicted,
        unsupported=judgement.unsupported,
    )


async def _surely(writing: Awaitable[None]) -> None:
    """Wait until ``writing`` is done, even where this task is cancelled meanwhile: what is paid for is kept."""
    under_way = asyncio.ensure_future(writing)
    try:
        await asyncio.shield(under_way)
    except asyncio.CancelledError:
        await under_way
        raise


def _first(group: BaseExceptionGroup) -> BaseException:
    """Return the one error to raise: a user's mistake before a bug, since the others follow from it."""
    mistakes, _ = group.split(PlumbruleError)
    first: BaseException = mistakes or group
    while isinstance(first, BaseExceptionGroup):
        first = first.exceptions[0]
    return first
