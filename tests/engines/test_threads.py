"""Work in threads: coroutines run to their end whether or not an event loop runs already."""

import asyncio
import threading

import pytest

from plumbrule.engines import run_to_end


async def where(raised: Exception | None = None) -> str:
    """Return the name of the thread that this runs in."""
    await asyncio.sleep(0)
    if raised is not None:
        raise raised
    return threading.current_thread().name


def test_without_a_loop_it_runs_here() -> None:
    """In the thread of the caller."""
    assert run_to_end(where()) == threading.current_thread().name


def test_inside_a_loop_it_runs_in_a_thread() -> None:
    """What it returns or raises comes through; the loop of the caller is left alone."""

    async def cell() -> str:
        with pytest.raises(ValueError, match="no"):
            run_to_end(where(ValueError("no")))
        return run_to_end(where())

    assert asyncio.run(cell()) != threading.current_thread().name


def test_an_interrupt_cancels_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The caller does not go on while the work does."""
    cancelled = threading.Event()

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    def interrupted(_: object, timeout: float | None = None) -> None:  # noqa: ARG001 - as it is called
        monkeypatch.undo()
        raise KeyboardInterrupt

    async def cell() -> None:
        monkeypatch.setattr("concurrent.futures.Future.result", interrupted)
        run_to_end(work())

    with pytest.raises(KeyboardInterrupt):
        asyncio.run(cell())
    assert cancelled.is_set()
