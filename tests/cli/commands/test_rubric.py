"""``plumbrule rubric``: the policy as a file to read, copy, change and check."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from plumbrule.rubrics import RUBRICS, load_rubric, load_verdict, shipped_text

Run = Callable[..., Any]


def test_list(run: Run) -> None:
    """Name, version and hash of each rubric, for people and for machines."""
    stamps = [load_rubric(name, None, {}).stamp() for name in RUBRICS]
    lines = [
        f"{name}  version {stamp['version']}  sha256 {stamp['sha256']}"
        for name, stamp in zip(RUBRICS, stamps, strict=True)
    ]
    assert run("rubric", "list").out.splitlines() == lines
    assert run("rubric", "list", "--json").records == [stamps]


def test_show_prints_the_file(run: Run) -> None:
    """Comments and all, so that a copy explains itself."""
    assert run("rubric", "show", "verdict").out == shipped_text("verdict")


def test_the_recommended_rubric(run: Run) -> None:
    """It is shown as it ships, and what is in force with it is the whole verdict rubric."""
    assert run("rubric", "show", "recommended").out == shipped_text("recommended")
    [record] = run("rubric", "show", "recommended", "--json").records
    assert record["sha256"] == load_verdict(Path("recommended")).sha256
    assert record["content"]["verdicts"]["contradicted"] == "FAIL"
    assert "good: verdict version recommended-2" in run("rubric", "check", "recommended").out


def test_show_with_changes_prints_what_is_in_force(run: Run, tmp_path: Path) -> None:
    """The output is a rubric file again, and means the same."""
    done = run("rubric", "show", "verdict", "--set", "relevance.fail_below=0.05")
    (tmp_path / "mine.yaml").write_text(done.out)
    changed = load_verdict(None, {"relevance.fail_below": 0.05})
    assert done.out.startswith(f"# in force, sha256 {changed.sha256}\n")
    assert load_verdict(tmp_path / "mine.yaml") == changed


def test_show_as_json(run: Run) -> None:
    """The stamp and the whole content."""
    [record] = run("rubric", "show", "verdict", "--json").records
    assert record["sha256"] == load_verdict().sha256
    assert record["content"]["relevance"] == {"tokens": "content", "fail_below": 0.1}


def test_check_a_good_file(run: Run, tmp_path: Path) -> None:
    """The hash is the one that results will carry."""
    path = tmp_path / "mine.yaml"
    path.write_text("version: mine\n")
    loaded = load_verdict(path)
    done = run("rubric", "check", "verdict", "--rubric", path)
    assert (done.code, done.out) == (0, f"good: verdict version mine, sha256 {loaded.sha256}\n")
    assert run("rubric", "check", "verdict", "--rubric", path, "--json").records == [loaded.stamp()]


def test_check_a_bad_file(run: Run, tmp_path: Path) -> None:
    """Exit code 2 and one line that names file and key."""
    path = tmp_path / "mine.yaml"
    path.write_text("relevance: {fail_below: 7}\n")
    done = run("rubric", "check", "verdict", "--rubric", path)
    assert (done.code, done.out) == (2, "")
    assert done.err == f"plumbrule: {path}:1: relevance.fail_below: must be between 0 and 1, not 7\n"
