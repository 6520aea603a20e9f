"""One run in several processes, with a real database and a real server: each sample once, whoever dies or is late."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from sqlalchemy import text
from tests.clock import LONG_S, wait_until
from tests.contract.conftest import is_free, plain, sample_of, write_priced_samples
from tests.processes import start_interruptible
from tests.servers.scripted import Request, ScriptedServer, Step

from plumbrule.ledger import Ledger, ResultKey, open_ledger
from plumbrule.runs.plan import plan_run
from plumbrule.runs.session import begin_run

if TYPE_CHECKING:
    from tests.contract.conftest import Backend

COMMAND = Path(sys.executable).with_name("plumbrule")
AT = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)
SAMPLES = 60
EACH_ONCE = Counter(f"q{number}" for number in range(SAMPLES))
postgres = pytest.mark.parametrize("backend", ["postgresql"], indirect=True)
sqlite = pytest.mark.parametrize("backend", ["sqlite"], indirect=True)

Configure = Callable[..., Path]


def judged(request: Request) -> Step:
    """Judge by the sample alone, so that every run has the same figures."""
    number = int(sample_of(request)[1:])
    scores = {"accuracy_score": number % 3, "faithfulness_score": 2 - number % 7 % 3, "rationale": f"By rule {number}."}
    return Step(text=json.dumps(scores), delay_s=0.002 * (number % 5))


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    """Return the provider that judges."""
    with ScriptedServer(judged) as running:
        yield running


@pytest.fixture
def configure(tmp_path: Path, server: ScriptedServer) -> Configure:
    """Write the configuration of a run of recorded answers, with a lease that only the test ends, and more lines."""
    write_priced_samples(tmp_path / "data.jsonl", SAMPLES)

    def write(*lines: str, name: str = "run.yaml") -> Path:
        path = tmp_path / name
        address = f"http://127.0.0.1:{server.port}/v1"
        judge = f'judge: {{kind: llm, model: "local:judge", base_url: "{address}"}}'
        head = "name: shared\ndataset: {path: data.jsonl, id: shared}\ncandidate: {kind: recorded}"
        path.write_text("\n".join((head, judge, "concurrency: 6", "lease_s: 3600", *lines)) + "\n")
        return path

    return write


def start(config: Path, url: str, *arguments: str) -> "subprocess.Popen[bytes]":
    """Start the command."""
    command: list[str | Path] = [COMMAND, "run", config.name, "--ledger", url, "--json", *arguments]
    return start_interruptible(command, cwd=config.parent, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def ended(process: "subprocess.Popen[bytes]") -> tuple[int, dict[str, Any], str]:
    """Return the exit code, the summary and what was said."""
    out, errors = process.communicate(timeout=LONG_S)
    return process.returncode, json.loads(out) if out else {}, errors.decode()


def begun(config: Path, ledger: Ledger) -> str:
    """Begin a run that nobody works on yet; return its id."""
    return begin_run(plan_run(config), ledger, lambda: AT)


def board_of(ledger: Ledger) -> tuple[set[str], dict[str, Any]]:
    """Return the workers that have a lease, and the board."""
    with ledger.engine.connect() as connection:
        try:
            workers = {row.worker for row in connection.execute(text("SELECT worker FROM run_workers"))}
            state = connection.execute(text("SELECT state FROM run_boards")).scalar()
        except Exception:  # noqa: BLE001 - no worker has made the tables yet
            return set(), {}
    return workers, json.loads(state) if state else {}


@dataclass(frozen=True, slots=True)
class Worker:
    """A process that has joined a run."""

    process: "subprocess.Popen[bytes]"

    def stop(self, number: int) -> None:
        """Send a signal to it."""
        os.kill(self.process.pid, number)

    def has_lease(self, ledger: Ledger) -> bool:
        """Tell whether it has one."""
        return any(name.startswith(f"{self.process.pid}-") for name in board_of(ledger)[0])

    def end_lease(self, ledger: Ledger) -> None:
        """Let the time of its lease be over."""
        with ledger.engine.begin() as connection:
            end = text("UPDATE run_workers SET expires_s = 0 WHERE worker LIKE :name")
            connection.execute(end, {"name": f"{self.process.pid}-%"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Crew:
    """Three processes that work on one run."""

    ledger: Ledger
    workers: list[Worker]


@pytest.fixture
def crew(backend: "Backend", configure: Configure, server: ScriptedServer) -> Iterator[Crew]:
    """Return three processes that work on one run, each with two calls under way, which the server holds."""
    with open_ledger(backend.url, at=AT) as ledger, _at_work(configure(), ledger, backend.url, server) as workers:
        yield Crew(ledger=ledger, workers=workers)


@contextmanager
def _at_work(config: Path, ledger: Ledger, url: str, server: ScriptedServer) -> Iterator[list[Worker]]:
    server.allowed = 0
    run = begun(config, ledger)
    crew = [Worker(start(config, url, "--join", run)) for _ in range(3)]
    try:
        wait_until(lambda: len(board_of(ledger)[0]) == 3)
        wait_until(lambda: server.held == 6)
        server.allowed = 4  # of the first one, which had all six
        wait_until(lambda: server.allowed == 0 and server.held == 6)
        assert sorted(Counter(board_of(ledger)[1]["claims"].values()).values()) == [2, 2, 2]
        yield crew
    finally:
        server.allowed = None
        for worker in crew:
            worker.process.kill()
            worker.process.communicate()


def check_whole(ledger: Ledger, run: str, server: ScriptedServer, summary: dict[str, Any]) -> None:
    """Check that every sample has one result, that there is one decision, and that every call is counted."""
    results = [ResultKey.read(entry.subject).sample for entry in ledger.results(run)]
    assert Counter(results) == EACH_ONCE
    assert len(list(ledger.entries(kind="decision", subject=run))) == 1
    assert ledger.verify().whole
    usage = summary["usage"]
    assert usage["judge"]["requests"] == SAMPLES
    assert usage["judge"]["requests"] + usage["calls_repeated"] == len(server.requests)


def test_a_run_in_three_processes_is_the_run_of_one(
    backend: "Backend", configure: Configure, server: ScriptedServer
) -> None:
    """Each sample is asked for once, and figures, gates and usage are those of one process; nothing stays behind."""
    config, url = configure(), backend.new_url()
    code, alone, _ = ended(start(config, url))
    assert (code, len(server.requests)) == (0, SAMPLES)
    server.requests.clear()
    code, shared, errors = ended(start(config, backend.url, "--workers", "3"))
    assert (code, errors.splitlines()) == (0, [])
    assert Counter(map(sample_of, server.requests)) == EACH_ONCE
    for key in ("aggregates", "gates", "intervals", "usage", "outcome", "complete", "repeats"):
        assert shared[key] == alone[key]
    with open_ledger(backend.url) as ledger:
        check_whole(ledger, shared["run_id"], server, shared)
        assert board_of(ledger) == (set(), {})


@postgres
def test_a_worker_that_is_killed_loses_nothing(crew: Crew, server: ScriptedServer) -> None:
    """The others do what it had begun: its two calls are made again and counted, nothing is lost or doubled."""
    ledger, (first, second, third) = crew.ledger, crew.workers
    second.stop(signal.SIGKILL)
    second.end_lease(ledger)
    server.allowed = None
    (code, summary, _), (other_code, other, _) = ended(first.process), ended(third.process)
    assert (code, other_code) == (0, 0)
    assert summary == other
    assert summary["usage"]["calls_repeated"] == 2
    check_whole(ledger, summary["run_id"], server, summary)


@postgres
def test_a_late_worker_writes_nothing(crew: Crew, server: ScriptedServer) -> None:
    """A worker that was stopped for longer than its lease is refused, joins again, and every call counts once."""
    ledger, (first, second, third) = crew.ledger, crew.workers
    second.stop(signal.SIGSTOP)
    second.end_lease(ledger)
    server.allowed = None  # its answers are there, and it does not see them yet
    wait_until(lambda: not second.has_lease(ledger))
    second.stop(signal.SIGCONT)
    ends = [ended(worker.process) for worker in (first, second, third)]
    assert [code for code, _, _ in ends] == [0, 0, 0], ends[1][2]
    assert ends[0][1] == ends[1][1] == ends[2][1]
    check_whole(ledger, ends[0][1]["run_id"], server, ends[0][1])
    assert ends[0][1]["usage"]["calls_repeated"] == 2


@postgres
def test_connections_that_are_cut_end_nobody(crew: Crew, backend: "Backend", server: ScriptedServer) -> None:
    """Workers join again and hold the run again, so that nobody carries it out alone; every call is counted."""
    ledger, (run,) = crew.ledger, crew.ledger.runs()
    ledger.engine.dispose()
    cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename IS NOT NULL AND pid <> pg_backend_pid()"
    with psycopg.connect(plain(backend.url), autocommit=True) as owner:
        owner.execute(cut)
    server.allowed = 6  # what comes back cannot be kept
    wait_until(lambda: server.allowed == 0 and server.held == 6)
    assert not is_free(ledger, run.subject)
    server.allowed = None
    ends = [ended(worker.process) for worker in crew.workers]
    assert [code for code, _, _ in ends] == [0, 0, 0], ends
    check_whole(ledger, run.subject, server, ends[0][1])


@postgres
def test_ctrl_c_ends_one_worker_and_not_the_run(crew: Crew, server: ScriptedServer) -> None:
    """It gives back what it had at once, says how to join again, and the others finish the run."""
    ledger, (first, second, third) = crew.ledger, crew.workers
    second.stop(signal.SIGINT)
    code, _, errors = ended(second.process)
    assert code == 130
    assert "go on with: plumbrule run run.yaml --join run-" in errors
    assert len(board_of(ledger)[0]) == 2
    server.allowed = None
    (code, summary, _), (other_code, _, _) = ended(first.process), ended(third.process)
    assert (code, other_code) == (0, 0)
    check_whole(ledger, summary["run_id"], server, summary)


@postgres
def test_a_budget_holds_for_all_workers(backend: "Backend", configure: Configure, server: ScriptedServer) -> None:
    """Twenty calls are allowed, twenty are made by all together; the rest is done by who joins with a larger one."""
    config = configure("budget: {max_calls: 20}")
    code, summary, errors = ended(start(config, backend.url, "--workers", "3"))
    assert code == 4
    assert "20 of 60 samples are finished; stopped: one more would pass budget.max_calls 20; go on with:" in errors
    assert len(server.requests) == summary["usage"]["judge"]["requests"] == 20
    code, summary, _ = ended(start(configure(), backend.url, "--join", "last"))
    assert (code, summary["complete"]) == (0, True)
    with open_ledger(backend.url) as ledger:
        check_whole(ledger, summary["run_id"], server, summary)


@postgres
def test_a_rate_holds_for_all_workers(backend: "Backend", configure: Configure) -> None:
    """Ten a second: at no time have more requests arrived from all workers than one process may have sent by then."""
    arrived: list[float] = []

    def note(request: Request) -> Step:
        arrived.append(time.time())
        return judged(request)

    with ScriptedServer(note) as server:
        config = configure("rates: {local: {requests_per_minute: 600}}")
        config.write_text(re.sub(r"127.0.0.1:\d+", f"127.0.0.1:{server.port}", config.read_text()))
        beginning = time.time()
        code, summary, _ = ended(start(config, backend.url, "--workers", "3"))
    assert (code, summary["complete"]) == (0, True)
    assert len(arrived) == SAMPLES
    assert all(at - beginning >= 0.1 * number - 0.01 for number, at in enumerate(sorted(arrived)))


@sqlite
def test_a_worker_with_other_limits_is_refused(
    backend: "Backend", configure: Configure, server: ScriptedServer
) -> None:
    """What holds for all must be the same for all; and a run that is shared is not resumed by one alone."""
    config = configure()
    server.allowed = 0
    with open_ledger(backend.url, at=AT) as ledger:
        first = start(config, backend.url, "--workers", "1")
        try:
            wait_until(lambda: len(board_of(ledger)[0]) == 1)
            other = configure("rates: {local: {requests_per_minute: 600}}", name="other.yaml")
            code, _, errors = ended(start(other, backend.url, "--join", "last"))
            assert code == 2
            assert "those at work on it have another 'rates': give the same one, or wait for them" in errors
            code, _, errors = ended(start(config, backend.url, "--resume", "last"))
            assert code == 2
            assert "another process is carrying it out; wait for it, or stop it, or join it" in errors
        finally:
            server.allowed = None
        assert ended(first)[0] == 0


@sqlite
def test_one_that_is_carried_out_alone_is_not_joined(
    backend: "Backend", configure: Configure, server: ScriptedServer
) -> None:
    """A run that was begun without --workers is that process's until it ends."""
    config = configure()
    server.allowed = 0
    first = start(config, backend.url)
    try:
        wait_until(lambda: server.held)
        code, _, errors = ended(start(config, backend.url, "--join", "last"))
    finally:
        server.allowed = None
    assert code == 2
    assert "another process is carrying it out alone; wait for it, or stop it and go on with --workers" in errors
    assert ended(first)[0] == 0
