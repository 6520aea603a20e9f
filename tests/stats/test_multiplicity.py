"""Looking at many things makes no false alarm likelier."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import hypergeom
from statsmodels.stats.multitest import multipletests

from plumbrule.stats.multiplicity import benjamini_hochberg, excess_p_value, holm

p_values = st.lists(st.floats(0, 1), min_size=1, max_size=30)


@settings(max_examples=40)
@given(p_values)
def test_holm_is_that_of_the_reference(values: list[float]) -> None:
    """By statsmodels."""
    assert holm(values) == pytest.approx(multipletests(values, method="holm")[1].tolist(), abs=1e-9)


@settings(max_examples=40)
@given(p_values)
def test_benjamini_hochberg_is_that_of_the_reference(values: list[float]) -> None:
    """By statsmodels."""
    assert benjamini_hochberg(values) == pytest.approx(multipletests(values, method="fdr_bh")[1].tolist(), abs=1e-9)


def test_nothing_to_adjust() -> None:
    """No test, no p-value."""
    assert holm([]) == benjamini_hochberg([]) == []


@given(st.integers(0, 40), st.integers(1, 40), st.integers(0, 200), st.integers(1, 200))
def test_an_excess_is_fishers_exact_test(count: int, total: int, others: int, rest: int) -> None:
    """One-sided, by scipy's hypergeometric distribution."""
    count, others = min(count, total), min(others, rest)
    expected = hypergeom.sf(count - 1, total + rest, count + others, total)
    assert excess_p_value(count, total, count + others, total + rest) == pytest.approx(expected, abs=1e-9)


def test_a_group_that_is_no_part() -> None:
    """More events in the group than in all."""
    with pytest.raises(ValueError, match="part of the whole"):
        excess_p_value(3, 5, 2, 10)
