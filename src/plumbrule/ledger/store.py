"""The ledger itself: appends entries durably, one writer at a time, and finds them again."""

import shlex
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from types import TracebackType
from typing import Self

from sqlalchemy import ColumnElement, Connection, Engine, ScalarSelect, bindparam, func, or_, select

from plumbrule.errors import UsageError
from plumbrule.ledger.chain import NO_BODY, ArchivedBodies, RowsWithArchived, Verification, is_intact, judge, link
from plumbrule.ledger.chain_watch import ChainWatch
from plumbrule.ledger.checkpoint import Checkpoint
from plumbrule.ledger.database import reading, writing
from plumbrule.ledger.entry import KINDS, Draft, Entry, ResultKey
from plumbrule.ledger.entry_rows import insert, stream
from plumbrule.ledger.guards import missing_guards
from plumbrule.ledger.ledger_errors import (
    ArchivedError,
    EntryError,
    LeaseLostError,
    LedgerBrokenError,
    LedgerError,
    ResultStandsError,
)
from plumbrule.ledger.run_lock import holding
from plumbrule.ledger.shared_commit import Guard, SharedCommit, Ticket
from plumbrule.ledger.state_files import StateFiles
from plumbrule.ledger.tables import entries

_FETCH = 1000
_ASK = 500  # subjects in one question


_END = select(func.max(entries.c.sequence))
_LAST = select(entries).order_by(entries.c.sequence.desc()).limit(1)
_STANDING = select(entries).where(
    entries.c.kind == "result", entries.c.subject.in_(bindparam("subjects", expanding=True))
)


class Ledger:
    """An append-only store of entries in one hash chain; safe to share between threads.

    Make one with ``open_ledger``, and one for each process.
    """

    def __init__(
        self,
        engine: Engine,
        *,
        name: str,
        ledger_id: str,
        files: StateFiles | None = None,
        watch: ChainWatch | None = None,
    ) -> None:
        self.name = name
        self.ledger_id = ledger_id
        self.files = files  # what is kept of it outside the database
        self._engine = engine
        self._watch = watch  # None where what is read is not verified
        self._newest: dict[tuple[str, ...], _Newest] = {}  # by the kinds that were asked for
        self._commits = SharedCommit(self._write)

    @property
    def engine(self) -> Engine:
        """Return the database engine, for those who read in ways of their own."""
        return self._engine

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Keep a checkpoint of what was verified, and let go of the database."""
        self._commits.close()
        watch, self._watch = self._watch, None
        try:
            if watch is not None:
                watch.keep()
        finally:
            self._engine.dispose()

    def keep_checkpoint(self) -> None:
        """Keep a checkpoint of what was verified, as closing does: for a ledger that stays open for long."""
        if self._watch is not None:
            self._watch.keep()

    def append(self, kind: str, subject: str, body: object, author: str, *, at: datetime) -> Entry:
        """Append one entry; it is durable when this returns. A result that already stands is returned as it is."""
        return self.append_many([Draft(kind=kind, subject=subject, body=body, author=author, at=at)])[0]

    def correct(self, entry: Entry, value: object, author: str, *, reason: str, at: datetime) -> Entry:
        """Append a correction of ``entry``, which stays as it is."""
        if not reason.strip():
            raise EntryError(f"a correction of entry {entry.sequence} needs a reason")
        body = {"corrects": entry.sequence, "corrects_sha256": entry.entry_sha256, "reason": reason, "value": value}
        standing = self.entry(entry.sequence)
        if standing != entry:
            raise EntryError(f"{self.name}: entry {entry.sequence} is not the one to be corrected")
        return self.append("correction", entry.subject, body, author, at=at)

    def append_many(self, drafts: Iterable[Draft]) -> list[Entry]:
        """Append entries together, all or none; return them in the order of ``drafts``.

        Callers that wait at the same time share one commit, so the disk is waited for once.
        """
        ticket = self.submit(drafts)
        try:
            return ticket.appended()
        except KeyboardInterrupt:
            self._commits.withdraw(ticket)
            raise

    def submit(self, drafts: Iterable[Draft], *, gathering_s: float = 0.0, guard: Guard | None = None) -> Ticket:
        """Queue entries that are appended together, all or none, for a caller that waits in a way of its own.

        With ``gathering_s`` the write may wait for others to join it. ``guard`` is asked in the same transaction, and
        raises a ``LeaseLostError`` where the caller has lost the right to write.
        """
        sealed = [draft.sealed() for draft in drafts]
        if any(draft.kind == "ledger" for draft in sealed):
            raise EntryError("the opening entry of a ledger is written once, when the ledger is made")
        return self._commits.submit(sealed, gathering_s=gathering_s, guard=guard)

    def entry(self, sequence: int) -> Entry | None:
        """Return one entry by its number."""
        last = -1 if self._watch is None else self._watch.advance()
        with self._told(), reading(self._engine, self.name) as connection:
            row = connection.execute(select(entries).where(entries.c.sequence == sequence)).mappings().first()
        if row is None and self._watch is not None and 0 <= sequence <= last:
            raise self._watch.fault(LedgerBrokenError(f"{self.name}: entry {sequence} is missing"))
        return None if row is None else self._checked(Entry(**row))

    def entries(
        self,
        *,
        kind: str | None = None,
        subject: str | None = None,
        run: str | None = None,
        after: int = 0,
        without_archived: bool = False,
    ) -> Iterator[Entry]:
        """Yield the entries that fit, in the order of the chain; ``run`` finds all that belongs to a run.

        One whose body is in an archive is an ArchivedError, or left out where ``without_archived`` says so.
        """
        search = _Search(kind, subjects=None if subject is None else (subject,), run=run)
        conditions = _conditions(kind=kind, subject=subject, run=run)
        return self._select(search, *conditions, entries.c.sequence > after, without_archived=without_archived)

    def outlines(self, *, kind: str, run: str | None = None) -> Iterator[tuple[str, str]]:
        """Yield subject and author of the entries that fit, in the order of the chain, without reading their bodies."""
        columns = entries.c.sequence, entries.c.subject, entries.c.author
        wanted = select(*columns).where(*_conditions(kind=kind, run=run)).order_by(entries.c.sequence)
        upto = self._cover(_Search(kind, run=run))
        with self._told(), reading(self._engine, self.name) as connection:
            for sequence, subject, author in connection.execute(wanted):
                if self._watch is not None and sequence > upto:  # appended in the meantime
                    upto = self._watch.advance()
                yield subject, author

    def newest(self, *kinds: str, run: str | None = None) -> tuple[int, str]:
        """Return number and hash of the last entry of these kinds, of any for none; -1 and "" where there is none.

        As entries are only ever added, what was made from them holds for as long as this is the same. It reads no entry
        whole, and verifies none. Asked again, it looks only at what was appended since.
        """
        columns = entries.c.sequence, entries.c.entry_sha256
        before = None if run is not None else self._newest.get(kinds)
        with reading(self._engine, self.name) as connection:
            end = connection.scalar(_END) or 0
            if before is not None and before.upto <= end:
                # the empty text keeps a database from its index by kind, which has all entries of a kind
                later = entries.c.sequence > before.upto, (entries.c.kind + "").in_(kinds or KINDS)
                wanted = select(*columns).where(*later).order_by(entries.c.sequence.desc()).limit(1)
            else:
                last = _newest(entries.c.kind.in_(kinds or KINDS), *_within(run))
                before, wanted = None, select(*columns).where(entries.c.sequence == last)
            found = connection.execute(wanted).first()
        if found is None:
            newest = (-1, "") if before is None else before.newest
        else:
            newest = found.sequence, found.entry_sha256
        if run is None:
            self._newest[kinds] = _Newest(max(end, newest[0]), newest)
        return newest

    def last_entries(self, kind: str, subjects: Iterable[str]) -> dict[str, Entry]:
        """Return the last entry of a kind on each of these subjects; none where there is none."""
        asked = list(dict.fromkeys(subjects))
        last: dict[str, Entry] = {}
        for start in range(0, len(asked), _ASK):
            some = entries.c.subject.in_(asked[start : start + _ASK])
            search = _Search(kind, subjects=asked)
            last.update((entry.subject, entry) for entry in self._select(search, entries.c.kind == kind, some))
        return last

    def glance(self, kind: str, subjects: Sequence[str]) -> Iterator[Entry]:
        """Yield the entries of a kind on these subjects, each whole in itself, for an overview over many runs.

        Whether an entry among its neighbours is missing, or this one was exchanged for another, is not looked into:
        that would be to read every run of the overview. Who shows an entry by itself reads it in another way. What is
        archived is left out.
        """
        notices: dict[tuple[str, str], Entry | None] = {}
        for start in range(0, len(subjects), _ASK):
            some = entries.c.subject.in_(subjects[start : start + _ASK])
            wanted = select(entries).where(entries.c.kind == kind, some).order_by(entries.c.sequence)
            with self._told(), reading(self._engine, self.name) as connection:
                for row in connection.execute(wanted).mappings():
                    entry = Entry(**row)
                    if entry.body == NO_BODY:
                        self._archived(entry, notices)
                        continue
                    if self._watch is not None and not is_intact(entry):
                        self._watch.check(entry)  # which names the first bad entry
                    yield entry

    def standing(self, kind: str) -> Iterator[Entry]:
        """Yield the last entry of a kind on each subject that has any, in the order of the chain."""
        last = select(func.max(entries.c.sequence)).where(entries.c.kind == kind).group_by(entries.c.subject)
        return self._select(_Search(kind), entries.c.sequence.in_(last))

    def runs(self, prefix: str = "") -> Iterator[Entry]:
        """Yield the runs whose id begins with ``prefix``, the oldest first."""
        return self._select(_Search("run"), entries.c.kind == "run", *_begins(prefix))

    def last_run(self) -> Entry | None:
        """Return the last run; the others are not read."""
        last = _newest(entries.c.kind == "run")
        return next(self._select(_Search("run"), entries.c.sequence == last), None)

    def results(self, run: str) -> Iterator[Entry]:
        """Yield the results of a run, in the order in which they were finished."""
        return self.entries(kind="result", run=run)

    def result(self, key: ResultKey) -> Entry | None:
        """Return the one result of a sample in a repeat of a run."""
        search = _Search("result", subjects=(key.subject,))
        return next(iter(self._select(search, *_conditions(kind="result", subject=key.subject))), None)

    def hold(self, run: str, *, shared: bool = False) -> AbstractContextManager[None]:
        """Hold a run while a block carries it out: a second process is refused, and a killed one lets go.

        Those who hold it ``shared`` refuse only who wants it alone.
        """
        return holding(self._engine, run, name=self.name, ledger_id=self.ledger_id, shared=shared)

    def corrections(self, entry: Entry) -> list[Entry]:
        """Return the corrections of an entry, the oldest first."""
        later = self.entries(kind="correction", subject=entry.subject, after=entry.sequence)
        return [correction for correction in later if correction.value.get("corrects") == entry.sequence]

    def checkpoint(self, sequence: int | None = None) -> Checkpoint:
        """Return the end of the chain as it is now, or as it was when ``sequence`` was the last entry."""
        if sequence is None:
            with reading(self._engine, self.name) as connection:
                last = last_entry(connection, self.name)
        else:
            entry = self.entry(sequence)
            if entry is None:
                raise UsageError(f"{self.name}: there is no entry {sequence}")
            last = entry
        return Checkpoint(
            ledger_id=self.ledger_id,
            sequence=last.sequence,
            entry_sha256=last.entry_sha256,
            recorded_at_utc=last.recorded_at_utc,
        )

    def holds_more_than(self, most: int, *kinds: str) -> bool:
        """Tell whether there are more entries of these kinds than ``most``; no more of them are counted."""
        some = select(entries.c.sequence).where(entries.c.kind.in_(kinds)).limit(most + 1).subquery()
        with reading(self._engine, self.name) as connection:
            return connection.execute(select(func.count()).select_from(some)).scalar_one() > most

    def verify(
        self,
        *checkpoints: Checkpoint,
        anchors: Iterable[tuple[int, str]] = (),
        archived: Iterable[tuple[int, bytes]] = (),
    ) -> Verification:
        """Walk along the whole chain and name the first broken entry; checkpoints must be held, too.

        ``anchors`` are what else is known: the beginning of the hash of an entry, by its number. ``archived`` are
        bodies from archives, in the order of the chain: those that the ledger does not hold itself are hashed, too.
        """
        for checkpoint in checkpoints:
            if checkpoint.ledger_id != self.ledger_id:
                raise UsageError(f"{self.name}: is {self.ledger_id}, the checkpoint is of {checkpoint.ledger_id}")
        missing = missing_guards(self._engine, self.name)
        with closing(stream(self._engine, self.name)) as rows:
            filled = RowsWithArchived(rows, archived)
            verification = judge(
                filled, ledger_id=self.ledger_id, missing_guards=missing, checkpoints=checkpoints, anchors=anchors
            )
        return replace(verification, archives_verified=filled.filled or None)

    def _write(self, tickets: list[Ticket]) -> None:
        """Write what every ticket asks for, in one transaction."""
        shared = any(ticket.guard is not None for ticket in tickets)
        try:
            with writing(self._engine, self.name, hasty=shared) as connection:
                new: list[Entry] = []
                standing = _standing(connection, tickets)
                last = before = last_entry(connection, self.name)
                refused = _refused(connection, tickets)
                for ticket in tickets:
                    try:
                        if ticket.guard in refused:
                            raise refused[ticket.guard]
                        added = _place(ticket, last, standing)
                    except (LeaseLostError, ResultStandsError) as error:
                        ticket.error = error  # only of this one: the others go on
                    else:
                        new += added
                        last = added[-1] if added else last
                insert(connection, new)
            if self._watch is not None:
                self._watch.appended(before, new)
        except LedgerError as error:
            for ticket in tickets:
                ticket.error = ticket.error or error

    def _select(
        self, search: "_Search", *conditions: ColumnElement[bool], without_archived: bool = False
    ) -> Iterator[Entry]:
        wanted = select(entries).where(*conditions).order_by(entries.c.sequence)
        upto = self._cover(search)
        notices: dict[tuple[str, str], Entry | None] = {}
        with (
            self._told(),
            reading(self._engine, self.name) as connection,
            connection.execution_options(yield_per=_FETCH).execute(wanted) as rows,
        ):
            for row in rows.mappings():
                entry = Entry(**row)
                if self._watch is not None and entry.sequence > upto:  # appended in the meantime
                    upto = self._watch.advance()
                if without_archived and entry.body == NO_BODY:
                    self._archived(entry, notices)
                    continue
                yield self._checked(entry)

    def _cover(self, search: "_Search") -> int:
        """Verify what a search looks into; return the number of the last verified entry."""
        if self._watch is None:
            return -1
        return self._watch.cover(search.kind, subjects=search.subjects, run=search.run)

    def _archived(self, entry: Entry, notices: dict[tuple[str, str], Entry | None] | None = None) -> ArchivedError:
        """Return the error that says where the body of an entry is; where no archive has it, the entry is broken.

        ``notices`` keeps what was looked up, for a caller with many entries.
        """
        run, notices = entry.subject.partition("/")[0], {} if notices is None else notices
        if (run, entry.kind) not in notices:
            notices[run, entry.kind] = self._archive_notice(run, entry.kind)
        notice = notices[run, entry.kind]
        if notice is None or notice.sequence < entry.sequence:
            error = LedgerBrokenError(f"{self.name}: entry {entry.sequence}: its body is gone, and no archive has it")
            raise error if self._watch is None else self._watch.fault(error)
        folder, day = str(notice.value.get("folder")), notice.recorded_at_utc[:10]
        return ArchivedError(
            f"{run}: its {entry.kind} entries were archived on {day} to {folder}: put them back with: "
            f"plumbrule ledger restore {shlex.quote(folder)}",
            run=run,
        )

    def _archive_notice(self, run: str, kind: str) -> Entry | None:
        """Return the entry that says where the bodies of a kind of a run are."""
        notices, bodies = list(self.entries(kind="archive", subject=run)), ArchivedBodies()
        for notice in notices:
            bodies.see(notice.sequence, run.encode(), notice.body.encode())
        since = bodies.since(run.encode(), kind.encode())
        return next((notice for notice in notices if notice.sequence == since), None)

    def _checked(self, entry: Entry) -> Entry:
        if entry.body == NO_BODY:
            raise self._archived(entry)
        if self._watch is not None:
            self._watch.check(entry)
        return entry

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Name the first bad entry where text is too damaged to be read at all."""
        try:
            yield
        except LedgerError as error:
            if type(error) is not LedgerError or self._watch is None:
                raise
            raise self._watch.fault(error) from None


@dataclass(frozen=True, slots=True)
class _Newest:
    """The number and hash of the newest entry of some kinds, of all entries up to one."""

    upto: int
    newest: tuple[int, str]


@dataclass(frozen=True, slots=True)
class _Search:
    """What a search looks into: a kind or all of them, whole, or only some subjects, or what belongs to a run."""

    kind: str | None
    subjects: Sequence[str] | None = None
    run: str | None = None


def _refused(connection: Connection, tickets: list[Ticket]) -> dict[Guard | None, LeaseLostError]:
    """Return the guards that refuse, each asked once: tickets of one caller have the same."""
    refused: dict[Guard | None, LeaseLostError] = {}
    for guard in dict.fromkeys(ticket.guard for ticket in tickets):
        try:
            if guard is not None:
                guard(connection)
        except LeaseLostError as error:
            refused[guard] = error
    return refused


def _newest(*conditions: ColumnElement[bool]) -> ScalarSelect[int]:
    """Return the number of the last entry that fits, as a part of a statement.

    Adding nothing keeps PostgreSQL from going through all entries from the last one back until one fits.
    """
    return select(func.max(entries.c.sequence + 0)).where(*conditions).scalar_subquery()


def _place(ticket: Ticket, last: Entry, standing: dict[str, Entry]) -> list[Entry]:
    """Give the drafts of a ticket their places after ``last``; return those that are new."""
    added: list[Entry] = []
    placed: list[Entry] = []
    results: dict[str, Entry] = {}
    for draft in ticket.drafts:
        if draft.kind == "result":
            old = standing.get(draft.subject) or results.get(draft.subject)
            if old is not None and old.body_sha256 != draft.body_sha256:
                raise ResultStandsError(
                    f"another result of {draft.subject} stands as entry {old.sequence}: append a correction instead"
                )
            if old is not None:
                placed.append(old)
                continue
        last = link(draft, sequence=last.sequence + 1, previous_sha256=last.entry_sha256)
        if draft.kind == "result":
            results[draft.subject] = last
        added.append(last)
        placed.append(last)
    standing.update(results)
    ticket.entries = placed
    return added


def _standing(connection: Connection, tickets: list[Ticket]) -> dict[str, Entry]:
    """Return the results that stand already, of those that are to be appended."""
    asked = [draft.subject for ticket in tickets for draft in ticket.drafts if draft.kind == "result"]
    standing: dict[str, Entry] = {}
    for start in range(0, len(asked), _ASK):
        some = asked[start : start + _ASK]
        rows = connection.execute(_STANDING, {"subjects": some}).mappings()
        standing.update((row["subject"], Entry(**row)) for row in rows)
    return standing


def last_entry(connection: Connection, name: str) -> Entry:
    """Return the last entry of a chain."""
    row = connection.execute(_LAST).mappings().first()
    if row is None:
        raise LedgerBrokenError(f"{name}: every entry is gone: restore it from a backup")
    return Entry(**row)


def _conditions(*, kind: str | None, subject: str | None = None, run: str | None = None) -> list[ColumnElement[bool]]:
    # Naming every kind lets the one index serve a search by subject alone.
    conditions: list[ColumnElement[bool]] = [] if kind is None else [entries.c.kind == kind]
    if kind is None and (subject is not None or run is not None):
        conditions = [entries.c.kind.in_(KINDS)]
    if subject is not None:
        conditions.append(entries.c.subject == subject)
    return [*conditions, *_within(run)]


def _within(run: str | None) -> list[ColumnElement[bool]]:
    """Return the conditions for what belongs to a run; none for None."""
    if run is None:
        return []
    # One range of the index, up to the character after the slash, less what only begins with the same letters.
    in_range = [entries.c.subject >= run, entries.c.subject < f"{run}0"]
    return [*in_range, or_(entries.c.subject == run, entries.c.subject >= f"{run}/")]


def _begins(prefix: str) -> list[ColumnElement[bool]]:
    """Return the conditions for a subject that begins with ``prefix``, as a range of an index."""
    if not prefix:
        return []
    return [entries.c.subject >= prefix, entries.c.subject < f"{prefix}\U0010ffff"]
