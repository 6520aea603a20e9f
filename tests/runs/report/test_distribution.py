"""Histograms lose no value, and tables of counts no sample."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reports.conftest import Make

from plumbrule.reports import Report
from plumbrule.runs.report.distribution import histogram, spread_latencies


@given(st.lists(st.none() | st.floats(0, 1e9)), st.floats(0.001, 1e6), st.integers(1, 30))
def test_every_value_is_counted_once(values: list[float | None], high: float, steps: int) -> None:
    """In a step, beyond the last, or as not known."""
    found = histogram(values, low=0.0, high=high, steps=steps)
    assert sum(found.counts) + found.over + found.unknown == len(values)
    assert found.over == sum(value is not None and value > high for value in values)


def test_ends_belong_to_a_step() -> None:
    """The lower end of a step is in it; the last step holds its upper end, too."""
    assert histogram([0.0, 0.1, 0.95, 1.0, None], low=0.0, high=1.0, steps=10).counts == (1, 1, 0, 0, 0, 0, 0, 0, 0, 2)


@pytest.mark.parametrize("values", [[], [0.0], [0.5], [1e12], [1.0, 2.0, 1e9], [900.0] * 5])
def test_the_axis_of_latencies_holds_every_mark(make: Make, values: list[float]) -> None:
    """Limits and percentiles lie on it, however slow one answer was."""
    lines = make([{"latency_e2e_ms": value} for value in values]).samples if values else ()
    p95 = max(values) if values else None
    spread = spread_latencies(lines, p50=p95, p95=p95, limits={"limit": 8000.0})
    assert all(mark.value <= spread.histogram.high for mark in spread.marks)
    assert spread.histogram.high >= 8000


def test_the_heat_table_holds_every_sample(mixed: Report) -> None:
    """Every pair of scores has its cell, unknown ones among them."""
    assert len(mixed.heat) == 16
    assert sum(cell.samples for cell in mixed.heat) == mixed.counts.attempted
    found: dict[Any, int] = {(cell.accuracy_score, cell.faithfulness_score): cell.samples for cell in mixed.heat}
    assert (found[2, 2], found[0, 0], found[0, None], found[None, None]) == (8, 3, 2, 1)
