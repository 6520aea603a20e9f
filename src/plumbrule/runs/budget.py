"""What a run would take and what it spends, candidate and judge together, against its budget."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, TypeVar

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
    """What one piece is expected to spend; it stands in where a provider reports no tokens."""

    answer: Spending = field(default_factory=Spending)
    judgement: Spending = field(default_factory=Spending)

    @property
    def piece(self) -> Spending:
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

    A piece is begun only while the budget has room for it and for those under way, each taken to spend what the
    finished ones did on average: ``expected`` until there are any. Retries of those under way may go a little beyond.
    """

    budget: Budget = field(default_factory=Budget)
    expected: Expected = field(default_factory=Expected)
    spent: Spending = field(default_factory=Spending)
    pieces: int = 0  # that made up ``spent``
    under_way: int = 0

    def reason_to_stop(self) -> str | None:
        """Tell which limit the next piece would pass, if it would pass one."""
        each = self.spent.times(1 / self.pieces) if self.pieces else self.expected.piece
        ahead = self.spent + each.times(self.under_way + 1)
        for name in ("calls", "tokens", "cost_usd"):
            limit = getattr(self.budget, f"max_{name}")
            if limit is not None and getattr(ahead, name) > limit:
                return f"one more would pass budget.max_{name} {limit:g}"
        return None

    def begin(self) -> None:
        """Take note of a piece that begins."""
        self.under_way += 1

    def end(self, spending: Spending) -> None:
        """Take note of a piece that has ended, and of what it spent."""
        self.under_way -= 1
        self.pieces += 1
        self.spent += spending


_CHARACTERS_PER_TOKEN = 4

T = TypeVar("T", int, float)


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What one role would take; None is what cannot be known before."""

    calls: int = 0
    input_tokens: int | None = 0
    output_tokens: int | None = 0
    cost_usd: float | None = 0.0

    def __add__(self, other: "Estimate") -> "Estimate":
        return Estimate(
            calls=self.calls + other.calls,
            input_tokens=_sum(self.input_tokens, other.input_tokens),
            output_tokens=_sum(self.output_tokens, other.output_tokens),
            cost_usd=_sum(self.cost_usd, other.cost_usd),
        )

    def per_piece(self, pieces: int) -> Spending:
        """Return the share of one piece; what is not known counts as nothing."""
        tokens = (self.input_tokens or 0) + (self.output_tokens or 0)
        whole = Spending(calls=self.calls, tokens=tokens, cost_usd=self.cost_usd or 0.0)
        return whole.times(1 / pieces) if pieces else whole

    def to_dict(self) -> dict[str, Any]:
        """Return the estimate as JSON holds it."""
        return {
            "calls": self.calls,
            "input_tokens": self.input_tokens,
            "output_tokens_at_most": self.output_tokens,
            "cost_usd_at_most": self.cost_usd,
        }


def estimate_calls(prompts: Iterable[int], *, longest_output: int, prices: Prices | None, repeats: int) -> Estimate:
    """Return what it takes to ask a model with prompts of so many characters, each once a repeat."""
    lengths = [-(-length // _CHARACTERS_PER_TOKEN) for length in prompts]
    asked, given = sum(lengths) * repeats, longest_output * len(lengths) * repeats
    cost = prices.cost_usd(asked, given) if prices is not None else None
    return Estimate(calls=len(lengths) * repeats, input_tokens=asked, output_tokens=given, cost_usd=cost)


def characters_of(tokens: int) -> int:
    """Return how long a text of so many tokens is taken to be."""
    return tokens * _CHARACTERS_PER_TOKEN


def _sum(one: T | None, other: T | None) -> T | None:
    return None if one is None or other is None else one + other
