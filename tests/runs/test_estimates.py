"""What a run would take is told before it is begun, as far as it can be known."""

import pytest

from plumbrule.models.prices import Prices
from plumbrule.runs.budget import Estimate, Spending, characters_of, estimate_calls


def test_calls_tokens_and_cost() -> None:
    """Four characters are a token, rounded up; every answer is as long as it may be; each repeat counts."""
    prices = Prices(input_per_million=1_000_000, output_per_million=10_000_000)
    found = estimate_calls([4, 5, 0], longest_output=10, prices=prices, repeats=2)
    assert found == Estimate(calls=6, input_tokens=6, output_tokens=60, cost_usd=606.0)
    assert estimate_calls([4], longest_output=10, prices=None, repeats=1).cost_usd is None
    assert characters_of(3) == 12


def test_what_is_not_known_stays_unknown() -> None:
    """A sum with an unknown part is unknown, and its share counts as nothing."""
    unknown = Estimate(calls=3, input_tokens=None, output_tokens=None, cost_usd=None)
    known = Estimate(calls=3, input_tokens=30, output_tokens=60, cost_usd=9.0)
    both = unknown + known
    assert both == Estimate(calls=6, input_tokens=None, output_tokens=None, cost_usd=None)
    assert both.per_piece(3) == Spending(calls=2)
    assert known.per_piece(3) == Spending(calls=1, tokens=30, cost_usd=3.0)
    assert known + Estimate() == known
    assert Estimate().per_piece(0) == Spending()
    assert known.to_dict() == {
        "calls": 3,
        "input_tokens": 30,
        "output_tokens_at_most": 60,
        "cost_usd_at_most": pytest.approx(9.0),
    }
