"""The report says of a run what the ledger holds of it."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.reports.conftest import AT, JUDGE, Make

from plumbrule.api.reports import report_on
from plumbrule.codec import to_json
from plumbrule.errors import InputError
from plumbrule.ledger import Ledger
from plumbrule.reports import FORMATS, Report
from plumbrule.runs.report.run_evidence import read_evidence
from plumbrule.runs.run_entries import find_run
from plumbrule.runs.run_results import RoleUsage, WorstRepeat
from plumbrule.runs.summary import summarise_run
from plumbrule.stats.mean_intervals import clopper_pearson

GOLDEN = sorted((Path(__file__).parents[1] / "golden").glob("*.json"))


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_golden_runs_are_told_as_they_were_worked_out(make: Make, path: Path) -> None:
    """Decision, counts, gates and failures are those of the runs that were worked out by hand."""
    golden = json.loads(path.read_text())
    expected = golden["expected"]
    report = make(golden["samples"])
    assert report.decision == ("RELEASE" if expected["release_ready"] else "NO RELEASE")
    assert report.counts.attempted == expected["counts"]["attempted"]
    assert report.counts.timed_out == expected["counts"]["timed_out"]
    assert [gate.passed for gate in report.gates] == [gate["passed"] for gate in expected["gates"]]
    failed = {sample["sample_id"] for sample in expected["samples"] if not sample["passed"]}
    assert {failure.sample.sample_id for failure in report.failures} == failed
    assert all(failure.sample.causes for failure in report.failures)
    blocking = [reason.kind for reason in report.reasons if reason.blocking]
    assert blocking == ["gate" for gate in expected["gates"] if not gate["passed"]]


def test_every_aggregate_stands_in_both_treatments(ledger: Ledger, mixed: Report) -> None:
    """Names, values and counts are those of 'show', none left out."""
    told = to_json(summarise_run(ledger, find_run(ledger, mixed.run_id)).aggregates)
    assert {each.name: each.value for each in mixed.aggregates} == {
        name: value for name, value in told.items() if not isinstance(value, dict)
    }
    assert {each.name: each.nulls_as_zero for each in mixed.aggregates} == told["nulls_as_zero"]
    assert {each.name: each.counts.scored for each in mixed.aggregates} == {
        name: counts["scored"] for name, counts in told["counts_by_aggregate"].items()
    }


def test_an_incomplete_run_decides_nothing(make: Make) -> None:
    """Even where every gate holds so far, and it says how to go on."""
    report = make([{}] * 30, planned=40)
    assert (report.decision, report.complete) == ("NO RELEASE", False)
    assert report.headline == "NO RELEASE: the run is not complete"
    assert "30 of 40" in report.reasons[0].text
    assert f"--resume {report.run_id}" in report.reasons[0].text
    assert all(gate.passed for gate in report.gates)


def test_a_run_without_results_is_told_so(ledger: Ledger) -> None:
    """There is nothing to report: one line, as for show."""
    body = {"summary": {"name": "n", "samples": 1, "repeats": 1}, "metadata": {}, "missing_metadata": []}
    run = ledger.append("run", "run-empty", body, "test", at=AT)
    with pytest.raises(InputError, match="has no results yet"):
        report_on(ledger, run)


def test_evidence_of_nothing_is_told_so() -> None:
    """No entries, no report."""
    with pytest.raises(InputError, match="no entries"):
        read_evidence([], set(), (), ledger_id="ledger-1")


def test_one_sample_is_enough(make: Make) -> None:
    """Its figures stand, what one sample cannot bound stays open, and the headline says so."""
    report = make([{}])
    assert report.counts.attempted == 1
    assert {gate.name: gate.interval.high for gate in report.gates}["latency_e2e_p95_ms"] is None
    assert report.headline.startswith("RELEASE, not settled: 4 of 4 gates (aggregate_score, ")


def test_nulls_everywhere_are_failures_with_causes(make: Make) -> None:
    """What could not be had is none in both treatments or zero, and never passes."""
    nothing = {
        "accuracy_score": None,
        "faithfulness_score": None,
        "latency_e2e_ms": None,
        "input_tokens": None,
        "output_tokens": None,
        "rationale": None,
        "evaluator_error": "parse_error",
    }
    report = make([nothing] * 3)
    assert (report.decision, report.headline) == ("NO RELEASE", "NO RELEASE")
    assert report.failed == 3
    assert report.failures[0].sample.causes == ("evaluator_error", "latency_unknown", "tokens_unknown")
    assert report.scores.histogram.unknown == report.latencies.histogram.unknown == 3
    assert [cell.samples for cell in report.heat][-1] == 3
    assert report.gates[0].deciding is None


def test_the_worst_repeat_gives_the_figures(make: Make) -> None:
    """Fix-first and counts are of the worst repeat; samples that failed elsewhere are shown, too."""
    results = [{"sample_id": f"s{place}", "repeat": repeat} for repeat in range(3) for place in range(20)]
    for place in (0, 1, 2, 3):
        results[20 + place]["accuracy_score"] = 0
    results[40 + 9]["accuracy_score"] = 0
    report = make(results, repeats=3)
    assert report.repeats.decisive == 1
    assert report.failed == 4
    assert [failure.sample.sample_id for failure in report.failures] == ["s0", "s1", "s2", "s3", "s9"]
    assert (report.failures[4].sample.repeat, report.failures[4].sample.passed_in) == (2, (0, 1))
    assert [repeat.pass_rate for repeat in report.repeats.each] == [1.0, 0.8, 0.95]
    assert [flip.sample_id for flip in report.repeats.flips] == ["s0", "s1", "s2", "s3", "s9"]
    assert report.repeats.flips[0].failed == (1,)
    assert [reason.kind for reason in report.reasons if reason.blocking] == []
    assert "1 of 3 repeats would not be released alone: 1." in [reason.text for reason in report.reasons]
    passing = report.gates[1]
    assert (passing.value, passing.worst_repeat) == (55 / 60, WorstRepeat(repeat=1, value=0.8, passed=False))
    assert report.fix_first[0].pass_rate_if_fixed == 1.0


def test_categories_have_wilson_intervals(mixed: Report) -> None:
    """The lowest pass rate first, each with its interval and nobody lost."""
    assert sum(each.attempted for each in mixed.categories) == mixed.counts.attempted
    assert [each.pass_rate for each in mixed.categories] == sorted(each.pass_rate for each in mixed.categories)
    for each in mixed.categories:
        assert (each.interval.low, each.interval.high) == clopper_pearson(each.passed, each.attempted)


def test_a_live_candidates_own_answer_is_shown(make: Make) -> None:
    """What a live candidate answered stands in place of the dataset's; where it did not, the dataset's stands."""
    tokens = {"input_tokens": 3, "output_tokens": 2}
    answers = {
        "q0": {"answer": "$99", "contexts": [{"text": "Fees rose."}], **tokens},
        "q1": {"answer": None, **tokens},
    }
    report = make([{"accuracy_score": 0}] * 3, answers=answers)
    assert report.usage.candidate == RoleUsage(requests=2, input_tokens=6, output_tokens=4, cost_usd=None)
    assert [failure.answer for failure in report.failures] == ["$99", None, "$25"]
    assert [context.text for context in report.failures[0].contexts] == ["Fees rose."]


def test_refusals_and_expectations_are_words(make: Make) -> None:
    """Codes, reasons and what was expected are told in one line each."""
    samples = {
        "q0": {"refusal": {"code": "NO_DOCS", "reason": "nothing found"}, "expected": {"refuse": False}},
        "q1": {"refusal": {}, "expected": {"refuse": True, "refusal_code": "X", "passages": ["p1", "p2"]}},
    }
    first, second = make([{"accuracy_score": 0}] * 2, samples=samples).failures
    assert (first.refusal, first.expected) == ("NO_DOCS; nothing found", "an answer")
    assert second.refusal == "declared without a code or a reason"
    assert second.expected == "a refusal with X; passages p1, p2"


def test_judge_totals_have_no_gaps(make: Make) -> None:
    """Sums over every repeat; one reply that did not report makes the sum unknown."""
    judge = {**JUDGE, "model_id": "openai:m"}
    used = {"judge": judge, "requests": 2, "input_tokens": 100, "output_tokens": 10, "cost_usd": 0.1}
    [totals] = make([{}] * 3, judgement={**used, "reported_model": "m-1", "fingerprint": "fp"}).judges
    assert (totals.requests, totals.input_tokens, totals.output_tokens) == (6, 300, 30)
    assert totals.cost_usd == pytest.approx(0.3, abs=1e-15)
    assert (totals.reported_models, totals.fingerprints) == (("m-1",), ("fp",))
    unsaid = {"q1": {**used, "input_tokens": None, "cost_usd": None}}
    [totals] = make([{}] * 3, judgement=used, judgements=unsaid).judges
    assert (totals.input_tokens, totals.output_tokens, totals.cost_usd) == (None, 30, None)


def _support(band: str, score: float, **stamps: Any) -> dict[str, Any]:
    model = {"name": "support", "version": "1", "sha256": "a" * 64}
    return {"support": {"score": score, "band": band, "model": model, "weakest": None, **stamps}}


def test_support_is_told_by_band_with_what_gave_it(make: Make) -> None:
    """Each sample's own, counted; a panel's comes from the member that gives it; what has none is not given."""
    calibration = {"name": "ours", "version": "2", "sha256": "b" * 64}
    judgements = {
        "q0": _support("supported", 0.9),
        "q1": _support("unsupported", 0.0),
        "q2": _support("doubtful", 0.5, calibration=calibration),
        "q3": {"support": None},
        "q4": {"support": None, "members": [{"support": None}, _support("doubtful", 0.6)]},
    }
    report = make([{}, {"accuracy_score": 0}, {}, {}, {}], judgements=judgements)
    assert [(each.support_score, each.support_band) for each in report.samples] == [
        (0.9, "supported"),
        (0.0, "unsupported"),
        (0.5, "doubtful"),
        (None, None),
        (0.6, "doubtful"),
    ]
    told = report.support
    assert (told.supported, told.doubtful, told.unsupported, told.not_given) == (1, 2, 1, 1)
    assert [(each.part, each.name, each.version, each.sha256) for each in told.stamps] == [
        ("model", "support", "1", "a" * 64),
        ("calibration", "ours", "2", "b" * 64),
    ]
    page, text = (FORMATS[suffix](report).decode() for suffix in (".html", ".md"))
    for format_ in (page, text):
        assert "supported 1, doubtful 2, unsupported 1, not given 1" in format_
        assert f"support version 1, sha256 {'a' * 64}" in format_
        assert "unsupported (0)" in format_.replace("\\", "")


def test_a_run_without_support_says_so(make: Make) -> None:
    """A judge that gives none, and an older ledger that knows none, leave it open: no band and no zero."""
    report = make([{"accuracy_score": 0}, {}])
    assert {each.support_score for each in report.samples} == {None}
    assert (report.support.not_given, report.support.stamps) == (2, ())
    for suffix in (".html", ".md"):
        page = FORMATS[suffix](report).decode()
        assert "supported 0, doubtful 0, unsupported 0, not given 2" in page
        assert "unsupported (0)" not in page


def test_the_report_is_tied_to_the_runs_last_entry(ledger: Ledger, make: Make) -> None:
    """Entries of other runs change nothing; a correction of this one is told."""
    report = make([{}] * 2)
    last = list(ledger.entries(run=report.run_id))[-1]
    assert (report.ledger.sequence, report.ledger.entry_sha256) == (last.sequence, last.entry_sha256)
    assert report.ledger.ledger_id == ledger.ledger_id
    make([{}])
    run = find_run(ledger, report.run_id)
    assert report_on(ledger, run) == report
    ledger.correct(last, {"accuracy_score": 0}, "ana", reason="misread", at=AT)
    corrected = report_on(ledger, run)
    assert corrected.ledger.corrections == 1
    assert "corrections" in [reason.kind for reason in corrected.reasons]
