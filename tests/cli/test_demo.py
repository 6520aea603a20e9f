"""``plumbrule demo``: the main job on bundled data, without any preparation."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from plumbrule.demo import samples_path

Run = Callable[..., Any]

COUNT = len(samples_path().read_text().splitlines())


def test_the_demo_shows_counts_and_one_answer(run: Run) -> None:
    """Counts per verdict, the worst answers, one of them with its evidence, and what to do next."""
    done = run("demo")
    assert (done.code, done.err) == (0, "")
    for outcome in ("PASS", "WARN", "FAIL"):
        [line] = [line for line in done.out.splitlines() if line.startswith(f"{outcome} ")]
        assert int(line.split()[1]) > 0
    assert f"scored {COUNT} " in done.out
    assert "in the answer" in done.out
    assert "context 0" in done.out
    assert "plumbrule demo --keep answers.jsonl" in done.out


def test_the_demo_as_json(run: Run) -> None:
    """One result a line, and nothing besides."""
    done = run("demo", "--json")
    assert (done.code, done.err) == (0, "")
    assert len(done.records) == COUNT
    assert {record["verdict"] for record in done.records} == {"PASS", "WARN", "FAIL"}


def test_the_demo_data_can_be_kept(run: Run, tmp_path: Path) -> None:
    """The kept file is the bundled one, and scores as the demo does."""
    kept = tmp_path / "answers.jsonl"
    shown = run("demo", "--json", "--keep", kept)
    assert kept.read_bytes() == samples_path().read_bytes()
    assert run("score", kept, "--json").out == shown.out
    assert list(tmp_path.iterdir()) == [kept]


def test_a_place_that_cannot_be_kept(run: Run, tmp_path: Path) -> None:
    """Said before any work is done."""
    done = run("demo", "--keep", tmp_path / "missing" / "answers.jsonl")
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
