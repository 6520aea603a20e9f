"""Evaluators' records as they stand in the ledger: of each, the last revision counts."""

from dataclasses import dataclass
from typing import Any

from plumbrule.ledger import Entry, Ledger
from plumbrule.rubrics import load_scorecard
from plumbrule.scorecards.records import EvaluationRecord, read_record


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRecord:
    """One evaluator's card on one interaction, with what it came to when it was kept."""

    record: EvaluationRecord
    decision: dict[str, Any]
    campaign: str | None
    role: str
    revision: int
    entry: Entry


def stored_records(ledger: Ledger) -> list[StoredRecord]:
    """Return the last revision of every record, in the order in which they were begun."""
    rubric = load_scorecard().rubric
    last = {entry.subject: entry for entry in ledger.entries(kind="record")}
    found = []
    for entry in last.values():
        body = entry.value
        found.append(
            StoredRecord(
                record=read_record(body["record"], rubric, complete=False),
                decision=body["decision"],
                campaign=body["campaign"],
                role=body["role"],
                revision=body["revision"],
                entry=entry,
            )
        )
    return found
