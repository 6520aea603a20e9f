"""Figures are written for people, and never so that they say something else."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbrule.reports.figure_text import counts_text, figure, gate_text, measured, numbers_text, signed
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
        (412.345, "412.3"),
        (56_457, "56,457"),
    ],
)
def test_figures_are_short(value: float | None, shown: str) -> None:
    """Three places, one from a hundred on, none where there is nothing behind the point."""
    assert figure(value) == shown


@given(st.floats(0, 1), st.floats(0, 1))
def test_a_figure_stays_on_its_side_of_the_limit(value: float, limit: float) -> None:
    """What is below its limit is not rounded up to it."""
    shown = float(figure(value, against=limit))
    if abs(value - limit) > 1e-15:
        assert (shown > limit, shown < limit) == (value > limit, value < limit)


def test_open_ends_are_said() -> None:
    """An end that the samples cannot bound is left open; no interval at all is none."""
    assert measured((), 3.0, None).interval == "3 or more"
    assert measured((), None, 0.5).interval == "0.5 or less"
    assert measured((), None, None).interval == "none"


@pytest.mark.parametrize(
    ("values", "low", "high", "shown"),
    [
        ((0.74,), 0.6271, 0.8128, (("0.740",), "0.627 to 0.813")),
        ((1.0, 0.5), 0.9834, 1.0, (("1.000", "0.500"), "0.983 to 1.000")),
        ((1910.0,), 1840.0, None, (("1,910",), "1,840 or more")),
        ((98.123,), 91.5, 1034.25, (("98.1",), "91.5 to 1,034.2")),
        ((None,), None, None, (("none",), "none")),
        ((-0.0001,), -0.5, 0.25, (("0.00",), "-0.50 to 0.25")),
    ],
)
def test_a_figure_has_the_decimals_of_its_interval(
    values: tuple[float | None, ...], low: float | None, high: float | None, shown: object
) -> None:
    """What is read together has the same decimals: those of the figure that has most."""
    assert measured(values, low, high) == shown


def test_an_interval_stays_on_its_side_of_the_limit() -> None:
    """An end that stays below the limit is not rounded up to it, and the figure has its decimals."""
    assert measured((0.74,), 0.6271, 0.79996, against=0.8) == (("0.74000",), "0.62710 to 0.79996")


def test_small_words() -> None:
    """Differences carry their sign; no numbers are none."""
    assert (signed(0.25), signed(-0.25), signed(0.0)) == ("+0.25", "-0.25", "+0")
    assert (numbers_text((0, 2)), numbers_text(())) == ("0, 2", "none")


@pytest.mark.parametrize(
    ("needed", "said"),
    [
        (1200, "Not settled: about 1,200 samples in all would settle it with 80% power, if the true rate is 0.8400."),
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
    assert "pass_rate is 0.8499 (nulls as zero 0.8400) and misses its limit of at least 0.85" in text
    assert "95% interval 0.8000 to 0.9000" in text
    assert said in text


def test_an_interval_says_what_it_rests_on() -> None:
    """Samples where the judge decides; where people do, their labels, which are a part of the samples."""
    samples = ReportInterval(low=0.8, high=0.9, method="clopper_pearson", samples=1_200)
    assert counts_text(samples) == "1,200 samples"
    assert counts_text(replace(samples, clusters=40)) == "1,200 samples in 40 clusters"
    assert counts_text(replace(samples, labels=90)) == "90 labels by people, of 1,200 samples"
