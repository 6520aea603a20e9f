"""The connections to one provider, each in a client of its own, which carries one call at a time.

One client of the HTTP library for all of them looks at every connection whenever one is taken or given back: the more
calls there are at once, the more each of them costs. Here a call takes the client that was given back last, however
many others there are.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import httpx

MOST_IDLE_S = 5.0  # that a connection is kept for the next call: servers close theirs soon after
MOST_IDLE = 256  # connections that are kept


@dataclass(frozen=True, slots=True, kw_only=True)
class _Idle:
    client: "httpx.AsyncClient"
    since_s: float  # on the clock of the event loop


class ConnectionPool:
    """Lends clients, and opens one with ``open_client`` where none is idle; there are as many as calls at once."""

    def __init__(self, open_client: Callable[[], "httpx.AsyncClient"]) -> None:
        self._open_client = open_client
        self._idle: deque[_Idle] = deque()  # the one that was given back last at the right
        self._closed = False

    @asynccontextmanager
    async def lend(self) -> AsyncIterator["httpx.AsyncClient"]:
        """Lend a client for one call; where the call fails, so may its connection have, and the client is closed."""
        client = self._idle.pop().client if self._idle else self._open_client()
        try:
            yield client
        except BaseException:
            await client.aclose()
            raise
        self._idle.append(_Idle(client=client, since_s=asyncio.get_running_loop().time()))
        await self._close_surplus()

    async def aclose(self) -> None:
        """Close the idle connections, and each of the others when its call ends."""
        self._closed = True
        await self._close_surplus()

    async def _close_surplus(self) -> None:
        """Close what has been idle for too long, and the oldest of too many."""
        oldest_s = asyncio.get_running_loop().time() - MOST_IDLE_S
        while self._idle and (self._closed or len(self._idle) > MOST_IDLE or self._idle[0].since_s < oldest_s):
            await self._idle.popleft().client.aclose()
