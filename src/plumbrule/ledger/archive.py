"""Moves the bodies of entries out of a ledger into an archive, and back; the chain stays as it is.

An entry whose body is archived keeps its header, and with it every hash. First the archive is written and read back,
then one transaction takes the bodies away and appends an entry of the kind ``archive`` for each run. A process that
ends in between leaves a ledger that is whole, and perhaps a folder that the same command takes as it is.
"""

import heapq
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Literal

from sqlalchemy import ColumnElement, Connection, bindparam, func, select

from plumbrule.codec import from_json, optional_key, to_json
from plumbrule.errors import InputError, UsageError
from plumbrule.ledger.archive_folder import (
    NO_COLUMNS,
    ArchiveFolder,
    QueryColumns,
    batches,
    open_archive,
    write_archive,
)
from plumbrule.ledger.chain import ARCHIVABLE, NO_BODY, BrokenChainError, Row, link, walk
from plumbrule.ledger.database import reading, writing
from plumbrule.ledger.entry import Draft, Entry
from plumbrule.ledger.entry_rows import insert, stream
from plumbrule.ledger.guards import unguarded
from plumbrule.ledger.ledger_errors import LedgerBrokenError, LedgerError
from plumbrule.ledger.store import Ledger, last_entry
from plumbrule.ledger.tables import entries

_LOCK = "archive"  # one at a time

Selection = Mapping[str, Sequence[str]]  # the kinds of entries, by run


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveNotice:
    """What an archive entry says of a run, which is its subject: how many bodies of each kind went where, and why."""

    event: Literal["archived", "restored"]
    kinds: Mapping[str, int]
    folder: str
    manifest_sha256: str
    reason: str | None = optional_key()


@dataclass(frozen=True, slots=True, kw_only=True)
class Extent:
    """How many bodies, and how many bytes or characters of text they are."""

    entries: int
    size: int


def read_notice(entry: Entry) -> ArchiveNotice:
    """Return what an archive entry says."""
    return from_json(ArchiveNotice, entry.value, where=f"ledger entry {entry.sequence} (archive {entry.subject})")


def archived_kinds(ledger: Ledger, run: str | None = None) -> dict[str, dict[str, Entry]]:
    """Return the archive entries that stand, by run and kind; of one run where it is named."""
    standing: dict[str, dict[str, Entry]] = {}
    for entry in ledger.entries(kind="archive", subject=run):
        of_run = standing.setdefault(entry.subject, {})
        notice = read_notice(entry)
        for kind in notice.kinds:
            if notice.event == "archived":
                of_run[kind] = entry
            else:
                of_run.pop(kind, None)
    return standing


def archivable(ledger: Ledger, runs: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return the kinds of which runs have bodies that can be archived; a run that has none is left out."""
    archived = archived_kinds(ledger)
    found: dict[str, list[str]] = {}
    with reading(ledger.engine, ledger.name) as connection:
        for run in runs:
            for kind in ARCHIVABLE:
                some = select(entries.c.sequence).where(*_bodies(run, kind)).limit(1)
                if kind not in archived.get(run, {}) and connection.scalar(some) is not None:
                    found.setdefault(run, []).append(kind)
    return {run: tuple(kinds) for run, kinds in found.items()}


def extent_of(ledger: Ledger, selection: Selection) -> dict[str, Extent]:
    """Return how much there is to archive, by kind."""
    extents: dict[str, Extent] = {}
    with reading(ledger.engine, ledger.name) as connection:
        for run, kinds in selection.items():
            for kind in kinds:
                wanted = select(func.count(), func.coalesce(func.sum(func.length(entries.c.body)), 0))
                count, size = connection.execute(wanted.where(*_bodies(run, kind))).one()
                before = extents.get(kind, Extent(entries=0, size=0))
                extents[kind] = Extent(entries=before.entries + count, size=before.size + size)
    return extents


def archive(
    ledger: Ledger,
    selection: Selection,
    path: Path,
    *,
    author: str,
    reason: str,
    at: datetime,
    columns: QueryColumns = NO_COLUMNS,
) -> ArchiveFolder:
    """Move the bodies of some kinds of some runs to a new folder; return the archive."""
    _check(selection, reason=reason)
    with ledger.hold(_LOCK):
        end = ledger.checkpoint().sequence
        with closing(_selected(ledger, selection, end)) as rows:
            folder = write_archive(path, rows, ledger_id=ledger.ledger_id, columns=columns)
        _read_back(folder)
        with writing(ledger.engine, ledger.name) as connection:
            with unguarded(connection):
                for run, kinds in folder.manifest.runs.items():
                    for kind, count in kinds.items():
                        _take_away(connection, run, kind, count, upto=end, name=ledger.name)
            _append(connection, ledger, folder, "archived", author=author, reason=reason, at=at)
    return folder


def restore_archive(
    ledger: Ledger, path: Path, *, author: str, at: datetime, reason: str | None = None
) -> ArchiveFolder:
    """Put the bodies of an archive back where they were, each checked; return the archive, which stays as it is."""
    folder = open_archive(path)
    with ledger.hold(_LOCK):
        check_named(ledger, folder)
        folder.check_files()
        with writing(ledger.engine, ledger.name) as connection:
            with unguarded(connection):
                restored = _put_back(connection, folder)
            if not restored:
                raise UsageError(f"{ledger.name}: has every body of {path} already: there is nothing to restore")
            for run, kinds in folder.manifest.runs.items():
                for kind in kinds:
                    if left := _count_archived(connection, run, kind):
                        raise InputError(f"{path}: has not all of {run}: {left} {kind} entries are still archived")
            _append(connection, ledger, folder, "restored", author=author, reason=reason, at=at)
    return folder


def check_named(ledger: Ledger, folder: ArchiveFolder) -> None:
    """Refuse a folder that no archive entry of the ledger names: it is of another ledger, or was changed."""
    named = {(entry.subject, read_notice(entry).manifest_sha256) for entry in ledger.entries(kind="archive")}
    for run in folder.manifest.runs:
        if (run, folder.manifest_sha256) not in named:
            said = f"no entry of {ledger.name} names this archive"
            raise InputError(f"{folder.path}: {said}: it is of another ledger, or its manifest was changed")


def archived_bodies(ledger: Ledger, paths: Sequence[Path]) -> Iterator[tuple[int, bytes]]:
    """Yield the bodies in archives of a ledger, with their numbers, in the order of the chain."""
    folders = [open_archive(path) for path in paths]
    for folder in folders:
        check_named(ledger, folder)
        folder.check_files()
    return ((row[0], row[5]) for row in heapq.merge(*(folder.rows() for folder in folders), key=lambda row: row[0]))


def _check(selection: Selection, *, reason: str) -> None:
    if not reason.strip():
        raise UsageError("why? a reason is needed, and recorded")
    for kinds in selection.values():
        for kind in kinds:
            if kind not in ARCHIVABLE:
                raise UsageError(f"the bodies of {kind} entries are never archived, only of {', '.join(ARCHIVABLE)}")


def _selected(ledger: Ledger, selection: Selection, end: int) -> Generator[Row]:
    """Walk along the whole chain, and yield the rows to archive up to an entry."""
    wanted = {(run.encode(), kind.encode()) for run, kinds in selection.items() for kind in kinds}
    try:
        with closing(stream(ledger.engine, ledger.name)) as rows:
            for row in walk(rows):
                if row[5] and row[0] <= end and (row[2].partition(b"/")[0], row[1]) in wanted:
                    yield row
    except BrokenChainError as error:
        raise LedgerBrokenError(f"{ledger.name}: {error.broken.message}: nothing was archived") from None


def _read_back(folder: ArchiveFolder) -> None:
    """Read all of an archive from the disk again, before anything is taken away."""
    folder.check_files()
    count = sum(1 for _ in folder.checked_rows())
    if count != folder.manifest.entries:
        raise InputError(f"{folder.path}: has {count} entries of {folder.manifest.entries}: nothing was taken away")


def _take_away(connection: Connection, run: str, kind: str, count: int, *, upto: int, name: str) -> None:
    change = entries.update().where(*_bodies(run, kind), entries.c.sequence <= upto).values(body=NO_BODY)
    taken = connection.execute(change).rowcount
    if taken != count:
        raise LedgerError(f"{name}: {run}: of {count} {kind} entries that were archived {taken} are there: try again")
    if _count_archived(connection, run, kind) != count:  # a run is restored as it was archived, a kind at a time
        raise LedgerError(f"{name}: {run}: some of its {kind} entries are archived already: restore them first")


_PUT_BACK = (
    entries.update()
    .where(
        entries.c.sequence == bindparam("number"),
        entries.c.body_sha256 == bindparam("digest"),
        entries.c.entry_sha256 == bindparam("own"),
        entries.c.body == NO_BODY,
    )
    .values(body=bindparam("text"))
)


def _put_back(connection: Connection, folder: ArchiveFolder) -> int:
    """Write every body of an archive that fits its hash to its place; return how many were written."""
    restored = 0
    for some in batches(folder.checked_rows()):
        values = [
            {"number": row[0], "digest": row[6].decode(), "own": row[8].decode(), "text": row[5].decode()}
            for row in some
        ]
        restored += connection.execute(_PUT_BACK, values).rowcount
    return restored


def _count_archived(connection: Connection, run: str, kind: str) -> int:
    wanted = select(func.count()).select_from(entries).where(*_of_run(run, kind), entries.c.body == NO_BODY)
    return connection.scalar(wanted) or 0


def _append(
    connection: Connection,
    ledger: Ledger,
    folder: ArchiveFolder,
    event: Literal["archived", "restored"],
    *,
    author: str,
    reason: str | None,
    at: datetime,
) -> None:
    """Append what was done to each run, inside the same transaction."""
    notice = ArchiveNotice(
        event=event,
        kinds={},
        folder=str(folder.path),
        manifest_sha256=folder.manifest_sha256,
        reason=reason,
    )
    last, new = last_entry(connection, ledger.name), []
    for run, kinds in folder.manifest.runs.items():
        body = to_json(replace(notice, kinds=kinds))
        draft = Draft(kind="archive", subject=run, body=body, author=author, at=at)
        last = link(draft.sealed(), sequence=last.sequence + 1, previous_sha256=last.entry_sha256)
        new.append(last)
    insert(connection, new)


def _bodies(run: str, kind: str) -> list[ColumnElement[bool]]:
    return [*_of_run(run, kind), entries.c.body != NO_BODY]


def _of_run(run: str, kind: str) -> list[ColumnElement[bool]]:
    """Return the conditions for what stands below a run: a range up to the character after the slash."""
    return [entries.c.kind == kind, entries.c.subject >= f"{run}/", entries.c.subject < f"{run}0"]
