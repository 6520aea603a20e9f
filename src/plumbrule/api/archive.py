"""Interactions as they stand in the ledger, found again by their trace id."""

from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import unquote

from plumbrule.ledger import Entry, Ledger
from plumbrule.ledger.entry import escaped

_ROOM = "interactions/"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredInteraction:
    """One interaction: the last entry under its trace id."""

    trace_id: str
    entry: Entry


def stored_interactions(ledger: Ledger) -> list[StoredInteraction]:
    """Return every interaction, in the order in which they came; of several under one trace id the last counts."""
    return _last(ledger.entries(kind="interaction"))


def find_interaction(ledger: Ledger, trace_id: str) -> StoredInteraction | None:
    """Return the interaction with this trace id; None where there is none."""
    found = _last(ledger.entries(kind="interaction", subject=f"{_ROOM}{escaped(trace_id)}"))
    return found[0] if found else None


def _last(entries: Iterable[Entry]) -> list[StoredInteraction]:
    last = {entry.subject: entry for entry in entries}
    return [
        StoredInteraction(trace_id=unquote(subject.removeprefix(_ROOM), errors="strict"), entry=entry)
        for subject, entry in last.items()
    ]
