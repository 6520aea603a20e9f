"""Benchmark runs in the background: each in a process of its own, which a restart of the server does not touch.

A job is a row in the store. Its process writes there how far it is, and looks there whether it shall stop, every few
seconds; so neither needs to know where the other runs. A job that is not heard from any more was interrupted: what it
finished is in the ledger, and it can be resumed.
"""

import os
import re
import secrets
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Literal

from sqlalchemy import Boolean, Column, Float, Integer, RowMapping, Table, Text, insert, select, update

from plumbrule.outcomes import DecideOn
from plumbrule.web.visit_errors import AbsentError, ConflictError
from plumbrule.web.web_store import METADATA, Store

JobState = Literal["running", "stopping", "interrupted", "stopped", "finished", "failed"]

HEARTBEAT_S = 2.0
SILENT_AFTER = timedelta(seconds=60)  # a job that was not heard from for so long is not running any more
MOST_LISTED = 50
_SUFFIXES = {".yaml", ".yml"}
_RUN_KEYS = re.compile(rb"^(?:candidate|dataset)\s*:", re.MULTILINE)
_LARGEST_CONFIGURATION = 1 << 20

jobs = Table(
    "web_jobs",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("configuration", Text, nullable=False),
    Column("person", Text, nullable=False),
    Column("begun_at", Text, nullable=False),
    Column("heard_at", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("run_id", Text),
    Column("total", Integer),
    Column("finished", Integer, nullable=False),
    Column("errors", Integer, nullable=False),
    Column("cost_usd", Float),
    Column("message", Text),
    Column("stop", Boolean, nullable=False),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A run in the background, and how far it is."""

    id: str
    configuration: str
    person: str  # who started it
    begun_at: str
    heard_at: str  # when its process last said how far it is
    state: JobState
    run_id: str | None
    total: int | None  # tasks; None: not planned yet
    finished: int
    errors: int
    cost_usd: float | None
    message: str | None  # why it ended, where it did not finish

    @property
    def over(self) -> bool:
        """Whether its process has ended."""
        return self.state not in {"running", "stopping"}

    @property
    def resumable(self) -> bool:
        """Whether there is something to resume."""
        return self.state in {"interrupted", "stopped", "failed"} and self.run_id is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Configurations:
    """The run configurations that may be started: the YAML files of one folder, by their names."""

    folder: Path | None = None

    def names(self) -> tuple[str, ...]:
        """Return the names of the files that look like run configurations."""
        if self.folder is None or not self.folder.is_dir():
            return ()
        files = (file for file in self.folder.iterdir() if file.suffix in _SUFFIXES and file.is_file())
        return tuple(sorted(file.name for file in files if _looks_like_a_run(file)))

    def path(self, name: str) -> Path:
        """Return the file of a configuration; a name that is not listed is refused, whatever it points to."""
        if self.folder is None or name not in self.names():
            raise AbsentError(f"There is no run configuration '{name[:80]}' in the folder that is served.")
        return self.folder / name


def start_job(
    store: Store,
    configurations: Configurations,
    name: str,
    *,
    ledger: str,
    person: str,
    at: datetime,
    resume: str | None = None,
    decide_on: DecideOn | None = None,
) -> Job:
    """Start a run, or resume one, in a process of its own."""
    path = configurations.path(name)
    job_id = f"job-{secrets.token_hex(6)}"
    row = {
        "id": job_id,
        "configuration": name,
        "person": person,
        "begun_at": at.isoformat(),
        "heard_at": at.isoformat(),
        "state": "running",
        "run_id": resume,
        "finished": 0,
        "errors": 0,
        "stop": False,
    }
    with store.begin() as connection:
        if resume is not None:
            same = connection.execute(select(jobs).where(jobs.c.run_id == resume)).mappings()
            if any(not _job(each, at).over for each in same):
                raise ConflictError(f"{resume} is running already.")
        connection.execute(insert(jobs).values(row))
    arguments = [job_id, str(path.resolve()), *(["--resume", resume] if resume else [])]
    if decide_on is not None:
        arguments += ["--decide-on", decide_on]
    _start_process(arguments, ledger=ledger, folder=path.resolve().parent)
    return find_job(store, job_id, at=at)


def find_job(store: Store, job_id: str, *, at: datetime) -> Job:
    """Return a job as it stands now."""
    with store.begin() as connection:
        row = connection.execute(select(jobs).where(jobs.c.id == job_id)).mappings().first()
    if row is None:
        raise AbsentError(f"There is no job '{job_id[:40]}'.")
    return _job(row, at)


def list_jobs(store: Store, *, at: datetime) -> tuple[Job, ...]:
    """Return the newest jobs, the newest first."""
    with store.begin() as connection:
        newest = select(jobs).order_by(jobs.c.begun_at.desc(), jobs.c.id).limit(MOST_LISTED)
        return tuple(_job(row, at) for row in connection.execute(newest).mappings())


def stop_job(store: Store, job_id: str, *, at: datetime) -> Job:
    """Ask a job to stop: it finishes nothing more, and what it finished is kept."""
    job = find_job(store, job_id, at=at)
    if not job.over:
        update_job(store, job_id, stop=True)
    return find_job(store, job_id, at=at)


def update_job(store: Store, job_id: str, **values: object) -> bool:
    """Write how far a job is, and return whether it shall stop."""
    with store.begin() as connection:
        if values:
            connection.execute(update(jobs).where(jobs.c.id == job_id).values(values))
        return bool(connection.execute(select(jobs.c.stop).where(jobs.c.id == job_id)).scalar())


def _job(row: RowMapping, at: datetime) -> Job:
    state: Any = row["state"]
    if state == "running":
        silent = at - datetime.fromisoformat(row["heard_at"]) > SILENT_AFTER
        state = "interrupted" if silent else "stopping" if row["stop"] else "running"
    return Job(**{name: value for name, value in row.items() if name not in {"state", "stop"}}, state=state)


def _start_process(arguments: Sequence[str], *, ledger: str, folder: Path) -> None:
    """Start the process of a job in a session of its own.

    The address of the ledger may hold a password, so it is not among the arguments, which everybody can read.
    """
    environment = {**os.environ, "PLUMBRULE_LEDGER": ledger}
    process = subprocess.Popen(  # noqa: S603 - our own interpreter and module; the path is that of a listed file
        [sys.executable, "-m", "plumbrule.web.jobs.run_worker", *arguments],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    threading.Thread(target=process.wait, daemon=True).start()  # so that it leaves no zombie


def _looks_like_a_run(file: Path) -> bool:
    try:
        with file.open("rb") as stream:
            head = stream.read(_LARGEST_CONFIGURATION)
    except OSError:
        return False
    return len(set(_RUN_KEYS.findall(head))) == 2
