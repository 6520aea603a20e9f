"""Labels from Python, through a run and its gates: what people say decides, and until they say it nothing does."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.runs.anchor.labelled_run import ADDRESS, begin

from plumbrule.api import reviews
from plumbrule.api.reports import report_on
from plumbrule.api.run_labels import (
    add_campaign_labels,
    add_labels,
    check_labels,
    draw_labels,
    plan_samples,
    show_labels,
)
from plumbrule.api.runs import compare, gate, run, show
from plumbrule.errors import InputError, UsageError
from plumbrule.ledger import open_ledger
from plumbrule.reviews.campaigns.campaign_store import ReleaseTerms
from plumbrule.reviews.sample_draw import Request
from plumbrule.runs.run_entries import find_run, read_decision

LEVELS = (
    "attribution_accuracy",
    "retrieval_relevance",
    "grounding_integrity",
    "response_completeness",
    "refusal_appropriateness",
    "compliance_alignment",
)


def label(folder: Path, count: int, passes: Callable[[int], bool]) -> None:
    """Draw so many answers of the last run, fill in the sheet, and add it."""
    sheet = folder / "sheet.csv"
    draw_labels("last", count, ADDRESS.format(folder), author="ada", sheet=sheet)
    with sheet.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        row["accuracy_score"] = "2" if passes(int(row["sample_id"][1:])) else "0"
        row["faithfulness_score"] = "2"
    with sheet.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    add_labels(sheet, "last", ADDRESS.format(folder), author="ada")


def test_people_overrule_a_judge_that_passes_everything(tmp_path: Path) -> None:
    """The judge alone releases; by people three in ten fail, and the gate says so."""
    address = ADDRESS.format(tmp_path)
    begin(tmp_path, samples=100)
    assert gate("last", address).outcome == "RELEASE"
    label(tmp_path, 60, lambda number: number % 10 >= 3)
    assert gate("last", address).outcome == "RELEASE"  # by the run's own policy, the judge
    decision = gate("last", address, anchor="people")
    assert (decision.outcome, decision.anchor) == ("NO RELEASE", "people")
    passed = next(each for each in decision.gates if each.name == "pass_rate")
    assert passed.interval.method == "prediction_powered"
    assert (passed.by_judge, passed.interval.labels, passed.interval.samples) == (1, 60, 100)
    assert passed.value is not None
    assert 0.5 < passed.value < 0.85
    latency = next(each for each in decision.gates if each.name == "latency_e2e_p95_ms")
    assert (latency.interval.method, latency.by_judge) == ("order_statistics", None)
    assert show("last", address).anchor == "judge"
    assert show("last", address, anchor="people").gates == decision.gates


def test_a_release_against_people_s_labels_says_so(tmp_path: Path) -> None:
    """The judge decides by the run's policy, and the headline names every gate that the labels do not keep."""
    address = ADDRESS.format(tmp_path)
    begin(tmp_path, samples=100)
    assert gate("last", address).headline == "RELEASE"
    label(tmp_path, 60, lambda number: number % 10 >= 3)
    decision = gate("last", address)
    assert (decision.outcome, decision.headline) == ("RELEASE", "RELEASE, against people's labels: pass_rate")
    [remark] = [each for each in decision.remarks if "people" in each]
    assert remark.startswith("pass_rate by people's labels is 0.6")
    assert remark.endswith("not ≥ 0.85: '--anchor people' decides by them")
    assert show("last", address).headline == decision.headline
    assert "against" not in gate("last", address, anchor="people").headline
    with open_ledger(address) as ledger:
        [reason] = [each for each in report_on(ledger, find_run(ledger, "last")).reasons if each.kind == "labels"]
    assert (reason.blocking, reason.text) == (False, f"{remark}.")


def test_people_overrule_a_judge_that_fails_good_answers(tmp_path: Path) -> None:
    """The judge alone refuses for certain; people pass what it failed."""
    address = ADDRESS.format(tmp_path)
    begin(tmp_path, samples=100, wrong=40)
    first = next(each for each in gate("last", address).gates if each.name == "pass_rate")
    assert (first.passed, first.settled) == (False, "fails")
    label(tmp_path, 80, lambda _: True)
    decision = gate("last", address, anchor="people", decide_on="bound")
    passed = next(each for each in decision.gates if each.name == "pass_rate")
    assert (passed.passed, passed.settled) == (True, "holds")


def test_a_run_anchored_by_people_waits_for_them(tmp_path: Path) -> None:
    """INCONCLUSIVE until every drawn answer has a label; a judge's word is never taken instead."""
    address = ADDRESS.format(tmp_path)
    begin(tmp_path, samples=40, config="anchor: people\n")
    decision = gate("last", address)
    assert (decision.outcome, decision.anchor, decision.release_ready) == ("INCONCLUSIVE", "people", False)
    assert decision.reasons[0].startswith("aggregate_score waits for people's labels: no answers were drawn yet")
    with open_ledger(address) as ledger:
        [kept] = map(read_decision, ledger.entries(kind="decision"))
    assert (kept.outcome, kept.anchor) == ("INCONCLUSIVE", "people")
    status = draw_labels("last", 20, address, author="ada")
    names = [each.sample_id for each in status.drawn]
    half = tmp_path / "half.jsonl"
    half.write_text("".join(json.dumps({"sample_id": name, "pass": True}) + "\n" for name in names[:10]))
    status = add_labels(half, "last", address, author="ada")
    assert (status.labelled, len(status.waiting)) == (10, 10)
    waits = {each.waits_for for each in gate("last", address).gates if each.name != "latency_e2e_p95_ms"}
    assert waits == {"10 of 20 drawn answers have no label yet"}
    with pytest.raises(UsageError, match="--anchor judge: this run's policy is people"):
        gate("last", address, anchor="judge")
    with pytest.raises(UsageError, match="do not go with confidence sequential"):
        gate("last", address, confidence="sequential")


def test_a_sheet_labels_the_answers_that_it_showed(tmp_path: Path) -> None:
    """The sheet of a good run is no label of a bad one's answers, although both have the same samples and draw."""
    address, sheet = ADDRESS.format(tmp_path), tmp_path / "sheet.csv"
    begin(tmp_path, samples=40)
    label(tmp_path, 20, lambda _: True)
    data = tmp_path / "data.jsonl"
    lines = [json.loads(line) for line in data.read_text().splitlines()]
    data.write_text("".join(json.dumps({**line, "answer": "The fee is $99."}) + "\n" for line in lines))
    with pytest.raises(InputError, match=r"sheet\.csv:2: the label of 'q\d+' is about another answer than the run's"):
        check_labels(tmp_path / "run.yaml", sheet)
    run(tmp_path / "run.yaml", address)
    draw_labels("last", 20, address, author="ada")
    with pytest.raises(InputError, match="is about another answer than the run's: its sheet was written for another"):
        add_labels(sheet, "last", address, author="ada")
    assert show_labels("last", address).labelled == 0
    assert gate("last", address, anchor="people").outcome != "RELEASE"


def test_a_gate_is_the_same_from_the_ledger_alone(tmp_path: Path) -> None:
    """The draw and the labels are entries; the file of labels is not needed again."""
    address = ADDRESS.format(tmp_path)
    begin(tmp_path, samples=40)
    label(tmp_path, 20, lambda number: number % 5 > 0)
    before = gate("last", address, anchor="people")
    (tmp_path / "sheet.csv").unlink()
    (tmp_path / "data.jsonl").unlink()
    assert gate("last", address, anchor="people") == before


def test_labels_of_recorded_answers_serve_another_run(tmp_path: Path) -> None:
    """The same seed draws the same answers; labels of others are refused before the run begins."""
    address = ADDRESS.format(tmp_path)
    begin(tmp_path, samples=40)
    label(tmp_path, 20, lambda _: True)
    sheet, config = tmp_path / "sheet.csv", tmp_path / "run.yaml"
    assert check_labels(config, sheet) == 20
    run(config, address)
    draw_labels("last", 20, address, author="ada")
    assert add_labels(sheet, "last", address, author="ada").waiting == ()
    with pytest.raises(InputError, match=r"sheet.csv:\d+: 'q\d\d' was not drawn by this seed"):
        check_labels(config, sheet, seed=7)
    config.write_text(config.read_text().replace("{kind: recorded}", '{kind: python, target: "json:loads"}'))
    with pytest.raises(UsageError, match="gives answers that nobody has labelled yet"):
        check_labels(config, sheet)


def test_a_run_with_repeats_is_labelled_by_answer(tmp_path: Path) -> None:
    """The sheet names the repeat, and a label without one is refused."""
    address = ADDRESS.format(tmp_path)
    begin(tmp_path, samples=30, config="repeats: 2\n")
    status = draw_labels("last", 10, address, author="ada", sheet=tmp_path / "sheet.jsonl")
    assert {each.repeat for each in status.drawn} == {0, 1}
    filled = (tmp_path / "sheet.jsonl").read_text().replace('"pass":null', '"pass":true')
    (tmp_path / "sheet.jsonl").write_text(filled)
    assert add_labels(tmp_path / "sheet.jsonl", "last", address, author="ada").waiting == ()
    passed = next(each for each in gate("last", address, anchor="people").gates if each.name == "pass_rate")
    assert (passed.interval.labels, passed.interval.samples, passed.worst_repeat) == (10, 30, None)


def test_a_closed_campaign_is_a_source_of_labels(tmp_path: Path) -> None:
    """The sheet is drawn, reviewed as a campaign, and its settled levels are read by the rubric's mapping."""
    address = ADDRESS.format(tmp_path)
    begin(tmp_path, samples=12)
    sheet = tmp_path / "sheet.jsonl"
    status = draw_labels("last", 4, address, author="Lead", sheet=sheet)
    names = [each.sample_id for each in status.drawn]
    request = Request(trigger="pre-deployment", path=str(sheet), claims=False)
    reviews.open_campaign(request, name="release", author="Lead", ledger=address)
    for person in ("Ada", "Ben"):
        reviews.claim_items(person, names, ledger=address)
        records = [
            {"trace_id": name, "scores": {**dict.fromkeys(LEVELS, 4), "grounding_integrity": level}, "notes": "seen"}
            for name, level in zip(names, (4, 4, 3, 2), strict=True)
        ]
        reviews.submit_records(records, evaluator=person, ledger=address)
    with pytest.raises(UsageError, match="release: is open: its ratings are blind until it is closed"):
        add_campaign_labels("release", "last", address, author="Lead")
    reviews.close_campaign("release", author="Lead", ledger=address)
    status = add_campaign_labels("release", "last", address, author="Lead")
    assert (status.labelled, status.waiting, status.people) == (4, (), ("campaign release",))
    labels = show("last", address).labels
    assert labels is not None
    assert labels.judge is not None
    assert (labels.judge.passed_by_people, labels.judge.failed_by_people) == (3, 1)
    assert labels.figures["faithfulness_failure_rate"].labels == 4


def test_a_campaign_on_another_answer_is_refused(tmp_path: Path) -> None:
    """The same sample id is not enough: a label is of one answer."""
    address = ADDRESS.format(tmp_path)
    begin(tmp_path, samples=4)
    sheet = tmp_path / "sheet.jsonl"
    name = draw_labels("last", 1, address, author="Lead", sheet=sheet).drawn[0].sample_id
    sheet.write_text(sheet.read_text().replace('"answer":"Fee', '"answer":"The fee'))
    reviews.open_campaign(
        Request(trigger="pre-deployment", path=str(sheet), claims=False), name="c", author="Lead", ledger=address
    )
    for person in ("Ada", "Ben"):
        reviews.claim_items(person, [name], ledger=address)
        record = {"trace_id": name, "scores": dict.fromkeys(LEVELS, 4), "notes": "seen"}
        reviews.submit_record(record, evaluator=person, ledger=address)
    reviews.close_campaign("c", author="Lead", ledger=address)
    with pytest.raises(InputError, match="reviewed another answer than the one of the run"):
        add_campaign_labels("c", "last", address, author="Lead")


def test_a_plan_from_the_labels_of_a_run(tmp_path: Path) -> None:
    """Rate, sensitivity and specificity are measured; without labels there is nothing to go by."""
    address = ADDRESS.format(tmp_path)
    begin(tmp_path, samples=60, wrong=20)
    with pytest.raises(InputError, match="has no labels yet"):
        plan_samples(run="last", ledger=address)
    label(tmp_path, 40, lambda number: number >= 10)
    plan = plan_samples(run="last", ledger=address, limit=0.7)
    assert plan.judge is not None
    assert plan.judge.specificity == 1
    assert plan.rate == show("last", address).labels.figures["pass_rate"].value  # type: ignore[union-attr]  # labelled
    with pytest.raises(UsageError, match="give the rate that you expect"):
        plan_samples()
    assert plan_samples(rate=0.92).limit == 0.85


def test_what_python_callers_misspell_is_refused(tmp_path: Path) -> None:
    """Before anything is written: a word of a policy, a margin, a number of answers, a name that names nobody."""
    address = ADDRESS.format(tmp_path)
    begin(tmp_path, samples=5)
    wrong: dict[str, Any] = {"anchor": "People"}
    for decide in (lambda: gate("last", address, **wrong), lambda: show("last", address, **wrong)):
        with pytest.raises(UsageError, match="anchor: 'People' is none of: judge, people"):
            decide()
    policy: dict[str, Any] = {"decide_on": "BOUND"}
    with pytest.raises(UsageError, match="decide_on: 'BOUND' is none of: point, bound"):
        run(tmp_path / "run.yaml", address, **policy)
    with pytest.raises(UsageError, match="decide_on: 'BOUND' is none of: point, bound"):
        ReleaseTerms(**policy)
    for margin in (float("nan"), float("inf"), "3%"):
        margins: dict[str, Any] = {"pass_rate": margin}
        with pytest.raises(UsageError, match="is no number"):
            compare("last", "last", address, margins=margins)
    with pytest.raises(UsageError, match="draw one at least"):
        draw_labels("last", 0, address, author="ada")
    with pytest.raises(UsageError, match="names nobody"):
        draw_labels("last", 2, address, author="...")
    with open_ledger(address) as ledger:
        assert len(list(ledger.runs())) == 1


def test_nothing_is_drawn_from_a_run_that_is_not_there(tmp_path: Path) -> None:
    """A look makes no ledger, and a status of nothing says so."""
    address = ADDRESS.format(tmp_path)
    with pytest.raises(UsageError):
        show_labels("last", address)
    begin(tmp_path, samples=3)
    status = show_labels("last", address, sheet=tmp_path / "empty.csv")
    assert (status.drawn, status.waiting, status.labelled) == ((), (), 0)
