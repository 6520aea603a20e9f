"""Campaigns of a ledger that stays open, each replayed once: later only what was appended since is read.

Nobody changes a campaign that is kept here; whoever loads it is lent a copy. The open ledger verifies that its chain
only grows, so a replay belongs to it and goes with it.
"""

import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from plumbrule.ledger import Entry, Ledger
from plumbrule.reviews.campaigns.campaign import Campaign

_MOST_ENTRIES = 200_000  # of all campaigns that are kept


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """A campaign as it is after the entry ``upto`` of its ledger, and the entries that it was replayed from."""

    campaign: Campaign
    entries: tuple[Entry, ...]
    upto: int


class Replays:
    """The replays of one open ledger, those that were asked for last; safe to share between threads."""

    def __init__(self, most_entries: int = _MOST_ENTRIES) -> None:
        self._most = most_entries
        self._by_name: OrderedDict[str, Replay] = OrderedDict()
        self._turns: dict[str, threading.Lock] = {}
        self._lock = threading.Lock()

    @contextmanager
    def turn(self, name: str) -> Iterator[None]:
        """Let one at a time replay a campaign: whoever waits finds what was replayed, and goes on from there."""
        with self._lock:
            turn = self._turns.setdefault(name, threading.Lock())
        with turn:
            yield

    def find(self, name: str) -> Replay | None:
        """Return the replay of a campaign; None where there is none."""
        with self._lock:
            replay = self._by_name.get(name)
            if replay is not None:
                self._by_name.move_to_end(name)
            return replay

    def keep(self, name: str, replay: Replay) -> None:
        """Keep a replay, unless one that goes further was kept in the meantime."""
        with self._lock:
            known = self._by_name.get(name)
            if known is None or known.upto < replay.upto:
                self._by_name[name] = replay
                self._by_name.move_to_end(name)
            while len(self._by_name) > 1 and sum(len(each.entries) for each in self._by_name.values()) > self._most:
                self._by_name.popitem(last=False)


_KEPT: WeakKeyDictionary[Ledger, Replays] = WeakKeyDictionary()


def keep_replays(ledger: Ledger) -> None:
    """Keep the replays of a ledger for as long as it is open: for one that is asked again and again."""
    _KEPT.setdefault(ledger, Replays())


def kept_replays(ledger: Ledger) -> Replays | None:
    """Return the replays of a ledger; None where they are not kept."""
    return _KEPT.get(ledger)
