"""What a run would take before it is begun: calls, tokens and cost, for candidate and judge apart.

A token is taken as four characters of English. Answers are not known before they are given, so each counts as long as
the configuration allows: the figures are upper bounds of what a run without retries takes.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

from plumbrule.judges.prices import Prices
from plumbrule.runs.spending import Spending

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
