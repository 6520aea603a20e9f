"""One process or several give the same results in the same order."""

import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import orjson
import pytest

import plumbrule
from plumbrule.engines.local_processes import map_chunks
from plumbrule.errors import EvaluationError, MissingExtraError, RecordError, RubricError
from plumbrule.samples import Passage, Sample


def samples(count: int) -> Iterator[Sample]:
    """Yield samples that pass, warn and fail, with claims, numbers and dates."""
    for number in range(count):
        answer = (
            f"The wire fee is ${number}. The firm does not sell {number % 7} bonds. It began in {1990 + number % 30}."
        )
        context = f"The wire fee is ${number + number % 2}. The firm sells 3 bonds since 2001."
        question = "What is the wire fee of the firm?"
        yield Sample(id=f"q{number}", question=question, answer=answer, contexts=(Passage(text=context),))


def ids_of(chunk: list[Sample]) -> list[str]:
    """Return the ids of a run of samples: the simplest task there is."""
    return [sample.id for sample in chunk]


def make_ids_task() -> Callable[[list[Sample]], list[str]]:
    """Return the simplest task."""
    return ids_of


def slow_after_the_first(chunk: list[Sample]) -> list[str]:
    """Return the ids of the first samples at once, those of others in an hour."""
    if chunk[0].id != "q0":
        time.sleep(3600)
    return ids_of(chunk)


def make_slow_task() -> Callable[[list[Sample]], list[str]]:
    """Return a task that takes longer than anybody waits."""
    return slow_after_the_first


def make_failing_task() -> Callable[[list[Sample]], list[str]]:
    """Fail as a rubric does that does not go with the model."""
    raise RubricError("it was fitted to another model")


class OddError(Exception):
    """An error that is made from parts, and does not say so."""

    def __init__(self, *, part: str) -> None:
        super().__init__(f"it has no {part}")


def make_odd_task() -> Callable[[list[Sample]], list[str]]:
    """Fail with an error that cannot be made again from its message."""
    raise OddError(part="weights")


def make_task_with_an_extra() -> Callable[[list[Sample]], list[str]]:
    """Fail as a verifier does where its library is not installed."""
    raise MissingExtraError(need="a verifier", extra="verifier")


def make_dying_task() -> Callable[[list[Sample]], list[str]]:
    """End the process that wants a task."""
    os._exit(1)


def lines(count: int, workers: int, overrides: dict[str, object] | None = None) -> list[bytes]:
    """Return each verdict as a line of JSON."""
    verdicts = plumbrule.score_many(samples(count), workers=workers, overrides=overrides)
    return [orjson.dumps(verdict.to_dict()) for verdict in verdicts]


def test_results_come_in_the_order_of_the_samples() -> None:
    """Every sample reaches the task once, in order."""
    found = [name for chunk in map_chunks(make_ids_task, samples(1000)) for name in chunk]
    assert found == [f"q{number}" for number in range(1000)]


@pytest.mark.parametrize("workers", [1, 2])
def test_no_samples(workers: int) -> None:
    """An empty input gives nothing."""
    assert list(map_chunks(make_ids_task, [], workers=workers)) == []


def test_two_processes_give_the_same_bytes() -> None:
    """Claims and all, byte for byte."""
    assert lines(400, 2) == lines(400, 1)


def test_a_changed_rubric_reaches_the_processes() -> None:
    """Workers score by the rubric in force, not by the one that ships."""
    overrides: dict[str, object] = {"hallucination.anchors": ["number"], "relevance.fail_below": 0.9}
    found = lines(300, 2, overrides)
    assert found == lines(300, 1, overrides)
    assert all(b'"kind":"claim"' not in line for line in found)


def test_an_error_of_the_input_comes_through() -> None:
    """A reader that fails midway ends the scoring with its own error, in several processes too."""

    def failing() -> Iterator[Sample]:
        yield from samples(300)
        raise ValueError("line 301")

    with pytest.raises(ValueError, match="line 301"):
        list(plumbrule.score_many(failing(), workers=2, overrides={"hallucination.anchors": []}))


def test_a_task_that_cannot_be_made_says_why(capfd: pytest.CaptureFixture[str]) -> None:
    """The error is the same with one process and with several, and no worker prints a traceback."""
    for workers in (1, 2):
        with pytest.raises(RubricError, match="it was fitted to another model"):
            list(map_chunks(make_failing_task, samples(300), workers=workers))
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("make_task", "kind", "message"),
    [
        (make_task_with_an_extra, MissingExtraError, "a verifier needs an extra"),
        (make_odd_task, EvaluationError, "OddError: it has no weights"),
    ],
)
def test_an_error_that_is_made_from_parts_comes_through(
    make_task: Callable[[], Callable[[list[Sample]], list[str]]], kind: type[Exception], message: str
) -> None:
    """Our own as it is, one of somebody else's by what it says."""
    with pytest.raises(kind, match=message):
        list(map_chunks(make_task, samples(300), workers=2))


def test_a_worker_that_cannot_start_is_told_on_one_line() -> None:
    """A process that dies before it has its task is no fault of a sample."""
    with pytest.raises(EvaluationError, match="a worker process ended before its time"):
        list(map_chunks(make_dying_task, samples(300), workers=2))


def test_what_was_read_before_a_failure_is_scored_first() -> None:
    """A bad sample in the middle loses none before it."""

    def failing() -> Iterator[Sample]:
        yield from samples(5)
        raise RecordError("bad", source="x", line=6)

    pending = map_chunks(make_ids_task, failing())
    assert len(list(next(pending))) == 5
    with pytest.raises(RecordError):
        next(pending)


def test_input_is_read_only_as_fast_as_it_is_scored() -> None:
    """Memory does not grow with the dataset: few samples are taken ahead."""
    taken = 0

    def counted() -> Iterator[Sample]:
        nonlocal taken
        for sample in samples(100_000):
            taken += 1
            yield sample

    next(map_chunks(make_ids_task, counted()))
    assert taken < 1000


@dataclass(frozen=True, slots=True)
class Poison:
    """Makes a task that ends its process by SIGKILL at one id; with a file, only so many times as it has room for."""

    id: str
    deaths: Path | None = None  # gets a byte for each death
    most: int = 0

    def __call__(self) -> Callable[[list[Sample]], list[str]]:
        """Return the task."""
        return self.run

    def run(self, chunk: list[Sample]) -> list[str]:
        """Return the ids, or die."""
        if self.id in ids_of(chunk) and (self.deaths is None or len(self.deaths.read_bytes()) < self.most):
            if self.deaths is not None:
                with self.deaths.open("ab") as file:
                    file.write(b"x")
            os.kill(os.getpid(), signal.SIGKILL)
        return ids_of(chunk)


@pytest.mark.parametrize("deaths", [1, 2, 3])
def test_a_worker_that_is_killed_loses_and_repeats_nothing(tmp_path: Path, deaths: int) -> None:
    """Its chunk is tried again in a fresh process, then sample by sample; the order stays."""
    counter = tmp_path / "deaths"
    counter.touch()
    found = [name for chunk in map_chunks(Poison("q300", counter, deaths), samples(1000), workers=2) for name in chunk]
    assert found == [f"q{number}" for number in range(1000)]
    assert len(counter.read_bytes()) == deaths


def test_a_sample_that_kills_every_worker_is_named() -> None:
    """The error has its id and its number; the results of all samples before it come first."""
    found: list[str] = []

    def take() -> None:
        for chunk in map_chunks(Poison("q300"), samples(1000), workers=2):
            found.extend(chunk)

    with pytest.raises(EvaluationError, match=r"sample 'q300', number 301 of the input, .* by SIGKILL"):
        take()
    assert found == [f"q{number}" for number in range(300)]


def test_workers_end_with_the_one_who_takes_the_results() -> None:
    """A caller who stops halfway leaves no process behind, whatever it works on."""
    pending = map_chunks(make_slow_task, samples(1000), workers=2)
    next(pending)
    children = multiprocessing.active_children()
    assert children
    pending.close()  # type: ignore[attr-defined]  # it is a generator
    for child in children:
        child.join()
    assert not multiprocessing.active_children()


def test_nothing_is_left_of_workers_that_have_done_their_work() -> None:
    """They are waited for as well, so that a program that goes on keeps no dead processes."""
    pending = map_chunks(make_ids_task, samples(300), workers=2)
    next(pending)
    pids = [child.pid for child in multiprocessing.active_children() if child.pid is not None]
    assert pids
    list(pending)
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
