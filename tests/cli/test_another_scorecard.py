"""A scorecard of the user's own, with other dimensions, levels, weights and blockers, through every command."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.storing import card, refusal, response

Run = Callable[..., Any]
Write = Callable[..., Path]

LEVELS = ("Good", "Fair", "Bad")
WEIGHTS = {"accuracy": 0.4, "helpfulness": 0.3, "tone": 0.2, "safety": 0.1}
SCORECARD = {
    "version": "support-1",
    "levels": [{"name": name, "score": 3 - place} for place, name in enumerate(LEVELS)],
    "not_applicable": {"name": "Not Applicable", "needs": {"dimension": "safety", "at_least": "Good"}},
    "note_required_at": ["Bad"],
    "dimensions": [
        {
            "key": key,
            "title": key.title(),
            "measures": "What?",
            "asks": "Is it so?",
            "weight": weight,
            "may_be_not_applicable": key == "accuracy",
            "key_questions": ["Is it?"],
            "descriptors": dict.fromkeys(LEVELS, "so"),
            "artifacts": ["the log"],
            "test_cases": {"patterns": [], "text": None},
        }
        for key, weight in WEIGHTS.items()
    ],
    "bands": [
        {"key": "ship", "title": "Ship", "at_least": 2.5, "action": "Ship it"},
        {"key": "hold", "title": "Hold", "at_least": 1, "action": "Hold it"},
    ],
    "blockers": [
        {
            "rule": "bad_safety",
            "title": "Bad safety",
            "dimensions": ["safety"],
            "levels": ["Bad"],
            "more_than": 0,
            "run_mean": False,
        }
    ],
    "recommendation": {"fail_below": 2.0, "pass_at_least": 2.5, "pass_with_none_at": ["Bad"]},
    "adjudication": {"levels_apart": 2, "any_at": ["Bad"]},
    "triggers": [
        {
            "key": key,
            "title": key,
            "scope": "all",
            "depth": "all",
            "in_view": "all",
            "evaluators": 2,
            "sample_size": None,
            "draw": draw,
        }
        for key, draw in (("pre-deployment", "all"), ("monitoring", "stratified"))
    ],
    "figures": [
        {"key": "mean", "title": "Mean", "of": "overall", "target": {"above": 2.5}, "alert": 2.0},
        {
            "key": "tone_mean",
            "title": "Tone",
            "of": "dimension",
            "dimension": "tone",
            "target": {"above": 2.5},
            "alert": 1.5,
        },
    ],
    "feedback": [
        {"key": "rude", "title": "Rude", "dimensions": ["tone"], "levels": ["Fair", "Bad"], "remedy": "Train the tone"}
    ],
    "judged": [],
}


@pytest.fixture
def rubric(tmp_path: Path) -> Path:
    """Return the file of the scorecard."""
    path = tmp_path / "support.yaml"
    path.write_text(yaml.safe_dump(SCORECARD), encoding="utf-8")
    return path


@pytest.fixture
def reviewed(run: Run, rubric: Path, write: Write) -> Path:
    """Return a ledger in which one campaign by that scorecard was opened, rated, adjudicated and closed."""
    answers, weaker = write("answers.jsonl", [response("t1"), refusal("t2")]), "--accept-weaker-policy"
    done = run(
        "sample",
        answers,
        "--as",
        "Lead",
        "--trigger",
        "pre-deployment",
        "--rubric",
        rubric,
        "--name",
        "four",
        "--no-claims",
        weaker,
    )
    assert (done.code, done.err) == (0, "")
    for name, tone in (("Ada", "Good"), ("Bob", "Bad")):
        run("review", "claim", "--count", "2", "--as", name)
        cards = [
            {"trace_id": "t1", "notes": "n", "scores": {**dict.fromkeys(WEIGHTS, "Good"), "tone": tone}},
            {"trace_id": "t2", "scores": {**dict.fromkeys(WEIGHTS, 3), "accuracy": None}},
        ]
        done = run("review", "submit", write(f"{name}.jsonl", cards), "--as", name)
        assert (done.code, done.err) == (0, "")
    decision = write("decision.json", [{"scores": {"tone": "Fair"}, "notes": "curt"}])
    assert run("review", "adjudicate", "t1", "--as", "Cy", "--record", decision).code == 0
    done = run("review", "close", "--as", "Lead", "--json")
    assert done.code == 0
    assert (done.records[0]["overall"], done.records[0]["band"]) == (2.9, "ship")
    return rubric


def test_its_figures_and_patterns(run: Run, reviewed: Path) -> None:
    """Monitoring and feedback go by its own dimensions and levels."""
    [shown] = run("monitor", "--rubric", reviewed, "--accept-weaker-policy", "--json").records
    [week] = shown["weeks"]
    assert {figure["key"]: figure["value"] for figure in week["figures"]} == {"mean": 2.9, "tone_mean": 2.5}
    [found] = run("feedback", "--rubric", reviewed, "--json").records
    assert [(each["key"], each["count"]) for each in found["patterns"]] == [("rude", 1)]


def test_its_records_are_told_from_those_of_another(run: Run, reviewed: Path, write: Write) -> None:
    """Where all records are of another scorecard it is an error; where some are, they are left out, and counted."""
    for command in ("monitor", "feedback"):
        done = run(command)
        assert done.code == 3
        assert "its records are of another scorecard (version support-1, sha256 " in done.err
        assert "name its file with --rubric" in done.err
    answers = write("more.jsonl", [response("t3")])
    run("sample", answers, "--as", "Lead", "--trigger", "monitoring", "--name", "week", "--no-claims")
    run("review", "claim", "--count", "1", "--as", "Ada")
    mine = {name: value for name, value in card("t3").items() if name in {"trace_id", "scores"}}
    assert run("review", "submit", write("card.jsonl", [mine]), "--as", "Ada").code == 0
    assert run("review", "close", "--as", "Lead").code in {0, 1}
    [shown] = run("monitor", "--json").records
    assert sum(week["reviewed"] for week in shown["weeks"]) == 1
    assert [remark.partition(" (")[0] for remark in shown["remarks"]] == ["records of another scorecard"]
    assert shown["remarks"][0].endswith("left out: 5")
    assert "left out: 5" in run("feedback").out
    [shown] = run("monitor", "--rubric", reviewed, "--accept-weaker-policy", "--json").records
    assert sum(week["reviewed"] for week in shown["weeks"]) == 2


def test_its_incidents_and_regression_samples(run: Run, reviewed: Path, tmp_path: Path) -> None:
    """Each card is shown by the scorecard that it was made with, and that scorecard is named."""
    assert reviewed.exists()
    done = run("incident", "t1", "-o", tmp_path / "t1.json")
    assert (done.code, done.err) == (0, "")
    incident = json.loads((tmp_path / "t1.json").read_bytes())
    [settled] = incident["settled"]
    counts = {key: each["counts"] for key, each in settled["settlement"]["dimensions"].items()}
    assert counts == {
        "accuracy": "Good",
        "helpfulness": "Good",
        "tone": "Fair",
        "safety": "Good",
    }
    assert [stamp["version"] for stamp in incident["rubrics"] if stamp["name"] == "scorecard"] == ["support-1"]
    done = run("feedback", "take", "t2", "-o", tmp_path / "r.jsonl")
    assert (done.code, done.err) == (0, "")
    assert json.loads((tmp_path / "r.jsonl").read_bytes())["expected"] == {
        "refuse": True,
        "refusal_code": "NO_ELIGIBLE_DOCS",
    }
