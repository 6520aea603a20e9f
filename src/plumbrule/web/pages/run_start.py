"""Start a run from a configuration: the plan and its cost first; then its progress, to stop and to resume it."""

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import Form
from fastapi.responses import HTMLResponse, RedirectResponse, StreamingResponse
from starlette.concurrency import run_in_threadpool

from plumbrule.api.runs import plan
from plumbrule.codec import json_line
from plumbrule.errors import PlumbruleError
from plumbrule.outcomes import DecideOn
from plumbrule.web.access.roles import Role, Scope
from plumbrule.web.jobs.run_jobs import find_job, list_jobs, start_job, stop_job
from plumbrule.web.routes import Routes
from plumbrule.web.visit import Visiting
from plumbrule.web.visit_errors import visitor_words

routes = Routes()

_POLL_S = 1.0
_LONGEST_STREAM = 600  # polls; then the browser asks again


@routes.page("/runs/new", role=Role.RELEASE_MANAGER)
def choose_configuration(visit: Visiting, configuration: str | None = None) -> HTMLResponse:
    """Show the configurations that may be started, and the plan of the one that is chosen."""
    names = visit.site.configurations.names()
    planned, problem = None, None
    if configuration is not None:
        try:
            planned = plan(visit.site.configurations.path(configuration))
        except PlumbruleError as error:
            problem = visitor_words(error)
    status = 200 if problem is None else 422
    return visit.render(
        "run_start.html", status=status, names=names, chosen=configuration, plan=planned, problem=problem
    )


@routes.action("/runs/new", role=Role.RELEASE_MANAGER, scope=Scope.RUN)
def start(
    visit: Visiting, configuration: Annotated[str, Form()], decide_on: Annotated[DecideOn, Form()] = "point"
) -> RedirectResponse:
    """Start the run of a configuration in the background."""
    plan(visit.site.configurations.path(configuration))  # one that cannot be planned is not begun
    site = visit.site
    job = start_job(
        site.store,
        site.configurations,
        configuration,
        ledger=site.ledger,
        person=visit.name,
        at=visit.now,
        decide_on="bound" if decide_on == "bound" else None,
    )
    return visit.redirect(f"/jobs/{job.id}")


@routes.page("/jobs", role=Role.VIEWER)
def show_jobs(visit: Visiting) -> HTMLResponse:
    """Show the runs that were started from these pages."""
    return visit.render("jobs.html", jobs=list_jobs(visit.site.store, at=visit.now))


@routes.page("/jobs/{job_id}", role=Role.VIEWER)
def show_job(visit: Visiting, job_id: str) -> HTMLResponse:
    """Show how far a run is."""
    return visit.render("job.html", job=find_job(visit.site.store, job_id, at=visit.now))


@routes.page("/jobs/{job_id}/events", role=Role.VIEWER)
async def follow_job(visit: Visiting, job_id: str) -> StreamingResponse:
    """Stream how far a run is, as server-sent events, until it is over."""
    await run_in_threadpool(find_job, visit.site.store, job_id, at=visit.now)  # an unknown one is not streamed

    async def events() -> AsyncIterator[bytes]:
        for _ in range(_LONGEST_STREAM):
            job = await run_in_threadpool(find_job, visit.site.store, job_id, at=visit.now)
            yield b"data: " + json_line(job) + b"\n"
            if job.over:
                return
            await asyncio.sleep(_POLL_S)

    return StreamingResponse(events(), media_type="text/event-stream")


@routes.action("/jobs/{job_id}/stop", role=Role.RELEASE_MANAGER, scope=Scope.RUN)
def stop(visit: Visiting, job_id: str) -> RedirectResponse:
    """Stop a run; what it finished is kept."""
    stop_job(visit.site.store, job_id, at=visit.now)
    return visit.redirect(f"/jobs/{job_id}")


@routes.action("/jobs/{job_id}/resume", role=Role.RELEASE_MANAGER, scope=Scope.RUN)
def resume(visit: Visiting, job_id: str) -> RedirectResponse:
    """Go on with a run that did not finish, as a new job."""
    site = visit.site
    job = find_job(site.store, job_id, at=visit.now)
    if not job.resumable:
        return visit.redirect(f"/jobs/{job_id}")
    resumed = start_job(
        site.store,
        site.configurations,
        job.configuration,
        ledger=site.ledger,
        person=visit.name,
        at=visit.now,
        resume=job.run_id,
    )
    return visit.redirect(f"/jobs/{resumed.id}")
