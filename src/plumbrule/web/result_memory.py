"""Results that take long to make, kept in memory for as long as what they were made from is the same.

A ledger only ever grows, so a result holds until another entry of the kinds that it reads is there. Of a large ledger,
where making it again takes seconds, the last result is shown while a thread makes the next one; its page says up to
which entry it is made. Of a small one nobody waits, and what is shown is always the latest.
"""

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from plumbrule.errors import PlumbruleError
from plumbrule.ledger import Ledger, open_ledger

T = TypeVar("T")

_MOST = 64
_LARGE = 4_000  # entries of the kinds that a result reads
_log = logging.getLogger("plumbrule.web")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled(Generic[T]):
    """A result, and what it was made from."""

    value: T
    ledger_id: str
    extent: tuple[int, int]  # how many entries it was made from, and the number of the last one


class ResultMemory:
    """The results of one application; safe to share between threads."""

    def __init__(self) -> None:
        self._results: OrderedDict[Hashable, Recalled[Any]] = OrderedDict()
        self._guard = threading.Lock()
        self._making: dict[Hashable, threading.Lock] = {}

    def recall(self, address: str, name: Hashable, kinds: tuple[str, ...], make: Callable[[Ledger], T]) -> Recalled[T]:
        """Return the result ``name`` of a ledger, made of entries of these ``kinds``."""
        with open_ledger(address) as ledger:
            extent = ledger.extent(*kinds)
            known = self._find(name, ledger)
            if known is not None and known.extent == extent:
                return known
            if known is not None and extent[0] > _LARGE:
                self._remake(address, name, kinds, make)
                return known
            with self._lock_of(name):  # several readers wait for one that makes it
                known = self._find(name, ledger)
                if known is None or known.extent != extent:
                    known = self._make(ledger, name, kinds, make)
                return known

    def _find(self, name: Hashable, ledger: Ledger) -> Recalled[Any] | None:
        with self._guard:
            known = self._results.get(name)
            if known is None or known.ledger_id != ledger.ledger_id:
                return None
            self._results.move_to_end(name)
            return known

    def _make(self, ledger: Ledger, name: Hashable, kinds: tuple[str, ...], make: Callable[[Ledger], T]) -> Recalled[T]:
        extent = ledger.extent(*kinds)  # before it is made: what comes in the meantime makes it old, never too new
        made = Recalled(value=make(ledger), ledger_id=ledger.ledger_id, extent=extent)
        with self._guard:
            self._results[name] = made
            self._results.move_to_end(name)
            while len(self._results) > _MOST:
                forgotten, _ = self._results.popitem(last=False)
                self._making.pop(forgotten, None)
        return made

    def _remake(self, address: str, name: Hashable, kinds: tuple[str, ...], make: Callable[[Ledger], T]) -> None:
        """Make a result again in a thread of its own, unless one does so already."""
        lock = self._lock_of(name)
        if not lock.acquire(blocking=False):
            return

        def work() -> None:
            try:
                with open_ledger(address) as ledger:
                    self._make(ledger, name, kinds, make)
            except PlumbruleError as error:
                _log.warning("%s could not be made again: %s", name, error)
            finally:
                lock.release()

        threading.Thread(target=work, daemon=True).start()

    def _lock_of(self, name: Hashable) -> threading.Lock:
        with self._guard:
            return self._making.setdefault(name, threading.Lock())
