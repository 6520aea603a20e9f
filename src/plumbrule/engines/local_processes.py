"""Map a task over samples or interactions, in this process or in several on this machine: same results, same order."""

import pickle
import signal
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain, islice
from multiprocessing import get_context
from multiprocessing.connection import Connection
from queue import SimpleQueue
from threading import Lock
from typing import Any, Generic, TypeVar

from plumbrule.engines.chunks import TRIES, Chunk, DoneChunk, Task, WorkerDiedError, chunks_of, run_one_by_one
from plumbrule.engines.process_start import start_undisturbed
from plumbrule.errors import EvaluationError
from plumbrule.terminal import safe

_CHUNK = 128
_AHEAD = 3  # chunks in flight for each worker: enough to keep it busy, few enough to hold in memory
_NO_START = (
    "a worker process ended before its time (out of memory, or a script that starts workers without "
    "'if __name__ == \"__main__\":'); one worker needs neither"
)

S = TypeVar("S")  # a sample, or an interaction
R = TypeVar("R")


def map_chunks(make_task: Callable[[], Task[S, R]], samples: Iterable[S], *, workers: int = 1) -> Iterator[R]:
    """Yield what the task makes of each run of samples, in order.

    Every process makes a task of its own, once. More processes than this one start only for more samples than they
    can share; then ``make_task`` and what the task returns must be picklable. A process that dies is replaced and its
    samples are tried again; a sample that ends every process is an error that names it, after the results before it.
    """
    pending = iter(samples)
    if workers > 1:
        first = list(islice(pending, _CHUNK * workers))
        if len(first) < _CHUNK * workers:
            workers = 1
        pending = chain(first, pending)
    for done in LocalEngine(workers)(make_task, chunks_of(pending, _CHUNK)):
        yield from done.results
        if done.error is not None:
            raise done.error


@dataclass(frozen=True, slots=True)
class LocalEngine:
    """Runs chunks in this process, or in so many others."""

    workers: int = 1

    def __call__(self, make_task: Callable[[], Task[S, R]], chunks: Iterable[Chunk[S]]) -> Iterator[DoneChunk[S, R]]:
        """Yield each chunk when it is done, in order."""
        if self.workers > 1:
            yield from _run_in_processes(make_task, chunks, self.workers)
            return
        task = make_task()
        for chunk in chunks:
            yield DoneChunk(chunk=chunk, results=[task(chunk.samples)])


def _run_in_processes(
    make_task: Callable[[], Task[S, R]], chunks: Iterable[Chunk[S]], workers: int
) -> Iterator[DoneChunk[S, R]]:
    crew: list[_Worker[S, R]] = [_Worker(make_task) for _ in range(workers)]
    idle: SimpleQueue[_Worker[S, R]] = SimpleQueue()
    for worker in crew:
        idle.put(worker)

    def run(chunk: Chunk[S]) -> DoneChunk[S, R]:
        worker = idle.get()
        try:
            return worker.run_chunk(chunk)
        finally:
            idle.put(worker)

    threads = ThreadPoolExecutor(workers, thread_name_prefix="worker")  # each waits for one process
    waiting: deque[Future[DoneChunk[S, R]]] = deque()
    try:
        for chunk in chunks:
            waiting.append(threads.submit(run, chunk))
            if len(waiting) >= workers * _AHEAD:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        threads.shutdown(wait=False, cancel_futures=True)
        for worker in crew:
            worker.end()
        threads.shutdown(wait=True)
        for worker in crew:
            worker.clear_away()


class _Worker(Generic[S, R]):
    """A process of its own that runs the task; a fresh one takes its place where it dies."""

    def __init__(self, make_task: Callable[[], Task[S, R]]) -> None:
        self._make_task = make_task
        self._process: Any = None  # a process of the context "spawn" has no public type
        self._connection: Connection | None = None
        self._ended = False
        self._lock = Lock()  # a process either starts or is ended

    def run_chunk(self, chunk: Chunk[S]) -> DoneChunk[S, R]:
        """Return what the task makes of a chunk; where its process dies every time, of each sample by itself."""
        for _ in range(TRIES):
            try:
                return DoneChunk(chunk=chunk, results=[self._run(chunk.samples)])
            except WorkerDiedError:
                continue
        return run_one_by_one(self._run, chunk)

    def end(self) -> None:
        """End the process, whatever it does."""
        with self._lock:
            self._ended = True
            if self._process is not None:
                self._process.kill()

    def clear_away(self) -> None:
        """Leave nothing of a process that was ended, when nobody waits for it any more."""
        if self._process is not None:
            self._burial()

    def _run(self, samples: list[S]) -> R:
        connection = self._connection if self._connection is not None else self._start()
        try:
            connection.send(samples)
            result, error = connection.recv()
        except (EOFError, OSError):
            raise WorkerDiedError(self._burial()) from None
        if error is not None:
            raise error
        made: R = result
        return made

    def _start(self) -> Connection:
        context = get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=_serve, args=(theirs, self._make_task), daemon=True)
        with self._lock:
            if self._ended:
                raise EvaluationError("the workers are ended")  # nobody waits for it
            start_undisturbed(process)
            self._process, self._connection = process, ours
        theirs.close()
        try:
            error = ours.recv()
        except (EOFError, OSError):
            self._burial()
            raise EvaluationError(_NO_START) from None
        if error is not None:
            self._burial()
            raise error
        return ours

    def _burial(self) -> str:
        """Clear away a process that died, and say how it did."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        self._process.join()
        code = self._process.exitcode
        if code >= 0:
            return f"it ended with exit code {code}"
        try:
            return f"it ended by {signal.Signals(-code).name}"
        except ValueError:
            return f"it ended by signal {-code}"


def _serve(connection: Connection, make_task: Callable[[], Task[Any, Any]]) -> None:
    """Run the task on one chunk after another, until the other end is closed; what goes wrong is sent there."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is for the parent, which ends its workers
    try:
        task = make_task()
    except Exception as error:  # noqa: BLE001 - whatever it is, the parent raises it
        _send(connection, _portable(error))
        return
    _send(connection, None)
    while True:
        try:
            samples = connection.recv()
        except (EOFError, OSError):
            return
        try:
            done: tuple[Any, Exception | None] = task(samples), None
        except Exception as error:  # noqa: BLE001 - the same
            done = None, _portable(error)
        _send(connection, done)


def _send(connection: Connection, message: object) -> None:
    try:
        connection.send(message)
    except BrokenPipeError:
        raise SystemExit(0) from None  # nobody waits for it


def _portable(error: Exception) -> Exception:
    """Return an error with where it was raised, which a traceback elsewhere would not tell.

    One that cannot be made again in another process comes as one that says the same.
    """
    where = safe("".join(traceback.format_exception(error)))
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301 - it was made here
    except Exception:  # noqa: BLE001 - whatever a class of somebody else's does
        error = EvaluationError(safe(f"{type(error).__name__}: {error}"))
    error.add_note(where)
    return error
