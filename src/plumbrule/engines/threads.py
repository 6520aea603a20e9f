"""Work in a thread of its own, so that the event loop goes on: calls under way keep their times, and Ctrl+C works."""

import asyncio
import concurrent.futures
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


async def in_thread(work: Callable[[], T], *, name: str) -> T:
    """Return what ``work`` returns, or raise what it raises; a thread that is not waited for holds up no exit."""
    future: concurrent.futures.Future[T] = concurrent.futures.Future()
    future.set_running_or_notify_cancel()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001 - in a thread nobody else would hear of it
            future.set_exception(error)

    threading.Thread(target=run, name=name, daemon=True).start()
    return await asyncio.wrap_future(future)


def run_to_end(work: Coroutine[Any, Any, T]) -> T:
    """Return what ``work`` returns, in an event loop of its own; where one runs already, as in a notebook, in a thread.

    The caller waits either way, and an interrupt cancels the work.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    begun: concurrent.futures.Future[tuple[asyncio.AbstractEventLoop, asyncio.Task[T]]] = concurrent.futures.Future()

    async def carry_out() -> T:
        task = asyncio.ensure_future(work)
        begun.set_result((asyncio.get_running_loop(), task))
        return await task

    with concurrent.futures.ThreadPoolExecutor(1) as threads:
        ended = threads.submit(asyncio.run, carry_out())
        try:
            return ended.result()
        except KeyboardInterrupt:
            loop, task = begun.result()
            loop.call_soon_threadsafe(task.cancel)
            raise
