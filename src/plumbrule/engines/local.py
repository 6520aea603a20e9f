"""Score samples in this process, or in several on this machine, with the same results in the same order."""

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import chain, islice
from multiprocessing import get_context

from plumbrule.rubrics import Loaded, VerdictRubric
from plumbrule.samples.model import Sample
from plumbrule.scorers.verdict import Verdict, VerdictScorer

_CHUNK = 128
_AHEAD = 3  # chunks in flight for each worker: enough to keep it busy, few enough to hold in memory

Scored = tuple[Sample, Verdict]


def score_all(samples: Iterable[Sample], loaded: Loaded[VerdictRubric], *, workers: int = 1) -> Iterator[Scored]:
    """Yield each sample with its verdict, in order; more processes start only for more than they can share."""
    pending = iter(samples)
    if workers > 1:
        first = list(islice(pending, _CHUNK * workers))
        if len(first) == _CHUNK * workers:
            yield from _score_in_processes(chain(first, pending), loaded, workers)
            return
        pending = iter(first)
    yield from _score_here(pending, VerdictScorer(loaded))


def _score_here(samples: Iterator[Sample], scorer: VerdictScorer) -> Iterator[Scored]:
    while chunk := list(islice(samples, _CHUNK)):
        yield from zip(chunk, scorer.score_many(chunk), strict=True)


def _score_in_processes(samples: Iterator[Sample], loaded: Loaded[VerdictRubric], workers: int) -> Iterator[Scored]:
    pool = ProcessPoolExecutor(
        workers, mp_context=get_context("spawn"), initializer=_prepare_worker, initargs=(loaded,)
    )
    waiting: deque[tuple[list[Sample], Future[list[Verdict]]]] = deque()
    try:
        while True:
            while len(waiting) < workers * _AHEAD and (chunk := list(islice(samples, _CHUNK))):
                waiting.append((chunk, pool.submit(_score_chunk, chunk)))
            if not waiting:
                return
            chunk, scored = waiting.popleft()
            yield from zip(chunk, scored.result(), strict=True)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


_worker: list[VerdictScorer] = []  # the worker process's own scorer, made once when it starts


def _prepare_worker(loaded: Loaded[VerdictRubric]) -> None:
    _worker[:] = [VerdictScorer(loaded)]


def _score_chunk(chunk: list[Sample]) -> list[Verdict]:
    return list(_worker[0].score_many(chunk))
