"""Requests are spaced evenly, in the order in which they came, on the loop's own clock."""

import asyncio
import math

import pytest
from tests.clock import counted_s, run_counted
from tests.judges.conftest import QUICK, Ask
from tests.servers.scripted import Step

from plumbrule.errors import UsageError
from plumbrule.http.exchange import Exchange
from plumbrule.http.rate_limit import Pace
from plumbrule.http.retry import Clock, Patience
from plumbrule.http.throttle import Throttle
from plumbrule.http.transport_errors import ServerError


def test_turns_are_evenly_spaced_and_in_order() -> None:
    """Two a second: the first at once, each of the others half a second after the one before it."""
    turns: list[tuple[int, float]] = []

    async def take(pace: Pace, number: int) -> None:
        await pace.turn()
        turns.append((number, counted_s()))

    async def all_of_them() -> None:
        pace = Pace(120)
        await asyncio.gather(*(take(pace, number) for number in range(5)))

    run_counted(all_of_them())
    assert turns == [(0, 0.0), (1, 0.5), (2, 1.0), (3, 1.5), (4, 2.0)]


def test_a_pause_saves_up_no_turns() -> None:
    """After an idle minute the next two are as far apart as ever."""
    turns: list[float] = []

    async def work() -> None:
        pace = Pace(60)
        for pause in (0, 60, 0, 0):
            await asyncio.sleep(pause)
            await pace.turn()
            turns.append(counted_s())

    run_counted(work())
    assert turns == [0.0, 60.0, 61.0, 62.0]


@pytest.mark.parametrize("given_up", [1, 2, 3])
def test_who_gives_up_leaves_the_turn_to_the_next(given_up: int) -> None:
    """Neither the one that sleeps nor one in the queue holds up the others or loses a turn."""
    turns: list[tuple[int, float]] = []

    async def take(pace: Pace, number: int) -> None:
        await pace.turn()
        turns.append((number, counted_s()))

    async def work() -> None:
        pace = Pace(60)
        tasks = [asyncio.ensure_future(take(pace, number)) for number in range(4)]
        await asyncio.sleep(0.4)
        tasks[given_up].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    run_counted(work())
    assert [moment for _, moment in turns] == [0.0, 1.0, 2.0]
    assert [number for number, _ in turns] == [number for number in range(4) if number != given_up]


@pytest.mark.parametrize("rate", [0, -1, math.nan])
def test_a_pace_is_more_than_nothing(rate: float) -> None:
    """A rate that no request could keep is refused."""
    with pytest.raises(UsageError, match="requests_per_minute"):
        Pace(rate)


def test_a_wait_of_our_own_uses_up_no_patience() -> None:
    """The wait for a turn is made before each attempt, and the deadline moves by it."""
    sent: list[float] = []

    async def send(timeout_s: float) -> str:
        assert timeout_s == 60
        sent.append(counted_s())
        if len(sent) < 3:
            raise ServerError("status 500", exchange=Exchange(url="u", request={}))
        return "answer"

    async def work() -> str:
        throttle = Throttle(pace=Pace(200))
        return await Clock(Patience(deadline_s=0.4, first_wait_s=0.0)).call(send, lambda _: None, throttle=throttle)

    assert run_counted(work()) == "answer"
    assert sent == [0.0, 0.3, 0.6]  # 0.6 s were waited against a deadline of 0.4 s


def test_a_judge_keeps_the_pace(ask_counted: Ask) -> None:
    """Every request waits for its turn, the one after a failure too, and the judgement is the same."""

    class Counting(Pace):
        """A pace that counts."""

        turns = 0

        async def turn(self) -> None:
            """Count."""
            self.turns += 1
            await super().turn()

    pace = Counting(6000)
    done = ask_counted(
        [Step(status=500), Step(text="no judgement"), Step()], patience=QUICK, throttle=Throttle(pace=pace)
    )
    assert (len(done.requests), pace.turns, done.judgement.accuracy_score) == (3, 3, 2)
    assert done.took_s == pytest.approx(0.02)
