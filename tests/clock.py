"""Time in tests: counted, or moved on by the test, so that no test depends on how busy the machine is."""

import asyncio
import selectors
import time
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")
LONG_S = 300.0  # a limit that only ends a test that hangs


class _LeapingSelector(selectors.DefaultSelector):
    """Waits for nothing: the clock leaps to the next timer instead."""

    now = 0.0

    def select(self, timeout: float | None = None) -> Any:
        """Leap."""
        self.now += timeout or 0.0
        return super().select(0)


class _LeapingLoop(asyncio.SelectorEventLoop):
    """An event loop whose time is counted, not waited for."""

    def __init__(self) -> None:
        self._leaping = _LeapingSelector()
        super().__init__(self._leaping)

    def time(self) -> float:
        """Return the counted time."""
        return self._leaping.now

    def spend(self, seconds: float) -> None:
        """Let time pass."""
        self._leaping.now += seconds


def run_counted(work: Coroutine[Any, Any, T]) -> T:
    """Run in counted time, which begins at 0: for work without threads and sockets, which nobody would wait for."""
    with asyncio.Runner(loop_factory=_LeapingLoop) as runner:
        return runner.run(work)


def spend_counted(seconds: float) -> None:
    """Let the counted time pass without giving way to anybody, as a blocking call does."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, _LeapingLoop)
    loop.spend(seconds)


def counted_s() -> float:
    """Return the time of the running loop, to the millisecond."""
    return round(asyncio.get_running_loop().time(), 3)


class MovableTime:
    """The real time, and what the test adds to it: for work with threads and sockets.

    With limits of many minutes, nothing is late unless the test moves the time on.
    """

    def __init__(self) -> None:
        self.ahead_s = 0.0
        self._loop: _MovableLoop | None = None

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run in this time, as ``asyncio.run`` does."""
        with asyncio.Runner(loop_factory=self._new_loop) as runner:
            return runner.run(work)

    def move(self, seconds: float) -> None:
        """Move the time on, from any thread."""
        self.ahead_s += seconds
        if self._loop is not None:
            self._loop.call_soon_threadsafe(lambda: None)  # it wakes up and looks at its timers

    def _new_loop(self) -> "_MovableLoop":
        self._loop = _MovableLoop(self)
        return self._loop


class _MovableLoop(asyncio.SelectorEventLoop):
    def __init__(self, moved: MovableTime) -> None:
        self._moved = moved
        super().__init__()

    def time(self) -> float:
        return super().time() + self._moved.ahead_s


def wait_until(condition: Callable[[], object], *, limit_s: float = LONG_S) -> None:
    """Return as soon as a condition holds; fail if it never does."""
    end = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < end, "what the test waits for did not happen"
        time.sleep(0.005)
