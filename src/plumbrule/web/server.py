"""Serves the application until it is stopped."""

import uvicorn

from plumbrule.web.application import create_app
from plumbrule.web.site import Site


def serve(site: Site, *, host: str, port: int) -> None:
    """Serve a site; Ctrl+C ends it."""
    try:
        uvicorn.run(
            create_app(site), host=host, port=port, log_level="warning", server_header=False, proxy_headers=False
        )
    finally:
        site.ledgers.close()
