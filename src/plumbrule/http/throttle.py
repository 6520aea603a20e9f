"""How many calls to one provider are under way at once: fewer when it asks to slow down, then slowly more."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from plumbrule.http.rate_limit import Pace, SharedTurns
from plumbrule.http.transport_errors import TransportError

_SLOW_DOWN = frozenset({429, 503, 529})  # what providers answer when there is too much for them
_TAKEN = 0.5  # places, by each of these answers


def fewer_places(places: float) -> float:
    """Return how many there are after an answer that asks to slow down."""
    return max(1.0, places - _TAKEN)


def more_places(places: float, most: int) -> float:
    """Return how many there are after any other answer."""
    return min(float(most), places + 1 / places)


class Throttle:
    """Gives out places for calls, first come first served; shared by all that call one provider.

    Every answer that asks to slow down takes half a place, so that a wave of nothing else halves them, and one among
    many changes little; every other answer adds a part of one, so that as many as there are places add a whole one, up
    to ``most``. Nobody is called while a provider asks to wait.
    Without ``most`` there is a place for everybody. It belongs to the event loop in which it is first waited for.
    """

    def __init__(self, most: int | None = None, *, pace: Pace | None = None, adaptive: bool = True) -> None:
        self.reached = False  # whether anything ever came back
        self._most = most
        self._pace = pace
        self._adaptive = adaptive and most is not None
        self._places = float(most) if most is not None else float("inf")
        self._under_way = 0
        self._closed_until = float("-inf")
        self._queue = asyncio.Lock()
        self._changed = asyncio.Event()
        self._shared: SharedTurns | None = None

    def share(self, turns: SharedTurns) -> None:
        """Take places and turns from now on from those that several processes share."""
        self._shared = turns

    @property
    def places(self) -> int | None:
        """How many calls may be under way now; None where there is no limit."""
        return None if self._most is None else int(self._places)

    @asynccontextmanager
    async def place(self) -> AsyncIterator["Place"]:
        """Wait for a place, and give it back at the end."""
        turns = self._shared
        if turns is not None:
            await turns.enter()
            try:
                yield Place(self)
            finally:
                turns.leave()
            return
        async with self._queue:
            await self._wait_for_room()
            if self._pace is not None:
                await self._pace.turn()
            self._under_way += 1
            place = Place(self)
        try:
            yield place
        finally:
            self._under_way -= 1
            self._changed.set()

    async def _wait_for_room(self) -> None:
        now_s = asyncio.get_running_loop().time
        while True:
            closed_s = self._closed_until - now_s()
            if closed_s > 0:
                await asyncio.sleep(closed_s)
            elif self._under_way + 1 > self._places:
                self._changed.clear()
                await self._changed.wait()
            else:
                return

    def _answered(self) -> None:
        self.reached = True
        if self._shared is not None:
            self._shared.answered()
        elif self._adaptive and self._most is not None:
            self._places = more_places(self._places, self._most)
            self._changed.set()

    def _failed(self, error: TransportError) -> None:
        status = error.exchange.status
        self.reached = self.reached or status is not None
        if status in _SLOW_DOWN and self._shared is not None:
            self._shared.asked_to_slow_down()
        elif self._adaptive and status in _SLOW_DOWN:
            self._places = fewer_places(self._places)

    def _close_for(self, seconds: float) -> None:
        if self._shared is not None:
            self._shared.close_for(seconds)
        self._closed_until = max(self._closed_until, asyncio.get_running_loop().time() + seconds)


class Place:
    """The place of one call, which tells what came of it."""

    def __init__(self, throttle: Throttle) -> None:
        self._throttle = throttle

    def answered(self) -> None:
        """Take note of an answer."""
        self._throttle._answered()  # noqa: SLF001 - the two are one

    def failed(self, error: TransportError) -> None:
        """Take note of a failure."""
        self._throttle._failed(error)  # noqa: SLF001 - the two are one

    def asked_to_wait(self, seconds: float) -> None:
        """Let nobody call before the time that the provider asks for is over."""
        if seconds > 0:
            self._throttle._close_for(seconds)  # noqa: SLF001 - the two are one
