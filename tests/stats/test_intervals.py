"""The quantile that makes an interval one of 95%."""

import pytest
from scipy import stats as scipy_stats

from plumbrule.stats.intervals import Z95


def test_the_normal_quantile() -> None:
    """The 97.5th percentile, as scipy has it."""
    assert pytest.approx(scipy_stats.norm.ppf(0.975), abs=1e-15) == Z95
