"""Files that a browser keeps, by what their names end with."""

from pathlib import PurePath

from fastapi.responses import Response

from plumbrule.web.addresses import download_headers

_MEDIA_TYPES = {
    ".csv": "text/csv; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".json": "application/json",
    ".jsonl": "application/x-ndjson",
    ".md": "text/markdown; charset=utf-8",
    ".xml": "application/xml",
}


def download(content: bytes, name: str) -> Response:
    """Return a file to keep under this name, of the type that its suffix tells."""
    return Response(content, media_type=_MEDIA_TYPES[PurePath(name).suffix], headers=download_headers(name))
