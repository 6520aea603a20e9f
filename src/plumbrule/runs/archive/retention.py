"""How long the bodies of runs stay in the ledger: which of them a policy, a date or a name selects for an archive.

Only what is large and belongs to one run is archived: its samples, its results, and what was said to models. Runs,
rubrics, decisions, labels, corrections, records, campaigns, alerts and incidents always stay.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, TypeAdapter
from pydantic.dataclasses import dataclass

from plumbrule.errors import UsageError
from plumbrule.ledger import ARCHIVABLE, Entry, Ledger, archived_kinds
from plumbrule.rubrics.yaml_reader import read_yaml
from plumbrule.runs.run_entries import find_run

Kind = Literal["exchange", "result", "sample"]
Days = Annotated[int, Field(ge=0, le=100_000)]


@dataclass(frozen=True, slots=True, kw_only=True, config=ConfigDict(extra="forbid"))
class Retention:
    """For how many days after a run was decided the bodies of a kind stay; what is not named stays for good."""

    keep_days: Mapping[Kind, Days] = field(default_factory=dict)

    def due(self, decided: datetime, at: datetime) -> tuple[str, ...]:
        """Return the kinds that are due for an archive."""
        return tuple(
            kind
            for kind in ARCHIVABLE
            if kind in self.keep_days and decided + timedelta(days=self.keep_days[kind]) <= at  # type: ignore[index]  # a Kind
        )


def read_retention(path: Path) -> Retention:
    """Return the policy of a file."""
    return read_yaml(path, mapping="a retention policy", error=UsageError).validate(TypeAdapter(Retention))


def select_due(ledger: Ledger, policy: Retention, *, at: datetime) -> dict[str, tuple[str, ...]]:
    """Return the kinds that a policy wants archived by now, by finished run, the oldest first."""
    due = {run.subject: policy.due(_moment(run), at) for run in _decided(ledger)}
    return _without_archived(ledger, due)


def select_before(ledger: Ledger, before: datetime) -> dict[str, tuple[str, ...]]:
    """Return everything that can be archived of the runs that were decided before a moment."""
    old = {run.subject: ARCHIVABLE for run in _decided(ledger) if _moment(run) < before}
    return _without_archived(ledger, old)


def select_runs(ledger: Ledger, references: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return everything that can be archived of runs that are named; each must be finished."""
    decided = {entry.subject for entry in _decided(ledger)}
    named = [find_run(ledger, reference).subject for reference in references]
    for run in named:
        if run not in decided:
            raise UsageError(
                f"{run}: is not finished, and only finished runs are archived: finish it with 'plumbrule run'"
            )
    selected = _without_archived(ledger, dict.fromkeys(named, ARCHIVABLE))
    for run in named:
        if run not in selected:
            raise UsageError(f"{run}: is archived already")
    return selected


def _decided(ledger: Ledger) -> Iterator[Entry]:
    """Yield the first decision on each run; those of campaigns are of no run."""
    runs = {subject for subject, _ in ledger.outlines(kind="run")}
    for entry in ledger.entries(kind="decision"):
        if entry.subject in runs:
            runs.discard(entry.subject)
            yield entry


def _moment(entry: Entry) -> datetime:
    return datetime.fromisoformat(entry.recorded_at_utc).astimezone(UTC)


def _without_archived(ledger: Ledger, wanted: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Leave out what is archived already, and runs of which nothing is left."""
    archived = archived_kinds(ledger)
    left = {run: tuple(kind for kind in kinds if kind not in archived.get(run, {})) for run, kinds in wanted.items()}
    return {run: kinds for run, kinds in left.items() if kinds}
