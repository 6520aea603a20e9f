"""What workers share: each task once, and together no more than one of them alone would spend and ask."""

import asyncio
import random

import pytest
from tests.clock import counted_s, run_counted

from plumbrule.http.exchange import Exchange
from plumbrule.http.rate_limit import Pace
from plumbrule.http.throttle import Throttle
from plumbrule.http.transport_errors import RateLimitedError
from plumbrule.runs.budget import Expected, Meter, Spending
from plumbrule.runs.config_schema import Budget
from plumbrule.runs.workers.run_board import Board, Terms, share

CREW = ("a", "b", "c")
CALL = Spending(calls=1, tokens=10)


def terms(
    *,
    tasks: int = 100,
    concurrency: int = 9,
    budget: Budget | None = None,
    interval_s: float | None = None,
    adaptive: bool = True,
) -> Terms:
    """Return the terms of a run of one call a task."""
    return Terms(
        tasks=tasks,
        concurrency=concurrency,
        stop_after_failures=3,
        budget=budget or Budget(),
        expected=Expected(judgement=CALL),
        intervals_s={} if interval_s is None else {"p": interval_s},
        adaptive=adaptive,
    )


def nothing_is_finished(number: int) -> int:
    """Skip no task."""
    return number


def begin(board: Board, worker: str, of: Terms) -> list[int]:
    """Return the numbers of the tasks that a worker is given."""
    return [claim.number for claim in board.begin(worker, CREW, of, nothing_is_finished)]


def test_every_task_is_given_once_and_in_order() -> None:
    """Whoever asks, and whenever tasks end: no task has two workers, and no more are under way than one would have."""
    board, of, generator = Board(limits={}), terms(), random.Random(1)  # noqa: S311 - a test, not a secret
    given: list[int] = []
    while not board.is_over(of, nothing_is_finished):
        worker = generator.choice(CREW)
        given += begin(board, worker, of)
        assert len(board.claims) <= of.concurrency
        own = [number for number, holder in board.claims.items() if holder == worker]
        for number in generator.sample(own, generator.randint(0, len(own))):
            assert board.end(worker, number, CALL)
    assert given == list(range(100))
    assert (board.finished, board.ended, board.spent) == (100, 100, CALL.times(100))


def test_what_was_finished_before_is_not_given() -> None:
    """The numbers that a worker knows as finished are passed over."""
    board, of = Board(limits={}), terms(tasks=10)
    claims = board.begin("a", ("a",), of, lambda number: number if number % 2 else number + 1)
    assert [claim.number for claim in claims] == [1, 3, 5, 7, 9]


@pytest.mark.parametrize("most", [1, 2, 3, 16, 17])
@pytest.mark.parametrize("crew", [("a",), ("b", "a"), CREW])
def test_parts_are_fair_and_no_more_than_the_whole(most: int, crew: tuple[str, ...]) -> None:
    """They differ by one at most, and make up the whole."""
    parts = [share(most, worker, crew) for worker in crew]
    assert sum(parts) == most
    assert max(parts) - min(parts) <= 1


def test_a_worker_that_comes_later_gets_its_part() -> None:
    """The first has everything; it is given nothing more until the others have theirs."""
    board, of = Board(limits={}), terms()
    first = board.begin("a", ("a",), of, nothing_is_finished)
    assert len(first) == 9
    assert begin(board, "b", of) == []
    for claim in first[:4]:
        board.end("a", claim.number, CALL)
    assert begin(board, "a", of) == []
    assert begin(board, "b", of) == [9, 10, 11]


@pytest.mark.parametrize("budget", [Budget(max_calls=20), Budget(max_tokens=205), Budget(max_calls=2)])
def test_a_budget_stops_all_where_it_would_stop_one(budget: Budget) -> None:
    """As many tasks are begun as by one process with the same meter, and then none by anybody."""
    alone = Meter(budget=budget, expected=Expected(judgement=CALL))
    while alone.reason_to_stop() is None:
        alone.begin()
    board, of = Board(limits={}), terms(budget=budget)
    while not board.is_over(of, nothing_is_finished):
        for worker in CREW:
            for number in begin(board, worker, of):
                board.end(worker, number, CALL)
    assert board.ended == alone.under_way
    assert board.stopped_by == alone.reason_to_stop()
    assert [begin(board, worker, of) for worker in CREW] == [[], [], []]


def test_failures_in_a_row_are_counted_over_all_workers() -> None:
    """Three in a row stop the run, whoever met them; one that works in between starts the count again."""
    board, of = Board(limits={}), terms(concurrency=3)
    for worker, failed in (("a", True), ("b", True), ("c", False), ("a", True), ("b", True), ("c", True)):
        [number] = begin(board, worker, of)
        board.end(worker, number, CALL, failed=failed)
    assert begin(board, "a", of) == []
    assert board.stopped_by == "3 samples in a row could not be evaluated"
    assert board.finished == 1


def test_what_a_lost_worker_had_is_given_again_first() -> None:
    """Its calls count as spent, its places are free, and what it says later does not count."""
    board, of = Board(limits={}), terms()
    begin(board, "a", of)
    lost = begin(board, "b", of)
    for _ in lost:
        board.enter("b", "p", 0.0, of)
    board.decide("b")
    board.lose("b", of.expected)
    assert (board.lost, board.spent, board.ended) == (lost, CALL.times(3), 3)
    assert board.providers["p"].under_way == {}
    assert board.decide("a")
    assert not board.end("b", lost[0], CALL)
    claims = board.begin("c", CREW, of, nothing_is_finished)
    assert [(claim.number, claim.lost) for claim in claims] == [(number, True) for number in lost]
    assert not board.end("b", lost[0], CALL)
    assert board.end("c", lost[0], None)  # its result stood
    assert (board.finished, board.spent) == (1, CALL.times(3))


def test_one_worker_decides() -> None:
    """The first that asks; nobody after it is decided."""
    board = Board(limits={})
    assert [board.decide(worker) for worker in ("b", "a", "b")] == [True, False, True]
    board.decided = True
    assert [board.decide(worker) for worker in CREW] == [False, False, False]


def test_turns_are_those_of_one_process() -> None:
    """However many workers ask, and whenever: the times of requests are those that one pace gives to one process."""
    asked_at = [0.0, 0.0, 0.1, 0.2, 0.2, 60.0, 60.1, 60.1]
    alone: list[float] = []

    async def ask(pace: Pace, at: float) -> None:
        await asyncio.sleep(at)
        await pace.turn()
        alone.append(counted_s())

    async def ask_all() -> None:
        pace = Pace(120)
        await asyncio.gather(*(ask(pace, at) for at in asked_at))

    run_counted(ask_all())
    board, of = Board(limits={}), terms(interval_s=0.5)
    turns = [(at, board.enter(CREW[place % 3], "p", at, of)) for place, at in enumerate(asked_at)]
    assert all(turn.granted for _, turn in turns)
    assert [round(at + turn.wait_s, 3) for at, turn in turns] == alone


def test_places_are_those_of_one_process() -> None:
    """The same answers take and give the same places, and together the workers have no more calls under way."""
    of, board = terms(concurrency=4), Board(limits={})
    too_many = RateLimitedError("too many", exchange=Exchange(url="u", request={}, status=429))
    generator = random.Random(2)  # noqa: S311 - a test, not a secret

    async def call_often() -> None:
        throttle = Throttle(4)
        for _ in range(50):
            async with throttle.place() as place:
                if generator.random() < 0.6:
                    place.answered()
                    board.answered("p", of)
                else:
                    place.failed(too_many)
                    board.asked_to_slow_down("p", of)
            board.providers["p"].under_way.clear()
            granted = [board.enter(worker, "p", 0.0, of).granted for worker in (*CREW, *CREW)]
            assert sum(granted) == throttle.places

    asyncio.run(call_often())
    board.leave("a", "p")
    assert board.enter("c", "p", 0.0, of).granted


def test_without_adapting_the_places_stay() -> None:
    """``adaptive_concurrency: false`` holds for all workers."""
    board, of = Board(limits={}), terms(concurrency=2, adaptive=False)
    board.asked_to_slow_down("p", of)
    assert [board.enter(worker, "p", 0.0, of).granted for worker in CREW] == [True, True, False]


def test_who_asks_to_wait_is_called_by_nobody() -> None:
    """Until the time is over; a shorter wait does not shorten it."""
    board, of = Board(limits={}), terms()
    board.close("p", 30.0, of)
    board.close("p", 5.0, of)
    turns = [board.enter(worker, "p", at, of) for worker, at in (("a", 0.0), ("b", 29.0), ("c", 30.0))]
    assert [(turn.granted, turn.wait_s) for turn in turns] == [(False, 30.0), (False, 1.0), (True, 0.0)]
    assert (board.closed_for("p", 10.0), board.closed_for("p", 31.0), board.closed_for("q", 0.0)) == (20.0, 0.0, 0.0)
