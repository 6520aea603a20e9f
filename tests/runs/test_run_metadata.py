"""A run's metadata has every required field by its name; what cannot be had is null, and said."""

import dataclasses
import json
import os
import subprocess
from datetime import UTC, datetime, timedelta, timezone
from importlib import metadata as installed
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from tests.clock import LONG_S

from plumbrule import __version__
from plumbrule.codec import to_json
from plumbrule.rubrics import load_benchmark
from plumbrule.runs.run_metadata import REQUIRED, RunFacts, RunMetadata, collect

NOW = datetime(2025, 3, 1, 12, 30, 5, 250_000, tzinfo=UTC)
ALL_KNOWN = RunFacts(
    dataset_id="qa",
    dataset_version_or_hash="d" * 64,
    model_id="openai:gpt-4.1-2025-04-14",
    model_version="gpt-4.1-2025-04-14",
    evaluator_model_id="rules",
    evaluator_model_version="1",
    prompt_template_id="ask.txt",
    prompt_template_version_or_hash="a" * 64,
    evaluator_prompt_template_version_or_hash="b" * 64,
    generation_params=MappingProxyType({"candidate": MappingProxyType({"temperature": 0.0, "max_tokens": 1024})}),
    region="eu-west-1",
)


def git(folder: Path, *words: str) -> str:
    """Run git in a folder, away from the user's own settings."""
    settings = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "PATH": os.environ["PATH"]}
    who = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    command = ["git", *who, *words]
    return subprocess.run(command, cwd=folder, env=settings, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Return a real repository with one commit."""
    folder = tmp_path / "code"
    folder.mkdir()
    git(folder, "init", "--quiet")
    (folder / "run.yaml").write_text("name: qa\n")
    git(folder, "add", "run.yaml")
    git(folder, "commit", "--quiet", "-m", "first")
    return folder


@pytest.fixture
def no_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder that no repository holds, wherever the tests' own folder stands."""
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    folder = tmp_path / "plain"
    folder.mkdir()
    return folder


def collected(folder: Path, facts: RunFacts = ALL_KNOWN, **more: Any) -> RunMetadata:
    """Return the metadata of a run in a folder."""
    known = {"run_id": "run-1", "now": NOW, "folder": folder, "config_sha256": "c" * 64, "git_timeout_s": LONG_S}
    return collect(facts, **{**known, **more})


def test_the_required_fields() -> None:
    """R31: the fourteen names of the specification, in its order."""
    assert REQUIRED == (
        "run_id",
        "timestamp_utc",
        "dataset_id",
        "dataset_version_or_hash",
        "model_id",
        "model_version",
        "evaluator_model_id",
        "evaluator_model_version",
        "prompt_template_id",
        "prompt_template_version_or_hash",
        "evaluator_prompt_template_version_or_hash",
        "generation_params",
        "code_version",
        "environment",
    )


def test_all_that_is_known(repository: Path) -> None:
    """In a clean repository with every fact given, nothing is missing and nothing is warned of."""
    stamp = load_benchmark().stamp()
    made = collected(repository, rubrics=[stamp])
    assert (made.missing(), made.warnings) == ((), ())
    assert (made.code_version, made.code_dirty) == (git(repository, "rev-parse", "HEAD"), False)
    assert (made.run_id, made.timestamp_utc) == ("run-1", "2025-03-01T12:30:05.250Z")
    assert made.environment["region"] == "eu-west-1"
    assert str(made.environment["runtime"]).startswith(("CPython 3.", "PyPy 3."))
    assert (made.plumbrule_version, made.config_sha256, made.rubrics) == (__version__, "c" * 64, (stamp,))
    assert made.packages["pydantic"] == installed.version("pydantic")
    assert list(made.packages) == sorted(made.packages)
    for field in dataclasses.fields(RunFacts):
        assert field.name == "region" or getattr(made, field.name) == getattr(ALL_KNOWN, field.name)


def test_it_is_json(repository: Path) -> None:
    """The dictionary goes to JSON and back unchanged."""
    content = to_json(collected(repository, rubrics=[load_benchmark().stamp()]))
    assert json.loads(json.dumps(content)) == content
    assert set(content) == {field.name for field in dataclasses.fields(RunMetadata)}


def test_times_are_told_in_utc(repository: Path) -> None:
    """A clock elsewhere tells the same moment; one without a zone tells none."""
    elsewhere = NOW.astimezone(timezone(timedelta(hours=-5)))
    assert collected(repository, now=elsewhere).timestamp_utc == "2025-03-01T12:30:05.250Z"
    with pytest.raises(ValueError, match="time zone"):
        collected(repository, now=NOW.replace(tzinfo=None))


def test_a_change_makes_the_code_dirty(repository: Path) -> None:
    """An edited file or a new one, anywhere in the repository, seen from a folder below; the commit stays named."""
    below = repository / "below"
    below.mkdir()
    assert collected(below).code_dirty is False
    (repository / "new.txt").write_text("x")
    made = collected(below)
    assert (made.code_dirty, made.missing()) == (True, ())
    (repository / "new.txt").unlink()
    (repository / "run.yaml").write_text("name: other\n")
    assert collected(below).code_dirty is True


def test_the_ledger_is_no_change_of_the_code(repository: Path) -> None:
    """Plumbrule's own folder does not make the next run dirty."""
    (repository / ".plumbrule").mkdir()
    (repository / ".plumbrule" / "ledger.db").write_text("x")
    assert collected(repository).code_dirty is False


def test_git_is_not_led_elsewhere(repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Inside a hook git's variables name another repository; the folder's own counts."""
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "nowhere"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "nowhere" / "index"))
    assert (collected(repository).code_dirty, collected(repository).missing()) == (False, ())


def test_a_repository_runs_no_program(repository: Path, tmp_path: Path) -> None:
    """A repository from elsewhere may name a program for its status: it is not run."""
    trap, sprung = tmp_path / "trap.sh", tmp_path / "sprung"
    trap.write_text(f"#!/bin/sh\ntouch {sprung}\n")
    trap.chmod(0o755)
    git(repository, "config", "core.fsmonitor", str(trap))
    collected(repository)
    assert not sprung.exists()


def test_no_repository(no_repository: Path) -> None:
    """Without a commit the code's version is null, warned of, and missing."""
    made = collected(no_repository)
    assert (made.code_version, made.code_dirty, made.missing()) == (None, None, ("code_version",))
    reason = "the configuration's folder is in no git repository with a commit"
    assert made.warnings == (f"code_version: {reason}", f"code_dirty: {reason}")
    git(no_repository, "init", "--quiet")
    assert collected(no_repository).missing() == ("code_version",)


def test_no_git(repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where git is not installed, that is said."""
    monkeypatch.setenv("PATH", str(tmp_path))
    assert collected(repository).warnings[0] == "code_version: git is not installed"


def test_no_folder(tmp_path: Path) -> None:
    """A folder that is gone is no reason to lose a run."""
    assert collected(tmp_path / "gone").warnings[0] == "code_version: git could not be run"


def test_git_that_hangs(repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Git is given a time limit."""
    slow = tmp_path / "git"
    slow.write_text("#!/bin/sh\nexec /bin/sleep 3600\n")
    slow.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    made = collected(repository, git_timeout_s=0.2)
    assert made.warnings[0] == "code_version: git did not answer within 0.2 s"


def test_what_is_not_known_is_named(repository: Path) -> None:
    """Each fact that is left out is null, has a warning, and is missing."""
    made = collected(repository, RunFacts(dataset_id="qa"), config_sha256=None)
    facts = [name for name in REQUIRED if name in {field.name for field in dataclasses.fields(RunFacts)}]
    assert made.missing() == tuple(facts[1:])
    assert made.warnings == (*(f"{name}: not known" for name in facts[1:]), "config_sha256: not known")


def test_no_variable_is_kept(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment's variables may hold secrets: neither name nor value is in the metadata."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-never-kept")
    text = json.dumps(to_json(collected(repository)))
    assert "sk-never-kept" not in text
    assert "OPENAI_API_KEY" not in text
