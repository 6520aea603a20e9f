"""Carry a run out: answer and judge every sample, a bounded number at a time, each kept before it counts as done."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from plumbrule.judges.judgement import Judge, Judgement
from plumbrule.runs.candidates import Answered, Candidate
from plumbrule.runs.results import SampleResult
from plumbrule.samples.model import Sample


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """One piece of a run: a sample in a repeat."""

    repeat: int
    sample: Sample

    @property
    def key(self) -> tuple[int, str]:
        """What tells it from every other piece of the run."""
        return self.repeat, self.sample.id


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """A piece that is done: what was answered, how it was judged, and the result that counts."""

    answered: Answered
    judgement: Judgement
    result: SampleResult


@dataclass(slots=True)
class Progress:
    """How far a run is; ``skipped`` pieces were finished before it was resumed."""

    done: int = 0
    skipped: int = 0
    errors: int = 0
    stopped_by: str | None = None


@dataclass(kw_only=True)
class Execution:
    """One carrying out of a run.

    ``keep`` makes a piece durable: a piece counts as done when it returns, and pieces in ``finished`` are not done
    again. ``may_start`` is asked before each piece; a reason ends the run cleanly after those under way.
    """

    candidate: Candidate
    judge: Judge
    keep: Callable[[Finished], Awaitable[None]]
    concurrency: int
    finished: AbstractSet[tuple[int, str]] = frozenset()
    may_start: Callable[[], str | None] = lambda: None
    progress: Progress = field(default_factory=Progress)

    async def run(self, samples: Iterable[Sample], *, repeats: int) -> Progress:
        """Do every piece that is not finished yet; an interrupt lets what is being kept be kept."""
        places = asyncio.Semaphore(self.concurrency)
        async with asyncio.TaskGroup() as under_way:
            for unit in self._units(list(samples), repeats):
                await places.acquire()
                reason = self.may_start()
                if reason is not None:
                    self.progress.stopped_by = reason
                    places.release()
                    break
                task = under_way.create_task(self._do(unit))
                task.add_done_callback(lambda _: places.release())
        return self.progress

    def _units(self, samples: list[Sample], repeats: int) -> Iterator[Unit]:
        for repeat in range(repeats):
            for sample in samples:
                unit = Unit(repeat=repeat, sample=sample)
                if unit.key in self.finished:
                    self.progress.skipped += 1
                else:
                    yield unit

    async def _do(self, unit: Unit) -> None:
        answered = await self.candidate.answer(unit.sample, unit.repeat)
        judgement = await self.judge.judge(answered.sample)
        finished = Finished(
            answered=answered, judgement=judgement, result=result_of(answered, judgement, repeat=unit.repeat)
        )
        # Paid for is kept: a cancellation waits until the piece is durable.
        await asyncio.shield(asyncio.ensure_future(self._keep(finished)))

    async def _keep(self, finished: Finished) -> None:
        await self.keep(finished)
        self.progress.done += 1
        self.progress.errors += bool(finished.result.evaluator_error or finished.result.candidate_error)


def result_of(answered: Answered, judgement: Judgement, *, repeat: int) -> SampleResult:
    """Return the result that counts: what was measured of the candidate beside what the judge said."""
    sample = answered.sample
    return SampleResult(
        sample_id=sample.id,
        accuracy_score=judgement.accuracy_score,
        faithfulness_score=judgement.faithfulness_score,
        rationale=judgement.rationale,
        evaluator_error=judgement.evaluator_error,
        latency_e2e_ms=sample.latency_e2e_ms,
        latency_model_ms=sample.latency_model_ms,
        timed_out=bool(sample.timed_out),
        input_tokens=sample.input_tokens,
        output_tokens=sample.output_tokens,
        refused=sample.refused,
        candidate_error=answered.error,
        repeat=repeat,
    )
