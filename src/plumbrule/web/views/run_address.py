"""Addresses of runs and samples: how they are written, and which of them is a run's."""

from collections.abc import Mapping

from starlette.convertors import StringConvertor, register_url_convertor

from plumbrule.web.addresses import path_part, with_query


class _RunId(StringConvertor):
    """A run's id in a path, the start of one, or last: other words under ``/runs/`` are pages of their own."""

    regex = "run-[^/]+|last"


register_url_convertor("run", _RunId())


def run_address(run_id: str) -> str:
    """Return the address of a run."""
    return f"/runs/{path_part(run_id)}"


def samples_address(run_id: str, query: Mapping[str, object] | None = None) -> str:
    """Return the address of the samples of a run."""
    return with_query(f"{run_address(run_id)}/samples", query or {})


def sample_address(
    run_id: str, sample_id: str, repeat: int | None = None, query: Mapping[str, object] | None = None
) -> str:
    """Return the address of one sample of a run."""
    path = f"{run_address(run_id)}/samples/{path_part(sample_id)}"
    return with_query(path, {"repeat": repeat, **(query or {})})
