"""What stands in a ledger: an entry with its place in the chain, and the draft of one before it has a place."""

import hashlib
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import unquote

import orjson

from plumbrule.hashing import canonical_json
from plumbrule.ledger.ledger_errors import EntryError

KINDS = (
    "account",
    "acknowledgement",
    "alert",
    "archive",
    "campaign",
    "claim",
    "correction",
    "decision",
    "exchange",
    "interaction",
    "label",
    "ledger",
    "note",
    "record",
    "result",
    "rubric",
    "run",
    "sample",
    "test",
)

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_ESCAPED = re.compile(r"[\x00-\x1f\x7f%]")
_ESCAPED_PART = re.compile(r"[\x00-\x1f\x7f%/]")
_LONGEST = 2000  # bytes; an index of PostgreSQL holds no more than about 2,700


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What is to be appended; ``body`` is anything that has a canonical JSON text."""

    kind: str
    subject: str
    body: object
    author: str
    at: datetime

    def sealed(self) -> "Sealed":
        """Return the draft as it can be stored, or tell why it cannot."""
        if self.kind not in KINDS:
            raise EntryError(f"{self.kind!r} is not a kind of entry: use one of {', '.join(KINDS)}")
        for name, value in (("subject", self.subject), ("author", self.author)):
            if not value or _CONTROL.search(value):
                raise EntryError(f"the {name} {value!r} of a {self.kind} is empty or holds a control character")
            if _utf8_length(value) > _LONGEST:
                raise EntryError(f"the {name} of a {self.kind} is longer than {_LONGEST} bytes or not valid text")
        try:
            body = canonical_json(self.body)
        except TypeError as error:  # orjson's own error is one of these
            raise EntryError(f"the body of {self.kind} {self.subject} has no JSON text: {error}") from None
        return Sealed(
            kind=self.kind,
            subject=self.subject,
            author=self.author,
            recorded_at_utc=utc_text(self.at),
            body=body.decode(),
            body_sha256=hashlib.sha256(body).hexdigest(),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Sealed:
    """A draft with the canonical text of its body: an entry in all but its place in the chain."""

    kind: str
    subject: str
    author: str
    recorded_at_utc: str
    body: str
    body_sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One link of the chain, as it stands; ``body`` is the canonical JSON text that was hashed."""

    sequence: int
    kind: str
    subject: str
    author: str
    recorded_at_utc: str
    body: str
    body_sha256: str
    previous_sha256: str
    entry_sha256: str

    @property
    def value(self) -> Any:  # noqa: ANN401 - any JSON value
        """Return the body, parsed."""
        return orjson.loads(self.body)


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class ResultKey:
    """What a result is about: one sample in one repeat of one run. It can stand once."""

    run: str
    repeat: int
    sample: str

    @property
    def subject(self) -> str:
        """Return the key as the subject of an entry, such as ``run-7/0/q1``."""
        if not self.run or "/" in self.run:
            raise EntryError(f"the run id {self.run!r} is empty or holds a slash")
        return f"{self.run}/{self.repeat}/{escaped(self.sample)}"

    def check(self) -> None:
        """Raise where no entry can have this subject, with room for a longer run's id and more repeats."""
        if _utf8_length(self.subject) > _LONGEST - 100:
            raise EntryError(f"the sample {self.sample[:40]!r} has too long an id")

    @classmethod
    def read(cls, subject: str) -> "ResultKey":
        """Return the key that ``subject`` was made from."""
        parts = subject.split("/", 2)
        if len(parts) != 3 or not parts[1].isdecimal():
            raise EntryError(f"{subject!r} is not the subject of a result, such as run-7/0/q1")
        return cls(run=parts[0], repeat=int(parts[1]), sample=unquote(parts[2], errors="strict"))


def escaped(text: str, *, part: bool = False) -> str:
    """Return text from outside as it may stand in a subject; as a ``part`` between others it keeps no slash either."""
    return (_ESCAPED_PART if part else _ESCAPED).sub(lambda match: f"%{ord(match[0]):02X}", text)


def utc_text(at: datetime) -> str:
    """Return a moment as text in UTC, always of the same length: ``2026-01-31T09:30:00.000000Z``."""
    if at.tzinfo is None:
        raise ValueError("a moment without a time zone cannot be recorded")
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _utf8_length(value: str) -> int:
    try:
        return len(value.encode())
    except UnicodeEncodeError:  # half of a surrogate pair
        return _LONGEST + 1
