"""``plumbrule ledger archive`` and ``restore``: what they say, what they refuse, and what other commands say after."""

import json
from pathlib import Path

import pytest
from tests.runs.anchor.labelled_run import ADDRESS, begin

from plumbrule import cli

pytest.importorskip("pyarrow")

Output = pytest.CaptureFixture[str]


def test_a_run_is_archived_and_restored(tmp_path: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch) -> None:
    """The list shows it, what needs its results says where they are, and afterwards all is as before."""
    run = begin(tmp_path, samples=3, wrong=1)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PLUMBRULE_LEDGER", ADDRESS.format(tmp_path))

    def out(*arguments: str, exits: int = 0) -> str:
        assert cli.invoke(list(arguments)) == exits
        said = capsys.readouterr()
        return said.err if exits else said.out

    shown, listed = out("show", run, "--json"), out("runs", "--json")
    plan = json.loads(out("ledger", "archive", "--run", run, "--dry-run", "--json"))
    assert plan["runs"] == {run: ["result", "sample"]}
    assert {kind: extent["entries"] for kind, extent in plan["kinds"].items()} == {"result": 3, "sample": 3}
    manifest = json.loads(
        out("ledger", "archive", "--run", run, "-o", "archive", "--reason", "old", "--as", "Ada", "--json")
    )
    assert manifest == json.loads((tmp_path / "archive" / "manifest.json").read_bytes())
    assert out("runs", "--json") == listed
    for command in (["show", run], ["gate", run], ["report", run, "-o", "r.html"], ["ledger", "bundle", run, "a.zip"]):
        error = out(*command, exits=2)
        assert f"{run}: its " in error
        assert f"put them back with: plumbrule ledger restore {tmp_path}/archive" in error
        assert error.count("\n") == 1
    assert not (tmp_path / "r.html").exists()
    assert "6 bodies are in archives, and were not hashed: name them with --archive" in out("ledger", "verify")
    assert "6 bodies are whole in the archives given" in out("ledger", "verify", "--archive", "archive")
    assert "there is nothing to archive" in out("ledger", "archive", "--run", run, "--dry-run", exits=2)
    assert "there is nothing to archive" in out("ledger", "archive", "--before", "2100-01-01", "--dry-run")
    assert "6 entries of 1 run are back" in out("ledger", "restore", "archive", "--as", "Ada")
    assert out("show", run, "--json") == shown
    assert "bodies" not in out("ledger", "verify")


@pytest.mark.parametrize(
    "arguments",
    [
        ["--dry-run"],
        ["--run", "last", "--before", "2026-01-01", "--dry-run"],
        ["--run", "last", "-o", "a", "--as", "Ada"],
        ["--run", "last", "--reason", "old", "--as", "Ada"],
        ["--before", "soon", "--dry-run"],
    ],
)
def test_what_is_not_said_is_asked_for(arguments: list[str], capsys: Output) -> None:
    """What to archive, where to, and why."""
    assert cli.invoke(["ledger", "archive", *arguments]) == 2
    assert capsys.readouterr().err.count("\n") >= 1


def test_a_bundle_has_no_archive(capsys: Output) -> None:
    """It is checked by itself."""
    assert cli.invoke(["ledger", "verify", "b.zip", "--archive", "a"]) == 2
    assert "leave out --keep, --archive and --ledger" in capsys.readouterr().err
