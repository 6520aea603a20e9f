"""The hash chain: how an entry is linked to the one before, and how the first broken link is found."""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from plumbrule.ledger.checkpoint import Checkpoint
from plumbrule.ledger.entry import Entry, Sealed

TAG = "plumbrule-entry-1"
BEFORE_ALL = "0" * 64  # what the opening entry names as the one before it

Fault = Literal["body", "form", "gap", "hash", "identity", "previous", "rewritten", "truncated"]
Row = tuple[int, bytes, bytes, bytes, bytes, bytes, bytes, bytes, bytes]  # the columns, text as UTF-8


@dataclass(frozen=True, slots=True, kw_only=True)
class Break:
    """The first broken entry, and why."""

    sequence: int
    fault: Fault
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """Whether every entry of a ledger is as it was written; ``broken`` is None for a whole chain."""

    whole: bool
    ledger_id: str
    entries: int
    last_sha256: str
    broken: Break | None
    missing_guards: tuple[str, ...]


class BrokenChainError(Exception):
    """Raised inside the walk along a chain at its first broken entry."""

    def __init__(self, broken: Break) -> None:
        super().__init__(broken.message)
        self.broken = broken


def link(sealed: Sealed, *, sequence: int, previous_sha256: str) -> Entry:
    """Return the entry that a sealed draft becomes at its place in the chain."""
    # One part a line: no part holds a line break, so the text can be read in one way only, and anyone can check a hash
    # with printf and sha256sum.
    parts = (TAG, str(sequence), sealed.kind, sealed.subject, sealed.author, sealed.recorded_at_utc)
    text = "\n".join((*parts, sealed.body_sha256, previous_sha256))
    return Entry(
        sequence=sequence,
        kind=sealed.kind,
        subject=sealed.subject,
        author=sealed.author,
        recorded_at_utc=sealed.recorded_at_utc,
        body=sealed.body,
        body_sha256=sealed.body_sha256,
        previous_sha256=previous_sha256,
        entry_sha256=hashlib.sha256(text.encode()).hexdigest(),
    )


def walk(rows: Iterable[Row]) -> Iterator[Row]:
    """Yield each row that is rightly linked to the one before; raise at the first that is not."""
    sha256, tag, newline = hashlib.sha256, TAG.encode(), b"\n"
    expected, before = 0, BEFORE_ALL.encode()
    for row in rows:
        sequence, kind, subject, author, at, body, body_sha256, previous, own = row
        try:
            text = newline.join((tag, b"%d" % sequence, kind, subject, author, at, body_sha256, previous))
            whole = (
                sequence == expected
                and previous == before
                and sha256(body).hexdigest().encode() == body_sha256
                and sha256(text).hexdigest().encode() == own
            )
        except TypeError:  # a number or nothing where text belongs
            raise BrokenChainError(_broken(expected, "form", "a column holds no text")) from None
        if not whole:
            raise BrokenChainError(_explain(row, expected, before))
        yield row
        expected, before = expected + 1, own
    if not expected:
        raise BrokenChainError(_broken(0, "gap", "the opening entry is missing"))


def judge(
    rows: Iterable[Row],
    *,
    ledger_id: str,
    missing_guards: tuple[str, ...] = (),
    checkpoints: Iterable[Checkpoint] = (),
) -> Verification:
    """Walk along ``rows`` in their order and tell whether they are a whole chain that holds every checkpoint."""
    count, last, broken = 0, BEFORE_ALL.encode(), None
    try:
        for row in _held(rows, ledger_id, checkpoints):
            count, last = count + 1, row[8]
    except BrokenChainError as error:
        broken = error.broken
    return Verification(
        whole=broken is None,
        ledger_id=ledger_id,
        entries=count,
        last_sha256=last.decode(),
        broken=broken,
        missing_guards=missing_guards,
    )


def _held(rows: Iterable[Row], ledger_id: str, checkpoints: Iterable[Checkpoint]) -> Iterator[Row]:
    """Walk along ``rows`` and raise also where the ledger's own name or a checkpoint is not met."""
    expected = {checkpoint.sequence: checkpoint.entry_sha256.encode() for checkpoint in checkpoints}
    count = 0
    for row in walk(rows):
        sequence = row[0]
        if not sequence and row[2] != ledger_id.encode():
            raise BrokenChainError(_broken(0, "identity", f"it does not open {ledger_id}, as the ledger calls itself"))
        if sequence in expected and expected.pop(sequence) != row[8]:
            raise BrokenChainError(_broken(sequence, "rewritten", "it is not the entry that the checkpoint names"))
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
        return _broken(sequence, "gap", "it stands before the opening entry")
    if hashlib.sha256(body).hexdigest().encode() != body_sha256:
        return _broken(sequence, "body", "its body is not the one that was written")
    if previous != before:
        return _broken(sequence, "previous", "it does not follow the entry before it: one of the two was exchanged")
    return _broken(sequence, "hash", "its kind, subject, author, time or hash is not the one that was written")


def _broken(sequence: int, fault: Fault, message: str) -> Break:
    return Break(sequence=sequence, fault=fault, message=f"entry {sequence}: {message}")
