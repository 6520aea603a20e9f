"""Makes ready what somebody is likely to look at next: when the application starts, and when a run is decided.

It makes one view after another, so that there is always a worker left for those who look now.
"""

import logging
import threading
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from plumbrule.errors import PlumbruleError
from plumbrule.web.kept_views import Stamp, View, newest
from plumbrule.web.pages.overview import overview_view
from plumbrule.web.site import Site
from plumbrule.web.views.monitored_figures import Filters, monitoring_view
from plumbrule.web.views.run_views import comparison, run_entry, run_lines, run_view
from plumbrule.web.visit_errors import VisitError

_LOOK_EVERY_S = 5.0
_MOST_RUNS = 3  # the newest that are decided
_log = logging.getLogger("plumbrule.web")


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
    """Make the views ready that are likely to be looked at, as the ledger is now."""
    for view in likely_views(site):
        try:
            site.views.get(view)
        except (PlumbruleError, VisitError) as error:
            _log.warning("%s could not be made ready: %s", view.name, error)


def likely_views(site: Site) -> Iterator[View[Any]]:
    """Yield what somebody is likely to look at next, what is asked for most often first."""
    yield run_lines()
    yield overview_view(site.clock())
    yield monitoring_view(Filters())
    lines = site.views.get(run_lines()).value
    decided = [line for line in lines if line.outcome is not None]
    with site.ledgers.use(site.ledger) as ledger:
        entries = {line.run_id: run_entry(ledger, line.run_id) for line in decided[: _MOST_RUNS + 1]}
    for line in decided[:_MOST_RUNS]:
        yield run_view(entries[line.run_id])
    latest = next(iter(decided), None)
    earlier = next((line for line in decided[1:] if latest is not None and line.dataset == latest.dataset), None)
    if latest is not None and earlier is not None and earlier.run_id in entries:
        yield comparison(entries[earlier.run_id], entries[latest.run_id], other_dataset=False)
