"""``plumbrule demo``: the main job on bundled data, without any preparation."""

import shutil
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import MadeDemo

from plumbrule.demo import samples_path

Run = Callable[..., Any]

COUNT = len(samples_path().read_text().splitlines())


@pytest.fixture
def demo(made_demo: MadeDemo, tmp_path: Path) -> Path:
    """Give a folder that the demo made, to go on with."""
    return Path(shutil.copytree(made_demo.folder, tmp_path / "plumbrule-demo"))


@pytest.fixture(scope="module")
def kept() -> dict[str, Any]:
    """Give what the tests of this file keep for each other."""
    return {}


@pytest.fixture
def as_json(run: Run, kept: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Give what the demo prints as JSON, in a folder that stays."""
    if not kept:
        kept["done"] = run("demo", "--json", "--into", tmp_path_factory.mktemp("json"))
    return kept["done"]


def test_the_demo_goes_from_verdicts_to_the_report(made_demo: MadeDemo) -> None:
    """Counts per verdict, one answer with its evidence, the gates, the ledger and the report."""
    for outcome in ("PASS", "WARN", "FAIL"):
        [line] = [line for line in made_demo.printed.splitlines() if line.startswith(f"{outcome} ")]
        assert int(line.split()[1]) > 0
    assert f"scored {COUNT} " in made_demo.printed
    assert "in the answer" in made_demo.printed
    assert "context 0 at 374–409" in made_demo.printed
    assert "✗ pass_rate" in made_demo.printed
    assert "NO RELEASE" in made_demo.printed
    assert "ledger whole: " in made_demo.printed
    assert b"<svg" in (made_demo.folder / "report.html").read_bytes()


def test_the_folder_is_ready_to_go_on_with(run: Run, demo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next commands work there as they stand, and a second demo adds its two runs."""
    assert run("demo", "--into", demo).code == 0
    monkeypatch.chdir(demo)
    assert run("show", "last").code == 0
    assert len(run("runs", "--json").records[0]) == 4
    assert run("ledger", "verify").code == 0
    assert run("run", "run.yaml").code == 0


def test_the_demo_shows_an_inconclusive_gate_that_more_samples_settle(made_demo: MadeDemo) -> None:
    """A part of the answers leaves gates open and says how many would settle them; all answers do."""
    shown = made_demo.printed
    runs = shown[shown.index("A benchmark run: ") : shown.index("Scorecards: ")]
    few, _, many = (" ".join(part.split()) for part in runs.partition(f"All {COUNT} answers settle "))
    assert "The first 13 answers, decided on bound" in few
    assert "INCONCLUSIVE pass_rate ≥ 0.85: 0.692 (0.386 to 0.909), not settled: about 57 samples in all" in few
    assert "NO RELEASE" not in few
    assert many.startswith("pass_rate and faithfulness_failure_rate:")
    assert "✗ pass_rate ≥ 0.85 0.589 0.589 0.450 to 0.719 fails" in many
    assert "NO RELEASE: " in many


def test_the_demo_settles_the_same_gates_as_the_commands(run: Run, demo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who runs the two configurations that the demo leaves gets its outcomes: exit code 5, then 1."""
    monkeypatch.chdir(demo)
    for config, code in (("first-run.yaml", 5), ("run.yaml", 1)):
        run("run", config, "--decide-on", "bound")
        assert run("gate", "last").code == code


def test_the_demo_does_not_say_things_twice(made_demo: MadeDemo) -> None:
    """One answer is quoted once, and named once more in the command that explains it."""
    shown = made_demo.printed
    assert shown.count("Associates settle complaints and offer compensation") == 1
    assert shown.count("complaints-06-contradicted") == 2


def test_each_part_of_the_demo_fits_a_screen(made_demo: MadeDemo) -> None:
    """No part is longer than 40 lines of 100 columns; the commands at the end show the rest."""
    lines = made_demo.printed.splitlines()
    heads = [place for place, line in enumerate(lines) if line.endswith("─────")]
    assert len(heads) == 6
    assert max(end - start for start, end in pairwise([*heads, len(lines)])) <= 40
    assert max(map(len, lines[: heads[4]])) <= 100


@pytest.mark.parametrize("columns", ["80", "120"])
def test_the_demo_shows_the_review_and_the_weeks(run: Run, monkeypatch: pytest.MonkeyPatch, columns: str) -> None:
    """The disagreement, who settled it, the decision, the weeks and the alert; nothing is cut off."""
    monkeypatch.setenv("COLUMNS", columns)
    shown = run("demo").out
    reviews = shown[shown.index("Scorecards: ") : shown.index("What is there now")]
    assert "…" not in reviews
    assert "they disagree once:" in reviews
    levels = {"Ada rates": "Needs Review", "Ben rates": "Strong", "Ada revises": "Strong", "Cy settles it": "Adequate"}
    places = [reviews.index(f"{who:<20}{level}") for who, level in levels.items()]
    assert places == sorted(places)
    assert "RELEASE: Pass with notes" in reviews
    said = " ".join(reviews.split())
    assert "revised after others' ratings became visible, which raises no level: 1 record: Ada on" in said
    assert "▁▁▁▁▁▁▁▁█▁▁▁" in reviews
    assert reviews.count("ALERT ") == 1
    assert max(map(len, reviews.splitlines())) <= int(columns)


def test_the_demo_is_the_same_every_time(run: Run, demo: Path, as_json: Any) -> None:
    """A second demo in the ledger of another says the same of the reviews and the weeks as one in a new ledger."""
    [again], [other] = run("demo", "--json", "--into", demo).records, as_json.records
    for part in ("verdicts", "release", "monitoring"):
        assert again[part] == other[part]


def test_the_commands_that_the_demo_names_work(
    run: Run, made_demo: MadeDemo, demo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each is run as it is printed, in the folder that the demo made; monitor reports its alert."""
    named = made_demo.printed.partition("What next")[2].splitlines()[1:]
    change, *commands = [line.partition("#")[0].split() for line in named if line.strip()]
    assert [command[:2] for command in commands] == [
        ["plumbrule", "score"],
        ["plumbrule", "show"],
        ["plumbrule", "review"],
        ["plumbrule", "review"],
        ["plumbrule", "monitor"],
        ["plumbrule", "incident"],
        ["plumbrule", "serve"],
    ]
    assert change == ["cd", demo.name]
    monkeypatch.chdir(demo)
    run("show", "last")  # another process may have made the demo, with a key of its own: that is told once
    for command in commands[:-1]:  # what serves the pages does not end by itself
        done = run(*command[1:])
        assert (done.code, done.err) == (1 if command[1] == "monitor" else 0, "")
    incident = (demo / "incident.html").read_text(encoding="utf-8")
    assert "$35 for a domestic wire" in incident
    assert "The passage that it cites says $25 and $45." in incident


def test_there_is_one_alert_in_all_the_ledger(run: Run, demo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The alert stands there once, however the weeks are looked at."""
    monkeypatch.chdir(demo)
    for arguments in ((), ("--trigger", "monitoring"), ("--from", "2025-W15")):
        [shown] = run("monitor", "--json", *arguments).records
        assert [(alert["week"], alert["figure"]) for alert in shown["alerts"]] == [("2025-W23", "unsafe_share")]
        assert shown["new"] == []


def test_the_demo_as_json(as_json: Any) -> None:
    """One object with the verdicts, the run, the review, the weeks and the files, and nothing besides."""
    assert (as_json.code, as_json.err) == (0, "")
    [shown] = as_json.records
    assert shown["verdicts"]["counts"]["scored"] == COUNT
    assert shown["run"]["complete"]
    [parted] = shown["release"]["disagreements"]
    assert [given["level"] for given in parted["given"]] == ["Needs Review", "Strong", "Adequate"]
    assert (parted["adjudicator"], parted["counts"], parted["unsettled"]) == ("Cy", "Adequate", "Fail")
    assert shown["release"]["decision"]["recommendation"] == "Pass with notes"
    assert (shown["first_run"]["outcome"], shown["run"]["outcome"]) == ("INCONCLUSIVE", "NO RELEASE")
    [revised] = shown["release"]["decision"]["revised"]
    assert revised["evaluator"] == "Ada"
    assert revised["changes"] == [{"dimension": "grounding_integrity", "blind": "Needs Review", "revised": "Strong"}]
    assert [week["reviewed"] for week in shown["monitoring"]["weeks"]] == [8] * 12
    assert [alert["week"] for alert in shown["monitoring"]["alerts"]] == ["2025-W23"]
    assert [each["week"] for each in shown["monitoring"]["behind"]] == ["2025-W23"]
    assert Path(shown["files"]["report"]).exists()


def test_the_demo_data_can_be_kept(run: Run, tmp_path: Path) -> None:
    """The kept file is the bundled one, and nothing else is written."""
    kept = tmp_path / "answers.jsonl"
    assert run("demo", "--keep", kept).code == 0
    assert kept.read_bytes() == samples_path().read_bytes()
    assert list(tmp_path.iterdir()) == [kept]


def test_the_demo_data_is_never_written_over_a_file(run: Run, tmp_path: Path) -> None:
    """A file of one's own stays as it is, and the command says so."""
    kept = tmp_path / "answers.jsonl"
    kept.write_text("mine")
    done = run("demo", "--keep", kept)
    assert (done.code, kept.read_text()) == (2, "mine")
    assert "is there already, and is not written over" in done.err


def test_a_place_that_cannot_be_written(run: Run, tmp_path: Path) -> None:
    """Said on one line, before any work is done."""
    (tmp_path / "file").write_text("")
    for arguments in (("--keep", tmp_path / "missing" / "answers.jsonl"), ("--into", tmp_path / "file" / "folder")):
        done = run("demo", *arguments)
        assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
