"""Addresses as text: a name as a part of a path, a query, and the name under which a browser keeps a download."""

from collections.abc import Mapping
from urllib.parse import quote, urlencode


def path_part(text: str) -> str:
    """Return a name or an id as one part of an address."""
    return quote(text, safe="")


def with_query(path: str, query: Mapping[str, object]) -> str:
    """Return an address with a query, without what is None or empty."""
    given = [(name, value) for name, value in query.items() if value is not None and value not in ("", [], ())]
    return f"{path}?{urlencode(given, doseq=True, safe='/')}" if given else path


def download_headers(name: str) -> dict[str, str]:
    """Return the headers with which a browser keeps an answer as a file of this name."""
    quoted = path_part(name)
    named = f'filename="{name}"' if quoted == name else f"filename*=UTF-8''{quoted}"
    return {"content-disposition": f"attachment; {named}"}
