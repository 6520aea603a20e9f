"""Map a task over samples or interactions, in this process or in several on this machine: same results, same order."""

import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import chain, islice
from multiprocessing import get_context
from typing import Any, TypeVar

from plumbrule.errors import EvaluationError

_CHUNK = 128
_AHEAD = 3  # chunks in flight for each worker: enough to keep it busy, few enough to hold in memory

S = TypeVar("S")  # a sample, or an interaction
R = TypeVar("R")
Task = Callable[[list[S]], R]


def map_chunks(make_task: Callable[[], Task[S, R]], samples: Iterable[S], *, workers: int = 1) -> Iterator[R]:
    """Yield what the task makes of each run of samples, in order.

    Every process makes a task of its own, once. More processes than this one start only for more samples than they
    can share; then ``make_task`` and what the task returns must be picklable.
    """
    pending = iter(samples)
    if workers > 1:
        first = list(islice(pending, _CHUNK * workers))
        if len(first) == _CHUNK * workers:
            yield from _map_in_processes(make_task, chain(first, pending), workers)
            return
        pending = iter(first)
    task = make_task()
    for chunk in _chunks(pending):
        yield task(chunk)


def _chunks(samples: Iterator[S]) -> Iterator[list[S]]:
    """Yield runs of samples; where reading fails, what was read before comes first."""
    while True:
        chunk: list[S] = []
        try:
            chunk.extend(islice(samples, _CHUNK))
        except Exception:
            if chunk:
                yield chunk
            raise
        if not chunk:
            return
        yield chunk


def _map_in_processes(make_task: Callable[[], Task[S, R]], samples: Iterator[S], workers: int) -> Iterator[R]:
    pool = ProcessPoolExecutor(
        workers, mp_context=get_context("spawn"), initializer=_prepare_worker, initargs=(make_task,)
    )
    waiting: deque[Future[R]] = deque()
    try:
        for chunk in _chunks(samples):
            waiting.append(pool.submit(_run_task, chunk))
            if len(waiting) >= workers * _AHEAD:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    except BrokenProcessPool:
        raise EvaluationError(
            "a worker process ended before its time (out of memory, or a script that starts workers without "
            "'if __name__ == \"__main__\":'); one worker needs neither"
        ) from None
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


_worker_makes: list[Callable[[], Task[Any, Any]]] = []
_worker_task: list[Task[Any, Any]] = []  # the worker process's own task, made for its first chunk


def _prepare_worker(make_task: Callable[[], Task[Any, Any]]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is the parent's to handle; a worker ends with its chunk
    _worker_makes[:] = [make_task]


def _run_task(chunk: list[Any]) -> Any:  # noqa: ANN401 - whatever the task returns
    if not _worker_task:
        _worker_task[:] = [_worker_makes[0]()]  # what fails here comes through to the parent; at the start it would not
    return _worker_task[0](chunk)
