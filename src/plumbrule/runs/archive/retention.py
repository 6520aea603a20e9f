"""How long the bodies of runs stay in the ledger: which of them a policy, a date or a name selects for an archive.

Only what is large and belongs to one run is archived: its samples, its results, and what was said to models. Runs,
rubrics, decisions, labels, corrections, records, campaigns, alerts and incidents always stay.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, TypeAdapter
from pydantic.dataclasses import dataclass

from plumbrule.errors import UsageError
from plumbrule.ledger import Ledger, archivable
from plumbrule.rubrics.yaml_reader import read_yaml
from plumbrule.runs.run_entries import find_run

Kind = Literal["exchange", "result", "sample"]
Days = Annotated[int, Field(ge=0, le=100_000)]


@dataclass(frozen=True, slots=True, kw_only=True, config=ConfigDict(extra="forbid"))
class Retention:
    """For how many days after a run was decided the bodies of a kind stay; what is not named stays for good."""

    keep_days: Mapping[Kind, Days] = field(default_factory=dict)


def read_retention(path: Path) -> Retention:
    """Return the policy of a file."""
    return read_yaml(path, mapping="a retention policy", error=UsageError).validate(TypeAdapter(Retention))


def select_due(ledger: Ledger, policy: Retention, *, at: datetime) -> dict[str, tuple[str, ...]]:
    """Return the kinds that a policy wants archived by now, by finished run, the oldest decision first."""
    kept = {str(kind): timedelta(days=days) for kind, days in policy.keep_days.items()}
    due = {run: [kind for kind, days in kept.items() if decided + days <= at] for run, decided in _decided(ledger)}
    there = archivable(ledger, (run for run, kinds in due.items() if kinds))
    selected = {run: tuple(kind for kind in kinds if kind in due[run]) for run, kinds in there.items()}
    return {run: kinds for run, kinds in selected.items() if kinds}


def select_before(ledger: Ledger, before: datetime) -> dict[str, tuple[str, ...]]:
    """Return everything that can be archived of the runs that were decided before a moment."""
    return archivable(ledger, [run for run, decided in _decided(ledger) if decided < before])


def select_runs(ledger: Ledger, references: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return everything that can be archived of runs that are named; each must be finished, and have something."""
    decided = dict(_decided(ledger))
    runs = [find_run(ledger, reference).subject for reference in references]
    for run in runs:
        if run not in decided:
            raise UsageError(f"{run}: is not finished, and only finished runs are archived")
    selected = archivable(ledger, runs)
    for run in runs:
        if run not in selected:
            raise UsageError(f"{run}: there is nothing to archive: it was archived already")
    return selected


def _decided(ledger: Ledger) -> Iterator[tuple[str, datetime]]:
    """Yield the finished runs, and when each was first decided; decisions on campaigns are of no run."""
    runs = {subject for subject, _ in ledger.outlines(kind="run")}
    for entry in ledger.entries(kind="decision"):
        if entry.subject in runs:
            runs.discard(entry.subject)
            yield entry.subject, datetime.fromisoformat(entry.recorded_at_utc)
