"""How long is tried: the time within which a call is begun again, the waits between, and who waits for whom."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from plumbrule.http.exchange import Exchange
from plumbrule.http.throttle import Throttle
from plumbrule.http.transport_errors import ConnectionFailedError, TransportError

T = TypeVar("T")

_CALLS_UNREACHED = 4  # to an address at which nobody ever answered: most often it is the wrong one


def full_jitter(longest_s: float) -> float:
    """Return a wait between nothing and ``longest_s``, so that callers who failed together do not return together."""
    return random.uniform(0.0, longest_s)  # noqa: S311 - a wait, not a secret


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """The bounds on one ask: a call is begun again within ``deadline_s``, and each has the whole ``call_timeout_s``.

    Before the n-th call again there is a wait of up to ``first_wait_s`` times ``wait_factor`` to the power of n - 1, at
    most ``longest_wait_s``, of which ``jitter`` takes a random part.
    """

    deadline_s: float = 300.0
    call_timeout_s: float = 60.0
    calls: int | None = None  # at most so many, the first one included
    first_wait_s: float = 0.5
    wait_factor: float = 2.0
    longest_wait_s: float = 30.0  # a longer Retry-After is honoured all the same, if the deadline leaves room
    jitter: Callable[[float], float] = full_jitter


class Clock:
    """The time left of one ask, on the clock of the running event loop, by which its waits are timed too."""

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
        throttle: Throttle | None = None,
    ) -> T:
        """Send until there is an answer; ``failed`` is told of each exchange that brought none.

        ``throttle`` gives each call its place, and the deadline moves by the wait for it: a wait that we impose on
        ourselves uses up nobody's patience.
        Raises the last transport error when it cannot help to call again, when the calls are used up, or when the
        wait that is due would pass the deadline.
        """
        patience = self._patience
        throttle = throttle if throttle is not None else Throttle()
        wait, calls = patience.first_wait_s, 0
        while True:
            waited_from = self._now_s()
            async with throttle.place() as place:
                self._end += self._now_s() - waited_from
                calls += 1
                try:
                    answer = await send(patience.call_timeout_s)
                except TransportError as error:
                    failed(error.exchange)
                    pause = max(patience.jitter(min(wait, patience.longest_wait_s)), error.retry_after_s or 0.0)
                    place.failed(error)
                    if not self._may_call_again(error, calls, throttle) or pause >= self.left_s:
                        raise
                    place.asked_to_wait(error.retry_after_s or 0.0)
                else:
                    place.answered()
                    return answer
            await asyncio.sleep(pause)
            wait *= patience.wait_factor

    def _may_call_again(self, error: TransportError, calls: int, throttle: Throttle) -> bool:
        if not error.retryable:
            return False
        limits = [limit for limit in (self._patience.calls, error.most_calls) if limit is not None]
        if isinstance(error, ConnectionFailedError) and not throttle.reached:
            limits.append(_CALLS_UNREACHED)
        return calls < min(limits, default=calls + 1)
