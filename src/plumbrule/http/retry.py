"""How long is tried: the deadline over a whole judgement or answer, and the waits between calls that failed."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from plumbrule.http.exchange import Exchange
from plumbrule.http.transport_errors import TransportError

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """The bounds on one judgement: all its calls and waits end within ``deadline_s``."""

    deadline_s: float = 120.0
    call_timeout_s: float = 60.0
    calls: int = 4  # for one ask: the first and those after a transport error
    first_wait_s: float = 0.5
    wait_factor: float = 2.0
    longest_wait_s: float = 30.0  # a longer Retry-After is honoured all the same, if the deadline leaves room


class Clock:
    """The time left of one judgement, on the clock of the running event loop, by which its waits are timed too."""

    def __init__(self, patience: Patience) -> None:
        self._patience = patience
        self._now_s = asyncio.get_running_loop().time
        self._end = self._now_s() + patience.deadline_s

    @property
    def left_s(self) -> float:
        """The seconds until the deadline."""
        return self._end - self._now_s()

    async def call(
        self,
        send: Callable[[float], Awaitable[T]],
        failed: Callable[[Exchange], None],
        *,
        before: Callable[[], Awaitable[None]] | None = None,
    ) -> T:
        """Send until there is an answer; ``failed`` is told of each exchange that brought none.

        ``before`` is awaited before each send, and the deadline moves by the time it takes: a wait that we impose on
        ourselves uses up nobody's patience.
        Raises the last transport error when the calls are used up, when it cannot help to call again, or when the
        wait that is due would pass the deadline.
        """
        patience = self._patience
        wait = patience.first_wait_s
        for number in range(1, patience.calls + 1):
            if before is not None:
                waited_from = self._now_s()
                await before()
                self._end += self._now_s() - waited_from
            try:
                return await send(min(patience.call_timeout_s, self.left_s))
            except TransportError as error:
                failed(error.exchange)
                pause = max(min(wait, patience.longest_wait_s), error.retry_after_s or 0.0)
                if not error.retryable or number == patience.calls or pause >= self.left_s:
                    raise
                await asyncio.sleep(pause)
                if self.left_s <= 0:  # slept longer than asked: a call now could not be made
                    raise
                wait *= patience.wait_factor
        raise AssertionError("unreachable: the last call returns or raises")
