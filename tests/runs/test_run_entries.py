"""Every entry of a run is read back typed, and one that cannot be read is named."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from plumbrule.errors import InputError
from plumbrule.ledger import Ledger, open_ledger
from plumbrule.rubrics import content_of, load_benchmark
from plumbrule.runs.budget import Spending
from plumbrule.runs.plan import plan_run
from plumbrule.runs.run_entries import (
    find_run,
    is_dataset_sample,
    read_decision,
    read_note,
    read_result,
    read_rubric,
    read_run,
    rubric_of,
    run_answers,
    run_results,
    run_samples,
)
from plumbrule.runs.sample_results import SampleResult
from plumbrule.runs.session import execute
from plumbrule.runs.summary import run_lines, summarise_run

AT = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)
CONFIG = """\
name: small
dataset: {path: data.jsonl, id: small-qa}
candidate: {kind: python, target: "small_answers:reply", model_id: "first@1"}
judge: {kind: rules}
repeats: 1
"""
DATA = {
    "id": "q1",
    "question": "What is the fee?",
    "contexts": ["The fee is $25."],
    "answer": "$30.",
    "reference": "$25.",
}


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    """Return an empty ledger."""
    with open_ledger(f"sqlite:///{tmp_path}/ledger.db", at=AT) as opened:
        yield opened


@pytest.fixture
def run(ledger: Ledger, tmp_path: Path) -> str:
    """Execute a run of one sample with a live candidate, and return its id."""
    (tmp_path / "data.jsonl").write_text(json.dumps(DATA))
    (tmp_path / "run.yaml").write_text(CONFIG)
    (tmp_path / "small_answers.py").write_text("def reply(question, contexts):\n    return contexts[0]\n")
    outcome = execute(plan_run(tmp_path / "run.yaml"), ledger, lambda: AT)
    assert outcome.summary().complete
    return outcome.run_id


def test_what_a_run_writes_is_read_back(ledger: Ledger, run: str) -> None:
    """Run, dataset, answer, result, note, rubric and decision: each by its own reader."""
    begun = read_run(find_run(ledger, "last"))
    assert (begun.run_id, begun.live, begun.tasks) == (run, True, 1)
    assert (begun.body.summary.name, begun.body.summary.judge, begun.body.metadata.run_id) == ("small", "rules", run)
    assert [sample.reference for sample in run_samples(ledger, run)] == ["$25."]
    [answer] = run_answers(ledger, run)
    assert (answer.answered.sample.answer, answer.answered.requests) == ("The fee is $25.", 1)
    [result] = run_results(ledger, run)
    assert (result.key, result.judgement.judge and result.judgement.judge.name) == ((0, "q1"), "rules")
    assert [read_note(entry).event for entry in ledger.entries(kind="note", run=run)] == ["started"]
    [entry] = ledger.entries(kind="decision", subject=run)
    summary = summarise_run(ledger, find_run(ledger, run))
    decision = read_decision(entry)
    assert (decision.gates, decision.aggregates, decision.repeats) == (
        summary.gates,
        summary.aggregates,
        summary.repeats,
    )
    assert [line.run_id for line in run_lines(ledger)] == [run]
    samples = list(ledger.entries(kind="sample", run=run))
    assert [is_dataset_sample(entry) for entry in samples] == [True, False]


def test_numbers_stay_as_they_were_written(ledger: Ledger) -> None:
    """A whole number of milliseconds is not made a fraction by reading it."""
    measured = SampleResult(sample_id="q1", latency_e2e_ms=900, flags=("retried",))
    entry = ledger.append("result", "run-1/0/q1", {"result": asdict(measured)}, "test", at=AT)
    result = read_result(entry)
    assert repr(result.result.latency_e2e_ms) == "900"
    assert (result.result, result.spent) == (measured, Spending())


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({}, "'result' cannot be read"),
        ({"result": {}}, "'result' cannot be read"),
        ({"result": {"sample_id": "q1"}, "judgement": {"requests": "many"}}, "'judgement.requests' cannot be read"),
        ({"version": 2, "result": {"sample_id": "q1"}}, "is of version 2"),
    ],
)
def test_an_entry_that_cannot_be_read_is_named(ledger: Ledger, body: dict[str, Any], message: str) -> None:
    """By its number and subject in the ledger, and by the key."""
    entry = ledger.append("result", "run-1/0/q1", body, "test", at=AT)
    with pytest.raises(InputError, match=message) as raised:
        read_result(entry)
    assert f"ledger entry {entry.sequence} (result run-1/0/q1)" in str(raised.value)


def test_what_a_later_version_adds_is_left_alone(ledger: Ledger) -> None:
    """An unknown key of a body is no mistake."""
    body = {"result": {"sample_id": "q1", "mood": "good"}, "weather": "fine"}
    entry = ledger.append("result", "run-1/0/q1", body, "test", at=AT)
    assert read_result(entry).result == SampleResult(sample_id="q1")


def _keep(ledger: Ledger, run: str, content: dict[str, Any]) -> None:
    body = {"name": "benchmark", "version": str(content["version"]), "sha256": "0" * 64, "content": content}
    ledger.append("rubric", f"{run}/rubrics/benchmark", body, "test", at=AT)


def test_a_kept_rubric_is_read_as_it_was_kept(ledger: Ledger) -> None:
    """A run of an older version is graded by its own values and version: nothing of today's comes in."""
    content = content_of(load_benchmark())
    _keep(ledger, "run-1", {**content, "version": "0", "gates": {**content["gates"], "pass_rate": 0.5}})
    rubric = rubric_of(ledger, "run-1")
    assert (rubric.version, rubric.gates.pass_rate) == ("0", Fraction(1, 2))
    assert rubric.weights == load_benchmark().rubric.weights


def test_a_kept_rubric_is_not_filled_up_from_the_one_that_ships(ledger: Ledger) -> None:
    """A part that its version did not have is missing, and said to be: today's must not grade an old run."""
    content = {key: part for key, part in content_of(load_benchmark()).items() if key != "repeats"}
    _keep(ledger, "run-1", {**content, "version": "0"})
    with pytest.raises(InputError, match="'repeats' of version 0 cannot be read"):
        rubric_of(ledger, "run-1")
    [entry] = ledger.entries(kind="rubric", run="run-1")
    assert "repeats" not in read_rubric(entry).content


def test_a_part_that_only_an_older_rubric_had_is_named(ledger: Ledger) -> None:
    """It may have decided the run, so it is not dropped in silence."""
    _keep(ledger, "run-1", {**content_of(load_benchmark()), "version": "0", "bonus": {"speed": 1}})
    with pytest.raises(InputError, match="'bonus' of version 0 cannot be read"):
        rubric_of(ledger, "run-1")


def test_a_run_without_a_kept_rubric_is_named(ledger: Ledger) -> None:
    """Today's rubric does not take its place."""
    with pytest.raises(InputError, match="run-1: the ledger keeps no benchmark rubric"):
        rubric_of(ledger, "run-1")


def test_results_of_older_versions_tell_what_the_evidence_is_against(ledger: Ledger) -> None:
    """Their flags and their support say it; where no judge gave a support it is not known."""
    support = {"score": 0.1, "band": "unsupported"}
    body = {"result": {"sample_id": "q1", "flags": ["contradicted"]}, "judgement": {"support": support}}
    old = read_result(ledger.append("result", "run-1/0/q1", body, "test", at=AT)).result
    assert (old.contradicted, old.unsupported) == (True, True)
    blind = read_result(ledger.append("result", "run-1/0/q2", {"result": {"sample_id": "q2"}}, "test", at=AT)).result
    assert (blind.contradicted, blind.unsupported) == (None, None)
