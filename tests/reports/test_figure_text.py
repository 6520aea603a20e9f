"""Figures are written for people, and never so that they say something else."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbrule.reports.figure_text import counts_text, figure, gate_text, interval_text, numbers_text, signed
from plumbrule.runs.report.run_report import ReportGate, ReportInterval


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "none"),
        (0, "0"),
        (0.0, "0"),
        (1.0, "1"),
        (0.25, "0.25"),
        (2 / 3, "0.667"),
        (10_000.0, "10,000"),
        (12_345.678, "12,345.7"),
        (56_457, "56,457"),
    ],
)
def test_figures_are_short(value: float | None, shown: str) -> None:
    """Three places, one for thousands, none where there is nothing behind the point."""
    assert figure(value) == shown


@given(st.floats(0, 1), st.floats(0, 1))
def test_a_figure_stays_on_its_side_of_the_limit(value: float, limit: float) -> None:
    """What is below its limit is not rounded up to it."""
    shown = float(figure(value, against=limit))
    if abs(value - limit) > 1e-15:
        assert (shown > limit, shown < limit) == (value > limit, value < limit)


def test_open_ends_are_said() -> None:
    """An end that the samples cannot bound is left open; no interval at all is none."""
    assert interval_text(ReportInterval(low=3.0, high=None, method="order_statistics", samples=5)) == "3 or more"
    assert interval_text(ReportInterval(low=None, high=0.5, method="wilson", samples=5)) == "0.5 or less"
    assert interval_text(ReportInterval(low=None, high=None, method="wilson", samples=0)) == "none"
    assert interval_text(None) == "none"


def test_small_words() -> None:
    """Differences carry their sign; no numbers are none."""
    assert (signed(0.25), signed(-0.25), signed(0.0)) == ("+0.25", "-0.25", "+0")
    assert (numbers_text((0, 2)), numbers_text(())) == ("0, 2", "none")


@pytest.mark.parametrize(
    ("needed", "said"),
    [
        (1200, "Not settled: about 1,200 samples in all would settle it with 80% power, if the true rate is 0.84."),
        (None, "no number of samples"),
    ],
)
def test_an_inconclusive_gate_says_what_it_needs(needed: int | None, said: str) -> None:
    """Both figures, the limit, the interval, and how many samples would settle it."""
    gate = ReportGate(
        name="pass_rate",
        title="",
        direction="at_least",
        limit=0.85,
        value=0.8499,
        value_nulls_as_zero=0.84,
        deciding=0.84,
        passed=False,
        interval=ReportInterval(low=0.8, high=0.9, method="wilson", samples=100),
        inconclusive=True,
        samples_to_settle=None if needed is None else needed - 100,
        settled="inconclusive",
        settles_at=needed,
        worst_repeat=None,
    )
    text = gate_text(gate)
    assert "pass_rate is 0.8499 (nulls as zero 0.84) and misses its limit of at least 0.85" in text
    assert "95% interval 0.8 to 0.9" in text
    assert said in text


def test_an_interval_says_what_it_rests_on() -> None:
    """Samples where the judge decides; where people do, their labels, which are a part of the samples."""
    samples = ReportInterval(low=0.8, high=0.9, method="clopper_pearson", samples=1_200)
    assert counts_text(samples) == "1,200 samples"
    assert counts_text(replace(samples, clusters=40)) == "1,200 samples in 40 clusters"
    assert counts_text(replace(samples, labels=90)) == "90 labels by people, of 1,200 samples"
