"""Runs by the JSON API: list, show, gate, report, compare; and runs in the background."""

from typing import Annotated

from fastapi import Body, Query
from pydantic import BaseModel, ConfigDict, Field

from plumbrule.api.reports import report_on
from plumbrule.api.runs import compare, gate, list_runs, plan, show
from plumbrule.errors import UsageError
from plumbrule.outcomes import DecideOn
from plumbrule.rubrics.benchmark_rubric import Anchor, Confidence
from plumbrule.runs.comparison import RunComparison
from plumbrule.runs.gates import GateDecision
from plumbrule.runs.plan import PlanSummary
from plumbrule.runs.report.run_report import Report
from plumbrule.runs.run_entries import find_run
from plumbrule.runs.run_results import RunLine, RunSummary
from plumbrule.web.access.roles import Role, Scope
from plumbrule.web.call_parameters import ConfigurationName, JobId, RunName
from plumbrule.web.jobs.run_jobs import Job, find_job, list_jobs, start_job, stop_job
from plumbrule.web.routes import Routes
from plumbrule.web.visit import Visiting

routes = Routes(tags=["runs"])


class JobRequest(BaseModel):
    """A run to start in the background, or one to resume."""

    model_config = ConfigDict(extra="forbid")

    configuration: Annotated[str, Field(examples=["nightly.yaml"])]
    resume: str | None = None
    decide_on: DecideOn | None = None


@routes.call("/runs", role=Role.VIEWER, result=tuple[RunLine, ...], python="list_runs()")
def get_runs(visit: Visiting) -> tuple[RunLine, ...]:
    """Return every run, the oldest first."""
    with visit.ledger() as ledger:
        return list_runs(ledger)


@routes.call("/runs/{run}", role=Role.VIEWER, result=RunSummary, python='show_run("last")')
def get_run(visit: Visiting, run: RunName, *, samples: bool = False, anchor: Anchor | None = None) -> RunSummary:
    """Return the summary of a run: its id, the start of it, or last."""
    with visit.ledger() as ledger:
        return show(run, ledger, samples=samples, anchor=anchor)


@routes.call("/runs/{run}/gate", role=Role.VIEWER, result=GateDecision, python='gate("last", strict=True)')
def get_gate(
    visit: Visiting,
    run: RunName,
    *,
    strict: bool = False,
    decide_on: DecideOn | None = None,
    confidence: Confidence | None = None,
    anchor: Anchor | None = None,
) -> GateDecision:
    """Return whether a run may be released, with the reasons."""
    with visit.ledger() as ledger:
        return gate(run, ledger, strict=strict, decide_on=decide_on, confidence=confidence, anchor=anchor)


@routes.call("/runs/{run}/report", role=Role.VIEWER, result=Report, python='report("last")')
def get_report(visit: Visiting, run: RunName) -> Report:
    """Return the report of a run."""
    with visit.ledger() as ledger:
        return report_on(ledger, find_run(ledger, run))


@routes.call(
    "/comparison", role=Role.VIEWER, result=RunComparison, python='compare("run-20250101T090000-3f1c", "last")'
)
def get_comparison(
    visit: Visiting,
    first: Annotated[str, Query(description="A run, the baseline.", examples=["run-20250101T090000-3f1c"])],
    second: Annotated[str, Query(description="Another run.", examples=["last"])],
    *,
    other_dataset: bool = False,
    margin: Annotated[list[str] | None, Query(description="FIGURE=VALUE")] = None,
) -> RunComparison:
    """Compare two runs sample by sample."""
    with visit.ledger() as ledger:
        return compare(first, second, ledger, other_dataset=other_dataset, margins=_margins(margin or []))


@routes.call("/configurations", role=Role.RELEASE_MANAGER, result=tuple[str, ...], python="list_configurations()")
def get_configurations(visit: Visiting) -> tuple[str, ...]:
    """Return the names of the run configurations that may be started."""
    return visit.site.configurations.names()


@routes.call(
    "/configurations/{name}/plan", role=Role.RELEASE_MANAGER, result=PlanSummary, python='plan_run("nightly.yaml")'
)
def get_plan(visit: Visiting, name: ConfigurationName) -> PlanSummary:
    """Return what a run would do and use; nobody is called."""
    return plan(visit.site.configurations.path(name))


@routes.call("/jobs", role=Role.VIEWER, result=tuple[Job, ...], python="list_jobs()")
def get_jobs(visit: Visiting) -> tuple[Job, ...]:
    """Return the newest runs in the background, the newest first."""
    return list_jobs(visit.site.store, at=visit.now)


@routes.call(
    "/jobs", role=Role.RELEASE_MANAGER, method="POST", scope=Scope.RUN, result=Job, python='start_run("nightly.yaml")'
)
def post_job(visit: Visiting, given: Annotated[JobRequest, Body()]) -> Job:
    """Start a run in the background, or resume one."""
    site = visit.site
    plan(site.configurations.path(given.configuration))
    return start_job(
        site.store,
        site.configurations,
        given.configuration,
        ledger=site.ledger,
        person=visit.name,
        at=visit.now,
        resume=given.resume,
        decide_on=given.decide_on,
    )


@routes.call("/jobs/{job}", role=Role.VIEWER, result=Job, python='job("job-id")')
def get_job(visit: Visiting, job: JobId) -> Job:
    """Return how far a run in the background is."""
    return find_job(visit.site.store, job, at=visit.now)


@routes.call(
    "/jobs/{job}/stop",
    role=Role.RELEASE_MANAGER,
    method="POST",
    scope=Scope.RUN,
    result=Job,
    python='stop_job("job-id")',
)
def post_stop(visit: Visiting, job: JobId) -> Job:
    """Stop a run in the background; what it finished is kept."""
    return stop_job(visit.site.store, job, at=visit.now)


def _margins(given: list[str]) -> dict[str, float]:
    margins = {}
    for each in given:
        figure, _, value = each.partition("=")
        try:
            margins[figure] = float(value)
        except ValueError:
            raise UsageError(f"margin '{each[:40]}' must be FIGURE=VALUE, such as pass_rate=0.03") from None
    return margins
