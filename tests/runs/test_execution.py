"""A run is carried out once, whatever interrupts it, and each task is kept before it counts."""

import asyncio

import pytest
from tests.clock import run_counted

from plumbrule.demo import samples_path
from plumbrule.errors import InputError
from plumbrule.judges.judgement import JudgeIdentity, Judgement
from plumbrule.judges.rules_judge import RulesJudge
from plumbrule.rubrics import load_benchmark, load_rules, load_verdict
from plumbrule.runs.aggregates import aggregate
from plumbrule.runs.budget import Expected, Meter, Spending
from plumbrule.runs.candidate import Answered, Candidate, CandidateIdentity, RecordedCandidate
from plumbrule.runs.config_schema import Budget
from plumbrule.runs.execution import Before, Execution, Failed, Finished, OwnTasks, Progress, Task
from plumbrule.runs.gates import decide
from plumbrule.samples import Reading, Sample

RECORDED = RecordedCandidate(CandidateIdentity(kind="recorded"))


class SlowJudge:
    """Gives full marks after a moment, with one call each, and tells how many it had at once."""

    identity = JudgeIdentity(name="slow", version="1", sha256="0" * 64)

    def __init__(self, *, unreachable: frozenset[str] = frozenset()) -> None:
        self.most = 0
        self._now = 0
        self._unreachable = unreachable

    async def judge(self, sample: Sample) -> Judgement:
        """Give full marks, unless the judge cannot be reached."""
        self._now += 1
        self.most = max(self.most, self._now)
        await asyncio.sleep(0.002)
        self._now -= 1
        failed = sample.id in self._unreachable
        return Judgement(
            accuracy_score=None if failed else 2,
            faithfulness_score=None if failed else 2,
            rationale=sample.id,
            judge=self.identity,
            evaluator_error="transport_error" if failed else None,
            error_detail="host: no connection" if failed else None,
            input_tokens=None if failed else 8,
            output_tokens=None if failed else 2,
            requests=1,
        )


class Asked:
    """A candidate that answers its own way, or cannot be reached."""

    identity = CandidateIdentity(kind="model")

    def __init__(self, *, unreachable: frozenset[str] = frozenset()) -> None:
        self.asked: list[str] = []
        self._unreachable = unreachable

    async def answer(self, sample: Sample, repeat: int) -> Answered:  # noqa: ARG002 - the protocol's
        """Answer, or say that there is no answer."""
        self.asked.append(sample.id)
        if sample.id in self._unreachable:
            return Answered(sample=sample, error="server_error", final=False, requests=4)
        return Answered(sample=sample, requests=1, flags=("retried",))

    async def aclose(self) -> None:
        """Close nothing."""


class Shelf:
    """Keeps what happens, and refuses a task that stands already."""

    def __init__(self) -> None:
        self.kept: dict[tuple[int, str], Finished] = {}
        self.answers: dict[tuple[int, str], Answered] = {}
        self.begun: list[tuple[int, str]] = []
        self.failures: list[Failed] = []

    async def started(self, task: Task) -> None:
        """Keep that it began."""
        self.begun.append(task.key)

    async def answered(self, task: Task, answered: Answered, spent: Spending) -> None:  # noqa: ARG002 - the protocol's
        """Keep an answer."""
        self.answers[task.key] = answered

    async def finished(self, finished: Finished) -> None:
        """Keep one task."""
        await asyncio.sleep(0.001)
        key = finished.result.repeat, finished.result.sample_id
        assert key not in self.kept
        self.kept[key] = finished

    async def failed(self, failed: Failed) -> None:
        """Keep a failure."""
        self.failures.append(failed)


def samples(count: int) -> list[Sample]:
    """Return samples with answers."""
    return [Sample(id=f"s{number}", answer="Yes.", latency_e2e_ms=10.0) for number in range(count)]


def names(*numbers: int) -> frozenset[str]:
    """Return the ids of some samples."""
    return frozenset(f"s{number}" for number in numbers)


def carry_out(
    shelf: Shelf,
    judge: SlowJudge,
    *,
    candidate: Candidate = RECORDED,
    count: int = 30,
    repeats: int = 2,
    **options: object,
) -> Progress:
    """Carry out a run."""
    of_tasks = {name: options.pop(name) for name in ("before", "meter", "stop_after_failures") if name in options}
    tasks = OwnTasks(samples=samples(count), repeats=repeats, **of_tasks)  # type: ignore[arg-type]  # its fields
    execution = Execution(
        candidate=candidate,
        judge=judge,
        journal=shelf,
        tasks=tasks,
        concurrency=4,
        **options,  # type: ignore[arg-type]  # fields of the execution
    )
    return run_counted(execution.run())


def test_every_task_is_done_once() -> None:
    """Each sample in each repeat is kept once, and no more than the given number are under way."""
    shelf, judge = Shelf(), SlowJudge()
    seen: list[int] = []
    progress = carry_out(shelf, judge, watch=lambda progress: seen.append(progress.done))
    assert (progress.total, progress.done, progress.skipped, len(shelf.kept)) == (60, 60, 0, 60)
    assert judge.most == 4
    assert seen == list(range(1, 61))
    assert (progress.spent.calls, progress.spent.tokens) == (60, 600)


def test_what_is_finished_is_not_done_again() -> None:
    """A resumed run does the rest; an answer that was kept is judged without asking again."""
    shelf, judge, candidate = Shelf(), SlowJudge(), Asked()
    finished = {(0, f"s{number}") for number in range(30)} | {(1, "s7")}
    answered = Answered(sample=Sample(id="s8", answer="No."), requests=1)
    before = Before(finished=finished, answers={(1, "s8"): answered}, lost=[(1, "s8"), (1, "s9")])
    progress = carry_out(shelf, judge, candidate=candidate, before=before)
    assert (progress.done, progress.skipped) == (29, 31)
    assert not finished & shelf.kept.keys()
    assert "s8" not in candidate.asked
    assert shelf.kept[1, "s8"].answered is answered
    repeated = {key for key, kept in shelf.kept.items() if "call_repeated" in kept.result.flags}
    assert repeated == {(1, "s8"), (1, "s9")}
    assert shelf.kept[1, "s9"].result.flags == ("retried", "call_repeated")


def test_a_budget_stops_the_run_cleanly() -> None:
    """What is under way is finished and kept, nothing is begun beyond the limit, and the reason is told."""
    shelf, judge = Shelf(), SlowJudge()
    meter = Meter(budget=Budget(max_calls=20), expected=Expected(judgement=Spending(calls=1)))
    progress = carry_out(shelf, judge, meter=meter)
    assert progress.stopped_by == "one more would pass budget.max_calls 20"
    assert progress.done == len(shelf.kept) == 20


def test_a_budget_counts_what_was_spent_before() -> None:
    """A resumed run has what is left of it, by tokens too."""
    shelf, judge = Shelf(), SlowJudge()
    meter = Meter(budget=Budget(max_tokens=100), spent=Spending(calls=7, tokens=70), tasks=7)
    progress = carry_out(shelf, judge, meter=meter)
    assert (progress.done, progress.spent.tokens) == (3, 100)


def test_a_provider_that_fails_leaves_the_task_for_later() -> None:
    """Whoever fails, the task is not finished, the failure is kept, and the others go on."""
    shelf = Shelf()
    progress = carry_out(
        shelf, SlowJudge(unreachable=names(3)), candidate=Asked(unreachable=names(5)), count=10, repeats=1
    )
    assert (progress.done, progress.failed, progress.stopped_by) == (8, 2, None)
    assert {failed.task.sample.id: failed.reason for failed in shelf.failures} == {
        "s3": "judge: host: no connection",
        "s5": "candidate: server_error",
    }
    assert (0, "s3") in shelf.answers
    assert (0, "s5") not in shelf.answers
    assert progress.spent.calls == 9 + 4 + 9  # answers, the one in vain, judgements


def test_errors_may_be_accepted() -> None:
    """Then the tasks count as errored, and the run comes to its end."""
    shelf = Shelf()
    progress = carry_out(
        shelf,
        SlowJudge(unreachable=names(3)),
        candidate=Asked(unreachable=names(5)),
        count=10,
        repeats=1,
        accept_errors=True,
    )
    assert (progress.done, progress.failed, progress.errors) == (10, 0, 2)
    assert shelf.kept[0, "s3"].result.evaluator_error == "transport_error"
    assert shelf.kept[0, "s5"].result.candidate_error == "server_error"


def test_a_dead_provider_ends_the_run() -> None:
    """After so many failures in a row nothing more is begun; one that works in between starts the count again."""
    everything = names(*range(30))
    progress = carry_out(Shelf(), SlowJudge(unreachable=everything), repeats=1, stop_after_failures=5)
    assert progress.stopped_by is not None
    assert progress.stopped_by.endswith("samples in a row could not be evaluated")
    assert 5 <= progress.failed <= 9
    some = names(*range(0, 30, 2))
    assert carry_out(Shelf(), SlowJudge(unreachable=some), repeats=1, stop_after_failures=12).stopped_by is None


def test_an_interrupt_keeps_what_was_paid_for() -> None:
    """A cancelled run has kept every task whose keeping had begun, and can be resumed to the same whole."""
    shelf, judge = Shelf(), SlowJudge()

    async def interrupted() -> None:
        tasks = OwnTasks(samples=samples(30), repeats=1)
        execution = Execution(candidate=RECORDED, judge=judge, journal=shelf, tasks=tasks, concurrency=4)
        running = asyncio.ensure_future(execution.run())
        while len(shelf.kept) < 8:
            await asyncio.sleep(0)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert execution.progress.done == len(shelf.kept)

    asyncio.run(interrupted())
    before = set(shelf.kept)
    assert 8 <= len(before) < 30
    progress = carry_out(shelf, judge, repeats=1, before=Before(finished=before))
    assert (progress.skipped, len(shelf.kept)) == (len(before), 30)


def test_an_error_that_concerns_all_is_told_alone() -> None:
    """A ledger that cannot be written ends the run with its own error, not with a group of them."""

    class Full(Shelf):
        async def finished(self, finished: Finished) -> None:  # noqa: ARG002 - the protocol's
            raise InputError("the disk is full")

    with pytest.raises(InputError, match="the disk is full"):
        carry_out(Full(), SlowJudge())


@pytest.fixture(scope="module")
def demo_results() -> list[Finished]:
    """Return the demo's answers, judged by the rules."""
    shelf = Shelf()
    judge = RulesJudge(load_rules(), load_verdict())
    tasks = OwnTasks(samples=list(Reading(samples_path())), repeats=1)
    execution = Execution(candidate=RECORDED, judge=judge, journal=shelf, tasks=tasks, concurrency=8)
    asyncio.run(execution.run())
    return list(shelf.kept.values())


def test_recorded_answers_are_judged_and_gated(demo_results: list[Finished]) -> None:
    """The demo runs from its records to a release decision: its wrong answers keep it from release."""
    rubric = load_benchmark().rubric
    aggregates = aggregate([finished.result for finished in demo_results], rubric)
    decision = decide(aggregates, rubric)
    assert len(demo_results) == 56
    assert not decision.release_ready
    assert aggregates.counts.attempted == 56
    assert all(finished.spent == Spending() for finished in demo_results)
