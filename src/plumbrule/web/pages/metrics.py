"""Figures for Prometheus: requests, runs in the background, the size of the ledger."""

from collections import Counter
from collections.abc import Iterator
from typing import get_args

from fastapi.responses import PlainTextResponse

from plumbrule._version import __version__
from plumbrule.errors import PlumbruleError
from plumbrule.web.access.roles import Role, Scope
from plumbrule.web.jobs.run_jobs import MOST_LISTED, JobState, list_jobs
from plumbrule.web.routes import Routes
from plumbrule.web.traffic.request_metrics import CONTENT_TYPE, Metric, RequestMetrics, gauge, metrics_text
from plumbrule.web.visit import Visit, Visiting

routes = Routes()


@routes.page("/metrics", role=Role.ADMIN, scope=Scope.READ)
def show_metrics(visit: Visiting) -> PlainTextResponse:
    """Return the figures in Prometheus' text format."""
    return PlainTextResponse(metrics_text(_metrics(visit)), media_type=CONTENT_TYPE)


def _metrics(visit: Visit) -> Iterator[Metric]:
    yield Metric(
        name="plumbrule_info", kind="gauge", about="The version.", samples=(("", {"version": __version__}, 1.0),)
    )
    requests: RequestMetrics = visit.request.app.state.metrics
    yield from requests.metrics()
    states = Counter(job.state for job in list_jobs(visit.site.store, at=visit.now))
    yield Metric(
        name="plumbrule_jobs",
        kind="gauge",
        about=f"The newest {MOST_LISTED} runs in the background, by state.",
        samples=tuple(("", {"state": state}, float(states[state])) for state in get_args(JobState)),
    )
    try:
        with visit.ledger() as ledger:
            entries = ledger.checkpoint().sequence + 1
    except PlumbruleError:
        yield gauge("plumbrule_ledger_readable", "Whether the ledger can be read.", 0.0)
        return
    yield gauge("plumbrule_ledger_readable", "Whether the ledger can be read.", 1.0)
    yield gauge("plumbrule_ledger_entries", "Entries of the ledger.", float(entries))
