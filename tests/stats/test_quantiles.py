"""Quantiles and tails are those of scipy."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as reference

from plumbrule.stats.quantiles import beta_cdf, beta_quantile, t_quantile, t_tail

sizes = st.floats(0.2, 400)


@given(st.sampled_from([0.025, 0.2, 0.5, 0.8, 0.9, 0.975, 0.995]), st.floats(1, 3_000))
def test_t_quantiles(probability: float, freedom: float) -> None:
    """At any degrees of freedom, whole or not."""
    expected = reference.t.ppf(probability, freedom)
    assert t_quantile(probability, freedom) == pytest.approx(expected, abs=1e-9, rel=1e-9)


@given(st.floats(0, 40), st.floats(1, 3_000))
def test_t_tails(t: float, freedom: float) -> None:
    """The upper tail, also of a value so small that its square is lost beside the degrees of freedom."""
    # scipy itself is off by 1e-11 near 0: at one degree of freedom the tail is 0.5 - atan(t) / pi
    assert t_tail(t, freedom) == pytest.approx(reference.t.sf(t, freedom), abs=1e-9)
    assert t_tail(t, 1) == pytest.approx(0.5 - math.atan(t) / math.pi, abs=1e-12)
    assert t_tail(1e-12, freedom) == pytest.approx(0.5)


@given(st.floats(0, 1), sizes, sizes)
def test_the_incomplete_beta_function(x: float, a: float, b: float) -> None:
    """Also at either end."""
    assert beta_cdf(x, a, b) == pytest.approx(reference.beta.cdf(x, a, b), abs=1e-10)


@given(st.sampled_from([0.025, 0.975]), st.floats(1, 400), st.floats(1, 400))
def test_beta_quantiles(probability: float, a: float, b: float) -> None:
    """As the exact interval of a share needs them."""
    assert beta_quantile(probability, a, b) == pytest.approx(reference.beta.ppf(probability, a, b), abs=1e-9)
