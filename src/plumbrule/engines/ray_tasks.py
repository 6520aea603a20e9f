"""Runs chunks as core tasks of a Ray cluster: same results, same order.

Ray has its own retries for a task whose worker or node dies. A repeated chunk is harmless: tasks write nothing.
"""

import logging
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from plumbrule._version import __version__
from plumbrule.engines.chunks import TRIES, Chunk, DoneChunk, Task, WorkerDiedError, run_one_by_one
from plumbrule.errors import EvaluationError, MissingExtraError, UsageError

_AHEAD = 2  # chunks in flight for each core of the cluster

S = TypeVar("S")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class RayEngine:
    """Runs chunks on the cluster at an address, such as ``10.0.0.1:6379`` or ``auto``."""

    address: str

    def __call__(self, make_task: Callable[[], Task[S, R]], chunks: Iterable[Chunk[S]]) -> Iterator[DoneChunk[S, R]]:
        """Yield each chunk when it is done, in order; what the task needs goes to each node once."""
        ray = _connected(self.address)
        run = ray.remote(max_retries=TRIES - 1)(_run_task).remote
        waiting: deque[tuple[Chunk[S], Any]] = deque()
        try:
            task = [ray.put((__version__, make_task))]  # in a list, so that a worker fetches it once and not each time

            def run_alone(samples: list[S]) -> R:
                result: R = _result(ray, run(task, samples))
                return result

            def finish(chunk: Chunk[S], pending: object) -> DoneChunk[S, R]:
                try:
                    return DoneChunk(chunk=chunk, results=[_result(ray, pending)])
                except WorkerDiedError:
                    return run_one_by_one(run_alone, chunk)

            for chunk in chunks:
                waiting.append((chunk, run(task, chunk.samples)))
                while len(waiting) >= _AHEAD * _cores(ray):
                    yield finish(*waiting.popleft())
            while waiting:
                yield finish(*waiting.popleft())
        finally:
            for _, pending in waiting:
                ray.cancel(pending, force=True)
            ray.shutdown()


def _connected(address: str) -> Any:  # noqa: ANN401 - the module of an extra
    try:
        import ray  # noqa: PLC0415 - an extra, slow to import
    except ImportError:
        raise MissingExtraError(need="--engine ray", extra="ray") from None
    try:
        ray.init(address=address, logging_level=logging.ERROR, log_to_driver=False)
    except (ConnectionError, ValueError, RuntimeError, OSError, ray.exceptions.RayError) as error:
        reason = str(error).strip().split("\n", 1)[0]
        raise UsageError(f"--address {address}: there is no Ray cluster to be reached: {reason}") from None
    return ray


def _cores(ray: Any) -> int:  # noqa: ANN401 - the same
    return max(1, int(ray.cluster_resources().get("CPU", 1)))


def _result(ray: Any, pending: object) -> Any:  # noqa: ANN401 - whatever the task returns
    errors = ray.exceptions
    try:
        return ray.get(pending)
    except errors.RayTaskError as error:
        raise error.cause from None
    except (errors.WorkerCrashedError, errors.OutOfMemoryError, errors.NodeDiedError, errors.ObjectLostError) as error:
        raise WorkerDiedError(_line(error)) from None
    except errors.RayError as error:
        raise EvaluationError(f"Ray: {_line(error)}") from None


def _line(error: Exception) -> str:
    return str(error).strip().split("\n", 1)[0].rstrip(".")


_worker_task: dict[str, Task[Any, Any]] = {}  # of a worker process: its task, by what it was made from


def _run_task(made_from: list[Any], samples: list[Any]) -> Any:  # noqa: ANN401 - whatever the task returns
    """Run in a worker: make the task where it is the first time, and run it."""
    key = made_from[0].hex()
    if key not in _worker_task:
        import ray  # noqa: PLC0415 - it is here, since it runs this

        version, make_task = ray.get(made_from[0])
        if version != __version__:
            raise EvaluationError(f"a node has Plumbrule {__version__}, and {version} started this: install the same")
        _worker_task.clear()
        _worker_task[key] = make_task()
    return _worker_task[key](samples)
