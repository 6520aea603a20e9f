"""The metadata of a run as rows of a table."""

import json
from collections.abc import Mapping
from typing import Any

from plumbrule.reports.figure_text import NONE
from plumbrule.runs.run_metadata import REQUIRED

_APART = ("packages", "rubrics", "warnings")  # they have places of their own


def metadata_rows(metadata: Mapping[str, Any]) -> list[tuple[str, str | None, bool]]:
    """Return the metadata as name, text and whether it is required; the required ones first, in their order."""
    names = [*REQUIRED, *(name for name in metadata if name not in REQUIRED and name not in _APART)]
    return [(name, _plain(metadata.get(name)), name in REQUIRED) for name in names]


def _plain(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_plain(each) or NONE}" for name, each in value.items())
    return json.dumps(value, ensure_ascii=False)
