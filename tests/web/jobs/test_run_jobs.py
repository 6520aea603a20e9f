"""Runs in the background: a process of their own, followed and stopped through the store."""

import shutil
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from tests.clock import LONG_S

from plumbrule.api.ledger_access import now
from plumbrule.api.runs import list_runs
from plumbrule.web.jobs import run_jobs
from plumbrule.web.jobs.run_jobs import Configurations, Job, find_job, list_jobs, start_job, stop_job, update_job
from plumbrule.web.site import Site
from plumbrule.web.visit_errors import AbsentError, ConflictError

SLOW = """\
import time


def answer(question):
    time.sleep(0.05)
    return "The fee is $25."
"""


def wait_for(find: Callable[[], Job], holds: Callable[[Job], bool]) -> Job:
    """Return the job once something holds of it."""
    end = time.monotonic() + LONG_S
    while not holds(job := find()):
        assert time.monotonic() < end, job
        time.sleep(0.05)
    return job


def test_a_run_in_the_background_ends_in_the_ledger(site: Site) -> None:
    """The process carries the run out, and the job says its id and how far it got."""
    before = len(list_runs(site.ledger))
    job = start_job(
        site.store, site.configurations, "run.yaml", ledger=site.ledger, person="Ada", at=now(), decide_on="bound"
    )
    assert (job.state, job.finished, job.person) == ("running", 0, "Ada")
    ended = wait_for(lambda: find_job(site.store, job.id, at=now()), lambda each: each.over)
    assert (ended.state, ended.finished, ended.total, ended.message) == ("finished", 56, 56, None)
    runs = list_runs(site.ledger)
    assert len(runs) == before + 1
    assert (runs[-1].run_id, runs[-1].outcome) == (ended.run_id, "NO RELEASE")
    assert list_jobs(site.store, at=now()) == (ended,)


def test_a_run_that_cannot_be_carried_out_says_why(site: Site) -> None:
    """What went wrong is in the job, in the words of the command line."""
    folder = site.configurations.folder
    assert folder is not None
    (folder / "bad.yaml").write_text("dataset: {path: nowhere.jsonl}\ncandidate: {kind: recorded}\n")
    job = start_job(site.store, site.configurations, "bad.yaml", ledger=site.ledger, person="Ada", at=now())
    ended = wait_for(lambda: find_job(site.store, job.id, at=now()), lambda each: each.over)
    assert ended.state == "failed"
    assert ended.message is not None
    assert "name: missing key" in ended.message


def test_a_run_is_stopped_and_resumed(site: Site) -> None:
    """A wish to stop reaches the process through the store; what was finished is not done again."""
    folder = site.configurations.folder
    assert folder is not None
    (folder / "assistant.py").write_text(SLOW)
    configuration = (
        (folder / "run.yaml")
        .read_text()
        .replace("{kind: recorded}", "{kind: python, target: 'assistant:answer', model_id: slow@1}")
    )
    (folder / "slow.yaml").write_text(f"{configuration}repeats: 20\nconcurrency: 1\n")
    job = start_job(site.store, site.configurations, "slow.yaml", ledger=site.ledger, person="Ada", at=now())
    wait_for(lambda: find_job(site.store, job.id, at=now()), lambda each: each.finished > 0 or each.over)
    assert stop_job(site.store, job.id, at=now()).state == "stopping"
    stopped = wait_for(lambda: find_job(site.store, job.id, at=now()), lambda each: each.over)
    assert stopped.state == "stopped"
    assert stopped.resumable
    assert 0 < stopped.finished < 56 * 20
    again = start_job(
        site.store, site.configurations, "slow.yaml", ledger=site.ledger, person="Bo", at=now(), resume=stopped.run_id
    )
    with pytest.raises(ConflictError, match="running already"):
        start_job(
            site.store, site.configurations, "slow.yaml", ledger=site.ledger, person="Bo", at=now(), resume=again.run_id
        )
    resumed = wait_for(lambda: find_job(site.store, again.id, at=now()), lambda each: each.finished > 0 or each.over)
    assert resumed.finished >= stopped.finished
    assert resumed.run_id == stopped.run_id
    stop_job(site.store, again.id, at=now())
    wait_for(lambda: find_job(site.store, again.id, at=now()), lambda each: each.over)


def test_a_job_that_is_silent_was_interrupted(site: Site) -> None:
    """A process that was killed says nothing any more, and its run can be resumed."""
    folder = site.configurations.folder
    assert folder is not None
    (folder / "bad.yaml").write_text("dataset: {path: nowhere.jsonl}\ncandidate: {kind: recorded}\n")
    job = start_job(site.store, site.configurations, "bad.yaml", ledger=site.ledger, person="Ada", at=now())
    ended = wait_for(lambda: find_job(site.store, job.id, at=now()), lambda each: each.over)
    update_job(site.store, job.id, state="running", run_id="run-1", message=None)
    heard = ended.heard_at
    later = now() + run_jobs.SILENT_AFTER + timedelta(seconds=1)
    found = find_job(site.store, job.id, at=later)
    assert (found.state, found.heard_at) == ("interrupted", heard)
    assert found.resumable


@pytest.mark.parametrize("name", ["../run.yaml", "/etc/passwd", "answers.jsonl", "serve.yaml", "link.yaml", ""])
def test_only_listed_configurations_are_started(site: Site, tmp_path: Path, name: str) -> None:
    """A name is one of the folder's run configurations: no path, no other file, no folder."""
    folder = tmp_path / "configs"
    folder.mkdir()
    source = site.configurations.folder
    assert source is not None
    shutil.copy(source / "run.yaml", tmp_path / "run.yaml")
    (folder / "answers.jsonl").write_text("dataset: 1\ncandidate: 1\n")
    (folder / "serve.yaml").write_text("host: 127.0.0.1\n")
    (folder / "link.yaml").mkdir()
    served = replace(site, configurations=Configurations(folder=folder))
    assert served.configurations.names() == ()
    with pytest.raises(AbsentError):
        served.configurations.path(name)
    assert Configurations(folder=None).names() == ()
