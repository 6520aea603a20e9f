"""Evaluation records as a table: one row for each record, one column for each field of the template."""

import csv
import io
from collections.abc import Sequence

from plumbrule.reviews.record_store import ExportedRecord
from plumbrule.terminal import cell_text

_BEFORE = ("evaluation_id", "date", "evaluator", "role", "trigger", "query", "trace_id")
_AFTER = (
    "overall_score",
    "band",
    "recommendation",
    "blockers",
    "reasons",
    "notes",
    "revision",
    "campaign",
    "interaction",
)


def records_csv(records: Sequence[ExportedRecord]) -> str:
    """Return the records as CSV, with the levels by their names; no cell is a formula."""
    dimensions = dict.fromkeys(key for record in records for key in record.scores)
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow([*_BEFORE, *dimensions, *_AFTER])
    for record in records:
        writer.writerow(
            [
                *(_cell(getattr(record, name)) for name in _BEFORE),
                *(_cell(record.scores.get(key)) for key in dimensions),
                *(_cell(_flat(record, name)) for name in _AFTER),
            ]
        )
    return written.getvalue()


def _flat(record: ExportedRecord, name: str) -> object:
    if name == "blockers":
        return "; ".join(f"{blocker.rule}: {', '.join(blocker.dimensions)}" for blocker in record.blockers)
    if name == "reasons":
        return "; ".join(record.reasons)
    return getattr(record, name)


def _cell(value: object) -> object:
    if value is None:
        return ""
    return cell_text(value) if isinstance(value, str) else value
