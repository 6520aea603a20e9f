"""Verifies what is read from a ledger, and no more: against the state of the chain that is kept outside the database.

When a ledger is opened, the entries at which the kept states end must be there as they were, and everything that
follows them must be linked. A search first verifies the scopes that it looks into, so that no entry of them was changed
or taken away, and then every entry that it yields, with its body. When the ledger is closed, the state up to the last
verified entry is kept. On any fault the whole chain is walked, to name the first bad entry.
"""

import logging
import threading
import time
from collections.abc import Iterable, Sequence
from contextlib import closing

from sqlalchemy import Engine, func, select

from plumbrule.ledger.chain import BrokenChainError, Row, header_hash, is_intact, judge, walk
from plumbrule.ledger.chain_state import NOTHING, ChainState, Mark, extended, scope_of
from plumbrule.ledger.database import reading
from plumbrule.ledger.entry import KINDS, Entry
from plumbrule.ledger.entry_rows import headers, stream
from plumbrule.ledger.guards import missing_guards
from plumbrule.ledger.ledger_errors import LedgerBrokenError, LedgerError
from plumbrule.ledger.state_files import ACCEPT, Kept, StateFiles
from plumbrule.ledger.tables import entries

_RESTORE = "restore it from a backup"
_KEEP_EVERY_S = 30.0  # while a long run appends
_TRUSTED_S = 60.0  # how long a process goes by a scope that it has verified
_LAST_NUMBER = select(func.max(entries.c.sequence))

_log = logging.getLogger("plumbrule.ledger")


class ChainWatch:
    """What one open ledger has verified so far; safe to share between threads."""

    def __init__(self, engine: Engine, *, name: str, ledger_id: str, files: StateFiles | None) -> None:
        self._engine, self._name, self._files = engine, name, files
        self._state = ChainState(ledger_id=ledger_id)
        self._kept = Kept(own=(), foreign=(), beside_is_missing=False)
        self._kept_upto = -1
        self._kept_at = time.monotonic()
        self._verified: dict[tuple[str, str | None], float] = {}  # by kind and scope, None for all of a kind
        self._said: set[int] = set()
        self._faulty = False
        self._lock = threading.RLock()

    def begin(self, *, made: bool) -> None:
        """Hold the ledger against what was kept of it; ``made`` tells that it is new."""
        if made:
            self._begin_new()
            return
        if self._files is not None:
            self._kept = self._files.read()
        kept = self._kept
        kept.see_ledger(self._state.ledger_id, name=self._name)
        self._see_guards()
        self._hold_against(kept)
        own = max(kept.own, key=lambda state: state.sequence, default=None)
        if own is not None:
            self._state, self._kept_upto = own, own.sequence if kept.is_complete else -1
        self._say_how(own, kept, self.advance())

    def _begin_new(self) -> None:
        """Keep the state of a new ledger in the place of whatever was kept; say it where that was another ledger."""
        if self._files is None:
            self.advance()
            return
        before = self._files.last_known()
        self._kept_upto = self.advance()
        self._files.write(self._state, over=True)
        if before is not None and before.ledger_id != self._state.ledger_id:
            there = f"{before.ledger_id} with {before.sequence + 1:,} entries was here before"
            _log.warning("%s: a new ledger was made; %s", self._name, there)

    def cover(self, kind: str | None, *, subjects: Iterable[str] | None = None, run: str | None = None) -> int:
        """Verify the scopes that a search looks into, all of a kind where nothing narrows it; return up to where.

        None for a kind is any kind.
        """
        with self._lock:
            upto = self.advance()
            kinds = KINDS if kind is None else (kind,)
            if subjects is None and run is None:
                for each in kinds:
                    self._see_scope(each, None)
                return upto
            within = {scope_of(subject) for subject in (subjects or ())}
            if run is not None:
                within |= {run, scope_of(run)}
                if "/" not in run:  # else no scope is below it
                    within |= {scope for _, scope in self._state.scopes if scope.startswith(f"{run}/")}
            for each in kinds:
                for scope in within:
                    # what is in no known scope cannot be missing, and is refused when it is read
                    if (each, scope) in self._state.scopes:
                        self._see_scope(each, scope)
        return upto

    def advance(self) -> int:
        """Verify what was appended since, by whomever; return the number of the last verified entry."""
        with self._lock:
            with reading(self._engine, self._name) as connection:
                last = connection.scalar(_LAST_NUMBER)
            if last is None:
                raise self._accuse("every entry is gone")
            if last < self._state.sequence:
                raise self._accuse(f"entry {last + 1} is missing")
            if last > self._state.sequence:
                self._walk_on()
            return self._state.sequence

    def check(self, entry: Entry) -> None:
        """Refuse an entry that is not the one that was appended; say where its time goes back."""
        if not is_intact(entry):
            raise self._accuse(f"entry {entry.sequence} is not the one that was written")
        kind, scope = entry.kind, scope_of(entry.subject)
        if (kind, scope) not in self._verified and (kind, None) not in self._verified:
            self._see_scope(kind, scope)
        back = self._state.times_back.get(entry.sequence)
        if back is not None and entry.sequence not in self._said:
            self._said.add(entry.sequence)
            _log.warning("%s: %s (kind: %s)", self._name, back.message, kind)

    def appended(self, last: Entry, new: Sequence[Entry]) -> None:
        """Go on over entries that this ledger has just appended after ``last``."""
        with self._lock:
            if (last.sequence, last.entry_sha256) == (self._state.sequence, self._state.entry_sha256):
                for entry in new:
                    self._state.fold(
                        kind=entry.kind,
                        subject=entry.subject,
                        at=entry.recorded_at_utc,
                        entry_sha256=entry.entry_sha256,
                    )
            if time.monotonic() - self._kept_at > _KEEP_EVERY_S:
                self.keep()

    def keep(self) -> None:
        """Keep the state outside the database, where something was added; what cannot be written is said."""
        with self._lock:
            self._kept_at = time.monotonic()
            if self._files is None or self._faulty:
                return
            try:
                if self.advance() <= self._kept_upto:
                    return
                failed = self._files.write(self._state)
            except LedgerError as error:
                _log.warning("%s: no checkpoint was kept: %s", self._name, error)
                return
            self._kept_upto = self._state.sequence
            if failed:
                where = ", ".join(map(str, failed))
                _log.warning("%s: a checkpoint could not be written: %s", self._name, where)

    def fault(self, error: LedgerError) -> LedgerError:
        """Return what to raise where reading failed: the first bad entry, if that is the cause."""
        broken = self._walk_whole()
        return error if broken is None else broken

    def _see_guards(self) -> None:
        missing = missing_guards(self._engine, self._name)
        if missing:
            self._faulty = True
            said = f"the guards that refuse changes are missing or changed: {', '.join(missing)}"
            raise self._walk_whole() or LedgerBrokenError(
                f"{self._name}: {said}; no entry was changed: to put them back: {ACCEPT}"
            )

    def _hold_against(self, kept: Kept) -> None:
        """Refuse a ledger that no longer goes as far as what was kept of it, or goes another way."""
        for state in kept.states:
            wanted = select(entries.c.entry_sha256).where(entries.c.sequence == state.sequence)
            with reading(self._engine, self._name) as connection:
                standing = connection.scalar(wanted)
            if standing != state.entry_sha256:
                what = "is missing" if standing is None else "is not the one that the checkpoint names"
                raise self._accuse(f"entry {state.sequence} {what}")

    def _say_how(self, own: ChainState | None, kept: Kept, upto: int) -> None:
        """Say what is worth knowing about how the ledger was verified."""
        if self._files is None:
            what = "no checkpoint can be kept, since there is no settings directory to keep a key in"
            _log.warning("%s: %s: all %d entries were verified", self._name, what, upto + 1)
        elif own is None and upto > 0:  # one that another process has just made holds nothing yet
            signed = "; its checkpoint is signed by another key" if kept.foreign else ""
            what = f"all {upto + 1:,} entries were verified, and are held against a checkpoint from now on"
            _log.warning("%s: first use here%s: %s", self._name, signed, what)
        elif own is not None and kept.beside_is_missing:
            what = "the checkpoint beside it was gone: it was held against the one in the settings directory"
            _log.warning("%s: %s", self._name, what)

    def _see_scope(self, kind: str, scope: str | None) -> None:
        """Hash the headers of a scope again, or of all scopes of a kind, and compare them with what is known."""
        with self._lock:
            at = time.monotonic()
            if any(at - self._verified.get((kind, part), -_TRUSTED_S) < _TRUSTED_S for part in (scope, None)):
                return
            marks: dict[str, Mark] = {}
            wanted = {
                part: mark
                for (of, part), mark in self._state.scopes.items()
                if of == kind and (scope is None or scope == part)
            }
            upto = self._state.sequence
            with closing(headers(self._engine, self._name, kind=kind, scope=scope, upto=upto)) as found:
                for header in found:
                    try:
                        whole = header_hash(header) == header[7]
                        part = scope_of(header[2].decode()) if scope is None else scope
                    except (TypeError, AttributeError, UnicodeDecodeError):  # no text where text belongs
                        whole, part = False, ""
                    if not whole:
                        raise self._accuse(f"entry {header[0]} is not the one that was written")
                    marks[part] = extended(marks.get(part, NOTHING), header[7].decode())
            if marks != wanted:
                raise self._accuse(f"an entry of the kind {kind} is missing or was exchanged")
            self._verified[kind, scope] = at

    def _walk_on(self) -> None:
        """Verify everything after the last verified entry, with its body."""
        state = self._state
        try:
            with closing(stream(self._engine, self._name, after=state.sequence)) as rows:
                for row in walk(rows, after=state.sequence, after_sha256=state.entry_sha256):
                    fold(state, row)
        except BrokenChainError as error:
            raise self._accuse(error.broken.message) from None

    def _accuse(self, what: str) -> LedgerBrokenError:
        """Return the error that names the first bad entry; no state is kept after it."""
        self._faulty = True
        return self._walk_whole() or LedgerBrokenError(f"{self._name}: {what}: {_RESTORE}")

    def _walk_whole(self) -> LedgerBrokenError | None:
        known = [*self._kept.known_hashes(), *([] if self._state.sequence < 0 else self._state.known_hashes())]
        with closing(stream(self._engine, self._name)) as rows:
            broken = judge(rows, ledger_id=self._state.ledger_id, anchors=known).broken
        if broken is None:
            return None
        self._faulty = True
        kind = f" (kind: {broken.kind})" if broken.kind is not None else ""
        itself = broken.fault in {"rewritten", "truncated"}  # the chain is whole in itself
        advice = f"{_RESTORE}, or, if that is right: {ACCEPT}" if itself else _RESTORE
        return LedgerBrokenError(f"{self._name}: {broken.message}{kind}: {advice}")


def fold(state: ChainState, row: Row) -> None:
    """Take a verified row into a state."""
    state.fold(kind=row[1].decode(), subject=row[2].decode(), at=row[4].decode(), entry_sha256=row[8].decode())
