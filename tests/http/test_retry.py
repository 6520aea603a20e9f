"""A call that fails on the way is made again: which failures, for how long, and how many at a time."""

import asyncio
from collections import Counter
from typing import Any

import pytest
from tests.clock import counted_s, run_counted
from tests.judges.conftest import Ask
from tests.servers.scripted import Request, Step

from plumbrule.http.exchange import Exchange
from plumbrule.http.retry import Clock, Patience, full_jitter
from plumbrule.http.throttle import Throttle
from plumbrule.http.transport_errors import ConnectionFailedError, RateLimitedError, ServerError, TransportError

FINE = Step()
PATIENT = Patience(jitter=float)


def failure(kind: type[TransportError] = ServerError, **options: Any) -> TransportError:
    """Return a failure with an exchange."""
    status = {ServerError: 500, RateLimitedError: 429}.get(kind)
    return kind("failed", exchange=Exchange(url="u", request={}, status=options.pop("status", status)), **options)


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 520, 529])
def test_what_may_pass_is_tried_again(ask_counted: Ask, status: int) -> None:
    """Ten failures in a row are no reason to give up while there is time."""
    done = ask_counted([*[Step(status=status)] * 10, FINE], patience=PATIENT)
    assert (len(done.requests), done.judgement.accuracy_score, done.judgement.requests) == (11, 2, 11)
    assert done.took_s == 0.5 + 1 + 2 + 4 + 8 + 16 + 4 * 30


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422])
def test_what_cannot_pass_is_not(ask_counted: Ask, status: int) -> None:
    """The request itself is at fault."""
    done = ask_counted([Step(status=status), FINE], patience=PATIENT)
    assert (len(done.requests), done.judgement.error_kind) == (1, "rejected")


def test_a_quota_that_is_used_up_is_no_rate_limit(ask_counted: Ask) -> None:
    """Status 429 as well, yet no wait mends it."""
    body = b'{"error": {"message": "You exceeded your current quota.", "code": "insufficient_quota"}}'
    done = ask_counted([Step(status=429, body=body), FINE], patience=PATIENT)
    assert (len(done.requests), done.judgement.error_kind) == (1, "rejected")
    assert "exceeded your current quota" in (done.judgement.error_detail or "")


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (
            b'{"detail": [{"loc": ["body", "query"], "msg": "Field required"}]}',
            "status 422: body.query: Field required",
        ),
        (b'{"detail": "Not found"}', "status 422: Not found"),
        (b'{"error": "no such model"}', "status 422: no such model"),
        (b'{"message": "no such route"}', "status 422: no such route"),
        (b'{"detail": []}', "status 422"),
        (b"[]", "status 422"),
    ],
)
def test_what_is_wrong_with_a_request_is_told(ask_counted: Ask, body: bytes, said: str) -> None:
    """In the words of the other side, wherever it puts them."""
    detail = ask_counted([Step(status=422, body=body)], patience=PATIENT).judgement.error_detail
    assert (detail or "").endswith(said)


def test_an_answer_that_cannot_be_read_is_asked_for_a_few_times(ask_counted: Ask) -> None:
    """Each may have been paid for."""
    done = ask_counted([Step(body=b"{")], patience=PATIENT)
    assert (len(done.requests), done.judgement.error_kind) == (4, "malformed_body")


def test_time_ends_it(ask_counted: Ask) -> None:
    """No call is begun after the budget of time, and a wait that would pass it is not begun."""
    done = ask_counted([Step(status=500)], patience=Patience(deadline_s=20, jitter=float))
    assert len(done.requests) == 6
    assert done.took_s == 0.5 + 1 + 2 + 4 + 8
    assert len(ask_counted([Step(status=500)], patience=Patience(deadline_s=0)).requests) == 1
    asked = ask_counted([Step(status=429, headers={"retry-after": "3600"})], patience=PATIENT)
    assert (len(asked.requests), asked.took_s) == (1, 0)


def test_waits_are_random_up_to_their_length() -> None:
    """Full jitter: callers that failed together do not return together."""
    waits = [full_jitter(8.0) for _ in range(400)]
    assert 0 <= min(waits) < 1
    assert 7 < max(waits) <= 8
    longest: list[float] = []

    async def work() -> None:
        async def send(_: float) -> str:
            if len(longest) < 4:
                raise failure()
            return "answer"

        def jitter(wait: float) -> float:
            longest.append(wait)
            return 0.0

        await Clock(Patience(jitter=jitter)).call(send, lambda _: None)

    run_counted(work())
    assert longest == [0.5, 1, 2, 4]


def test_an_address_where_nobody_ever_answered_is_given_up_soon() -> None:
    """It is most often the wrong one; once somebody answered there, a broken connection is worth the whole time."""
    throttle = Throttle(4)
    calls = Counter[str]()

    async def refused(_: float) -> str:
        calls["refused"] += 1
        raise failure(ConnectionFailedError)

    async def fine(_: float) -> str:
        return "answer"

    async def work() -> None:
        for expected in (4, 4 + 15):
            with pytest.raises(ConnectionFailedError):
                await Clock(PATIENT).call(refused, lambda _: None, throttle=throttle)
            assert calls["refused"] == expected
            await Clock(PATIENT).call(fine, lambda _: None, throttle=throttle)

    run_counted(work())


class Limited:
    """A provider that answers so many requests a second, and 429 to the others."""

    def __init__(self, per_s: int, *, takes_s: float = 0.0, retry_after: str | None = None) -> None:
        self.counts = Counter[int]()
        self._per_s = per_s
        self._takes_s = takes_s
        self._headers = {} if retry_after is None else {"retry-after": retry_after}
        self._within: list[float] = []

    def __call__(self, _: Request) -> Step:
        """Answer by the counted time."""
        now = counted_s()
        self._within = [moment for moment in self._within if moment > now - 1]
        status = 200 if len(self._within) < self._per_s else 429
        self.counts[status] += 1
        if status == 429:
            return Step(status=429, headers=self._headers)
        self._within.append(now)
        return Step(delay_s=self._takes_s)


async def _judge_all(limited: Limited, count: int, throttle: Throttle) -> float:
    async def send(_: float) -> str:
        step = limited(Request(path="", headers={}, body=b""))
        await asyncio.sleep(step.delay_s)
        if step.status == 429:
            after = step.headers.get("retry-after")
            raise failure(RateLimitedError, retry_after_s=None if after is None else float(after))
        return "answer"

    async def one() -> None:
        await Clock(Patience()).call(send, lambda _: None, throttle=throttle)

    await asyncio.gather(*(one() for _ in range(count)))
    return counted_s()


@pytest.mark.parametrize("retry_after", [None, "1", "0.2"])
@pytest.mark.parametrize("takes_s", [0.0, 2.0])
def test_a_rate_limit_is_lived_with(retry_after: str | None, takes_s: float) -> None:
    """Four a second for sixty calls, sixteen at once: all are answered, without a rate being configured."""
    limited, throttle = Limited(4, takes_s=takes_s, retry_after=retry_after), Throttle(16)
    took_s = run_counted(_judge_all(limited, 60, throttle))
    assert limited.counts[200] == 60
    assert took_s < 90  # fifteen seconds are the least
    assert (throttle.places or 16) < 16


def test_fewer_calls_are_made_while_there_are_too_many() -> None:
    """A wave of 429 halves the places; answers give them back, one for as many as there are."""
    throttle = Throttle(16)

    async def wave(count: int, error: TransportError | None) -> int | None:
        async def one() -> None:
            async with throttle.place() as place:
                await asyncio.sleep(1)
                if error is None:
                    place.answered()
                else:
                    place.failed(error)

        await asyncio.gather(*(one() for _ in range(count)))
        return throttle.places

    async def work() -> list[int | None]:
        slow, broken = failure(RateLimitedError), failure()
        return [
            await wave(16, slow),
            await wave(8, slow),
            await wave(4, broken),
            await wave(9, None),
            await wave(99, None),
        ]

    assert run_counted(work()) == [8, 4, 4, 5, 15]


def test_one_that_asks_to_slow_down_among_many_changes_little() -> None:
    """Three answers of a hundred with 429, as they come by chance, leave nearly all the places."""
    throttle = Throttle(16)

    async def work() -> list[int]:
        places = []
        for number in range(300):
            async with throttle.place() as place:
                if number % 33 == 32:
                    place.failed(failure(RateLimitedError))
                else:
                    place.answered()
            places.append(throttle.places or 0)
        return places

    assert min(run_counted(work())) == 15


def test_nobody_calls_while_the_provider_asks_to_wait() -> None:
    """Retry-After to one caller is heard by all, and is no loss of their patience."""
    throttle, moments = Throttle(8), []

    async def send(_: float) -> str:
        moments.append(counted_s())
        if len(moments) == 1:
            raise failure(RateLimitedError, retry_after_s=7.0)
        return "answer"

    async def one(delay_s: float) -> None:
        await asyncio.sleep(delay_s)
        await Clock(Patience(deadline_s=10, jitter=float)).call(send, lambda _: None, throttle=throttle)

    async def work() -> None:
        await asyncio.gather(*(one(number) for number in range(4)))

    run_counted(work())
    assert moments == [0.0, 7.0, 7.0, 7.0, 7.0]


def test_a_place_is_given_back_by_who_gives_up() -> None:
    """Cancelled in the queue or in the call: the others go on."""
    throttle, done = Throttle(1), []

    async def one(number: int) -> None:
        async with throttle.place():
            await asyncio.sleep(10)
            done.append((number, counted_s()))

    async def work() -> None:
        tasks = [asyncio.ensure_future(one(number)) for number in range(4)]
        await asyncio.sleep(1)
        tasks[0].cancel()
        tasks[2].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    run_counted(work())
    assert done == [(1, 11.0), (3, 21.0)]
