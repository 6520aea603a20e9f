"""Charts are well-formed, say in words what they show, and come out the same to the byte."""

import re
from dataclasses import replace
from itertools import product
from xml.etree import ElementTree as ET

import pytest
from tests.reports.conftest import Make, Texts

from plumbrule.reports import Report
from plumbrule.reports.charts import gate_chart, rate_chart, repeats_chart, spread_chart
from plumbrule.runs.report.run_report import ReportGate, ReportInterval


def charts_of(report: Report) -> list[str]:
    """Return every chart of a report."""
    return [
        *(gate_chart(gate) for gate in report.gates),
        spread_chart(report.scores, title="scores"),
        spread_chart(report.latencies, title="latencies", unit=" ms"),
        repeats_chart(report.repeats, limit=0.8),
    ]


def test_every_chart_has_its_words(mixed: Report) -> None:
    """A title and a description, both referred to by the picture, with no id twice."""
    ids: list[str] = []
    for chart in charts_of(mixed):
        root = ET.fromstring(chart)  # noqa: S314 - our own text
        assert root.get("role") == "img"
        words = {part.get("id"): part.text for part in root if part.tag in {"title", "desc"}}
        assert set((root.get("aria-labelledby") or "").split()) == set(words)
        assert all(words.values())
        ids += [each for each in words if each]
    assert len(ids) == len(set(ids))


def test_the_same_figures_give_the_same_bytes(mixed: Report) -> None:
    """No clock, no order of a set."""
    assert charts_of(mixed) == charts_of(mixed)


def test_words_hold_the_figures(mixed: Report) -> None:
    """Who cannot see the picture reads the figures, the interval, the limit and the outcome."""
    gate = {gate.name: gate for gate in mixed.gates}["pass_rate"]
    chart = gate_chart(gate)
    assert "the worse figure is 0.4" in chart
    assert "limit at least 0.85: failed" in chart


def test_one_slow_answer_does_not_squeeze_the_others(make: Make) -> None:
    """What lies far beyond has a bar of its own, and the words say so."""
    chart = spread_chart(make([{}] * 30 + [{"latency_e2e_ms": 1e6}]).latencies, title="latencies", unit=" ms")
    assert "1 above 15,000 ms" in chart
    assert "last bar: above 15,000 ms" in chart


@pytest.mark.parametrize(
    ("low", "high", "deciding", "limit"),
    list(product((None, 0.1), (None, 0.9), (None, 0.0, 0.5, 1.0), (0.0, 0.8, 1.0))),
)
def test_a_gate_is_drawn_within_its_picture(
    mixed: Report, low: float | None, high: float | None, deciding: float | None, limit: float
) -> None:
    """Whatever is open or unknown, nothing lies outside and no width is negative."""
    interval = ReportInterval(low=low, high=high, method="wilson", samples=3)
    gate: ReportGate = replace(mixed.gates[0], interval=interval, deciding=deciding, limit=limit)
    chart = gate_chart(gate)
    assert all(0 <= float(x) <= 440 for x in re.findall(r' (?:x|x1|x2|width)="([^"]+)"', chart))


def test_small_and_odd_runs_can_be_drawn(make: Make) -> None:
    """One sample, no score at all, equal repeats, a score of exactly 1 or 0."""
    nothing = {"accuracy_score": None, "faithfulness_score": None, "latency_e2e_ms": None}
    worst = {"accuracy_score": 0, "faithfulness_score": 0, "latency_e2e_ms": 1e9, "input_tokens": 10**9}
    runs: list[list[Texts]] = [[{}], [nothing], [worst], [{"sample_id": "a"}, {"sample_id": "a", "repeat": 1}]]
    for results in runs:
        for chart in charts_of(make(results, repeats=len(results))):
            assert "nan" not in chart
            ET.fromstring(chart)  # noqa: S314 - our own text


def test_a_small_chart_is_for_eyes_alone() -> None:
    """Its figures stand in the table beside it."""
    assert 'aria-hidden="true"' in rate_chart(0.5, None, None, limit=0.85)
