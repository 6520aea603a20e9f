"""How often a provider may be called: requests one after the other, evenly spaced."""

import asyncio

from plumbrule.errors import UsageError


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

    async def turn(self) -> None:
        """Wait until a request may be sent; who gives up waiting leaves the turn to the next."""
        loop = asyncio.get_running_loop()
        async with self._queue:
            now = loop.time()
            slot = max(self._next, now)
            if slot > now:
                await asyncio.sleep(slot - now)
            # from the slot, not from the waking: late timers must not slow the pace down
            self._next = slot + self._interval_s
