"""What is known of a chain up to its last verified entry: enough to verify later what a reader uses, and no more.

An entry belongs to a **scope**: its kind, and the first one or two parts of its subject, such as all results of one
repeat of a run. For each scope the state holds how many entries there are and one digest over their hashes, in their
order. A reader who hashes the headers of a scope again knows that none of them was changed, added or taken away, and
need not look at the rest of the chain. The **anchors** are the beginnings of the hashes of entries at even distances:
they tell where a chain that was written again begins to differ.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from plumbrule.ledger.chain import BEFORE_ALL, TimeBack, time_back
from plumbrule.ledger.checkpoint import Checkpoint

FORM = "plumbrule-checkpoint-1"
_MOST_ANCHORS = 4096
_ANCHOR_LENGTH = 16  # characters of a hash: anchors locate a change, the hash of the last entry proves it
_MOST_TIMES = 20

Scope = tuple[str, str]  # kind, and the beginning of the subject
Mark = tuple[int, str]  # how many entries, and the digest over their hashes
NOTHING: Mark = (0, "")


def scope_of(subject: str) -> str:
    """Return the part of a subject that its scope is named by: its first two parts, without the last one."""
    parts = subject.split("/", 3)
    return parts[0] if len(parts) == 2 else "/".join(parts[:-1][:2])


def extended(mark: Mark, entry_sha256: str) -> Mark:
    """Return the mark of a scope with one more entry."""
    count, digest = mark
    return count + 1, hashlib.sha256(f"{digest}{entry_sha256}".encode()).hexdigest()


@dataclass(slots=True, kw_only=True)
class ChainState:
    """A chain up to an entry, ``sequence``, that was verified; -1 before the opening entry."""

    ledger_id: str
    sequence: int = -1
    entry_sha256: str = BEFORE_ALL
    recorded_at_utc: str = ""
    stride: int = 1
    anchors: list[str] = field(default_factory=list)
    scopes: dict[Scope, Mark] = field(default_factory=dict)
    times_back: dict[int, TimeBack] = field(default_factory=dict)  # by their numbers; the first of them

    def fold(self, *, kind: str, subject: str, at: str, entry_sha256: str) -> None:
        """Go on to the next entry, which was verified."""
        self.sequence += 1
        if self.sequence % self.stride == 0:
            self.anchors.append(entry_sha256[:_ANCHOR_LENGTH])
            if len(self.anchors) > _MOST_ANCHORS:
                self.anchors, self.stride = self.anchors[::2], self.stride * 2
        scope = kind, scope_of(subject)
        self.scopes[scope] = extended(self.scopes.get(scope, NOTHING), entry_sha256)
        if at < self.recorded_at_utc and len(self.times_back) < _MOST_TIMES:
            back = time_back(self.sequence, at, self.recorded_at_utc)
            self.times_back |= {} if back is None else {self.sequence: back}
        self.recorded_at_utc, self.entry_sha256 = at, entry_sha256

    @property
    def checkpoint(self) -> Checkpoint:
        """Return the end of the chain as the state knows it."""
        return Checkpoint(
            ledger_id=self.ledger_id,
            sequence=self.sequence,
            entry_sha256=self.entry_sha256,
            recorded_at_utc=self.recorded_at_utc,
        )

    def known_hashes(self) -> Iterator[tuple[int, str]]:
        """Yield what the state knows of single entries: their numbers, and hashes or the beginnings of them."""
        for place, anchor in enumerate(self.anchors):
            yield place * self.stride, anchor
        yield self.sequence, self.entry_sha256

    def content(self) -> dict[str, Any]:
        """Return the state as JSON holds it."""
        return {
            "form": FORM,
            "ledger_id": self.ledger_id,
            "sequence": self.sequence,
            "entry_sha256": self.entry_sha256,
            "recorded_at_utc": self.recorded_at_utc,
            "stride": self.stride,
            "anchors": self.anchors,
            "scopes": [[*scope, *mark] for scope, mark in self.scopes.items()],
            "times_back": [
                [sequence, back.recorded_at_utc, back.entry_before_utc] for sequence, back in self.times_back.items()
            ],
        }

    @classmethod
    def read(cls, content: dict[str, Any]) -> "ChainState":
        """Return the state that ``content`` holds; a ValueError, TypeError or KeyError where it holds none."""
        if content["form"] != FORM:
            raise ValueError(f"not of the form {FORM}")
        return cls(
            ledger_id=content["ledger_id"],
            sequence=content["sequence"],
            entry_sha256=content["entry_sha256"],
            recorded_at_utc=content["recorded_at_utc"],
            stride=content["stride"],
            anchors=list(content["anchors"]),
            scopes={(kind, scope): (count, digest) for kind, scope, count, digest in content["scopes"]},
            times_back={
                sequence: TimeBack(sequence=sequence, recorded_at_utc=at, entry_before_utc=before)
                for sequence, at, before in content["times_back"]
            },
        )
