"""Makes ready what somebody is likely to look at next: when the application starts, and when a run is decided.

It makes one view after another, so that there is always a worker left for those who look now.
"""

import logging
import threading
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from fastapi import FastAPI

from plumbrule.api.scoring import score
from plumbrule.errors import PlumbruleError
from plumbrule.reviews.campaigns.campaign_store import load_open
from plumbrule.rubrics import load_verdict
from plumbrule.runs.run_entries import read_run
from plumbrule.web.kept_memory import set_aside
from plumbrule.web.kept_views import Stamp, View, newest
from plumbrule.web.pages.campaigns import campaign_outlines
from plumbrule.web.pages.overview import overview_view
from plumbrule.web.site import Site
from plumbrule.web.templates_environment import compile_templates
from plumbrule.web.views.monitored_figures import Filters, monitoring_view
from plumbrule.web.views.run_views import comparison, run_entry, run_lines, run_view
from plumbrule.web.visit_errors import VisitError

_LOOK_EVERY_S = 5.0
_MOST_RUNS = 3  # the newest that are decided
_log = logging.getLogger("plumbrule.web")


def load_parts(app: FastAPI, site: Site) -> None:
    """Load what the first visitor of a page would wait for, whatever the ledger holds: scorers, templates, the API."""
    app.openapi()
    compile_templates()
    score(question="What is the fee?", answer="The fee is $25 [1].", contexts=["The fee is $25."])
    site.scorers.of(load_verdict())
    set_aside()


def prepare_views(site: Site, stopped: threading.Event) -> None:
    """Make views ready until the application is ``stopped``; a run that another process decided is noticed, too."""
    before: Stamp | None = None
    while not stopped.is_set():
        with suppress(PlumbruleError):  # whoever looks is told
            with site.ledgers.use(site.ledger) as ledger:
                stamp = newest(ledger, kinds=("decision",))
            if stamp != before:
                prepare_once(site)
                before = stamp
        stopped.wait(_LOOK_EVERY_S)


def prepare_once(site: Site) -> None:
    """Replay the open campaigns, and make ready what is likely to be looked at."""
    try:
        replay_open(site)
    except PlumbruleError as error:
        _log.warning("the open campaigns could not be replayed: %s", error)
    for view in likely_views(site):
        try:
            site.views.get(view)
        except (PlumbruleError, VisitError) as error:
            _log.warning("%s could not be made ready: %s", view.name, error)


def replay_open(site: Site) -> None:
    """Replay the open campaigns, so that no reviewer waits for it."""
    with site.ledgers.use(site.ledger) as ledger:
        load_open(ledger)
    set_aside()


def likely_views(site: Site) -> Iterator[View[Any]]:
    """Yield what somebody is likely to look at next, what is asked for most often first."""
    yield run_lines()
    yield overview_view(site.clock())
    yield campaign_outlines()
    yield monitoring_view(Filters())
    decided = [line.run_id for line in site.views.get(run_lines()).value if line.outcome is not None]
    with site.ledgers.use(site.ledger) as ledger:
        newest_runs = [run_entry(ledger, run_id) for run_id in decided[:_MOST_RUNS]]
    yield from map(run_view, newest_runs)
    datasets = [read_run(entry).body.metadata.dataset_version_or_hash for entry in newest_runs]
    for entry, dataset in zip(newest_runs[1:], datasets[1:], strict=True):
        if dataset == datasets[0]:
            yield comparison(entry, newest_runs[0], other_dataset=False)
            break
