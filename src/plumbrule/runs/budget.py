"""What a run is estimated to use and what it spends, candidate and judge together, against its budget."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeVar

from plumbrule.judges.judgement import Judgement
from plumbrule.models.prices import Prices
from plumbrule.runs.candidate import Answered
from plumbrule.runs.config_schema import Budget


@dataclass(frozen=True, slots=True, kw_only=True)
class Spending:
    """Calls made, tokens used and what they cost."""

    calls: float = 0
    tokens: float = 0
    cost_usd: float = 0.0

    def __add__(self, other: "Spending") -> "Spending":
        return Spending(
            calls=self.calls + other.calls, tokens=self.tokens + other.tokens, cost_usd=self.cost_usd + other.cost_usd
        )

    def times(self, number: float) -> "Spending":
        """Return so many times as much."""
        return Spending(calls=self.calls * number, tokens=self.tokens * number, cost_usd=self.cost_usd * number)


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """What one task is expected to spend; used where a provider reports no tokens."""

    answer: Spending = field(default_factory=Spending)
    judgement: Spending = field(default_factory=Spending)

    @property
    def task(self) -> Spending:
        """Both together."""
        return self.answer + self.judgement

    def of_answer(self, answered: Answered) -> Spending:
        """Return what an answer has spent."""
        sample = answered.sample
        return _spent(answered.requests, (sample.input_tokens, sample.output_tokens), answered.cost_usd, self.answer)

    def of_judgement(self, judgement: Judgement) -> Spending:
        """Return what a judgement has spent."""
        tokens = judgement.input_tokens, judgement.output_tokens
        return _spent(judgement.requests, tokens, judgement.cost_usd, self.judgement)


def _spent(
    requests: int, tokens: tuple[int | None, int | None], cost_usd: float | None, expected: Spending
) -> Spending:
    if not requests:  # recorded, from a cache, or by rules
        return Spending()
    asked, given = tokens
    return Spending(
        calls=requests,
        tokens=expected.tokens if asked is None or given is None else asked + given,
        cost_usd=expected.cost_usd if cost_usd is None else cost_usd,
    )


@dataclass(slots=True, kw_only=True)
class Meter:
    """Keeps a run within its budget.

    A task begins only while the budget has room for it and for those under way. Each is assumed to spend what the
    finished tasks did on average, or ``expected`` while none is finished. Retries may exceed the budget a little.
    """

    budget: Budget = field(default_factory=Budget)
    expected: Expected = field(default_factory=Expected)
    spent: Spending = field(default_factory=Spending)
    tasks: int = 0  # that made up ``spent``
    under_way: int = 0

    def reason_to_stop(self) -> str | None:
        """Return which limit the next task would exceed, or None."""
        average = self.spent.times(1 / self.tasks) if self.tasks else self.expected.task
        ahead = self.spent + average.times(self.under_way + 1)
        for name in ("calls", "tokens", "cost_usd"):
            limit = getattr(self.budget, f"max_{name}")
            if limit is not None and getattr(ahead, name) > limit:
                return f"one more would pass budget.max_{name} {limit:g}"
        return None

    def begin(self) -> None:
        """Count a task that begins."""
        self.under_way += 1

    def end(self, spending: Spending) -> None:
        """Count a task that has ended, and what it spent."""
        self.under_way -= 1
        self.tasks += 1
        self.spent += spending


_CHARACTERS_PER_TOKEN = 4

T = TypeVar("T", int, float)


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What one role is estimated to use; None is what cannot be known beforehand."""

    calls: int = 0
    input_tokens: int | None = 0
    output_tokens_at_most: int | None = 0
    cost_usd_at_most: float | None = 0.0

    def __add__(self, other: "Estimate") -> "Estimate":
        return Estimate(
            calls=self.calls + other.calls,
            input_tokens=_sum(self.input_tokens, other.input_tokens),
            output_tokens_at_most=_sum(self.output_tokens_at_most, other.output_tokens_at_most),
            cost_usd_at_most=_sum(self.cost_usd_at_most, other.cost_usd_at_most),
        )

    def per_task(self, tasks: int) -> Spending:
        """Return the share of one task; what is not known counts as nothing."""
        tokens = (self.input_tokens or 0) + (self.output_tokens_at_most or 0)
        whole = Spending(calls=self.calls, tokens=tokens, cost_usd=self.cost_usd_at_most or 0.0)
        return whole.times(1 / tasks) if tasks else whole


def estimate_calls(prompts: Iterable[int], *, longest_output: int, prices: Prices | None, repeats: int) -> Estimate:
    """Return what it would use to send prompts of these lengths in characters, each once a repeat."""
    lengths = [-(-length // _CHARACTERS_PER_TOKEN) for length in prompts]
    asked, given = sum(lengths) * repeats, longest_output * len(lengths) * repeats
    cost = prices.cost_usd(asked, given) if prices is not None else None
    return Estimate(
        calls=len(lengths) * repeats, input_tokens=asked, output_tokens_at_most=given, cost_usd_at_most=cost
    )


def characters_of(tokens: int) -> int:
    """Return how many characters a text of so many tokens is assumed to have."""
    return tokens * _CHARACTERS_PER_TOKEN


def _sum(one: T | None, other: T | None) -> T | None:
    return None if one is None or other is None else one + other
