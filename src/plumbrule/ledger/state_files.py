"""Keeps what is known of a chain outside the database: signed, beside the ledger and in the user's settings directory.

The file beside the ledger goes with it to another place. The one in the settings directory shows that the first was
deleted or put back with an older copy of the ledger. Both are signed with HMAC-SHA256 by a key in the settings
directory, made at first use, or by one that the user names: who can read the key can forge a checkpoint, nobody else.
"""

import hashlib
import hmac
import os
import secrets
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import orjson

from plumbrule.errors import UsageError
from plumbrule.files import make_private, open_file, read_file, written_whole
from plumbrule.hashing import canonical_json
from plumbrule.ledger.chain_state import ChainState
from plumbrule.ledger.checkpoint import Checkpoint
from plumbrule.ledger.ledger_errors import LedgerBrokenError
from plumbrule.settings import settings_directory, signing_key_file

ACCEPT = "plumbrule ledger checkpoint --reset --as NAME"
_LOCK_TIMEOUT_S = 10.0
_LARGEST_KEY = 1 << 16
_LARGEST_STATE = 1 << 28  # a run has about five scopes of 130 bytes: more than 400,000 runs
_SHORTEST_KEY = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class SigningKey:
    """The secret that checkpoints are signed with."""

    secret: bytes
    named: bool  # by the user, who thereby says whose checkpoints to trust

    @property
    def key_id(self) -> str:
        """Return what tells one key from another without giving it away."""
        return hashlib.sha256(b"plumbrule-key-id\n" + self.secret).hexdigest()[:16]

    def sign(self, content: object) -> str:
        """Return the signature of a JSON value."""
        return hmac.new(self.secret, canonical_json(content), hashlib.sha256).hexdigest()

    def signed(self, checkpoint: Checkpoint) -> Checkpoint:
        """Return a checkpoint with its signature, to be kept anywhere."""
        bare = replace(checkpoint, key_id=self.key_id, hmac_sha256=None)
        return replace(bare, hmac_sha256=self.sign(bare.content()))

    def signs(self, checkpoint: Checkpoint) -> bool:
        """Tell whether a checkpoint that names this key was signed by it."""
        bare = replace(checkpoint, hmac_sha256=None)
        return hmac.compare_digest(self.sign(bare.content()), checkpoint.hmac_sha256 or "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """The states that were kept: those that our key signed, and those that another key did."""

    own: tuple[ChainState, ...]
    foreign: tuple[ChainState, ...]
    beside_is_missing: bool
    is_complete: bool = True  # every place that the ledger is known by has its file

    @property
    def states(self) -> tuple[ChainState, ...]:
        """Return all of them: what another key signed is no proof, and must be met all the same."""
        return (*self.own, *self.foreign)

    def see_ledger(self, ledger_id: str, *, name: str) -> None:
        """Refuse a ledger in the place of another one."""
        for state in self.states:
            if state.ledger_id != ledger_id:
                before = f"is {ledger_id}, but {state.ledger_id} was here before"
                raise LedgerBrokenError(
                    f"{name}: {before}: another ledger was put in its place; if that is right: {ACCEPT}"
                )

    def known_hashes(self) -> Iterator[tuple[int, str]]:
        """Yield what is known of single entries: their numbers, and hashes or the beginnings of them."""
        for state in self.states:
            yield from state.known_hashes()


def signing_key() -> SigningKey | None:
    """Return the key that the user named, else their own, made at first use; None where none can be kept."""
    named = signing_key_file()
    if named is not None:
        try:
            with open_file(named, pipes=True) as file:
                secret = file.read(_LARGEST_KEY).strip()
        except OSError as error:
            raise UsageError(f"{named}: the key for checkpoints cannot be read: {error.strerror}") from None
        if len(secret) < _SHORTEST_KEY:
            raise UsageError(f"{named}: is no key for checkpoints: it must have {_SHORTEST_KEY} bytes or more")
        return SigningKey(secret=secret, named=True)
    try:
        path = settings_directory() / "ledger.key"
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            _make_key(path)
        secret = read_file(path, most=_LARGEST_KEY).strip()
    except (OSError, RuntimeError):  # there may not even be a home
        return None
    if len(secret) < _SHORTEST_KEY:
        raise UsageError(f"{path}: is no key for checkpoints: remove it, then accept each ledger with: {ACCEPT}")
    return SigningKey(secret=secret, named=False)


def _make_key(path: Path) -> None:
    """Make a key whole or not at all; of several processes at once the first one's stays."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    make_private(temporary)
    try:
        temporary.write_text(f"{secrets.token_hex(32)}\n", encoding="ascii")
        with suppress(FileExistsError):
            os.link(temporary, path)
    finally:
        temporary.unlink()


class StateFiles:
    """The files that keep the state of one ledger: one for each place that it is known by, and one beside it."""

    def __init__(self, key: SigningKey, *, places: Sequence[str], beside: Path | None) -> None:
        self.key = key
        self.beside = beside
        self._name = places[0]
        folder = settings_directory() / "checkpoints"
        hashes = dict.fromkeys(hashlib.sha256(place.encode()).hexdigest()[:32] for place in places)
        self._own = tuple(folder / f"{digest}.json" for digest in hashes)
        self._lock = folder / "lock"

    def read(self) -> Kept:
        """Return what was kept; a file that our key signed and that was changed since is refused."""
        own: list[ChainState] = []
        foreign: list[ChainState] = []
        seen: set[bytes] = set()
        for path in self._paths():
            content = self._content(path)
            if content is None or content in seen:  # most often all are the same, and large where there are many runs
                continue
            seen.add(content)
            state, ours = self._parsed(path, content)
            (own if ours else foreign).append(state)
        missing = self.beside is not None and not self.beside.exists()
        complete = all(path.exists() for path in self._paths())
        return Kept(own=tuple(own), foreign=tuple(foreign), beside_is_missing=missing, is_complete=complete)

    def last_known(self) -> ChainState | None:
        """Return the furthest state that is kept, or None where none is, or none that can be trusted."""
        try:
            return max(self.read().own, key=lambda state: state.sequence, default=None)
        except (LedgerBrokenError, UsageError):
            return None

    def kept_at(self) -> datetime | None:
        """Return when a state was last kept, or None where none is."""
        times = []
        for path in self._paths():
            with suppress(OSError):
                times.append(path.stat().st_mtime)
        return datetime.fromtimestamp(max(times), UTC) if times else None

    def write(self, state: ChainState, *, over: bool = False) -> tuple[Path, ...]:
        """Keep a state, unless a later one is kept already; return the files that could not be written.

        With ``over`` it takes the place of whatever is there: the ledger is a new one, or was accepted as it is.
        """
        content = state.content() | {"key_id": self.key.key_id}
        line = canonical_json(content | {"hmac_sha256": self.key.sign(content)}) + b"\n"
        failed = []
        with self._locked():
            for path in reversed(self._paths()):  # read the other way round: who sees an own file sees the one beside
                if not over and self._is_later(path, state):
                    continue
                try:
                    path.parent.mkdir(parents=True, exist_ok=True)
                    with written_whole(path, private=True) as file:
                        file.write(line)
                except (UsageError, OSError):
                    failed.append(path)
        return tuple(failed)

    def _paths(self) -> tuple[Path, ...]:
        return self._own if self.beside is None else (*self._own, self.beside)

    def _is_later(self, path: Path, state: ChainState) -> bool:
        try:
            content = self._content(path)
            if content is None:
                return False
            kept, ours = self._parsed(path, content)
        except LedgerBrokenError:
            return True  # left as it is, for the next reader to find
        except UsageError:
            return False  # writing will say why
        return ours and kept.ledger_id == state.ledger_id and kept.sequence >= state.sequence

    def _content(self, path: Path) -> bytes | None:
        """Return what a file holds; None for one that is not there or may not be read."""
        try:
            return read_file(path, most=_LARGEST_STATE)
        except (FileNotFoundError, PermissionError):  # what another user keeps for themselves tells us nothing
            return None
        except OSError as error:
            raise UsageError(f"{path}: the checkpoint cannot be read: {error.strerror}") from None

    def _parsed(self, path: Path, raw: bytes) -> tuple[ChainState, bool]:
        """Return the state that a file keeps, and whether our key signed it."""
        try:
            content = orjson.loads(raw)
            signature, key_id = content.pop("hmac_sha256"), content["key_id"]
            state = ChainState.read(content)
        except (ValueError, TypeError, KeyError, AttributeError):  # orjson's own error is a ValueError
            raise self._changed(path, "is damaged") from None
        if key_id == self.key.key_id:
            if not hmac.compare_digest(str(signature), self.key.sign(content)):
                raise self._changed(path, "was changed after it was signed")
            return state, True
        if self.key.named:
            raise self._changed(path, f"is signed by another key ({key_id}) than the one that you name")
        return state, False

    def _changed(self, path: Path, what: str) -> LedgerBrokenError:
        return LedgerBrokenError(f"{self._name}: the checkpoint {path} {what}: after a look at both, accept: {ACCEPT}")

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Let one process at a time write, by SQLite's own lock, which works on every system."""
        try:
            self._lock.parent.mkdir(parents=True, exist_ok=True)
            make_private(self._lock)
            lock = sqlite3.connect(self._lock, timeout=_LOCK_TIMEOUT_S, isolation_level=None)
        except (OSError, sqlite3.Error):
            yield  # nothing can be kept there either
            return
        with closing(lock):
            with suppress(sqlite3.Error):  # a file is whole in any case: without the lock an older one may stay
                lock.execute("BEGIN EXCLUSIVE")
            yield
