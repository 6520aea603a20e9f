"""Serves the application until it is stopped."""

import threading
from contextlib import suppress

import uvicorn

from plumbrule.errors import PlumbruleError
from plumbrule.web.application import create_app
from plumbrule.web.monitored_figures import Filters, view_of
from plumbrule.web.site import Site


def serve(site: Site, *, host: str, port: int) -> None:
    """Serve a site; Ctrl+C ends it. What takes longest is made ready meanwhile."""
    threading.Thread(target=_prepare, args=(site,), daemon=True).start()
    try:
        uvicorn.run(
            create_app(site), host=host, port=port, log_level="warning", server_header=False, proxy_headers=False
        )
    finally:
        site.ledgers.close()


def _prepare(site: Site) -> None:
    with suppress(PlumbruleError):  # whoever looks is told
        view_of(site, Filters())
