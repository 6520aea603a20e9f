"""``plumbrule label`` and ``plumbrule plan``, and the gates that go by labels."""

import csv
from pathlib import Path

import orjson
import pytest
from tests.cli.conftest import Run
from tests.runs.anchor.labelled_run import begin

LEDGER = "sqlite:///ledger.db"


def fill(sheet: Path, *, wrong: frozenset[str] = frozenset()) -> None:
    """Fill in a sheet as a person would, who fails these samples."""
    with sheet.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        row["accuracy_score"] = row["faithfulness_score"] = "0" if row["sample_id"] in wrong else "2"
    with sheet.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)


@pytest.fixture(autouse=True)
def _settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PLUMBRULE_LEDGER", LEDGER)
    monkeypatch.setenv("PLUMBRULE_SETTINGS", str(tmp_path / "settings.toml"))


def test_from_the_draw_to_the_decision(run: Run, tmp_path: Path) -> None:
    """Inconclusive until people have labelled what was drawn, then decided by them, with the judge's word beside."""
    begin(tmp_path, samples=60, config="anchor: people\n")
    waiting = run("gate", "last")
    assert waiting.code == 5
    assert "INCONCLUSIVE" in waiting.out
    assert "pass_rate waits for people's labels: no answers were drawn yet" in waiting.out
    drawn = run("label", "last", "--draw", 40, "--as", "ada", "-o", "sheet.csv")
    assert drawn.code == 0
    assert "drawn 40 · labelled 0 · waiting 40" in drawn.out
    assert "next: plumbrule label" in drawn.out
    fill(tmp_path / "sheet.csv", wrong=frozenset(f"q{number:02}" for number in range(0, 60, 3)))
    kept = run("label", "last", "sheet.csv", "--as", "ada")
    assert "kept 40 labels" in kept.out
    assert "--anchor people" in kept.out
    decided = run("gate", "last")
    assert decided.code == 1
    assert "judged figures go by people's labels of a random part" in decided.out
    assert "labels: 40 of 40 drawn answers, by ada" in decided.out
    assert "the judge passes 100.0% of the" in decided.out
    [status] = run("label", "last", "--json").records
    assert (status["labelled"], status["waiting"], status["people"]) == (40, [], ["ada"])
    assert "by people" in run("show", "last").out
    assert run("report", "last", "-o", "report.html").code == 0
    assert "People&#39;s labels" in (tmp_path / "report.html").read_text() or "People's labels" in (
        tmp_path / "report.html"
    ).read_text(encoding="utf-8")


def test_who_labels_must_be_named(run: Run, tmp_path: Path) -> None:
    """By --as, or in the settings."""
    begin(tmp_path, samples=5)
    refused = run("label", "last", "--draw", 2)
    assert (refused.code, refused.err) == (
        2,
        "plumbrule: say who you are: --as NAME, or user.name in your settings\n",
    )
    (tmp_path / "settings.toml").write_text('[user]\nname = "Ada"\n', encoding="utf-8")
    assert run("label", "last", "--draw", 2).code == 0


def test_one_source_at_a_time(run: Run, tmp_path: Path) -> None:
    """A draw, a file or a campaign."""
    begin(tmp_path, samples=5)
    refused = run("label", "last", "x.csv", "--draw", 2, "--as", "ada")
    assert refused.code == 2
    assert "one of them" in refused.err


def test_an_error_names_file_and_line(run: Run, tmp_path: Path) -> None:
    """Exit code 3, one line, and nothing is kept."""
    begin(tmp_path, samples=5)
    run("label", "last", "--draw", 5, "--as", "ada")
    (tmp_path / "labels.jsonl").write_text('{"sample_id": "q01", "pass": true}\n{"sample_id": "q77", "pass": true}\n')
    refused = run("label", "last", "labels.jsonl", "--as", "ada")
    assert (refused.code, refused.err) == (3, "plumbrule: labels.jsonl:2: the run has no sample 'q77'\n")
    assert run("label", "last", "--json").records[0]["labelled"] == 0


def test_a_run_takes_labels_of_the_same_answers(run: Run, tmp_path: Path) -> None:
    """Drawn by the same seed; others are refused before the run begins."""
    begin(tmp_path, samples=30)
    run("label", "last", "--draw", 20, "--as", "ada", "-o", "sheet.csv")
    fill(tmp_path / "sheet.csv")
    done = run("run", "run.yaml", "--labels", "sheet.csv", "--as", "ada", "--json")
    assert done.code == 0
    assert orjson.loads(done.out)["labels"]["labelled"] == 20
    runs = len(run("runs", "--json").records[0])
    refused = run("run", "run.yaml", "--labels", "sheet.csv", "--seed", 1, "--as", "ada")
    assert refused.code == 3
    assert "was not drawn by this seed" in refused.err
    assert len(run("runs", "--json").records[0]) == runs


def test_a_plan(run: Run) -> None:
    """What samples alone take, what the judge would show, and the labels that correct it."""
    plan = run("plan", "--rate", 0.92, "--limit", 0.85, "--sensitivity", 0.9, "--specificity", 0.9, "--samples", 500)
    assert plan.code == 0
    assert "a judge that is always right: 169 samples, no labels" in plan.out
    assert "shows 0.836, however many samples there are" in plan.out
    assert "confidently wrong" in plan.out
    assert "500 samples with 145 of them labelled" in plan.out
    assert "give --sensitivity and --specificity" in run("plan", "--rate", 0.92).out
    table = run("plan", "--rate", 0.92, "--sensitivity", 0.9, "--specificity", 0.9)
    assert "samples  labels" in table.out
    few = run("plan", "--rate", 0.9, "--margin", 0.05, "--sensitivity", 0.9, "--specificity", 0.9, "--labels", 20)
    assert "20 labels are too few with this judge" in few.out
    short = run("plan", "--rate", 0.9, "--margin", 0.05, "--sensitivity", 0.9, "--specificity", 0.9, "--samples", 20)
    assert "20 samples are too few, even with a label for each: it takes 215" in short.out
    [machine] = run("plan", "--rate", 0.92, "--json").records
    assert (machine["limit"], machine["judge"], machine["samples_by_judge"]) == (0.85, None, 169)
    assert run("plan").code == 2
