"""The hash chain: how an entry is linked to the one before, and how the first broken link is found.

The body of an entry may be in an archive. The chain needs its hash alone, and a later entry of the kind ``archive``
says where it is; a body that is gone without one is a broken entry.
"""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

import orjson

from plumbrule.codec import optional_key
from plumbrule.ledger.checkpoint import Checkpoint
from plumbrule.ledger.entry import Entry, Sealed

TAG = "plumbrule-entry-1"
BEFORE_ALL = "0" * 64  # what the opening entry names as the one before it
ARCHIVABLE = ("exchange", "result", "sample")  # the kinds whose bodies may be archived: what is large, and of one run
NO_BODY = ""  # what stands in place of a body that is in an archive; no JSON text is empty

Fault = Literal["body", "form", "gap", "hash", "identity", "previous", "rewritten", "truncated"]
Row = tuple[int, bytes, bytes, bytes, bytes, bytes, bytes, bytes, bytes]  # the columns, text as UTF-8
# the same without the body, which stands in the hash of the entry by its own hash
Header = tuple[int, bytes, bytes, bytes, bytes, bytes, bytes, bytes]

_TOLERATED = timedelta(minutes=1)  # writers take the time before they wait for one another
_LISTED_TIMES = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Break:
    """The first broken entry, and why."""

    sequence: int
    fault: Fault
    message: str
    kind: str | None = optional_key()  # of the entry as it stands; None where there is no entry


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeBack:
    """An entry whose time is before that of the entry it follows."""

    sequence: int
    recorded_at_utc: str
    entry_before_utc: str

    @property
    def message(self) -> str:
        """Return it as a sentence."""
        before = f"entry {self.sequence - 1}, {self.entry_before_utc}"
        return f"entry {self.sequence}: its time, {self.recorded_at_utc}, is before that of {before}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """Whether every entry of a ledger is as it was written; ``broken`` is None for a whole chain."""

    whole: bool
    ledger_id: str
    entries: int
    last_sha256: str
    broken: Break | None
    missing_guards: tuple[str, ...]
    times_back: tuple[TimeBack, ...] | None = optional_key()  # the first of them; None where time only goes on
    archived: int | None = optional_key()  # bodies in archives that were not given; None where there are none
    archives_verified: int | None = optional_key()  # bodies that were hashed in archives that were given


class ArchivedBodies:
    """What the archive entries of a chain say: of which runs the bodies of a kind are in an archive.

    An archive entry has the run as its subject; one with the event "restored" takes back those before it.
    """

    def __init__(self) -> None:
        self._since: dict[tuple[bytes, bytes], int] = {}  # by run and kind

    def see(self, sequence: int, run: bytes, body: bytes) -> None:
        """Take in an archive entry; one that cannot be read says nothing."""
        try:
            content = orjson.loads(body)
            event, kinds = content["event"], [kind.encode() for kind in ARCHIVABLE if kind in content["kinds"]]
        except (ValueError, TypeError, KeyError):
            return
        for kind in kinds:
            if event == "archived":
                self._since[run, kind] = sequence
            elif event == "restored":
                self._since.pop((run, kind), None)

    def since(self, run: bytes, kind: bytes) -> int:
        """Return the number of the entry that says so of a run and a kind; -1 where none does."""
        return self._since.get((run, kind), -1)


class BrokenChainError(Exception):
    """Raised inside the walk along a chain at its first broken entry."""

    def __init__(self, broken: Break) -> None:
        super().__init__(broken.message)
        self.broken = broken


def link(sealed: Sealed, *, sequence: int, previous_sha256: str) -> Entry:
    """Return the entry that a sealed draft becomes at its place in the chain."""
    return Entry(
        sequence=sequence,
        kind=sealed.kind,
        subject=sealed.subject,
        author=sealed.author,
        recorded_at_utc=sealed.recorded_at_utc,
        body=sealed.body,
        body_sha256=sealed.body_sha256,
        previous_sha256=previous_sha256,
        entry_sha256=_hash_of(sealed, sequence, previous_sha256),
    )


def _hash_of(content: Sealed | Entry, sequence: int, previous_sha256: str) -> str:
    # One part a line: no part holds a line break, so the text can be read in one way only, and anyone can check a hash
    # with printf and sha256sum.
    parts = (TAG, str(sequence), content.kind, content.subject, content.author, content.recorded_at_utc)
    text = "\n".join((*parts, content.body_sha256, previous_sha256))
    return hashlib.sha256(text.encode()).hexdigest()


def is_intact(entry: Entry) -> bool:
    """Tell whether the body of an entry and its other parts are those that its hash was taken over."""
    try:
        return (
            hashlib.sha256(entry.body.encode()).hexdigest() == entry.body_sha256
            and _hash_of(entry, entry.sequence, entry.previous_sha256) == entry.entry_sha256
        )
    except (AttributeError, TypeError, UnicodeEncodeError):  # a number, a blob or nothing where text belongs
        return False


def header_hash(header: Header) -> bytes:
    """Return the hash that an entry with this header must have; a TypeError where a column holds no text."""
    sequence, kind, subject, author, at, body_sha256, previous, _own = header
    text = b"\n".join((TAG.encode(), b"%d" % sequence, kind, subject, author, at, body_sha256, previous))
    return hashlib.sha256(text).hexdigest().encode()


def time_back(sequence: int, at: str, before: str) -> TimeBack | None:
    """Return the entry as one whose time goes back, where it does by more than writers at once explain."""
    if at >= before:
        return None
    try:
        tolerated = datetime.fromisoformat(before) - datetime.fromisoformat(at) <= _TOLERATED
    except (ValueError, TypeError):
        tolerated = False
    return None if tolerated else TimeBack(sequence=sequence, recorded_at_utc=at, entry_before_utc=before)


def walk(rows: Iterable[Row], *, after: int = -1, after_sha256: str = BEFORE_ALL) -> Iterator[Row]:
    """Yield each row that is rightly linked to the one before; raise at the first that is not.

    The first row must follow the entry ``after``; by default it is the opening entry. Of a row without a body only the
    header is hashed; it is broken where no archive entry after it names its run and kind, which shows at the end.
    """
    sha256, tag, newline = hashlib.sha256, TAG.encode(), b"\n"
    expected, before = after + 1, after_sha256.encode()
    archived, bare = ArchivedBodies(), _Bare()
    for row in rows:
        sequence, kind, subject, author, at, body, body_sha256, previous, own = row
        try:
            text = newline.join((tag, b"%d" % sequence, kind, subject, author, at, body_sha256, previous))
            whole = (
                sequence == expected
                and previous == before
                and (not body or sha256(body).hexdigest().encode() == body_sha256)
                and sha256(text).hexdigest().encode() == own
            )
            if not body:
                bare.add(row)
            elif kind == b"archive":
                archived.see(sequence, subject, body)
        except TypeError:  # a number or nothing where text belongs
            raise BrokenChainError(_broken(expected, "form", "a column holds no text", row)) from None
        if not whole:
            raise BrokenChainError(_explain(row, expected, before))
        yield row
        expected, before = expected + 1, own
    if not expected:
        raise BrokenChainError(_broken(0, "gap", "the opening entry is missing"))
    unexplained = bare.unexplained(archived)
    if unexplained is not None:
        raise BrokenChainError(_broken(unexplained[0], "body", "its body is gone, and no archive has it", unexplained))


class _Bare:
    """The rows without a body, by run and kind: the first of each, and the number of the last."""

    def __init__(self) -> None:
        self._rows: dict[tuple[bytes, bytes], tuple[Row, int]] = {}

    def add(self, row: Row) -> None:
        key = row[2].partition(b"/")[0], row[1]
        first, _last = self._rows.get(key, (row, -1))
        self._rows[key] = first, row[0]

    def unexplained(self, archived: ArchivedBodies) -> Row | None:
        """Return the first row that no archive entry after it explains."""
        rows = [row for key, (row, last) in self._rows.items() if archived.since(*key) < last]
        return min(rows, default=None)


class RowsWithArchived:
    """Rows, with the bodies that archives have in the place of those that are not there; both in the chain's order."""

    def __init__(self, rows: Iterable[Row], bodies: Iterable[tuple[int, bytes]]) -> None:
        self._rows, self._bodies = rows, iter(bodies)
        self.filled = 0  # how many so far

    def __iter__(self) -> Iterator[Row]:
        number, body = next(self._bodies, (-1, b""))
        for row in self._rows:
            while 0 <= number < row[0]:
                number, body = next(self._bodies, (-1, b""))
            if not row[5] and number == row[0]:
                self.filled += 1
                yield (*row[:5], body, *row[6:])
            else:
                yield row


def judge(
    rows: Iterable[Row],
    *,
    ledger_id: str,
    missing_guards: tuple[str, ...] = (),
    checkpoints: Iterable[Checkpoint] = (),
    anchors: Iterable[tuple[int, str]] = (),
) -> Verification:
    """Walk along ``rows`` in their order and tell whether they are a whole chain that holds every checkpoint.

    ``anchors`` are what else is known of the chain: the beginning of the hash of an entry, by its number.
    """
    count, archived, last, broken = 0, 0, BEFORE_ALL.encode(), None
    latest = b""
    times: list[TimeBack] = []
    known = [*anchors, *((checkpoint.sequence, checkpoint.entry_sha256) for checkpoint in checkpoints)]
    try:
        for row in _held(rows, ledger_id, known):
            count, archived, last = count + 1, archived + (not row[5]), row[8]
            if row[4] < latest and (back := time_back(row[0], row[4].decode(), latest.decode())):
                times.append(back)
            latest = row[4]
    except BrokenChainError as error:
        broken = error.broken
    return Verification(
        whole=broken is None,
        ledger_id=ledger_id,
        entries=count,
        last_sha256=last.decode(),
        broken=broken,
        missing_guards=missing_guards,
        times_back=tuple(times[:_LISTED_TIMES]) or None,
        archived=archived or None,
    )


def _held(rows: Iterable[Row], ledger_id: str, known: Iterable[tuple[int, str]]) -> Iterator[Row]:
    """Walk along ``rows`` and raise also where the ledger's own name or a checkpoint is not met."""
    expected: dict[int, list[bytes]] = {}
    for number, digest in known:
        expected.setdefault(number, []).append(digest.encode())
    count, met = 0, -1
    for row in walk(rows):
        sequence = row[0]
        if not sequence and row[2] != ledger_id.encode():
            message = f"it does not open {ledger_id}, as the ledger calls itself"
            raise BrokenChainError(_broken(0, "identity", message, row))
        if sequence in expected:
            if not all(map(row[8].startswith, expected.pop(sequence))):
                message = "it is not the entry that the checkpoint names"
                if sequence - met > 1:
                    message += f": the chain was written again from an entry after {met}" if met >= 0 else ""
                raise BrokenChainError(_broken(sequence, "rewritten", message, row))
            met = sequence
        yield row
        count += 1
    if expected:
        message = f"it is missing: the ledger was cut short, a checkpoint names entry {max(expected)}"
        raise BrokenChainError(_broken(count, "truncated", message))


def _explain(row: Row, expected: int, before: bytes) -> Break:
    """Say what is wrong with ``row``, the likeliest cause first."""
    sequence, body, body_sha256, previous = row[0], row[5], row[6], row[7]
    if sequence > expected:
        return _broken(expected, "gap", f"it is missing; entry {sequence} comes instead")
    if sequence < expected:
        return _broken(sequence, "gap", "it stands before the opening entry", row)
    if body and hashlib.sha256(body).hexdigest().encode() != body_sha256:
        return _broken(sequence, "body", "its body is not the one that was written", row)
    if previous != before:
        message = "it does not follow the entry before it: one of the two was exchanged"
        return _broken(sequence, "previous", message, row)
    return _broken(sequence, "hash", "its kind, subject, author, time or hash is not the one that was written", row)


def _broken(sequence: int, fault: Fault, message: str, row: Row | None = None) -> Break:
    kind = row[1].decode(errors="replace") if row is not None and isinstance(row[1], bytes) else None
    return Break(sequence=sequence, fault=fault, message=f"entry {sequence}: {message}", kind=kind)
