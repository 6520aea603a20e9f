"""Benchmark runs into a ledger: begin one, carry it out, take it up again, find it."""

import asyncio
import re
import secrets
from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime

from plumbrule.errors import UsageError
from plumbrule.ledger import Draft, Entry, Ledger
from plumbrule.names import pick
from plumbrule.rubrics import content_of
from plumbrule.runs.budget import Meter
from plumbrule.runs.execution import Execution, Progress
from plumbrule.runs.journal import AUTHOR, SAMPLES, LedgerJournal, read_before
from plumbrule.runs.plan import Plan, describe_plan
from plumbrule.runs.summary import describe_run

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
# What must not have changed when a run is taken up again, and how it is called.
_SAME = {
    "config_sha256": "configuration",
    "dataset_version_or_hash": "dataset",
    "rubrics": "rubric",
    "prompt_template_version_or_hash": "prompt",
    "evaluator_prompt_template_version_or_hash": "judge",
}

Clock = Callable[[], datetime]
Watch = Callable[[Progress], None]


def begin_run(plan: Plan, ledger: Ledger, clock: Clock) -> str:
    """Write down what is planned: the run, its rubrics and its samples; return the run's id."""
    at = clock()
    run = f"run-{at:%Y%m%dT%H%M%S}-{secrets.token_hex(3)}"
    drafts = [Draft(kind="run", subject=run, body=describe_plan(plan, run, at), author=AUTHOR, at=at)]
    for rubric in plan.rubrics.all():
        body = {**rubric.stamp(), "content": content_of(rubric)}
        drafts.append(Draft(kind="rubric", subject=f"{run}/rubrics/{rubric.name}", body=body, author=AUTHOR, at=at))
    for sample in plan.samples:
        subject = f"{run}/{SAMPLES}/{_CONTROL.sub('?', sample.id)}"
        drafts.append(Draft(kind="sample", subject=subject, body=asdict(sample), author=AUTHOR, at=at))
    ledger.append_many(drafts)
    return run


def reopen_run(reference: str, plan: Plan, ledger: Ledger, clock: Clock) -> str:
    """Return the id of a run that is to be gone on with, once it is sure that the plan is still the same."""
    run = find_run(ledger, reference)
    before, now = run.value["metadata"], describe_plan(plan, run.subject, clock())["metadata"]
    for name, called in _SAME.items():
        if before[name] != now[name]:
            raise UsageError(f"{run.subject}: was begun with another {called}: give that one, or start a new run")
    return run.subject


def carry_out(
    run: str,
    plan: Plan,
    ledger: Ledger,
    clock: Clock,
    *,
    watch: Watch = lambda _: None,
    accept_errors: bool = False,
) -> Progress:
    """Do what is left of a run, and return how far it came; what is finished stands and is not done again.

    With ``accept_errors`` a sample whose provider fails counts as errored, instead of being left for another attempt.
    """
    with ledger.hold(run):
        before, config = read_before(ledger, run, judge_is_called=plan.judgements.calls > 0), plan.config
        spent = before.spent + plan.expected.piece.times(len(before.lost))  # what became of them, nobody knows
        execution = Execution(
            candidate=plan.candidate,
            judge=plan.judge,
            journal=LedgerJournal(ledger, run, clock, paid=plan.paid, live=plan.live),
            concurrency=config.concurrency,
            before=before,
            meter=Meter(
                budget=config.budget,
                expected=plan.expected,
                spent=spent,
                pieces=len(before.finished) + len(before.lost),
            ),
            stop_after_failures=config.stop_after_failures,
            accept_errors=accept_errors,
            watch=watch,
        )
        progress = asyncio.run(_execute(execution, plan))
        if progress.finished == progress.total:
            _record_decision(run, ledger, clock)
    return progress


def find_run(ledger: Ledger, reference: str) -> Entry:
    """Return the run with this id, the only one whose id begins so, or the last one."""
    begun = list(ledger.runs("" if reference == "last" else reference))
    if reference == "last" and begun:
        return begun[-1]
    found = pick(reference, begun, lambda run: (run.subject,), where=ledger.name, what="runs")
    if found is None:
        raise UsageError(f"{ledger.name}: there is no run '{reference}'; 'plumbrule runs' lists them")
    return found


async def _execute(execution: Execution, plan: Plan) -> Progress:
    try:
        return await execution.run(plan.samples, repeats=plan.config.repeats)
    finally:
        await plan.opener.aclose()


def _record_decision(run: str, ledger: Ledger, clock: Clock) -> None:
    """Keep the decision on a run that is complete, once."""
    if any(ledger.entries(kind="decision", subject=run)):
        return
    described = describe_run(ledger, find_run(ledger, run))
    body = {name: described[name] for name in ("release_ready", "gates", "aggregates", "repeats")}
    ledger.append("decision", run, body, AUTHOR, at=clock())
