"""``plumbrule demo``: the main job on bundled data, without any preparation."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from plumbrule.demo import samples_path

Run = Callable[..., Any]

COUNT = len(samples_path().read_text().splitlines())


def test_the_demo_goes_from_verdicts_to_the_report(run: Run, tmp_path: Path) -> None:
    """Counts per verdict, one answer with its evidence, the gates, the ledger, the report, and what to do next."""
    done = run("demo")
    assert (done.code, done.err) == (0, "")
    for outcome in ("PASS", "WARN", "FAIL"):
        [line] = [line for line in done.out.splitlines() if line.startswith(f"{outcome} ")]
        assert int(line.split()[1]) > 0
    assert f"scored {COUNT} " in done.out
    assert "in the answer" in done.out
    assert "context 0" in done.out
    assert "✗  pass_rate" in done.out
    assert "NO RELEASE" in done.out
    assert "ledger whole: " in done.out
    assert "Next: cd plumbrule-demo && plumbrule show last" in done.out
    assert b"<svg" in (tmp_path / "plumbrule-demo" / "report.html").read_bytes()


def test_the_folder_is_ready_to_go_on_with(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next commands work there as they stand, and a second demo adds a second run."""
    assert run("demo", "--into", "here/there").code == 0
    assert run("demo", "--into", "here/there").code == 0
    monkeypatch.chdir(tmp_path / "here" / "there")
    assert run("show", "last").code == 0
    assert len(run("runs", "--json").records[0]) == 2
    assert run("ledger", "verify").code == 0
    assert run("run", "run.yaml").code == 0


def test_the_demo_as_json(run: Run) -> None:
    """One object with the verdicts, the run and the files, and nothing besides."""
    done = run("demo", "--json")
    assert (done.code, done.err) == (0, "")
    [shown] = done.records
    assert shown["verdicts"]["counts"]["scored"] == COUNT
    assert shown["run"]["complete"]
    assert Path(shown["files"]["report"]).exists()


def test_the_demo_data_can_be_kept(run: Run, tmp_path: Path) -> None:
    """The kept file is the bundled one, and nothing else is written."""
    kept = tmp_path / "answers.jsonl"
    assert run("demo", "--keep", kept).code == 0
    assert kept.read_bytes() == samples_path().read_bytes()
    assert list(tmp_path.iterdir()) == [kept]


def test_a_place_that_cannot_be_written(run: Run, tmp_path: Path) -> None:
    """Said on one line, before any work is done."""
    (tmp_path / "file").write_text("")
    for arguments in (("--keep", tmp_path / "missing" / "answers.jsonl"), ("--into", tmp_path / "file" / "folder")):
        done = run("demo", *arguments)
        assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
