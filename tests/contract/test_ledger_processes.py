"""What every ledger does when several processes write to it, or one of them is killed."""

import subprocess
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from tests.clock import LONG_S, wait_until
from tests.contract.conftest import is_free

from plumbrule.errors import UsageError
from plumbrule.ledger import LedgerBusyError, LedgerReadOnlyError, LedgerUnreachableError, ResultKey, open_ledger
from plumbrule.ledger.database import writing

if TYPE_CHECKING:
    from tests.contract.conftest import Backend

AT = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)
APPEND = """
import sys
import time
from datetime import UTC, datetime
from plumbrule.ledger import ResultKey, open_ledger

url, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
at = datetime(2026, 1, 31, tzinfo=UTC)
with open_ledger(url, at=at, lock_timeout_s=300) as ledger:
    for number in range(count):
        key = ResultKey(run="run-1", repeat=0, sample=f"{name}-{number}")
        ledger.append_result(key, {"text": "x" * 500, "number": number}, name, at=at)
        print(key.sample, flush=True)
"""


HOLD = """
import sys
import time
from plumbrule.ledger import open_ledger

with open_ledger(sys.argv[1]) as ledger, ledger.hold("run-1"):
    print("held", flush=True)
    time.sleep(600)
"""


def start(url: str, name: str, count: int) -> subprocess.Popen[str]:
    """Start a process that appends results, and says each one that is acknowledged."""
    command = [sys.executable, "-c", APPEND, url, name, str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_two_processes_append_at_once(backend: "Backend") -> None:
    """Both make the ledger and write at the same time: one chain, nothing lost, nothing twice."""
    writers = [start(backend.url, name, 60) for name in ("a", "b")]
    said = [writer.communicate(timeout=LONG_S) for writer in writers]
    assert [(writer.returncode, errors) for writer, (_, errors) in zip(writers, said, strict=True)] == [(0, "")] * 2
    with open_ledger(backend.url) as ledger:
        found = ledger.verify()
        assert (found.broken, found.entries) == (None, 121)
        assert {key.sample for key in ledger.finished("run-1")} == {f"{n}-{i}" for n in "ab" for i in range(60)}


def test_a_killed_process_loses_nothing_that_was_acknowledged(backend: "Backend") -> None:
    """After kill -9 at several moments the ledger verifies, holds all that was said, and goes on."""
    acknowledged: set[str] = set()
    for name, lines in (("a", 1), ("b", 17), ("c", 40)):
        writer = start(backend.url, name, 100_000)
        assert writer.stdout is not None
        assert writer.stderr is not None
        acknowledged |= {writer.stdout.readline().strip() for _ in range(lines)}
        writer.kill()
        rest = writer.stdout.read()
        acknowledged |= {line.strip() for line in rest.splitlines(keepends=True) if line.endswith("\n")}
        writer.stdout.close()
        writer.stderr.close()
        assert writer.wait() == -9
    with open_ledger(backend.url) as ledger:
        assert ledger.verify().broken is None
        finished = {key.sample for key in ledger.finished("run-1")}
        assert acknowledged <= finished
        assert len(finished) <= len(acknowledged) + 3  # at most the one in flight at each kill
        ledger.append_result(ResultKey(run="run-1", repeat=0, sample="after"), {}, "d", at=AT)
        assert ledger.verify().whole


def test_a_ledger_that_stays_locked_is_told(backend: "Backend") -> None:
    """Another writer is waited for, but not for ever; then nothing was written, and later it works."""
    with open_ledger(backend.url, at=AT) as ledger, open_ledger(backend.url, lock_timeout_s=0.2) as other:
        with writing(ledger.engine, ledger.name), pytest.raises(LedgerBusyError, match="is locked by another process"):
            other.append("note", "run-1", {}, "ana", at=AT)
        assert other.append("note", "run-1", {}, "ana", at=AT).sequence == 1


def test_one_process_at_a_time_holds_a_run(backend: "Backend") -> None:
    """A second one is refused, another run is free, and what a killed process held is free at once."""
    with open_ledger(backend.url, at=AT) as ledger:
        holder = subprocess.Popen([sys.executable, "-c", HOLD, backend.url], stdout=subprocess.PIPE, text=True)
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(UsageError, match="another process is carrying it out"), ledger.hold("run-1"):
            raise AssertionError("it was held twice")
        with ledger.hold("run-2"):
            ledger.append("note", "run-2", {}, "ana", at=AT)
        holder.kill()
        holder.stdout.close()
        holder.wait()
        wait_until(lambda: is_free(ledger, "run-1"))  # a server takes a moment to see that its client is gone


def test_reading_goes_on_while_another_writes(backend: "Backend") -> None:
    """A reader sees the ledger as it was committed, without waiting."""
    with open_ledger(backend.url, at=AT) as ledger, open_ledger(backend.url, lock_timeout_s=0.2) as other:
        ledger.append("note", "run-1", {}, "ana", at=AT)
        with writing(ledger.engine, ledger.name) as connection:
            connection.exec_driver_sql("INSERT INTO entries SELECT 2, 'note', 's', 'a', 't', 'b', 'c', 'd', 'e'")
            assert [entry.sequence for entry in other.entries()] == [1]
            assert other.verify().entries == 2


@pytest.mark.parametrize("backend", ["postgresql"], indirect=True)
def test_a_server_that_drops_the_connection_is_told(backend: "Backend") -> None:
    """The append that was cut off is an error; the next one connects again, and the chain is whole."""
    with open_ledger(backend.url, at=AT) as ledger:
        key = ResultKey(run="run-1", repeat=0, sample="q")
        ledger.append("note", "run-1", {}, "ana", at=AT)
        backend.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")
        with pytest.raises(LedgerUnreachableError, match="the server cannot be reached"):
            ledger.append_result(key, {}, "ana", at=AT)
        assert ledger.append_result(key, {}, "ana", at=AT).sequence == 2
        assert ledger.verify().whole


@pytest.mark.parametrize("backend", ["postgresql"], indirect=True)
def test_a_server_that_allows_no_writing_is_told(backend: "Backend") -> None:
    """A standby can be read and verified."""
    open_ledger(backend.url, at=AT).close()
    url = backend.url.replace("-csearch_path", "-cdefault_transaction_read_only%3Don+-csearch_path")
    with open_ledger(url) as ledger:
        assert ledger.verify().whole
        with pytest.raises(LedgerReadOnlyError, match="is read-only"):
            ledger.append("note", "run-1", {}, "ana", at=AT)


@pytest.mark.parametrize("backend", ["postgresql"], indirect=True)
def test_a_commit_on_a_server_is_durable(backend: "Backend") -> None:
    """A server that is set up to be quick and forgetful is asked to be durable."""
    url = backend.url.replace("-csearch_path", "-csynchronous_commit%3Doff+-csearch_path")
    with open_ledger(url, at=AT) as ledger, ledger.engine.connect() as connection:
        assert connection.exec_driver_sql("SHOW synchronous_commit").scalar() == "on"
