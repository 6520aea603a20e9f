"""The metadata of a run: what it was made with, so that it can be repeated; what is not known is None and named."""

import os
import platform
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from importlib import metadata as installed
from pathlib import Path
from typing import Any

from plumbrule._version import __version__

GIT_TIMEOUT_S = 30.0
# They point git at another repository than the folder's, for example inside a hook.
_GIT_VARIABLES = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY")
_OWN_FOLDER = ":(top,exclude,glob)**/.plumbrule/**"  # a ledger beside the code is no change of the code


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFacts:
    """What only the run itself knows; None where it is not available."""

    dataset_id: str | None = None
    dataset_version_or_hash: str | None = None
    model_id: str | None = None
    model_version: str | None = None
    evaluator_model_id: str | None = None
    evaluator_model_version: str | None = None
    prompt_template_id: str | None = None
    prompt_template_version_or_hash: str | None = None
    evaluator_prompt_template_version_or_hash: str | None = None
    generation_params: Mapping[str, Any] | None = None  # that each model is sent, by its place; empty: none is called
    region: str | None = None  # where it ran, if that is known; the runtime is always recorded


# Every run must have these, in the order of the specification; one that is None is missing.
REQUIRED = (
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


@dataclass(frozen=True, slots=True, kw_only=True)
class RunMetadata:
    """Everything that is kept of how a run was made, in the order in which the ledger writes it."""

    code_dirty: bool | None
    code_version: str | None
    config_sha256: str | None
    dataset_id: str | None
    dataset_version_or_hash: str | None
    environment: Mapping[str, str | None]
    evaluator_model_id: str | None
    evaluator_model_version: str | None
    evaluator_prompt_template_version_or_hash: str | None
    generation_params: Mapping[str, Any] | None
    model_id: str | None
    model_version: str | None
    packages: Mapping[str, str]
    platform: str
    plumbrule_version: str
    prompt_template_id: str | None
    prompt_template_version_or_hash: str | None
    rubrics: tuple[Mapping[str, str], ...]
    run_id: str
    timestamp_utc: str
    warnings: tuple[str, ...]

    def missing(self) -> tuple[str, ...]:
        """Return the required fields that are None."""
        return tuple(name for name in REQUIRED if getattr(self, name) is None)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Code:
    """The state of the code in a folder, or why it is not known."""

    version: str | None = None
    dirty: bool | None = None
    problem: str | None = None


def collect(
    facts: RunFacts,
    *,
    run_id: str,
    now: datetime,
    folder: Path,
    config_sha256: str | None = None,
    rubrics: Sequence[Mapping[str, str]] = (),
    git_timeout_s: float = GIT_TIMEOUT_S,
) -> RunMetadata:
    """Return the metadata of a run that began at ``now`` with the code of ``folder``.

    ``rubrics`` are the stamps of the rubrics in force. No environment variable is kept.
    """
    if now.tzinfo is None:
        raise ValueError("now must have a time zone")
    code = _read_code(folder, git_timeout_s)
    known = {field.name: getattr(facts, field.name) for field in fields(facts) if field.name != "region"}
    if facts.generation_params is not None:
        known["generation_params"] = dict(facts.generation_params)
    warnings = [f"{name}: not known" for name in REQUIRED if name in known and known[name] is None]
    if code.version is None:
        warnings.append(f"code_version: {code.problem}")
    if code.dirty is None:
        warnings.append(f"code_dirty: {code.problem}")
    if config_sha256 is None:
        warnings.append("config_sha256: not known")
    return RunMetadata(
        **known,
        run_id=run_id,
        timestamp_utc=now.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        code_version=code.version,
        environment={
            "region": facts.region,
            "runtime": f"{platform.python_implementation()} {platform.python_version()}",
        },
        code_dirty=code.dirty,
        plumbrule_version=__version__,
        config_sha256=config_sha256,
        rubrics=tuple(dict(stamp) for stamp in rubrics),
        packages=_read_packages(),
        platform=platform.platform(),
        warnings=tuple(warnings),
    )


def _read_code(folder: Path, timeout_s: float) -> _Code:
    git = shutil.which("git")
    if git is None:
        return _Code(problem="git is not installed")
    try:
        version = _ask(git, folder, timeout_s, "rev-parse", "--verify", "HEAD")
        if version is None:
            return _Code(problem="the configuration's folder is in no git repository with a commit")
        changes = _ask(git, folder, timeout_s, "status", "--porcelain", "--", ":/", _OWN_FOLDER)
    except subprocess.TimeoutExpired:
        return _Code(problem=f"git did not answer within {timeout_s:g} s")
    except OSError:
        return _Code(problem="git could not be run")
    if changes is None:
        return _Code(version=version, problem="git could not tell whether there are changes")
    return _Code(version=version, dirty=bool(changes))


def _ask(git: str, folder: Path, timeout_s: float, *words: str) -> str | None:
    """Return what git says, or None where it fails."""
    # a repository may name a program to run for its status, and a look at it must not write its index
    careful = ("--no-optional-locks", "-c", "core.fsmonitor=false")
    done = subprocess.run(  # noqa: S603 - git by its full path, with words of our own
        [git, *careful, *words],
        cwd=folder,
        env={name: value for name, value in os.environ.items() if name not in _GIT_VARIABLES},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=timeout_s,
        check=False,
    )
    return done.stdout.decode("utf-8", "replace").strip() if done.returncode == 0 else None


def _read_packages() -> dict[str, str]:
    """Return the version of every package that is installed, the one that would be imported where there are two."""
    versions: dict[str, str] = {}
    for package in installed.distributions():
        about = package.metadata
        if "Name" in about and "Version" in about:  # a half-removed package has neither
            name, version = about["Name"], about["Version"]
            versions.setdefault(name.lower().replace("_", "-").replace(".", "-"), version)
    return dict(sorted(versions.items()))
