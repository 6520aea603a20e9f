"""What pages show that takes long to work out: made in the background, once, and kept for as long as it holds.

A ledger only ever grows, so a view holds until there is a newer entry of those that it is made from. It is made by
threads of their own, once for all who ask at the same time. Whoever asks waits a little; after that an older view is
shown where there is one, else the page says that it is being worked out. What took long is kept in the store besides,
so that it is there after a restart: signed by the key of the ledger's checkpoints, and only for the code that made it.
Where a view cannot be made, whoever asks next is told why, also after the one who asked first has stopped waiting.
"""

import hashlib
import hmac
import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass, replace
from functools import cache, cached_property
from importlib.resources import files
from importlib.resources.abc import Traversable
from queue import SimpleQueue
from typing import Any, Generic, TypeVar, get_type_hints

import orjson
import zstandard
from pydantic import TypeAdapter
from sqlalchemy import Column, Integer, LargeBinary, Table, Text, delete, insert, select

from plumbrule.ledger import Ledger
from plumbrule.web.kept_memory import set_aside
from plumbrule.web.open_ledgers import OpenLedgers
from plumbrule.web.visit_errors import VisitError
from plumbrule.web.web_store import METADATA, Store

T = TypeVar("T")
Stamp = tuple[tuple[int, str], ...]  # numbers and hashes of the newest entries of those that a view is made from

_MOST_WEIGHT = 100_000  # of all views in memory; a row of a table weighs 1, about a kilobyte
_HEAVY = 1_000  # the weight from which a view is set aside from the search for garbage
_MOST_BYTES = 512 << 20  # of all views in the store
_KEEP_FROM_S = 0.5  # what takes longer to make is kept in the store
_AT_ONCE = 500  # rows that are written and read in one piece: about 10 ms, in which no page gets on
_MOST_FAILURES = 10  # that are remembered until somebody asks again
_WORKERS = 2  # so that one long view does not keep all others waiting
_SUFFIXES = (".py", ".yaml", ".json", ".tsv", ".txt")  # of the files that make up the code
_log = logging.getLogger("plumbrule.web")

_views = Table(
    "web_views",
    METADATA,
    Column("number", Integer, primary_key=True),  # the latest is the largest
    Column("name", Text, nullable=False, unique=True),
    Column("code", Text, nullable=False),
    Column("stamp", Text, nullable=False),
    Column("signature", Text, nullable=False),
    Column("size", Integer, nullable=False),
    Column("content", LargeBinary, nullable=False),
)


class BeingMadeError(VisitError):
    """A view is not ready yet; whoever asks again a little later finds it."""

    status = 202

    def __init__(self) -> None:
        super().__init__("This is being worked out, and will be here in a moment.")


@dataclass(frozen=True, slots=True, kw_only=True)
class View(Generic[T]):
    """A view that can be asked for: how it is made, and how to tell whether it still holds."""

    name: str  # the same name and the same stamp are the same view
    kind: Any  # its type
    stamp: Callable[[Ledger], Stamp]
    make: Callable[[Ledger], T]
    weigh: Callable[[T], int] = lambda _: 100
    rows: str = ""  # the field that holds many rows, where there is one


@dataclass(frozen=True, slots=True, kw_only=True)
class Made(Generic[T]):
    """A view that was made, and what from."""

    value: T
    ledger_id: str
    stamp: Stamp
    weight: int

    @property
    def upto(self) -> int:
        """The number of the last entry that it was made from; -1 for none."""
        return upto(self.stamp)


class KeptViews:
    """The views of one ledger; safe to share between threads."""

    def __init__(
        self,
        ledgers: OpenLedgers,
        address: str,
        store: Store,
        *,
        most_weight: int = _MOST_WEIGHT,
        most_bytes: int = _MOST_BYTES,
        keep_from_s: float = _KEEP_FROM_S,
    ) -> None:
        self._ledgers, self._address, self._store = ledgers, address, store
        self._most_weight, self._most_bytes, self._keep_from_s = most_weight, most_bytes, keep_from_s
        self._made: OrderedDict[str, Made[Any]] = OrderedDict()
        self._making: dict[str, Future[Made[Any]]] = {}
        self._failed: OrderedDict[str, tuple[Stamp, Exception]] = OrderedDict()
        self._guard = threading.Lock()
        self._waiting: SimpleQueue[tuple[View[Any], Future[Made[Any]]] | None] = SimpleQueue()
        self._workers: list[threading.Thread] = []

    def get(self, view: View[T], *, patience_s: float | None = None) -> Made[T]:
        """Return a view as new as the ledger; after ``patience_s`` seconds an older one, or that it is being made."""
        until = None if patience_s is None else time.monotonic() + patience_s
        with self._ledgers.use(self._address) as ledger:
            ledger_id, stamp = ledger.ledger_id, view.stamp(ledger)
        while True:
            with self._guard:
                known = self._made.get(view.name)
                if known is not None and known.ledger_id != ledger_id:
                    known = None
                if known is not None and known.upto >= upto(stamp):
                    self._made.move_to_end(view.name)
                    return known
                failed = self._failed.pop(view.name, None)  # it is told once: who asks after that has it made again
                if failed is not None and failed[0] == stamp:
                    raise failed[1]
                making = self._making.get(view.name)
                if making is None:
                    making = self._making[view.name] = self._begin(view)
            if not wait((making,), None if until is None else max(0.0, until - time.monotonic())).done:
                if known is None:
                    raise BeingMadeError
                return known
            if (error := making.exception()) is not None:
                with self._guard:
                    self._failed.pop(view.name, None)
                raise error

    def close(self) -> None:
        """Begin nothing else; what is being made is not waited for, and ends with the process."""
        with self._guard:
            for _ in self._workers:
                self._waiting.put(None)
            self._workers.clear()

    def _begin(self, view: View[T]) -> Future[Made[T]]:
        """Leave a view to the workers, which are started when they are needed first."""
        made: Future[Made[T]] = Future()
        self._waiting.put((view, made))
        if len(self._workers) < _WORKERS:
            self._workers.append(threading.Thread(target=self._work, name="views", daemon=True))
            self._workers[-1].start()
        return made

    def _work(self) -> None:
        while (task := self._waiting.get()) is not None:
            view, made = task
            try:
                made.set_result(self._make(view))
            except Exception as error:  # noqa: BLE001 - whoever waits is told
                made.set_exception(error)

    def _make(self, view: View[T]) -> Made[T]:
        made: Made[T] | None = None
        stamp: Stamp | None = None
        try:
            with self._ledgers.use(self._address) as ledger:
                stamp = view.stamp(ledger)  # before it is made: what comes in the meantime makes it old, never too new
                made = self._find(ledger, view, stamp)
                if made is None:
                    begun = time.monotonic()
                    value = view.make(ledger)
                    made = Made(value=value, ledger_id=ledger.ledger_id, stamp=stamp, weight=view.weigh(value))
                    if time.monotonic() - begun >= self._keep_from_s:
                        self._keep(ledger, view, made)
            if made.weight >= _HEAVY:
                set_aside()
        except Exception as error:
            with self._guard:
                if stamp is not None and made is None:
                    self._failed[view.name] = stamp, error
                    while len(self._failed) > _MOST_FAILURES:
                        self._failed.popitem(last=False)
            raise
        else:
            return made
        finally:
            with self._guard:
                del self._making[view.name]
                if made is not None:
                    self._made[view.name] = made
                    self._made.move_to_end(view.name)
                    while len(self._made) > 1 and sum(each.weight for each in self._made.values()) > self._most_weight:
                        self._made.popitem(last=False)

    def _find(self, ledger: Ledger, view: View[T], stamp: Stamp) -> Made[T] | None:
        """Return a view from the store; None where there is none that holds, or it cannot be read."""
        with self._store.begin() as connection:
            row = connection.execute(select(_views).where(_views.c.name == view.name)).mappings().first()
        if row is None or (row["code"], row["stamp"]) != (self._code, _stamp_text(ledger, stamp)):
            return None
        signature = self._sign(ledger, view.name, row["stamp"], row["content"])
        if signature is None or not hmac.compare_digest(signature, row["signature"]):
            _log.warning("the view %s in the store is not the one that was kept: it is made again", view.name)
            return None
        value = _read(view, zstandard.decompress(row["content"]))
        return Made(value=value, ledger_id=ledger.ledger_id, stamp=stamp, weight=view.weigh(value))

    def _keep(self, ledger: Ledger, view: View[T], made: Made[T]) -> None:
        """Keep a view in the store, if it can be read back as it is; the oldest go where there is no room."""
        try:
            text = b"\n".join(_written(view, made.value))
            same = _read(view, text) == made.value
        except ValueError:  # pydantic's own errors are such
            same = False
        if not same:
            _log.warning("the view %s cannot be read back as it was made: it is kept in memory only", view.name)
            return
        content = zstandard.compress(text, 3)
        stamp = _stamp_text(ledger, made.stamp)
        signature = self._sign(ledger, view.name, stamp, content)
        if signature is None or len(content) > self._most_bytes:
            return
        row = {"code": self._code, "stamp": stamp, "signature": signature, "size": len(content), "content": content}
        with self._store.change() as connection:
            connection.execute(delete(_views).where(_views.c.name == view.name))
            connection.execute(insert(_views).values(name=view.name, **row))
            sizes = connection.execute(select(_views.c.number, _views.c.size).order_by(_views.c.number.desc())).all()
            room = self._most_bytes
            for number, size in sizes:
                room -= size
                if room < 0:
                    connection.execute(delete(_views).where(_views.c.number == number))

    def _sign(self, ledger: Ledger, name: str, stamp: str, content: bytes) -> str | None:
        """Return the signature of a view; None where there is no key, so that nothing is kept."""
        if ledger.files is None:
            return None
        digest = hashlib.sha256(content).hexdigest()
        return ledger.files.key.sign(["plumbrule-view", name, self._code, stamp, digest])

    @cached_property
    def _code(self) -> str:
        """The hash of the code and its data: another version may work a view out otherwise."""
        digest = hashlib.sha256()
        for file in _code_files(files("plumbrule")):
            digest.update(file.name.encode() + b"\n" + file.read_bytes())
        return digest.hexdigest()


def _written(view: View[T], value: T) -> Iterator[bytes]:
    """Give a view as lines of JSON: the view without its rows, and then the rows, a few in each line."""
    if not view.rows:
        yield _adapter(view.kind).dump_json(value)
        return
    rows = getattr(value, view.rows)
    yield _adapter(view.kind).dump_json(replace(value, **{view.rows: ()}))  # type: ignore[type-var]
    for first in range(0, len(rows), _AT_ONCE):
        yield _adapter(get_type_hints(view.kind)[view.rows]).dump_json(rows[first : first + _AT_ONCE])


def _read(view: View[T], text: bytes) -> T:
    """Return a view from its lines. Between two of them other threads get on."""
    head, *lines = text.split(b"\n")
    value: T = _adapter(view.kind).validate_json(head)
    if not view.rows:
        return value
    adapter = _adapter(get_type_hints(view.kind)[view.rows])
    rows = tuple(row for line in lines for row in adapter.validate_json(line))
    return replace(value, **{view.rows: rows})  # type: ignore[type-var]


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:  # noqa: ANN401 - a type, or one with parameters
    return TypeAdapter(kind)


def upto(stamp: Stamp) -> int:
    """Return the number of the last entry of a stamp; -1 for none."""
    return max((number for number, _ in stamp), default=-1)


def _stamp_text(ledger: Ledger, stamp: Stamp) -> str:
    return orjson.dumps([ledger.ledger_id, stamp]).decode()


def _code_files(folder: Traversable) -> list[Traversable]:
    found: list[Traversable] = []
    for each in sorted(folder.iterdir(), key=lambda each: each.name):
        if each.is_dir():
            found += _code_files(each)
        elif each.name.endswith(_SUFFIXES):
            found.append(each)
    return found


def newest(ledger: Ledger, *, kinds: Sequence[str]) -> Stamp:
    """Return the stamp of what is made from entries of these kinds."""
    return (ledger.newest(*kinds),)


def newest_of_runs(ledger: Ledger, *, runs: Sequence[str], kinds: Sequence[str]) -> Stamp:
    """Return the stamp of what is made from all entries of some runs, and from entries of these kinds."""
    return (*(ledger.newest(run=run) for run in runs), ledger.newest(*kinds))
