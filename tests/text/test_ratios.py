"""Ratios are exact, and compare as the numbers that they are."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from plumbrule.text.ratios import is_below, ratio

_fractions = st.fractions(max_denominator=60)


@given(st.integers(), st.integers(min_value=1))
def test_a_ratio_is_exact(over: int, under: int) -> None:
    """Nothing is rounded, and a ratio met before is the same value."""
    assert ratio(over, under) == ratio(over, under) == Fraction(over, under)


@given(_fractions, _fractions)
def test_below_is_less_than(one: Fraction, other: Fraction) -> None:
    """Whole numbers decide as the fractions would; equal ones are not below each other."""
    assert is_below(one, other) == (one < other)
    assert not is_below(one, one)
