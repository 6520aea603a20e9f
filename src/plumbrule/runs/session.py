"""A run from beginning to end: begin or resume it in a ledger, execute what is left, and summarise it."""

import re
import secrets
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from plumbrule.codec import take_fields, to_json
from plumbrule.engines import run_to_end
from plumbrule.errors import InputError, UsageError
from plumbrule.ledger import Draft, Guard, Ledger, open_ledger
from plumbrule.rubrics import content_of
from plumbrule.runs.budget import Meter
from plumbrule.runs.execution import Execution, OwnTasks, Progress
from plumbrule.runs.gates import GatePolicy
from plumbrule.runs.journal import LedgerJournal, read_before
from plumbrule.runs.plan import Plan, plan_run, run_body, run_metadata
from plumbrule.runs.run_entries import AUTHOR, SAMPLES, RunDecision, find_run, read_run
from plumbrule.runs.run_results import RunSummary, SampleSummary
from plumbrule.runs.summary import evaluate_run, summarise_run
from plumbrule.runs.workers.shared_run import NobodyAtWork, SharedRun
from plumbrule.runs.workers.worker_processes import worker_processes

__all__ = ["RunOutcome", "begin_run", "carry_out", "execute", "resume_run"]

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
# What must not have changed when a run is resumed, and what the user calls it.
_SAME = {
    "config_sha256": "configuration",
    "dataset_version_or_hash": "dataset",
    "rubrics": "rubric",
    "prompt_template_version_or_hash": "prompt",
    "evaluator_prompt_template_version_or_hash": "judge",
}

Clock = Callable[[], datetime]
Watch = Callable[[Progress], None]
Begun = Callable[[str, Plan], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOutcome:
    """How far a run got, and what is finished of it."""

    run_id: str
    progress: Progress
    finished: RunSummary | None = None  # with its samples; None: nothing has a result
    judged: int = 0  # results that have a score, of either kind

    @property
    def samples(self) -> tuple[SampleSummary, ...]:
        """Every sample that has a result, in each repeat."""
        return () if self.finished is None or self.finished.samples is None else self.finished.samples

    def summary(self) -> RunSummary:
        """Return the summary of what is finished."""
        if self.finished is None:
            raise InputError(f"{self.run_id}: nothing is finished, so that there is no summary of it")
        return replace(self.finished, samples=None)


def execute(
    plan: Plan,
    ledger: Ledger,
    clock: Clock,
    *,
    resume: str | None = None,
    workers: int | None = None,
    accept_errors: bool = False,
    begun: Begun = lambda _run, _plan: None,
    watch: Watch = lambda _: None,
) -> RunOutcome:
    """Begin the planned run, or ``resume`` one, do what is left of it, and summarise it once.

    With ``workers`` so many processes of this machine share it, this one among them, and others may join it; without,
    this one carries it out alone. ``begun`` is called with the run's id before the first task, ``watch`` with the
    progress after every task.
    """
    resumed = None if resume is None else resume_run(resume, plan, ledger, clock)
    plan.opener.start()
    run = begin_run(plan, ledger, clock) if resumed is None else resumed
    begun(run, plan)
    if workers is None:
        progress = carry_out(run, plan, ledger, clock, watch=watch, accept_errors=accept_errors)
    else:
        address = ledger.engine.url.render_as_string(hide_password=False)
        others = worker_processes(workers - 1, _work_beside, run, plan.loaded.path, address, accept_errors)
        shared = _shared(run, plan, ledger, clock, accept_errors=accept_errors)
        with ExitStack() as stack:
            progress = shared.carry_out(watch=watch, joined=lambda: stack.enter_context(others))
        # where the run was stopped, others have finished what they had begun after this one ended
        progress.skipped = sum(1 for _ in ledger.outlines(kind="result", run=run)) - progress.done
    if not progress.finished:
        return RunOutcome(run_id=run, progress=progress)
    evaluated = evaluate_run(ledger, find_run(ledger, run))
    judged = sum(result.judged for result in evaluated.results)
    return RunOutcome(run_id=run, progress=progress, finished=evaluated.summary(samples=True), judged=judged)


def begin_run(plan: Plan, ledger: Ledger, clock: Clock) -> str:
    """Write down what is planned: the run, its rubrics and its samples; return the run's id."""
    at = clock()
    run = f"run-{at:%Y%m%dT%H%M%S}-{secrets.token_hex(3)}"
    drafts = [Draft(kind="run", subject=run, body=to_json(run_body(plan, run, at)), author=AUTHOR, at=at)]
    for rubric in plan.rubrics.all():
        body = {**rubric.stamp(), "content": content_of(rubric)}
        drafts.append(Draft(kind="rubric", subject=f"{run}/rubrics/{rubric.name}", body=body, author=AUTHOR, at=at))
    for sample in plan.samples:
        subject = f"{run}/{SAMPLES}/{_CONTROL.sub('?', sample.id)}"
        drafts.append(Draft(kind="sample", subject=subject, body=asdict(sample), author=AUTHOR, at=at))
    ledger.append_many(drafts)
    return run


def resume_run(reference: str, plan: Plan, ledger: Ledger, clock: Clock) -> str:
    """Return the id of a run that is to be resumed, after checking that the plan is still the same."""
    entry = find_run(ledger, reference)
    before, now = read_run(entry).body.metadata, run_metadata(plan, entry.subject, clock())
    for name, thing in _SAME.items():
        if getattr(before, name) != getattr(now, name):
            raise UsageError(f"{entry.subject}: was begun with another {thing}: give that one, or start a new run")
    begun = read_run(entry).body
    none, same = GatePolicy(anchor=plan.config.anchor), GatePolicy.of(begun)
    if plan.policy not in {none, same}:
        raise UsageError(f"{entry.subject}: was begun with another policy of its gates: 'gate' takes a stricter one")
    return entry.subject


def carry_out(
    run: str, plan: Plan, ledger: Ledger, clock: Clock, *, watch: Watch = lambda _: None, accept_errors: bool = False
) -> Progress:
    """Do what is left of a run and return its progress; finished tasks stay and are not done again.

    With ``accept_errors`` a sample whose provider fails counts as errored, instead of being left for another attempt.
    """
    with ledger.hold(run):
        before, config = read_before(ledger, run, judge_is_called=plan.judgements.calls > 0), plan.config
        spent = before.spent + plan.expected.task.times(len(before.lost))  # nobody knows what became of those calls
        tasks = OwnTasks(
            samples=plan.samples,
            repeats=config.repeats,
            before=before,
            meter=Meter(
                budget=config.budget, expected=plan.expected, spent=spent, tasks=len(before.finished) + len(before.lost)
            ),
            stop_after_failures=config.stop_after_failures,
        )
        execution = Execution(
            candidate=plan.candidate,
            judge=plan.judge,
            journal=LedgerJournal(ledger, run, clock, paid=plan.paid, live=plan.live),
            tasks=tasks,
            concurrency=config.concurrency,
            accept_errors=accept_errors,
            refuses=plan.rubrics.refusal_reader(),
            watch=watch,
        )
        progress = run_to_end(_execute(execution, plan))
        if progress.finished == progress.total:
            _record_decision(run, ledger, clock)
    return progress


def _shared(run: str, plan: Plan, ledger: Ledger, clock: Clock, *, accept_errors: bool) -> SharedRun:
    def decide(guard: Guard) -> None:
        _record_decision(run, ledger, clock, guard)

    return SharedRun(run=run, plan=plan, ledger=ledger, clock=clock, decide=decide, accept_errors=accept_errors)


def _work_beside(run: str, config: Path, address: str, accept_errors: bool) -> None:  # noqa: FBT001 - of a process
    """Work on a run that another process is at work on, for as long as there is one."""
    with open_ledger(address) as ledger:
        plan = plan_run(config)
        resume_run(run, plan, ledger, _now)
        plan.opener.start()
        with suppress(NobodyAtWork):
            _shared(run, plan, ledger, _now, accept_errors=accept_errors).carry_out(alone=False)


def _now() -> datetime:
    return datetime.now(UTC)


async def _execute(execution: Execution, plan: Plan) -> Progress:
    try:
        return await execution.run()
    finally:
        await plan.opener.aclose()


def _record_decision(run: str, ledger: Ledger, clock: Clock, guard: Guard | None = None) -> None:
    """Record the decision on a complete run, once."""
    if any(ledger.entries(kind="decision", subject=run)):
        return
    summary = summarise_run(ledger, find_run(ledger, run))
    decision = take_fields(RunDecision, summary)
    draft = Draft(kind="decision", subject=run, body=to_json(decision), author=AUTHOR, at=clock())
    ledger.submit([draft], guard=guard).appended()
