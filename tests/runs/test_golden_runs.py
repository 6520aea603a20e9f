"""Whole runs worked out apart from the code, with every value on the way to the release decision.

Each JSON file in ``golden`` is one run: its samples and all that must come out. Fractions are written as such
("17/20") and compared exactly; the ends of intervals are floats, and null where an end is open.
"""

import json
from dataclasses import fields
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from plumbrule.codec import to_json
from plumbrule.rubrics import load_benchmark
from plumbrule.runs.aggregates import Figures, aggregate
from plumbrule.runs.gates import decide
from plumbrule.runs.sample_results import SampleResult, grade

Run = dict[str, Any]

RUBRIC = load_benchmark().rubric
RUNS: list[Run] = [json.loads(path.read_text()) for path in sorted((Path(__file__).parent / "golden").glob("*.json"))]

each_run = pytest.mark.parametrize("run", RUNS, ids=[run["name"] for run in RUNS])


def results_of(run: Run) -> list[SampleResult]:
    """Return the samples of a run as they were measured."""
    return [SampleResult(**sample) for sample in run["samples"]]


def fraction(text: str | None) -> Fraction | None:
    """Read a worked-out value."""
    return None if text is None else Fraction(text)


def test_there_are_runs_on_both_sides_of_every_limit() -> None:
    """Thirty samples of every kind, a run at all limits, and one past each of them."""
    by_name = {run["name"]: run["expected"] for run in RUNS}
    assert by_name["mixed"]["counts"]["attempted"] == 30
    assert by_name["at_the_limits"]["release_ready"]
    assert all(Fraction(gate["value"]) == Fraction(gate["limit"]) for gate in by_name["at_the_limits"]["gates"])
    failing = [[gate["name"] for gate in run["gates"] if not gate["passed"]] for run in by_name.values()]
    for gate in by_name["mixed"]["gates"]:
        assert [gate["name"]] in failing


@each_run
def test_every_sample(run: Run) -> None:
    """R22, R25-R27: derived fields, pass, components and score, exactly."""
    for result, expected in zip(results_of(run), run["expected"]["samples"], strict=True):
        found = grade(result, RUBRIC)
        assert result.sample_id == expected["sample_id"]
        assert result.total_tokens == expected["total_tokens"], result.sample_id
        assert result.token_efficiency_ratio == fraction(expected["token_efficiency_ratio"]), result.sample_id
        assert found.passed is expected["passed"], result.sample_id
        for name in ("accuracy_norm", "faithfulness_norm", "latency_norm", "token_efficiency_norm", "sample_score"):
            assert getattr(found, name) == fraction(expected[name]), (result.sample_id, name)


def figure_names() -> set[str]:
    """Return the names of the figures that every run has: those of a gate that may be off are not among them."""
    return {field.name for field in fields(Figures) if field.name not in {"contradicted_rate", "unsupported_rate"}}


@each_run
def test_every_aggregate(run: Run) -> None:
    """R20-R22, G17, G20: every aggregate by its name, with nulls left out and with nulls as zero, exactly."""
    aggregates, expected = aggregate(results_of(run), RUBRIC), run["expected"]
    for found, wanted in ((aggregates.figures, "aggregates"), (aggregates.nulls_as_zero, "nulls_as_zero")):
        assert figure_names() == expected[wanted].keys()
        for name, value in expected[wanted].items():
            assert getattr(found, name) == fraction(value), (wanted, name)


@each_run
def test_counts_stand_beside_every_mean(run: Run) -> None:
    """G17: attempted, scored, errored, refused and timed out, for the run and for each aggregate."""
    aggregates, expected = aggregate(results_of(run), RUBRIC), run["expected"]
    assert to_json(aggregates.counts) == expected["counts"]
    beside = to_json(aggregates.values().counts_by_aggregate)
    assert beside.keys() == figure_names()
    for name, scored in expected["scored"].items():
        assert beside[name] == {**expected["counts"], "scored": scored}, name


@each_run
def test_every_gate(run: Run) -> None:
    """R28, G17: limit, both values, and whether the worse keeps the limit."""
    found = decide(aggregate(results_of(run), RUBRIC), RUBRIC)
    assert found.release_ready is run["expected"]["release_ready"]
    for gate, expected in zip(found.gates, run["expected"]["gates"], strict=True):
        assert (gate.name, gate.limit) == (expected["name"], Fraction(expected["limit"]))
        assert gate.left_out.value == fraction(expected["value"]), gate.name
        assert gate.nulls_as_zero.value == fraction(expected["value_nulls_as_zero"]), gate.name
        assert gate.passed is expected["passed"], gate.name


@each_run
def test_every_interval(run: Run) -> None:
    """A figure that decides has its interval, for both treatments of nulls."""
    found = to_json(aggregate(results_of(run), RUBRIC).intervals())
    for name, expected in run["expected"]["intervals"]["left_out"].items():
        assert [found[name]["low"], found[name]["high"]] == pytest.approx(expected, abs=1e-9), name
    for name, expected in run["expected"]["intervals"]["nulls_as_zero"].items():
        zeroed = found[name]["nulls_as_zero"]
        assert [zeroed["low"], zeroed["high"]] == pytest.approx(expected, abs=1e-9), name
