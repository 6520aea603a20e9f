"""Tokens cost what the price list says, and unknown ones cost nobody knows what."""

import pytest

from plumbrule.models.prices import Prices


@pytest.mark.parametrize(
    ("tokens", "cost"),
    [
        ((1_000_000, 0), 3.0),
        ((0, 1_000_000), 15.0),
        ((1000, 100), 0.0045),
        ((0, 0), 0.0),
        ((None, 1), None),
        ((1, None), None),
    ],
)
def test_the_cost_of_tokens(tokens: tuple[int | None, int | None], cost: float | None) -> None:
    """Per million of each kind; one unknown count leaves the cost unknown."""
    found = Prices(input_per_million=3.0, output_per_million=15.0).cost_usd(*tokens)
    assert found == (None if cost is None else pytest.approx(cost))
