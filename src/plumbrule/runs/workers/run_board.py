"""What the workers of one run share, and the rules by which they share it: pure, with the time handed in.

Nothing here is evidence. A board is made from the ledger by the first worker, and ends with the last.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from plumbrule.http.throttle import fewer_places, more_places
from plumbrule.runs.budget import Expected, Meter, Spending
from plumbrule.runs.config_schema import Budget
from plumbrule.runs.execution import too_many_failures

_NO_PLACE_S = 0.1  # until a place is asked for again where all are taken


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What a run does and may do at most, the same for all its workers."""

    tasks: int
    concurrency: int
    stop_after_failures: int
    budget: Budget
    expected: Expected
    intervals_s: Mapping[str, float]  # between two requests to a provider
    adaptive: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A task that one worker has, by its number in the order of the run."""

    number: int
    lost: bool  # another worker had it, and is gone


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """Whether a request has its place, and how long to wait: before it is sent, or until it is asked for again."""

    granted: bool
    wait_s: float


@dataclass(slots=True, kw_only=True)
class ProviderCalls:
    """The calls to one provider, of all workers."""

    places: float
    next_s: float = 0.0  # when the next request may be sent
    closed_until_s: float = 0.0
    under_way: dict[str, int] = field(default_factory=dict)  # by worker


@dataclass(slots=True, kw_only=True)
class Board:
    """Who does what, what is spent, and when each provider may be called next."""

    limits: dict[str, Any]  # what every worker must have been given alike
    next: int = 0  # tasks from here on were given to nobody yet
    claims: dict[int, str] = field(default_factory=dict)  # the worker by the task's number
    lost: list[int] = field(default_factory=list)  # tasks whose worker is gone
    finished: int = 0
    ended: int = 0  # tasks that made up ``spent``
    spent: Spending = field(default_factory=Spending)
    failures_in_a_row: int = 0
    stopped_by: str | None = None
    providers: dict[str, ProviderCalls] = field(default_factory=dict)
    decider: str | None = None  # who writes the decision
    decided: bool = False

    def begin(self, worker: str, crew: Sequence[str], terms: Terms, skip: Callable[[int], int]) -> list[Claim]:
        """Give a worker as many tasks as it has room for; ``skip`` returns the next number that is not finished.

        Tasks of workers that are gone come first. Nothing is given beyond the budget; the board then says why.
        """
        own = sum(holder == worker for holder in self.claims.values())
        room = min(share(terms.concurrency, worker, crew) - own, terms.concurrency - len(self.claims))
        given: list[Claim] = []
        while len(given) < room:
            self.next = skip(self.next)
            number = self.lost[0] if self.lost else self.next
            if number >= terms.tasks:
                break
            self.stopped_by = self.stopped_by or self._reason_to_stop(terms)
            if self.stopped_by is not None:
                break
            given.append(Claim(number=number, lost=bool(self.lost)))
            if self.lost:
                self.lost.pop(0)
            else:
                self.next = number + 1
            self.claims[number] = worker
        return given

    def is_over(self, terms: Terms, skip: Callable[[int], int]) -> bool:
        """Tell whether nothing is left that a worker could still be given."""
        if self.stopped_by is not None:
            return True
        return not self.claims and not self.lost and skip(self.next) >= terms.tasks

    def end(self, worker: str, number: int, spent: Spending | None, *, failed: bool = False) -> bool:
        """Count a task that has ended, unless the worker has lost it; None: nothing was done, it was finished."""
        if self.claims.get(number) != worker:
            return False
        del self.claims[number]
        self.finished += not failed
        if spent is not None:
            self.ended += 1
            self.spent += spent
            self.failures_in_a_row = self.failures_in_a_row + 1 if failed else 0
        return True

    def lose(self, worker: str, expected: Expected) -> None:
        """Take back what a worker has that is gone; nobody knows what became of its calls, so they count as spent."""
        numbers = sorted(number for number, holder in self.claims.items() if holder == worker)
        for number in numbers:
            del self.claims[number]
        self.lost += numbers
        self.spent += expected.task.times(len(numbers))
        self.ended += len(numbers)
        for calls in self.providers.values():
            calls.under_way.pop(worker, None)
        if self.decider == worker:
            self.decider = None

    def decide(self, worker: str) -> bool:
        """Tell whether it is this worker that writes the decision."""
        if self.decider is None and not self.decided:
            self.decider = worker
        return self.decider == worker and not self.decided

    def enter(self, worker: str, provider: str, now_s: float, terms: Terms) -> Turn:
        """Give a request its place and its time, or say when to ask again."""
        calls = self._calls(provider, terms)
        if calls.closed_until_s > now_s:
            return Turn(granted=False, wait_s=calls.closed_until_s - now_s)
        if sum(calls.under_way.values()) + 1 > calls.places:
            return Turn(granted=False, wait_s=_NO_PLACE_S)
        calls.under_way[worker] = calls.under_way.get(worker, 0) + 1
        slot_s = max(calls.next_s, now_s)
        if provider in terms.intervals_s:
            calls.next_s = slot_s + terms.intervals_s[provider]
        return Turn(granted=True, wait_s=slot_s - now_s)

    def closed_for(self, provider: str, now_s: float) -> float:
        """Return for how long nobody may call a provider, because it asks for that."""
        calls = self.providers.get(provider)
        return 0.0 if calls is None else max(0.0, calls.closed_until_s - now_s)

    def leave(self, worker: str, provider: str) -> None:
        """Count a request as over."""
        under_way = self.providers[provider].under_way if provider in self.providers else {}
        if worker in under_way:
            under_way[worker] -= 1

    def answered(self, provider: str, terms: Terms) -> None:
        """Add a part of a place, up to as many as there were."""
        if terms.adaptive:
            calls = self._calls(provider, terms)
            calls.places = more_places(calls.places, terms.concurrency)

    def asked_to_slow_down(self, provider: str, terms: Terms) -> None:
        """Take half a place away."""
        if terms.adaptive:
            calls = self._calls(provider, terms)
            calls.places = fewer_places(calls.places)

    def close(self, provider: str, until_s: float, terms: Terms) -> None:
        """Let nobody call a provider before that time."""
        calls = self._calls(provider, terms)
        calls.closed_until_s = max(calls.closed_until_s, until_s)

    def _calls(self, provider: str, terms: Terms) -> ProviderCalls:
        return self.providers.setdefault(provider, ProviderCalls(places=float(terms.concurrency)))

    def _reason_to_stop(self, terms: Terms) -> str | None:
        if self.failures_in_a_row >= terms.stop_after_failures:
            return too_many_failures(self.failures_in_a_row)
        meter = Meter(budget=terms.budget, expected=terms.expected, spent=self.spent, tasks=self.ended)
        meter.under_way = len(self.claims)
        return meter.reason_to_stop()


def share(most: int, worker: str, crew: Sequence[str]) -> int:
    """Return a worker's part of ``most``: parts that differ by one at most, and are that number together."""
    part, rest = divmod(most, len(crew))
    return part + (sorted(crew).index(worker) < rest)
