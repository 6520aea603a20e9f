"""Serves the application until it is stopped."""

import threading
from contextlib import suppress

import uvicorn

from plumbrule.ledger import AbsentLedgerError
from plumbrule.web.application import create_app
from plumbrule.web.site import Site
from plumbrule.web.traffic.request_log import LogFormat, set_up_logs
from plumbrule.web.view_preparation import load_parts, prepare_views


def serve(site: Site, *, host: str, port: int, log_format: LogFormat = "text") -> None:
    """Serve a site; Ctrl+C ends it. The ledger is opened first, and what takes longest is made ready meanwhile."""
    set_up_logs(log_format)
    with suppress(AbsentLedgerError), site.ledgers.use(site.ledger):  # verified here, not while somebody waits
        pass
    stopped = threading.Event()
    app = create_app(site)

    def prepare() -> None:
        load_parts(app, site)
        prepare_views(site, stopped)

    threading.Thread(target=prepare, daemon=True).start()
    try:
        uvicorn.run(
            app,
            host=host,
            port=port,
            log_config=None,  # the logs are set up already
            log_level="warning",
            access_log=False,  # its lines hold addresses; request_log writes one of its own
            server_header=False,
            proxy_headers=False,  # proxy_headers reads them
        )
    finally:
        stopped.set()
        site.close()
