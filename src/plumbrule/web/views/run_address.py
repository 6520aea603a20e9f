"""Addresses of runs and samples: how they are written, and which of them is a run's."""

from collections.abc import Mapping
from urllib.parse import quote, urlencode

from starlette.convertors import StringConvertor, register_url_convertor


class _RunId(StringConvertor):
    """A run's id in a path, the start of one, or last: other words under ``/runs/`` are pages of their own."""

    regex = "run-[^/]+|last"


register_url_convertor("run", _RunId())


def run_address(run_id: str) -> str:
    """Return the address of a run."""
    return f"/runs/{quote(run_id, safe='')}"


def samples_address(run_id: str, query: Mapping[str, object] | None = None) -> str:
    """Return the address of the samples of a run."""
    return with_query(f"{run_address(run_id)}/samples", query or {})


def sample_address(
    run_id: str, sample_id: str, repeat: int | None = None, query: Mapping[str, object] | None = None
) -> str:
    """Return the address of one sample of a run."""
    path = f"{run_address(run_id)}/samples/{quote(sample_id, safe='')}"
    return with_query(path, {"repeat": repeat, **(query or {})})


def with_query(path: str, query: Mapping[str, object]) -> str:
    """Return an address with a query, without what is None or empty."""
    given = [(name, value) for name, value in query.items() if value is not None and value not in ("", [])]
    return f"{path}?{urlencode(given, doseq=True)}" if given else path
