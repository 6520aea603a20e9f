"""A gate is kept exactly or not at all, and says when the samples do not settle it."""

import math
from dataclasses import asdict, replace
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

import pytest

from plumbrule.codec import to_json
from plumbrule.errors import UsageError
from plumbrule.outcomes import DecideOn, Outcome
from plumbrule.rubrics import load_benchmark
from plumbrule.runs.aggregates import aggregate
from plumbrule.runs.gate_estimates import Estimate, SampleDesign, latency_p95
from plumbrule.runs.gates import (
    Gate,
    GatePolicy,
    ReleaseDecision,
    decide,
    decide_release,
    headline_of,
    look_text,
    outcome_of,
    settled_text,
)
from plumbrule.runs.repeats import summarise
from plumbrule.runs.run_metadata import RunFacts, collect
from plumbrule.runs.run_results import CompletedMetadata, Direction, RoleUsage, RunSummary, RunUsage, WorstRepeat
from plumbrule.runs.sample_results import SampleResult

RUBRIC = load_benchmark().rubric


def run(count: int, bad: int = 0, **changes: Any) -> list[SampleResult]:
    """Return that many results, the first ``bad`` of them changed."""
    good: dict[str, Any] = {
        "accuracy_score": 2,
        "faithfulness_score": 2,
        "latency_e2e_ms": 1000,
        "input_tokens": 100,
        "output_tokens": 50,
    }
    return [
        SampleResult(sample_id=f"q{number:04}", **{**good, **(changes if number < bad else {})})
        for number in range(count)
    ]


def gates_of(results: list[SampleResult]) -> dict[str, Gate]:
    """Return the gates of a run by name."""
    return {gate.name: gate for gate in decide(aggregate(results, RUBRIC), RUBRIC).gates}


def estimate(
    value: Fraction | None, low: float | None = None, high: float | None = None, settles_at: int | None = None
) -> Estimate:
    """Return a figure of ten samples."""
    method: Literal["clopper_pearson"] = "clopper_pearson"
    return Estimate(value=value, samples=10, low=low, high=high, method=method, settles_at=settles_at)


def gate(direction: Direction, left_out: Estimate, nulls_as_zero: Estimate) -> Gate:
    """Return a gate at one half."""
    return Gate(name="g", limit=Fraction(1, 2), direction=direction, left_out=left_out, nulls_as_zero=nulls_as_zero)


@pytest.mark.parametrize("direction", ["at_least", "at_most"])
@pytest.mark.parametrize("step", [-1, 0, 1])
def test_the_limit_itself_passes(direction: Direction, step: int) -> None:
    """R28: a figure at its limit passes; one that is off by 1e-30 is on its own side."""
    figure = estimate(Fraction(1, 2) + Fraction(step, 10**30))
    expected = step >= 0 if direction == "at_least" else step <= 0
    assert gate(direction, figure, figure).passed is expected


@pytest.mark.parametrize("direction", ["at_least", "at_most"])
def test_the_worse_figure_decides(direction: Direction) -> None:
    """G17: both treatments of nulls must keep the limit, whichever is worse."""
    good, bad = estimate(Fraction(6, 10)), estimate(Fraction(4, 10))
    if direction == "at_most":
        good, bad = bad, good
    for left_out, as_zero in ((good, bad), (bad, good)):
        found = gate(direction, left_out, as_zero)
        assert not found.passed
        assert found.deciding is bad
    assert gate(direction, good, good).passed


def test_a_figure_that_is_null_does_not_pass() -> None:
    """What could not be computed does not keep a limit, and more of the same would not settle it."""
    known, unknown = estimate(Fraction(6, 10), 0.55, 0.65), estimate(None)
    for left_out, as_zero in ((unknown, known), (unknown, unknown)):
        found = gate("at_least", left_out, as_zero)
        assert (found.passed, found.settled, found.samples_to_settle) == (False, "fails", None)
        assert found.deciding is unknown
    found = gate("at_least", known, unknown)
    assert (found.passed, found.settled, found.deciding is unknown) == (False, "inconclusive", True)


@pytest.mark.parametrize(
    ("direction", "low", "high", "inconclusive"),
    [
        ("at_least", 0.4, 0.6, True),
        ("at_least", 0.5, 0.6, False),
        ("at_least", 0.4, 0.5, True),
        ("at_least", 0.3, 0.4, False),
        ("at_least", 0.6, None, False),
        ("at_least", 0.4, None, True),
        ("at_most", 0.4, 0.6, True),
        ("at_most", 0.4, 0.5, False),
        ("at_most", 0.5, 0.6, True),
        ("at_most", 0.6, 0.7, False),
        ("at_most", 0.6, None, False),
        ("at_most", 0.4, None, True),
        ("at_most", None, None, True),
    ],
)
def test_an_interval_that_straddles_the_limit_is_inconclusive(
    direction: Direction, low: float | None, high: float | None, *, inconclusive: bool
) -> None:
    """An end at the limit itself keeps it, as the figure would; an open end holds everything beyond."""
    figure = estimate(Fraction(1, 2), low, high, settles_at=25)
    found = gate(direction, figure, figure)
    assert found.inconclusive is inconclusive
    assert found.samples_to_settle == (15 if inconclusive else None)


def test_how_many_more_samples_would_settle_it() -> None:
    """A pass rate of 0.90 against 0.85 takes 356 samples for 80% power; 20 of them are there."""
    found = gates_of(run(20, bad=2, latency_e2e_ms=9000))["pass_rate"]
    assert (found.passed, found.inconclusive, found.settles_at, found.samples_to_settle) == (True, True, 356, 336)
    settled = gates_of(run(400, bad=40, latency_e2e_ms=9000))["pass_rate"]
    assert (settled.passed, settled.settled, settled.settles_at, settled.samples_to_settle) == (
        True,
        "holds",
        None,
        None,
    )


def test_a_figure_at_its_limit_is_never_settled() -> None:
    """17 of 20 is 0.85: it passes, and no number of the like would tell which side it is on."""
    found = gates_of(run(20, bad=3, latency_e2e_ms=9000))["pass_rate"]
    assert (found.passed, found.inconclusive, found.samples_to_settle) == (True, True, None)


def test_a_perfect_run_of_few_samples_is_not_settled() -> None:
    """Ten good answers are release-ready on the figures, and say how far they are from certain."""
    found = decide(aggregate(run(10), RUBRIC), RUBRIC)
    assert found.release_ready
    assert {gate.name: gate.samples_to_settle for gate in found.gates} == {
        "aggregate_score": 7,
        "pass_rate": 13,
        "faithfulness_failure_rate": 62,
        "latency_e2e_p95_ms": 62,
    }
    assert not any(gate.inconclusive for gate in decide(aggregate(run(80), RUBRIC), RUBRIC).gates)


@pytest.mark.parametrize("count", [10, 20, 22, 30, 73, 80])
def test_the_number_to_settle_is_kept(count: int) -> None:
    """With as many more samples of the like, a gate of a perfect run is settled."""
    for name, found in gates_of(run(count)).items():
        if found.inconclusive:
            assert found.samples_to_settle is not None
            assert not gates_of(run(count + found.samples_to_settle))[name].inconclusive, name


def test_a_run_of_nothing_is_not_ready() -> None:
    """No sample, no release."""
    found = decide(aggregate([], RUBRIC), RUBRIC)
    assert not found.release_ready
    assert not any(gate.passed for gate in found.gates)


def test_one_failed_gate_holds_the_release() -> None:
    """R28: all gates must hold."""
    found = decide(aggregate(run(20, bad=2, faithfulness_score=0), RUBRIC), RUBRIC)
    assert [gate.name for gate in found.gates if not gate.passed] == ["faithfulness_failure_rate"]
    assert not found.release_ready


def test_a_judge_that_fails_cannot_make_a_run_ready() -> None:
    """G17: 2 of 20 answers without a judgement count as two faithfulness failures."""
    found = gates_of(run(20, bad=2, accuracy_score=None, faithfulness_score=None, evaluator_error="parse_error"))
    failures = found["faithfulness_failure_rate"]
    assert (failures.left_out.value, failures.nulls_as_zero.value) == (Fraction(0), Fraction(1, 10))
    assert not failures.passed
    assert failures.result().interval.samples == 20


def test_the_limits_are_the_rubric_s() -> None:
    """Another rubric is another decision on the same results."""
    strict = load_benchmark(None, {"gates.pass_rate": 0.96}).rubric
    results = run(20, bad=1, latency_e2e_ms=9000)
    assert decide(aggregate(results, RUBRIC), RUBRIC).release_ready
    assert not decide(aggregate(results, strict), strict).release_ready


def test_the_json_of_the_gates() -> None:
    """Name, limit, direction, both values, the decision, its interval, and what would settle it."""
    found: ReleaseDecision = decide(aggregate(run(20, bad=2, latency_e2e_ms=9000), RUBRIC), RUBRIC)
    record = to_json([gate.result() for gate in found.gates])
    assert [gate["name"] for gate in record] == [
        "aggregate_score",
        "pass_rate",
        "faithfulness_failure_rate",
        "latency_e2e_p95_ms",
    ]
    passing = record[1]
    interval = passing.pop("interval")
    assert passing == {
        "name": "pass_rate",
        "limit": 0.85,
        "direction": "at_least",
        "value": 0.9,
        "value_nulls_as_zero": 0.9,
        "passed": True,
        "inconclusive": True,
        "samples_to_settle": 336,
        "settled": "inconclusive",
        "settles_at": 356,
    }
    assert (interval["low"], interval["high"]) == pytest.approx((0.683017, 0.987651), abs=1e-5)
    assert (interval["level"], interval["method"], interval["samples"]) == (0.95, "clopper_pearson", 20)


def summary_of(
    results: list[SampleResult],
    *,
    complete: bool = True,
    missing: tuple[str, ...] = (),
    decide_on: DecideOn = "point",
) -> RunSummary:
    """Return the summary of a run with these results."""
    group = summarise(results, RUBRIC)
    worst, gates = group.worst, group.gates()
    outcome = outcome_of(gates, decide_on=decide_on, complete=complete)
    metadata = collect(RunFacts(), run_id="run-1", now=datetime(2026, 1, 31, tzinfo=UTC), folder=Path("/"))
    reported: dict[str, Any] = dict.fromkeys(
        (
            "model_reported",
            "model_fingerprints",
            "evaluator_model_reported",
            "evaluator_model_fingerprints",
        ),
        (),
    )
    unused = RoleUsage(requests=0, input_tokens=0, output_tokens=0, cost_usd=0.0)
    return RunSummary(
        run_id="run-1",
        complete=complete,
        metadata=CompletedMetadata(**{**asdict(metadata), **reported}),
        missing_metadata=missing,
        floating_models_allowed=False,
        decisive_repeat=worst.repeat,
        aggregates=worst.aggregates.values(),
        gates=gates,
        release_ready=outcome == "RELEASE",
        intervals=group.intervals(),
        repeats=group.summary(),
        usage=RunUsage(candidate=unused, judge=unused, calls_failed=0, calls_repeated=0),
        outcome=outcome,
        decide_on=decide_on,
        confidence="fixed",
        headline=headline_of(outcome, gates, complete=complete),
        look=1,
        policy_differences=(),
    )


def repeated(*runs: list[SampleResult]) -> list[SampleResult]:
    """Return runs as the repeats of one."""
    return [replace(result, repeat=number) for number, results in enumerate(runs) for result in results]


def test_a_good_run_is_released_without_a_reason() -> None:
    """Every gate passes in every repeat: nothing is said against it, strictly or not."""
    summary = summary_of(repeated(run(100), run(100), run(100)))
    for strict in (False, True):
        decision = decide_release(summary, strict=strict)
        assert (decision.release_ready, decision.reasons, decision.gates) == (True, (), summary.gates)
        assert (decision.outcome, decision.headline, decision.remarks) == ("RELEASE", "RELEASE", ())


def test_every_failed_gate_is_a_reason() -> None:
    """The figure over all repeats, and the limit is never rounded away; a repeat that fails alone is a remark."""
    bad, worse = run(100, bad=20, latency_e2e_ms=9000), run(100, bad=30, latency_e2e_ms=9000)
    summary = summary_of(repeated(run(100), bad, worse))
    decision = decide_release(summary)
    assert (decision.release_ready, decision.outcome) == (False, "NO RELEASE")
    assert decision.reasons == ("pass_rate 0.833 (nulls as zero 0.833) is not ≥ 0.85",)
    assert decision.remarks[-2:] == ("repeat 1 alone: pass_rate fails", "repeat 2 alone: pass_rate fails")


def test_a_bad_repeat_does_not_decide_alone() -> None:
    """More repeats of a good candidate must not make its release less likely; the worst one is shown."""
    summary = summary_of(repeated(run(100), run(100), run(100, bad=16, latency_e2e_ms=9000)))
    decision = decide_release(summary)
    assert (decision.outcome, decision.remarks[-1]) == ("RELEASE", "repeat 2 alone: pass_rate fails")
    passing = decision.gates[1]
    assert passing.worst_repeat == WorstRepeat(repeat=2, value=0.84, passed=False)
    assert passing.value == pytest.approx(284 / 300)


def test_a_run_that_is_not_complete_is_not_released() -> None:
    """Even where every gate passes so far."""
    summary = summary_of(run(100), complete=False)
    decision = decide_release(summary)
    assert (decision.release_ready, decision.reasons) == (False, ("the run is not complete",))
    assert (decision.outcome, decision.headline) == ("NO RELEASE", "NO RELEASE: the run is not complete")


def test_strict_asks_for_metadata_and_repeats() -> None:
    """Only then are they reasons."""
    summary = summary_of(run(100), missing=("model_id", "code_version"))
    assert decide_release(summary).release_ready
    decision = decide_release(summary, strict=True)
    assert not decision.release_ready
    assert decision.reasons == (
        "metadata: model_id is missing",
        "metadata: code_version is missing",
        "repeats: 1 of 3 wanted",
    )


def test_three_perfect_samples_are_never_a_plain_release() -> None:
    """The figures keep their limits, the intervals do not: the headline says so, and bound does not release."""
    point = decide_release(summary_of(run(3)))
    assert (point.outcome, point.release_ready) == ("RELEASE", True)
    assert point.headline == (
        "RELEASE, not settled: 4 of 4 gates (aggregate_score, pass_rate, faithfulness_failure_rate, latency_e2e_p95_ms)"
    )
    assert "pass_rate not settled: about 23 samples in all would settle it with 80% power" in point.remarks[1]
    bound = decide_release(summary_of(run(3), decide_on="bound"))
    assert (bound.outcome, bound.release_ready, len(bound.reasons)) == ("INCONCLUSIVE", False, 4)
    assert bound.headline.startswith("INCONCLUSIVE, not settled: 4 of 4 gates")


@pytest.mark.parametrize(
    ("results", "complete", "point", "bound"),
    [
        (run(100), True, "RELEASE", "RELEASE"),
        (run(20), True, "RELEASE", "INCONCLUSIVE"),
        (run(20, bad=4, latency_e2e_ms=9000), True, "NO RELEASE", "INCONCLUSIVE"),
        (run(100, bad=50, faithfulness_score=0), True, "NO RELEASE", "NO RELEASE"),
        (run(100), False, "NO RELEASE", "NO RELEASE"),
        (run(20), False, "NO RELEASE", "NO RELEASE"),
        ([], True, "NO RELEASE", "NO RELEASE"),
    ],
)
def test_the_outcome_by_either_policy(
    results: list[SampleResult], *, complete: bool, point: Outcome, bound: Outcome
) -> None:
    """Bound releases only where every interval holds, and refuses where one fails; neither releases part of a run."""
    gates = decide(aggregate(results, RUBRIC), RUBRIC).gates
    assert outcome_of(gates, decide_on="point", complete=complete) == point
    assert outcome_of(gates, decide_on="bound", complete=complete) == bound


def test_a_refusal_that_is_settled_is_not_qualified() -> None:
    """Where one gate fails for certain, the others change nothing; where none does, the headline says so."""
    certain = summary_of(run(100, bad=50, faithfulness_score=0))
    assert certain.headline == "NO RELEASE"
    unsettled = summary_of(run(20, bad=4, latency_e2e_ms=9000))
    assert unsettled.headline.startswith("NO RELEASE, not settled: 4 of 4 gates (")


def test_null_latencies_are_no_certain_failure() -> None:
    """2 of 20 null: the percentile of all is not known, so the gate does not pass; it does not fail for certain."""
    found = gates_of(run(20, bad=2, latency_e2e_ms=None))["latency_e2e_p95_ms"]
    assert (found.left_out.value, found.nulls_as_zero.value, found.passed) == (Fraction(1000), None, False)
    assert (found.settled, found.settles_at) == ("inconclusive", None)
    said = settled_text(found.result())
    assert said == "not settled: 2 latencies are null; more samples like these would leave it open, too"


def test_tied_latencies_with_nulls_are_no_certain_pass() -> None:
    """5 of 100 null: the figure keeps its limit, and the null ones could still be too slow; 1 of 200 could not."""
    found = gates_of(run(100, bad=5, latency_e2e_ms=None))["latency_e2e_p95_ms"]
    assert (found.passed, found.settled, found.deciding.nulls) == (True, "inconclusive", 5)
    assert gates_of(run(200, bad=1, latency_e2e_ms=None))["latency_e2e_p95_ms"].settled == "holds"


@pytest.mark.parametrize("count", [1, 3, 20, 200])
def test_all_latencies_null_settle_nothing(count: int) -> None:
    """They could have been fast or slow: the gate does not pass, and does not fail for certain."""
    results = run(count, bad=count, latency_e2e_ms=None)
    found = gates_of(results)["latency_e2e_p95_ms"]
    assert (found.passed, found.settled, found.samples_to_settle) == (False, "inconclusive", None)
    assert (found.deciding.samples, found.deciding.nulls) == (count, count)
    latencies = "1 latency is null" if count == 1 else f"{count} latencies are null"
    assert settled_text(found.result()) == (
        f"not settled: {latencies}; more samples like these would leave it open, too"
    )
    point = decide_release(summary_of(results))
    assert f"latency_e2e_p95_ms none (nulls as zero none) is not ≤ 10,000, because {latencies}" in point.reasons


def test_a_figure_of_nothing_fails_for_certain() -> None:
    """Answers that nobody could judge are no open question."""
    results = run(20, bad=20, accuracy_score=None, faithfulness_score=None, evaluator_error="timeout")
    assert gates_of(results)["faithfulness_failure_rate"].settled == "fails"


def test_scores_that_are_nearly_equal_are_not_certain() -> None:
    """Ten scores of 0.90 and one of 0.91 gave 0.899 to 0.903; eleven samples cannot say so."""
    found = gates_of(
        [*run(10, bad=10, latency_e2e_ms=9000), *[replace(run(1)[0], sample_id="last", latency_e2e_ms=8000)]]
    )
    interval = found["aggregate_score"].deciding
    assert interval.low is not None
    assert interval.high is not None
    assert interval.high - interval.low > 0.2
    assert found["aggregate_score"].settled == "inconclusive"


def test_samples_that_share_a_document_are_worth_less() -> None:
    """Twenty failures in four documents of five samples are four failures, not twenty."""
    results = run(100, bad=20, latency_e2e_ms=9000)
    clusters = {result.sample_id: f"document {number // 5}" for number, result in enumerate(results)}
    alone = summarise(results, RUBRIC).decision.gates[1].deciding
    together = summarise(results, RUBRIC, SampleDesign(clusters=clusters)).decision.gates[1].deciding
    assert (alone.value, alone.samples, alone.clusters) == (Fraction(4, 5), 100, None)
    assert (together.value, together.samples, together.clusters) == (Fraction(4, 5), 100, 20)
    assert width(together) > 1.5 * width(alone)
    latency = summarise(results, RUBRIC, SampleDesign(clusters=clusters)).estimates.latency_e2e_p95_ms
    assert (latency.samples, latency.clusters) == (100, 20)


def width(estimate: Estimate) -> float:
    """Return how wide an interval is."""
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.high - estimate.low


def test_repeats_narrow_the_interval() -> None:
    """Other samples fail in each of five repeats: the mean over all is surer than one repeat, though of 100 samples."""
    parts = [
        [
            replace(result, latency_e2e_ms=9000) if number % 10 == part else result
            for number, result in enumerate(run(100))
        ]
        for part in range(5)
    ]
    one = summarise(parts[0], RUBRIC).estimates.pass_rate
    five = summarise(repeated(*parts), RUBRIC).estimates.pass_rate
    assert one.value == five.value == Fraction(9, 10)
    assert one.samples == five.samples == 100
    assert width(five) < 0.6 * width(one)


def test_p95_is_of_all_latencies_of_all_repeats() -> None:
    """One slow repeat of five is more than 5% of all latencies."""
    slow = [replace(result, latency_e2e_ms=12_000) for result in run(20)]
    group = summarise(repeated(run(20), run(20), run(20), run(20), slow), RUBRIC)
    gate_ = group.gates()[3]
    assert (gate_.value, gate_.passed) == (12_000, False)
    assert latency_p95([Fraction(1000)] * 80 + [Fraction(12_000)] * 20, nulls_as_zero=True) == gate_.value
    assert latency_p95([Fraction(1000)] * 80 + [None] * 20, nulls_as_zero=True) is None
    assert gate_.worst_repeat == WorstRepeat(repeat=4, value=12_000, passed=False)


def test_sequential_intervals_allow_for_looks() -> None:
    """They are wider, in the order of the dataset, and still settle a run that is long enough."""
    good = run(300)
    results = [replace(each, latency_e2e_ms=9000) if place % 33 == 9 else each for place, each in enumerate(good)]
    design = SampleDesign(order=[result.sample_id for result in results], sequential=True)
    once = summarise(results, RUBRIC).decision.gates
    often = summarise(results, RUBRIC, design).decision.gates
    for fixed, sequential in zip(once[:3], often[:3], strict=True):
        assert sequential.deciding.value == fixed.deciding.value
        assert (sequential.deciding.method, sequential.deciding.settles_at) == ("betting", None)
        assert width(sequential.deciding) > width(fixed.deciding)
    assert [gate.settled for gate in often] == ["holds", "holds", "holds", "holds"]
    few = summarise(run(30), RUBRIC, design).gates()
    assert few[1].settled == "inconclusive"
    assert settled_text(few[1], confidence="sequential") == "not settled so far: add samples, and look again"


def test_a_policy_may_ask_for_more_and_not_for_less() -> None:
    """What is asked for, else what is below; a weaker policy is refused."""
    bound = GatePolicy(decide_on="bound", confidence="sequential")
    assert GatePolicy().over(bound) == bound
    assert bound.over(GatePolicy(decide_on="point", confidence="fixed")) == bound
    for weaker in (GatePolicy(decide_on="point"), GatePolicy(confidence="fixed")):
        with pytest.raises(UsageError, match="this run's policy is"):
            weaker.over(bound)


@pytest.mark.parametrize("wrong", [{"decide_on": "Bound"}, {"confidence": "sequental"}, {"anchor": "People"}])
def test_a_policy_that_there_is_not_is_refused(wrong: dict[str, Any]) -> None:
    """A misspelt word decides nothing: it would be taken for the weaker policy, or stand in the ledger unreadable."""
    with pytest.raises(UsageError, match="is none of: "):
        GatePolicy(**wrong)


def test_looks_are_named() -> None:
    """The first is not worth a word."""
    assert look_text(1, "fixed") is None
    assert str(look_text(3, "fixed")).startswith("third look at these gates")
    assert str(look_text(12, "sequential")).startswith("12th look at these gates")
    assert "luck" in str(look_text(2, "fixed"))
    assert "luck" not in str(look_text(2, "sequential"))


GATED_RUBRIC = load_benchmark(None, {"gates.contradicted_rate": 0.1, "gates.unsupported_rate": 0.1}).rubric


def test_gates_on_evidence_are_the_rubric_s_choice() -> None:
    """The rubric that ships has the specification's four gates; a limit adds a gate like any other."""
    results = run(40, bad=20, contradicted=True, unsupported=False)
    assert list(gates_of(results)) == [
        "aggregate_score",
        "pass_rate",
        "faithfulness_failure_rate",
        "latency_e2e_p95_ms",
    ]
    assert "contradicted_rate" not in to_json(aggregate(results, RUBRIC).values())
    known = [replace(result, contradicted=bool(result.contradicted), unsupported=False) for result in results]
    group = summarise(known, GATED_RUBRIC)
    gates = {gate.name: gate for gate in group.gates()}
    assert list(gates)[4:] == ["contradicted_rate", "unsupported_rate"]
    contradicted, unsupported = gates["contradicted_rate"], gates["unsupported_rate"]
    assert (contradicted.value, contradicted.passed, contradicted.settled) == (0.5, False, "fails")
    assert (unsupported.value, unsupported.passed, unsupported.settled) == (0.0, True, "holds")
    assert contradicted.interval.method == "clopper_pearson"
    assert to_json(group.intervals())["contradicted_rate"]["nulls_as_zero"]["samples"] == 40
    assert to_json(aggregate(known, GATED_RUBRIC).values())["contradicted_rate"] == 0.5


def test_an_answer_whose_evidence_nobody_looked_at_cannot_keep_a_gate() -> None:
    """It is left out, and counts as contradicted where nulls are at their worst; of nothing there is no figure."""
    results = run(40, bad=39, contradicted=False, unsupported=False)
    gates = {gate.name: gate for gate in summarise(results, GATED_RUBRIC).gates()}
    assert (gates["contradicted_rate"].value, gates["contradicted_rate"].value_nulls_as_zero) == (0.0, 1 / 40)
    unknown = {gate.name: gate for gate in summarise(run(40), GATED_RUBRIC).gates()}
    assert (unknown["contradicted_rate"].value, unknown["contradicted_rate"].settled) == (None, "fails")


def test_more_samples_of_the_same_clusters_would_not_do() -> None:
    """Where samples share documents, what would settle a gate is said in documents, too."""
    results = run(60, bad=10, accuracy_score=0)
    documents = {each.sample_id: f"document {place // 6}" for place, each in enumerate(results)}
    gate, alone = (
        next(each for each in summarise(results, RUBRIC, design).gates() if each.name == "pass_rate")
        for design in (SampleDesign(clusters=documents), None)
    )
    assert (gate.interval.samples, gate.interval.clusters, gate.settled) == (60, 10, "inconclusive")
    assert gate.settles_at is not None
    assert gate.settles_in == math.ceil(gate.settles_at / 6)
    assert f"samples in all, in about {gate.settles_in:,} clusters, would settle it" in settled_text(gate)
    assert (alone.settles_in, "clusters" in settled_text(alone)) == (None, False)
