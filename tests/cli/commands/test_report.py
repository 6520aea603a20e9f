"""The report of a run from the command line, from a real run in a real ledger."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from plumbrule.demo import samples_path

Run = Callable[..., Any]


@pytest.fixture
def done(tmp_path: Path, run: Run) -> str:
    """Carry out the demo's run and return its id."""
    (tmp_path / "data.jsonl").write_bytes(samples_path().read_bytes())
    run("init", "run.yaml")
    [shown] = run("run", "run.yaml", "--json").records
    return str(shown["run_id"])


def test_every_format_comes_from_one_run(run: Run, run_process: Run, tmp_path: Path, done: str) -> None:
    """The suffix chooses; what was written is named; another process with another hash seed gives the same bytes."""
    for suffix in ("html", "md", "json", "xml"):
        told = run("report", "last", "-o", f"report.{suffix}")
        assert (told.code, told.err) == (0, "")
        assert told.out == f"report.{suffix}: {done}, NO RELEASE; 23 of 56 samples failed\n"
        again = run_process("report", done, "--output", f"again.{suffix}", PYTHONHASHSEED="7", TZ="Asia/Tokyo")
        assert again.code == 0
        assert (tmp_path / f"report.{suffix}").read_bytes() == (tmp_path / f"again.{suffix}").read_bytes()
    read = json.loads((tmp_path / "report.json").read_bytes())
    assert read["run_id"] == done
    assert (read["decision"], len(read["failures"]), len(read["samples"])) == ("NO RELEASE", 23, 56)
    suites = ET.fromstring((tmp_path / "report.xml").read_bytes())  # noqa: S314 - our own text
    assert suites.get("tests") == "61"


@pytest.mark.parametrize("name", ["report.pdf", "report", "report.html.gz"])
def test_an_unknown_suffix_is_one_line(run: Run, tmp_path: Path, name: str) -> None:
    """It says which there are, before any ledger is looked for; nothing is written."""
    told = run("report", "last", "-o", name)
    assert told.code == 2
    assert told.err == f"plumbrule: {name}: a report is written to .html, .json, .md, .xml: name the file so\n"
    assert not (tmp_path / name).exists()


def test_no_ledger_no_report(run: Run) -> None:
    """As for the other commands."""
    told = run("report", "last", "-o", "report.html")
    assert told.code == 2
    assert "there is no ledger here yet" in told.err


@pytest.mark.usefixtures("done")
def test_a_run_that_is_not_there_leaves_the_file_alone(run: Run, tmp_path: Path) -> None:
    """An old report stays as it is."""
    (tmp_path / "report.html").write_text("old")
    assert run("report", "run-9", "-o", "report.html").code == 2
    assert (tmp_path / "report.html").read_text() == "old"
    assert not list(tmp_path.glob("*.part"))


@pytest.mark.usefixtures("done")
def test_a_folder_that_is_not_there_is_one_line(run: Run) -> None:
    """The file cannot be written, and why."""
    told = run("report", "last", "-o", "nowhere/report.html")
    assert told.code == 2
    assert "cannot be written" in told.err
    assert len(told.err.splitlines()) == 1
