"""Runs of samples that are worked on together, and what becomes of one whose worker dies."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Generic, Protocol, TypeVar

from plumbrule.errors import EvaluationError

S = TypeVar("S")  # a sample, or an interaction
R_co = TypeVar("R_co", covariant=True)
R = TypeVar("R")
Task = Callable[[list[S]], R]

TRIES = 2  # a chunk whose worker dies is tried once more


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk(Generic[S]):
    """Samples that follow each other, and the number of the first of them in the input, from 1."""

    first: int
    samples: list[S]


@dataclass(frozen=True, slots=True, kw_only=True)
class DoneChunk(Generic[S, R_co]):
    """A chunk with what the task made of it, in order: of all samples at once or, after a death, of each by itself.

    Where there is an error, the results are those of the samples before the one that it names.
    """

    chunk: Chunk[S]
    results: "list[R_co]"
    error: EvaluationError | None = None


class Engine(Protocol):
    """What runs a task on chunks; it yields them in order, and every worker makes a task of its own, once."""

    def __call__(self, make_task: Callable[[], Task[S, R]], chunks: Iterable[Chunk[S]]) -> Iterator[DoneChunk[S, R]]:
        """Yield each chunk when it is done; few are taken ahead."""


class WorkerDiedError(Exception):
    """A worker ended before it gave a result; the message says how."""


def chunks_of(samples: Iterable[S], size: int) -> Iterator[Chunk[S]]:
    """Yield runs of samples; where reading fails, what was read before comes first."""
    pending = iter(samples)
    first = 1
    while True:
        chunk: list[S] = []
        try:
            chunk.extend(islice(pending, size))
        except Exception:
            if chunk:
                yield Chunk(first=first, samples=chunk)
            raise
        if not chunk:
            return
        yield Chunk(first=first, samples=chunk)
        first += len(chunk)


def run_one_by_one(run: Task[S, R], chunk: Chunk[S]) -> DoneChunk[S, R]:
    """Return what each sample gives by itself, up to the one that ends its worker every time."""
    results: list[R] = []
    for number, sample in enumerate(chunk.samples, chunk.first):
        for attempt in range(1, TRIES + 1):
            try:
                results.append(run([sample]))
                break
            except WorkerDiedError as death:
                if attempt == TRIES:
                    return DoneChunk(chunk=chunk, results=results, error=_named(sample, number, death))
    return DoneChunk(chunk=chunk, results=results)


def _named(sample: object, number: int, death: WorkerDiedError) -> EvaluationError:
    """Return the error that names a sample: its id, and its number in the input."""
    name = getattr(getattr(sample, "sample", sample), "id", "")  # an interaction holds its sample
    return EvaluationError(
        f"sample '{name}', number {number:,} of the input, ends the process that works on it, also by itself: {death}; "
        "leave it out, or give the process more memory"
    )
