"""Serves the application until it is stopped."""

import uvicorn

from plumbrule.web.application import create_app
from plumbrule.web.request_log import LogFormat, set_up_logs
from plumbrule.web.site import Site


def serve(site: Site, *, host: str, port: int, log_format: LogFormat = "text") -> None:
    """Serve a site; Ctrl+C ends it."""
    set_up_logs(log_format)
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
