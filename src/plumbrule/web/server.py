"""Serves the application until it is stopped."""

import threading
from contextlib import suppress

import uvicorn

from plumbrule.errors import PlumbruleError
from plumbrule.web.application import create_app
from plumbrule.web.site import Site
from plumbrule.web.traffic.request_log import LogFormat, set_up_logs
from plumbrule.web.views.monitored_figures import Filters, view_of


def serve(site: Site, *, host: str, port: int, log_format: LogFormat = "text") -> None:
    """Serve a site; Ctrl+C ends it. What takes longest is made ready meanwhile."""
    set_up_logs(log_format)
    threading.Thread(target=_prepare, args=(site,), daemon=True).start()
    try:
        uvicorn.run(
            create_app(site),
            host=host,
            port=port,
            log_config=None,  # the logs are set up already
            log_level="warning",
            access_log=False,  # its lines hold addresses; request_log writes one of its own
            server_header=False,
            proxy_headers=False,  # proxy_headers reads them
        )
    finally:
        site.ledgers.close()


def _prepare(site: Site) -> None:
    with suppress(PlumbruleError):  # whoever looks is told
        view_of(site, Filters())
