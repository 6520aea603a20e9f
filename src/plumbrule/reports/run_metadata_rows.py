"""The metadata of a run as rows of a table."""

import json
from collections.abc import Mapping
from dataclasses import fields

from plumbrule.reports.figure_text import NONE
from plumbrule.runs.run_metadata import REQUIRED, RunMetadata

_APART = ("packages", "rubrics", "warnings")  # they have places of their own


def metadata_rows(metadata: RunMetadata) -> list[tuple[str, str | None, bool]]:
    """Return the metadata as name, text and whether it is required; the required ones first, in their order."""
    others = (field.name for field in fields(metadata) if field.name not in {*REQUIRED, *_APART})
    return [(name, _plain(getattr(metadata, name)), name in REQUIRED) for name in (*REQUIRED, *others)]


def _plain(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_plain(each) or NONE}" for name, each in value.items())
    return json.dumps(value, ensure_ascii=False)
