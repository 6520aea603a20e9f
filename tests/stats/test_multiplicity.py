"""Looking at many things makes no false alarm likelier."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import hypergeom
from statsmodels.stats.multitest import multipletests

from plumbrule.stats.multiplicity import ALPHA, can_be_positive, excess_p_value, holm

p_values = st.lists(st.floats(0, 1), min_size=1, max_size=30)


@settings(max_examples=40)
@given(p_values)
def test_holm_is_that_of_the_reference(values: list[float]) -> None:
    """By statsmodels."""
    assert holm(values) == pytest.approx(multipletests(values, method="holm")[1].tolist(), abs=1e-9)


def test_nothing_to_adjust() -> None:
    """No test, no p-value."""
    assert holm([]) == []


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


def test_tests_that_cannot_be_positive_do_not_count() -> None:
    """Of one strong test and a hundred that can reach 0.04 at best, the strong one is left."""
    assert can_be_positive([0.001, *[0.04] * 100]) == [True, *[False] * 100]
    assert can_be_positive([0.04]) == [True]
    assert can_be_positive([0.06]) == [False]
    assert can_be_positive([0.01, 0.02, 0.02]) == [
        True,
        False,
        False,
    ]  # three are too many for 0.05 / 2, so it is 0.05 / 3
    assert can_be_positive([]) == []


@given(p_values)
def test_no_more_tests_are_left_than_were_allowed_for(values: list[float]) -> None:
    """All that are left could be positive after Bonferroni's correction for as many."""
    left = [value for value, possible in zip(values, can_be_positive(values), strict=True) if possible]
    assert all(value * len(left) < ALPHA * (1 + 1e-9) for value in left)
