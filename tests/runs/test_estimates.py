"""What a run would use is estimated before it begins, as far as it can be known."""

import pytest

from plumbrule.codec import to_json
from plumbrule.models.prices import Prices
from plumbrule.runs.budget import Estimate, Spending, characters_of, estimate_calls


def test_calls_tokens_and_cost() -> None:
    """Four characters are a token, rounded up; every answer is as long as it may be; each repeat counts."""
    prices = Prices(input_per_million=1_000_000, output_per_million=10_000_000)
    found = estimate_calls([4, 5, 0], longest_output=10, prices=prices, repeats=2)
    assert found == Estimate(calls=6, input_tokens=6, output_tokens_at_most=60, cost_usd_at_most=606.0)
    assert estimate_calls([4], longest_output=10, prices=None, repeats=1).cost_usd_at_most is None
    assert characters_of(3) == 12


def test_what_is_not_known_stays_unknown() -> None:
    """A sum with an unknown part is unknown, and its share counts as nothing."""
    unknown = Estimate(calls=3, input_tokens=None, output_tokens_at_most=None, cost_usd_at_most=None)
    known = Estimate(calls=3, input_tokens=30, output_tokens_at_most=60, cost_usd_at_most=9.0)
    both = unknown + known
    assert both == Estimate(calls=6, input_tokens=None, output_tokens_at_most=None, cost_usd_at_most=None)
    assert both.per_task(3) == Spending(calls=2)
    assert known.per_task(3) == Spending(calls=1, tokens=30, cost_usd=3.0)
    assert known + Estimate() == known
    assert Estimate().per_task(0) == Spending()
    assert to_json(known) == {
        "calls": 3,
        "input_tokens": 30,
        "output_tokens_at_most": 60,
        "cost_usd_at_most": pytest.approx(9.0),
    }
