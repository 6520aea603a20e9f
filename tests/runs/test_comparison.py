"""Two runs are compared sample by sample: what is not clear is not claimed, and nothing is dropped in silence."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plumbrule.codec import json_line, to_json
from plumbrule.rubrics import load_benchmark
from plumbrule.runs.comparison import Comparison, compare
from plumbrule.runs.differences import FIGURES, SHARES, ComparedFigure
from plumbrule.runs.gate_estimates import SampleDesign
from plumbrule.runs.repeats import summarise
from plumbrule.runs.sample_results import SampleResult

RUBRIC = load_benchmark().rubric
MIRRORED = {"better": "worse", "worse": "better", "no clear difference": "no clear difference"}

unhurried = settings(deadline=None, max_examples=60)  # whole runs are compared, on a machine that may be busy

scores = st.none() | st.integers(0, 2)
results = st.builds(
    SampleResult,
    sample_id=st.just(""),
    accuracy_score=scores,
    faithfulness_score=scores,
    latency_e2e_ms=st.none() | st.sampled_from([0, 3000, 8000]) | st.floats(0, 60_000, allow_nan=False),
    input_tokens=st.none() | st.integers(0, 10_000),
    output_tokens=st.integers(0, 1_000),
)


@st.composite
def runs(draw: st.DrawFn) -> list[SampleResult]:
    """Draw a run of up to twelve samples in up to two repeats; some samples may be missing."""
    numbers = draw(st.sets(st.integers(0, 11)))
    repeats = draw(st.integers(1, 2))
    return [
        replace(draw(results), sample_id=f"q{number}", repeat=repeat) for number in numbers for repeat in range(repeats)
    ]


def result(sample_id: object, repeat: int = 0, **changes: Any) -> SampleResult:
    """Return a result that passes and has a score of 1, but for the changes."""
    good: dict[str, Any] = {
        "accuracy_score": 2,
        "faithfulness_score": 2,
        "latency_e2e_ms": 1000,
        "input_tokens": 100,
        "output_tokens": 50,
    }
    return SampleResult(sample_id=str(sample_id), repeat=repeat, **{**good, **changes})


def figure(comparison: Comparison, name: str) -> ComparedFigure:
    """Return one figure of a comparison."""
    [found] = [each for each in comparison.figures if each.name == name]
    return found


def as_json(first: Sequence[SampleResult], second: Sequence[SampleResult]) -> dict[str, Any]:
    """Return the comparison as JSON holds it."""
    compared = compare(first, second, RUBRIC)
    read: dict[str, Any] = orjson.loads(
        json_line(
            {
                "samples": len(compared.samples),
                "only_in_first": compared.only_in_first,
                "only_in_second": compared.only_in_second,
                "figures": [figure.result() for figure in compared.figures],
                "flips": compared.flips.result({}),
                "gates": [gate.result() for gate in compared.gates],
                "regressions": compared.regressions,
            }
        )
    )
    return read


def both_treatments(compared: dict[str, Any]) -> list[dict[str, Any]]:
    """Return every difference, with either treatment of nulls."""
    return [each for figure in compared["figures"] for each in (figure, figure["nulls_as_zero"]) if each is not None]


def test_every_figure_is_compared() -> None:
    """The figures that decide, those they are made of, and what an answer costs."""
    assert [each.name for each in compare([], [], RUBRIC).figures] == [
        "aggregate_score",
        "accuracy_mean",
        "faithfulness_mean",
        "pass_rate",
        "faithfulness_failure_rate",
        "latency_e2e_ms",
        "latency_e2e_p95_ms",
        "total_tokens",
    ]


def test_a_clear_difference_is_told_by_its_direction() -> None:
    """More failures, fewer passes and less accuracy are worse; less latency and fewer tokens are better."""
    first = [result(number, latency_e2e_ms=2000 + number, input_tokens=500 + number) for number in range(40)]
    second = [
        result(number, accuracy_score=number % 2, faithfulness_score=number % 3, latency_e2e_ms=1000)
        for number in range(40)
    ]
    found = {each.name: each.left_out.verdict for each in compare(first, second, RUBRIC).figures}
    assert found == {
        "aggregate_score": "worse",
        "accuracy_mean": "worse",
        "faithfulness_mean": "worse",
        "pass_rate": "worse",
        "faithfulness_failure_rate": "worse",
        "latency_e2e_ms": "better",
        "latency_e2e_p95_ms": "no clear difference",  # so few samples cannot bound it
        "total_tokens": "better",
    }


def test_a_percentile_is_compared_from_enough_samples() -> None:
    """Of a hundred samples that are all slower, the 95th percentile is clearly worse."""
    first = [result(number, latency_e2e_ms=1000 + number) for number in range(100)]
    second = [result(number, latency_e2e_ms=2000 + number) for number in range(100)]
    p95 = figure(compare(first, second, RUBRIC), "latency_e2e_p95_ms").left_out
    assert (p95.first, p95.second) == (Fraction(1094), Fraction(2094))
    assert (p95.low, p95.high, p95.verdict) == (1000.0, 1000.0, "worse")


def test_a_difference_by_chance_is_not_clear() -> None:
    """Two of 40 samples that fail now are no proof; so many more like these would be."""
    first = [result(number) for number in range(40)]
    second = [result(number, accuracy_score=0 if number < 2 else 2) for number in range(40)]
    found = figure(compare(first, second, RUBRIC), "pass_rate").left_out
    assert (found.difference, found.verdict) == (Fraction(-1, 20), "no clear difference")
    assert found.samples_to_settle is not None
    assert found.samples_to_settle >= 80  # six flips one way, the fewest that can tell, take 120 samples


def test_repeats_are_averaged_first() -> None:
    """Three repeats of two samples are two samples, not six: their means are 1 and 2."""
    first = [result(name, n) for name in "ab" for n in range(3)]
    second = [result("a", n, accuracy_score=n) for n in range(3)] + [result("b", n) for n in range(3)]
    found = figure(compare(first, second, RUBRIC), "accuracy_mean").left_out
    assert (found.samples, found.second, found.difference) == (2, Fraction(3, 2), Fraction(-1, 2))


def test_nulls_are_left_out_and_told_or_at_their_worst() -> None:
    """G17: a null is no score; as zero it is the worst score, and a faithfulness failure."""
    first = [result(number) for number in range(4)]
    second = [result(0, faithfulness_score=None, latency_e2e_ms=None), *first[1:]]
    compared = compare(first, second, RUBRIC)
    faithful = figure(compared, "faithfulness_mean")
    assert (faithful.left_out.samples, faithful.left_out.left_out, faithful.left_out.difference) == (3, 1, Fraction())
    assert faithful.nulls_as_zero is not None
    assert (faithful.nulls_as_zero.samples, faithful.nulls_as_zero.difference) == (4, Fraction(-1, 2))
    failures = figure(compared, "faithfulness_failure_rate").nulls_as_zero
    assert failures is not None
    assert failures.second == Fraction(1, 4)
    assert figure(compared, "latency_e2e_ms").nulls_as_zero is None
    p95 = figure(compared, "latency_e2e_p95_ms")
    assert p95.nulls_as_zero is not None
    assert (p95.left_out.second, p95.nulls_as_zero.second) == (Fraction(1000), None)
    assert figure(compared, "pass_rate").left_out.second == Fraction(3, 4)


def test_a_null_in_one_repeat_is_not_a_null_in_all() -> None:
    """With nulls left out the other repeats speak; as zero it pulls the sample's mean down."""
    first, second = [result("a", n) for n in range(2)], [result("a", 0), result("a", 1, accuracy_score=None)]
    found = figure(compare(first, second, RUBRIC), "accuracy_mean")
    assert found.nulls_as_zero is not None
    assert (found.left_out.second, found.nulls_as_zero.second) == (Fraction(2), Fraction(1))


def test_samples_of_one_run_alone_are_named() -> None:
    """Nothing is dropped in silence."""
    compared = compare([result("a"), result("b")], [result("b"), result("c"), result("d")], RUBRIC)
    assert (compared.samples, compared.only_in_first, compared.only_in_second) == (("b",), ("a",), ("c", "d"))


def test_flips_are_named_with_what_failed() -> None:
    """Which samples passed in one run alone, and the fields that kept them from it in the other."""
    first = [result("a"), result("b", accuracy_score=0), result("c"), result("d", latency_e2e_ms=9000)]
    second = [result("a", faithfulness_score=0, latency_e2e_ms=None), result("b"), result("c"), first[3]]
    flips = compare(first, second, RUBRIC).flips
    assert [(flip.sample_id, flip.failed) for flip in flips.pass_to_fail] == [
        ("a", ("faithfulness_score", "latency_e2e_ms"))
    ]
    assert [(flip.sample_id, flip.failed) for flip in flips.fail_to_pass] == [("b", ("accuracy_score",))]
    assert (flips.both_pass, flips.both_fail, flips.mcnemar_p) == (1, 1, Fraction(1))


@pytest.mark.parametrize(("passing", "flipped"), [(3, 0), (2, 0), (1, 1), (0, 1)])
def test_a_sample_passes_in_more_than_half_of_its_repeats(passing: int, flipped: int) -> None:
    """Of three repeats, two that pass are enough."""
    second = [result("a", n, accuracy_score=2 if n < passing else 0) for n in range(3)]
    assert len(compare([result("a")], second, RUBRIC).flips.pass_to_fail) == flipped


def test_half_of_the_repeats_are_not_enough() -> None:
    """One of two is no pass."""
    second = [result("a", 0), result("a", 1, accuracy_score=0)]
    assert len(compare([result("a")], second, RUBRIC).flips.pass_to_fail) == 1


def test_gates_stand_side_by_side() -> None:
    """Each run's own decision over all its samples; a gate is over all repeats."""
    first = [result(number, n) for number in range(20) for n in range(2)]
    second = [result(number, n, accuracy_score=0 if n and number < 8 else 2) for number in range(20) for n in range(2)]
    gates = {gate.second.name: gate for gate in compare(first, second, RUBRIC).gates}
    assert gates["pass_rate"].lost
    assert to_json(gates["pass_rate"].result().second) == {
        "value": 0.8,
        "value_nulls_as_zero": 0.8,
        "passed": False,
        "inconclusive": True,
    }
    assert [name for name, gate in gates.items() if gate.lost] == ["pass_rate"]


def test_regressions_are_of_gates_alone() -> None:
    """Clearly more tokens are told as worse, but no gate decides on them."""
    first = [result(number) for number in range(20)]
    second = [result(number, input_tokens=1000 + number) for number in range(20)]
    compared = compare(first, second, RUBRIC)
    assert figure(compared, "total_tokens").left_out.verdict == "worse"
    assert compared.regressions == ()
    failing = [result(number, accuracy_score=0) for number in range(20)]
    assert compare(first, failing, RUBRIC).regressions == (
        "aggregate_score: clearly worse",
        "pass_rate: clearly worse",
        "aggregate_score: the gate held, and fails",
        "pass_rate: the gate held, and fails",
    )


def test_nulls_cannot_hide_a_regression() -> None:
    """With nulls left out the second run is no worse; with nulls as zero it is, and the worse decides."""
    first = [result(number) for number in range(20)]
    second = [result(number, faithfulness_score=None if number < 10 else 2) for number in range(20)]
    compared = compare(first, second, RUBRIC)
    assert figure(compared, "aggregate_score").left_out.verdict == "no clear difference"
    assert "aggregate_score: clearly worse" in compared.regressions


@unhurried
@given(runs())
def test_a_run_does_not_differ_from_itself(run: list[SampleResult]) -> None:
    """No difference, no flip, no regression, all ties."""
    compared = as_json(run, run)
    for each in both_treatments(compared):
        assert each["difference"] in {0, None}
        assert (each["verdict"], each["wins"], each["losses"]) == ("no clear difference", 0, 0)
        assert each["samples_to_settle"] is None
    flips = compared["flips"]
    assert (flips["pass_to_fail"], flips["fail_to_pass"], flips["mcnemar_p"]) == ([], [], 1)
    assert (compared["only_in_first"], compared["only_in_second"], compared["regressions"]) == ([], [], [])


@unhurried
@given(runs(), runs())
def test_the_other_way_about_everything_is_mirrored(first: list[SampleResult], second: list[SampleResult]) -> None:
    """Every sign, verdict, win and flip changes sides, and nothing else."""
    there, back = as_json(first, second), as_json(second, first)
    for one, other in zip(both_treatments(there), both_treatments(back), strict=True):
        assert (one["first"], one["second"]) == (other["second"], other["first"])
        assert MIRRORED[one["verdict"]] == other["verdict"]
        assert (one["wins"], one["losses"], one["ties"]) == (other["losses"], other["wins"], other["ties"])
        assert (one["samples"], one["left_out"]) == (other["samples"], other["left_out"])
        assert one["samples_to_settle"] == other["samples_to_settle"]
        assert (one["difference"] is None) == (other["difference"] is None)
        assert (one["difference"] or 0) == -(other["difference"] or 0)
        assert (one["interval"]["low"] or 0) == -(other["interval"]["high"] or 0)
        assert (one["interval"]["high"] or 0) == -(other["interval"]["low"] or 0)
    assert there["flips"]["pass_to_fail"] == back["flips"]["fail_to_pass"]
    assert there["flips"]["mcnemar_p"] == back["flips"]["mcnemar_p"]
    assert there["only_in_first"] == back["only_in_second"]
    for one, other in zip(there["gates"], back["gates"], strict=True):
        assert (one["first"], one["second"]) == (other["second"], other["first"])


@unhurried
@given(runs(), runs(), st.integers())
def test_order_changes_nothing(first: list[SampleResult], second: list[SampleResult], seed: int) -> None:
    """R33: results in any order give the same bytes, and counts add up."""
    found = as_json(first, second)
    shuffled = [Random(seed).sample(run, len(run)) for run in (first, second)]  # noqa: S311 - an order, not a secret
    assert as_json(*shuffled) == found
    for each in both_treatments(found):
        assert each["samples"] + each["left_out"] == found["samples"]
        assert each["wins"] + each["losses"] + each["ties"] == each["samples"]
    flips = found["flips"]
    told = flips["both_pass"] + flips["both_fail"] + len(flips["pass_to_fail"]) + len(flips["fail_to_pass"])
    assert told == found["samples"]


def test_every_name_of_a_figure_is_known() -> None:
    """Margins are named by the figures that there are."""
    rubric = load_benchmark(None, {"gates.contradicted_rate": 0, "gates.unsupported_rate": 0}).rubric
    assert tuple(each.name for each in compare([], [], rubric).figures) == FIGURES
    assert tuple(each.name for each in compare([], [], RUBRIC).figures) == FIGURES[:-2]
    assert set(SHARES) < set(rubric.gates.limits) < set(FIGURES)


def test_many_figures_are_allowed_for() -> None:
    """Seven of 40 samples that fail now have p = 0.016 alone; that pass rate is one of four figures is counted."""
    first = [result(number) for number in range(40)]
    second = [result(number, accuracy_score=0 if number < 7 else 2) for number in range(40)]
    passes = figure(compare(first, second, RUBRIC), "pass_rate").left_out
    assert passes.p_value == pytest.approx(2 / 2**7)
    assert passes.high is not None
    assert passes.high < 0
    assert passes.p_value_adjusted == pytest.approx(4 * 2 / 2**7)
    assert (passes.verdict, passes.samples_to_settle) == ("no clear difference", None)
    one_more = [result(number, accuracy_score=0 if number < 9 else 2) for number in range(40)]
    assert figure(compare(first, one_more, RUBRIC), "pass_rate").left_out.verdict == "worse"


def test_a_figure_without_nulls_is_tested_once() -> None:
    """Both treatments of nulls are one test where there are no nulls, and share its p-value."""
    first = [result(number) for number in range(40)]
    second = [result(number, accuracy_score=0 if number < 9 else 2) for number in range(40)]
    passes = figure(compare(first, second, RUBRIC), "pass_rate")
    assert passes.nulls_as_zero == passes.left_out
    assert passes.left_out.p_value_adjusted == pytest.approx(4 * 2 / 2**9)  # four figures, not eight


def test_a_gate_lost_by_chance_is_a_remark() -> None:
    """85 and 84 of 100 lie on either side of a gate of 0.85: the same candidate does that every other time."""
    first = [result(number, accuracy_score=0 if number < 15 else 2) for number in range(100)]
    second = [result(number, accuracy_score=0 if number < 16 else 2) for number in range(100)]
    compared = compare(first, second, RUBRIC)
    assert [gate.second.name for gate in compared.gates if gate.lost] == ["pass_rate"]
    assert compared.regressions == ()
    assert compared.remarks == (
        "pass_rate: the gate held, and fails; the figures do not differ clearly, so this may be chance",
    )


def test_a_gate_without_any_figure_is_lost_for_certain() -> None:
    """Three samples cannot show a difference, but no latency at all is no chance."""
    first = [result(number) for number in range(3)]
    second = [result(number, latency_e2e_ms=None) for number in range(3)]
    compared = compare(first, second, RUBRIC)
    assert "latency_e2e_p95_ms: the gate held, and nothing was measured in the second run" in compared.regressions


def test_unknown_latencies_settle_nothing() -> None:
    """Every second latency is null: they could have been faster or slower, so neither run is clearly better."""
    first = [result(number) for number in range(100)]
    second = [result(number, latency_e2e_ms=1000 if number % 2 else None) for number in range(100)]
    for before, after in ((first, second), (second, first)):
        compared = compare(before, after, RUBRIC)
        found = figure(compared, "latency_e2e_p95_ms").nulls_as_zero
        assert found is not None
        assert (found.samples, found.left_out, found.verdict) == (100, 0, "no clear difference")
        assert (found.low is None, found.high is None) == ((True, False) if before is second else (False, True))
    remarks = compare(first, second, RUBRIC).remarks
    assert (
        "latency_e2e_p95_ms: the gate held, and cannot be told in the second run, because 50 latencies are null"
        in remarks
    )


def test_the_percentiles_are_of_the_same_samples() -> None:
    """The ten slow answers time out in the second run: what is left is as fast as it was, not faster."""
    first = [result(number, latency_e2e_ms=9000 if number < 10 else 1000) for number in range(100)]
    second = [result(number, latency_e2e_ms=None if number < 10 else 1000) for number in range(100)]
    found = figure(compare(first, second, RUBRIC), "latency_e2e_p95_ms")
    left_out = found.left_out
    assert (left_out.first, left_out.second, left_out.difference) == (Fraction(1000), Fraction(1000), Fraction())
    assert (left_out.samples, left_out.left_out, left_out.low, left_out.high) == (90, 10, 0, 0)
    assert found.nulls_as_zero is not None
    assert (found.nulls_as_zero.first, found.nulls_as_zero.second) == (Fraction(9000), None)
    assert (found.nulls_as_zero.low, found.nulls_as_zero.high) == (-8000, None)


def test_a_difference_that_nulls_cannot_undo_is_clear() -> None:
    """Three latencies of two hundred are null, and all others twice as long: slower whatever the three were."""
    first = [result(number) for number in range(200)]
    second = [result(number, latency_e2e_ms=None if number < 3 else 2000 + number) for number in range(200)]
    found = figure(compare(first, second, RUBRIC), "latency_e2e_p95_ms").nulls_as_zero
    assert found is not None
    assert found.verdict == "worse"
    assert found.low is not None
    assert found.low > 1000


def test_the_percentile_of_repeats_is_that_of_all_latencies() -> None:
    """One repeat in three is slow: the gate sees 12,000 ms, and so does the comparison, not a mean of 4,667."""
    fast = [result(number, n) for number in range(100) for n in range(3)]
    slow = [result(number, n, latency_e2e_ms=12_000 if n == 0 else 1000) for number in range(100) for n in range(3)]
    compared = compare(fast, slow, RUBRIC)
    p95 = figure(compared, "latency_e2e_p95_ms").left_out
    [gate] = [each for each in compared.gates if each.second.name == "latency_e2e_p95_ms"]
    assert (p95.first, p95.second) == (gate.first.left_out.value, gate.second.left_out.value)
    assert (p95.first, p95.second, p95.verdict) == (Fraction(1000), Fraction(12_000), "worse")
    assert (p95.low, p95.high, p95.samples) == (11_000.0, 11_000.0, 100)


def test_the_smallest_difference_that_would_show() -> None:
    """2.80 standard errors of the differences; where none differ, as if one gained and one lost everything."""
    first = [result(number) for number in range(50)]
    second = [result(number, accuracy_score=1 if number % 2 else 2) for number in range(50)]
    compared = compare(first, second, RUBRIC)
    spread = (25 * 0.25 * 2 / 49) ** 0.5
    assert figure(compared, "accuracy_mean").left_out.detectable == pytest.approx(2.8016 * spread / 50**0.5, rel=1e-4)
    assert figure(compared, "pass_rate").left_out.detectable == pytest.approx(
        2.8016 * (2 / 51) ** 0.5 / 50**0.5, rel=1e-4
    )
    assert figure(compared, "latency_e2e_ms").left_out.detectable is None


@pytest.mark.parametrize(
    ("wrong", "margin", "state"), [(0, "0.1", "shown"), (0, "0.01", "inconclusive"), (40, "0.1", "not shown")]
)
def test_a_margin_is_shown_not_shown_or_open(wrong: int, margin: str, state: str) -> None:
    """Of 100 samples none changed: worse by 0.1 is excluded, by 0.01 is not; 40 that fail are worse by more."""
    first = [result(number) for number in range(100)]
    second = [result(number, accuracy_score=0 if number < wrong else 2) for number in range(100)]
    compared = compare(first, second, RUBRIC, margins={"pass_rate": Fraction(margin)})
    assert figure(compared, "pass_rate").within_margin == state
    assert figure(compared, "aggregate_score").within_margin is None


def test_nulls_cannot_keep_a_margin() -> None:
    """With nulls left out nothing differs; as zero the score falls, and the worse treatment decides."""
    first = [result(number) for number in range(60)]
    second = [result(number, faithfulness_score=None if number < 40 else 2) for number in range(60)]
    compared = compare(first, second, RUBRIC, margins={"aggregate_score": Fraction(1, 20)})
    assert figure(compared, "aggregate_score").within_margin == "not shown"


def test_rates_of_evidence_are_compared_where_they_are_gates() -> None:
    """A second run that is contradicted far more often is clearly worse, and loses the gate."""
    rubric = load_benchmark(None, {"gates.contradicted_rate": 0.1}).rubric
    first = [result(number, contradicted=False) for number in range(60)]
    second = [result(number, contradicted=number < 30) for number in range(60)]
    compared = compare(first, second, rubric)
    assert figure(compared, "contradicted_rate").clearly_worse
    assert "contradicted_rate: the gate held, and fails" in compared.regressions
    assert "unsupported_rate" not in [each.name for each in compared.figures]
    assert "contradicted_rate" not in [each.name for each in compare(first, second, RUBRIC).figures]


def test_samples_that_share_a_cluster_are_not_independent() -> None:
    """Forty samples of four documents, one of which went wrong: clear for forty samples, not for four documents."""
    first = [result(number) for number in range(40)]
    second = [result(number, accuracy_score=0 if number < 10 else 2) for number in range(40)]
    alone = figure(compare(first, second, RUBRIC), "pass_rate").left_out
    assert alone.verdict == "worse"
    documents = {each.sample_id: f"document {number // 10}" for number, each in enumerate(first)}
    compared = compare(first, second, RUBRIC, design=SampleDesign(clusters=documents))
    found = figure(compared, "pass_rate").left_out
    assert (found.difference, found.method, found.verdict) == (alone.difference, "clustered_t", "no clear difference")
    assert alone.p_value is not None
    assert found.p_value is not None
    assert found.p_value > 0.05 > alone.p_value
    assert found.detectable is not None
    assert alone.detectable is not None
    assert found.detectable > 1.5 * alone.detectable
    assert (compared.clusters, compared.flips.mcnemar_p) == (4, None)
    gate = next(each.second for each in compared.gates if each.second.name == "pass_rate")
    assert gate.deciding.clusters == 4


def test_a_percentile_is_drawn_by_clusters() -> None:
    """Latencies that rise in one document alone are clear for two hundred samples, and open for four documents."""
    first = [result(number, latency_e2e_ms=1000 + number) for number in range(200)]
    second = [result(number, latency_e2e_ms=(9000 if number < 50 else 1000) + number) for number in range(200)]
    alone = figure(compare(first, second, RUBRIC), "latency_e2e_p95_ms").left_out
    assert alone.verdict == "worse"
    documents = {each.sample_id: f"document {number // 50}" for number, each in enumerate(first)}
    found = figure(
        compare(first, second, RUBRIC, design=SampleDesign(clusters=documents)), "latency_e2e_p95_ms"
    ).left_out
    assert (found.low, found.high, found.verdict) == (None, None, "no clear difference")


def test_clusters_of_one_sample_change_nothing() -> None:
    """Each sample is then what it was: independent of the others."""
    first = [result(number) for number in range(40)]
    second = [result(number, accuracy_score=0 if number < 10 else 2) for number in range(40)]
    own = {each.sample_id: each.sample_id for each in first}
    assert (
        compare(first, second, RUBRIC, design=SampleDesign(clusters=own)).figures
        == compare(first, second, RUBRIC).figures
    )


def in_order(count: int) -> SampleDesign:
    """Return the design of a run whose intervals hold at every look."""
    return SampleDesign(order=[str(number) for number in range(count)], sequential=True)


def test_sequential_intervals_allow_for_looks() -> None:
    """What is just clear at one look may be luck at the tenth; what is far apart is clear at any."""
    first = [result(number) for number in range(200)]
    some = [result(number, accuracy_score=0 if number % 25 == 3 else 2) for number in range(200)]
    many = [result(number, accuracy_score=0 if number % 4 == 3 else 2) for number in range(200)]
    once = figure(compare(first, some, RUBRIC), "pass_rate").left_out
    often = figure(compare(first, some, RUBRIC, design=in_order(200)), "pass_rate").left_out
    assert (once.verdict, often.verdict) == ("worse", "no clear difference")
    assert often.difference == once.difference
    assert (often.method, often.settles_at, often.detectable) == ("betting", None, None)
    assert often.low is not None
    assert once.low is not None
    assert often.low < once.low
    clear = compare(first, many, RUBRIC, design=in_order(200))
    assert figure(clear, "pass_rate").clearly_worse
    assert "pass_rate: the gate held, and fails" in clear.regressions
    assert clear.flips.mcnemar_p is None


def test_a_sequential_comparison_goes_by_the_order_of_the_dataset() -> None:
    """The order of the results changes nothing, that of the dataset does; a cluster counts once."""
    first = [result(number) for number in range(60)]
    second = [result(number, accuracy_score=0 if number < 20 else 2) for number in range(60)]
    found = figure(compare(first, second, RUBRIC, design=in_order(60)), "pass_rate").left_out
    mixed = figure(compare(first[::-1], second[::-1], RUBRIC, design=in_order(60)), "pass_rate").left_out
    assert mixed == found
    backwards = replace(in_order(60), order=[str(number) for number in reversed(range(60))])
    other = figure(compare(first, second, RUBRIC, design=backwards), "pass_rate").left_out
    assert (other.difference, other.low == found.low) == (found.difference, False)
    documents = replace(in_order(60), clusters={str(number): str(number // 20) for number in range(60)})
    few = figure(compare(first, second, RUBRIC, design=documents), "pass_rate").left_out
    assert (few.difference, few.verdict) == (found.difference, "no clear difference")
    assert few.low is not None
    assert found.low is not None
    assert few.low < found.low


def test_sequential_percentiles_are_clear_where_both_are_known_well_enough() -> None:
    """A p95 that trebles is clear with 400 samples; with 60 nothing bounds it, and unbounded means have no interval."""
    first = [result(number, latency_e2e_ms=1000 + number) for number in range(400)]
    second = [result(number, latency_e2e_ms=3000 + number) for number in range(400)]
    compared = compare(first, second, RUBRIC, design=in_order(400))
    p95 = figure(compared, "latency_e2e_p95_ms").left_out
    assert (p95.difference, p95.verdict, p95.method) == (Fraction(2000), "worse", "betting")
    assert p95.low is not None
    assert p95.high is not None
    assert 0 < p95.low < 2000 < p95.high
    mean = figure(compared, "latency_e2e_ms").left_out
    assert (mean.difference, mean.low, mean.high, mean.verdict) == (Fraction(2000), None, None, "no clear difference")
    few = compare(first[:60], second[:60], RUBRIC, design=in_order(60))
    assert figure(few, "latency_e2e_p95_ms").left_out.verdict == "no clear difference"
    unknown = [replace(each, latency_e2e_ms=None) if place % 5 == 0 else each for place, each in enumerate(second)]
    nulls = figure(compare(first, unknown, RUBRIC, design=in_order(400)), "latency_e2e_p95_ms").nulls_as_zero
    assert nulls is not None
    assert (nulls.high, nulls.verdict) == (None, "worse")  # four in five are slower than any was before


def test_gates_beside_a_sequential_comparison_are_those_of_the_gate() -> None:
    """One policy settles a gate wherever it is shown."""
    results = [result(number, accuracy_score=0 if number % 12 == 3 else 2) for number in range(200)]
    design = in_order(200)
    compared = compare(results, results, RUBRIC, design=design)
    assert [gate.second for gate in compared.gates] == list(summarise(results, RUBRIC, design).decision.gates)
    once = compare(results, results, RUBRIC)
    gates = [[gate.second for gate in each.gates if gate.second.name == "pass_rate"] for each in (compared, once)]
    settled = [gate.settled for [gate] in gates]
    assert settled == ["inconclusive", "holds"]
