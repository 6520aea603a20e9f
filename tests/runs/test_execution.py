"""A run is carried out once, whatever interrupts it, and each piece is kept before it counts."""

import asyncio

import pytest

from plumbrule.demo import samples_path
from plumbrule.judges.judgement import JudgeIdentity, Judgement
from plumbrule.judges.rules import RulesJudge
from plumbrule.judges.rules_policy import load_rules
from plumbrule.rubrics import load_benchmark, load_verdict
from plumbrule.runs.aggregates import aggregate
from plumbrule.runs.candidates import RecordedCandidate
from plumbrule.runs.execution import Execution, Finished, Progress
from plumbrule.runs.gates import decide
from plumbrule.samples import Reading, Sample


class SlowJudge:
    """Gives full marks after a moment, and tells how many it had at once."""

    identity = JudgeIdentity(name="slow", version="1", sha256="0" * 64)

    def __init__(self) -> None:
        self.most = 0
        self._now = 0

    async def judge(self, sample: Sample) -> Judgement:
        """Give full marks."""
        self._now += 1
        self.most = max(self.most, self._now)
        await asyncio.sleep(0.002)
        self._now -= 1
        return Judgement(accuracy_score=2, faithfulness_score=2, rationale=sample.id, judge=self.identity)


class Shelf:
    """Keeps finished pieces, and refuses one that stands already."""

    def __init__(self) -> None:
        self.kept: dict[tuple[int, str], Finished] = {}

    async def keep(self, finished: Finished) -> None:
        """Keep one piece."""
        await asyncio.sleep(0.001)
        key = finished.result.repeat, finished.result.sample_id
        assert key not in self.kept
        self.kept[key] = finished


def samples(count: int) -> list[Sample]:
    """Return samples with answers."""
    return [Sample(id=f"s{number}", answer="Yes.", latency_e2e_ms=10.0) for number in range(count)]


def carry_out(shelf: Shelf, judge: SlowJudge, *, count: int = 30, repeats: int = 2, **options: object) -> Progress:
    """Carry out a run of recorded answers."""
    execution = Execution(
        candidate=RecordedCandidate(),
        judge=judge,
        keep=shelf.keep,
        concurrency=4,
        **options,  # type: ignore[arg-type]  # fields of the execution
    )
    return asyncio.run(execution.run(samples(count), repeats=repeats))


def test_every_piece_is_done_once() -> None:
    """Each sample in each repeat is kept once, and no more than the given number are under way."""
    shelf, judge = Shelf(), SlowJudge()
    progress = carry_out(shelf, judge)
    assert (progress.done, progress.skipped, len(shelf.kept)) == (60, 0, 60)
    assert judge.most == 4


def test_what_is_finished_is_not_done_again() -> None:
    """A resumed run does the rest."""
    shelf, judge = Shelf(), SlowJudge()
    finished = {(0, f"s{number}") for number in range(30)} | {(1, "s7")}
    progress = carry_out(shelf, judge, finished=finished)
    assert (progress.done, progress.skipped) == (29, 31)
    assert not finished & shelf.kept.keys()


def test_a_budget_stops_the_run_cleanly() -> None:
    """What is under way is finished and kept; nothing new is begun; the reason is told."""
    shelf, judge = Shelf(), SlowJudge()
    progress = carry_out(shelf, judge, may_start=lambda: "out of tokens" if len(shelf.kept) >= 10 else None)
    assert progress.stopped_by == "out of tokens"
    assert progress.done == len(shelf.kept)
    assert 10 <= progress.done <= 14


def test_an_interrupt_keeps_what_was_paid_for() -> None:
    """A cancelled run has kept every piece whose keeping had begun, and can be resumed to the same whole."""
    shelf, judge = Shelf(), SlowJudge()

    async def interrupted() -> None:
        execution = Execution(candidate=RecordedCandidate(), judge=judge, keep=shelf.keep, concurrency=4)
        running = asyncio.ensure_future(execution.run(samples(30), repeats=1))
        while len(shelf.kept) < 8:
            await asyncio.sleep(0)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        await asyncio.sleep(0.05)
        assert execution.progress.done == len(shelf.kept)

    asyncio.run(interrupted())
    before = set(shelf.kept)
    assert 8 <= len(before) < 30
    progress = carry_out(shelf, judge, repeats=1, finished=before)
    assert (progress.skipped, len(shelf.kept)) == (len(before), 30)


@pytest.fixture(scope="module")
def demo_results() -> list[Finished]:
    """Return the demo's answers, judged by the rules."""
    shelf = Shelf()
    judge = RulesJudge(load_rules(), load_verdict())
    execution = Execution(candidate=RecordedCandidate(), judge=judge, keep=shelf.keep, concurrency=8)
    asyncio.run(execution.run(list(Reading(samples_path())), repeats=1))
    return list(shelf.kept.values())


def test_recorded_answers_are_judged_and_gated(demo_results: list[Finished]) -> None:
    """The demo runs from its records to a release decision: its wrong answers keep it from release."""
    rubric = load_benchmark().rubric
    aggregates = aggregate([finished.result for finished in demo_results], rubric)
    decision = decide(aggregates, rubric)
    assert len(demo_results) == 56
    assert not decision.release_ready
    assert aggregates.counts.attempted == 56
