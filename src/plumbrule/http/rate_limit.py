"""How often a provider may be called: requests one after the other, evenly spaced."""

import asyncio
from typing import Protocol

from plumbrule.errors import UsageError


class SharedTurns(Protocol):
    """The turns to call one provider that several processes give out together."""

    async def enter(self) -> None:
        """Wait until a request may be sent, and count it as under way."""
        ...

    def leave(self) -> None:
        """Count it as over."""
        ...

    def answered(self) -> None:
        """Take note of an answer."""
        ...

    def asked_to_slow_down(self) -> None:
        """Take note of an answer that there are too many."""
        ...

    def close_for(self, seconds: float) -> None:
        """Let nobody call for so long."""
        ...


class Pace:
    """Gives out turns, first come first served; one pace may be shared by all that call one provider.

    It belongs to the event loop in which it is first waited for.
    """

    def __init__(self, requests_per_minute: float) -> None:
        if not requests_per_minute > 0:
            raise UsageError(f"requests_per_minute must be more than 0, not {requests_per_minute:g}")
        self._interval_s = 60 / requests_per_minute
        self._next = float("-inf")
        self._queue = asyncio.Lock()
        self._shared: SharedTurns | None = None

    def share(self, turns: SharedTurns) -> None:
        """Take the turns from now on from those that several processes share."""
        self._shared = turns

    async def turn(self) -> None:
        """Wait until a request may be sent; who gives up waiting leaves the turn to the next."""
        if self._shared is not None:
            await self._shared.enter()
            self._shared.leave()
            return
        loop = asyncio.get_running_loop()
        async with self._queue:
            now = loop.time()
            slot = max(self._next, now)
            if slot > now:
                await asyncio.sleep(slot - now)
            # from the slot, not from the waking: late timers must not slow the pace down
            self._next = slot + self._interval_s
