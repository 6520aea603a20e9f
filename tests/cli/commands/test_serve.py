"""Serving the pages: to oneself on this machine, or to a team that signs in."""

import http.client
import json
import os
import signal
import socket
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest
from tests.cli.conftest import COMMAND, Run
from tests.clock import LONG_S, wait_until


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.com"])  # noqa: S104 - is refused
def test_others_are_let_in_only_with_a_login(run: Run, host: str) -> None:
    """Without --team another address than this machine's is refused, with what to do."""
    done = run("serve", "--host", host)
    assert done.code == 2
    assert "others could do anything there without a login; add --team" in done.err


def test_a_file_may_not_open_it_either(run: Run, tmp_path: Path) -> None:
    """The same holds where the address stands in the settings file."""
    (tmp_path / "serve.yaml").write_text("host: 0.0.0.0\n")
    assert "without a login" in run("serve", "--config", tmp_path / "serve.yaml").err


def test_a_team_needs_an_account(run: Run) -> None:
    """Nobody could sign in: the message says how the first administrator is made."""
    done = run("serve", "--team")
    assert done.code == 2
    assert "plumbrule accounts add NAME --role admin" in done.err


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--team", "--as", "Ada"), "people are who they sign in as"),
        (("--team", "--trust-proxy", "everybody"), "is no address or network"),
        (("--config", "none.yaml"), "none.yaml: cannot be read"),
    ],
)
def test_what_does_not_go_together_is_refused(run: Run, arguments: tuple[str, ...], problem: str) -> None:
    """Before anything is served."""
    done = run("serve", *arguments)
    assert (done.code, problem in done.err) == (2, True), done.err


def free_port() -> int:
    """Return a port that is free, and that the system gives to nobody before the server has it."""
    for port in range(20_000 + os.getpid() % 10_000, 32_768):
        with socket.socket() as tried, suppress(OSError):
            tried.bind(("127.0.0.1", port))
            return port
    raise AssertionError("no port is free")


def test_a_team_is_served(run: Run, tmp_path: Path) -> None:
    """The server answers under its names, asks for a sign-in, logs as JSON, and ends on SIGTERM."""
    (tmp_path / "password.txt").write_text("correct horse battery\n")
    assert run("accounts", "add", "Ada Lovelace", "--role", "admin", "--password-file", "password.txt").code == 0
    port = free_port()
    (tmp_path / "serve.yaml").write_text(f"team: true\nport: {port}\nhost_names: [plumbrule.example.com]\n")
    command = [str(COMMAND), "serve", "--config", "serve.yaml", "--log-format", "json"]
    with (tmp_path / "log").open("wb") as log, subprocess.Popen(command, stderr=log, env=os.environ) as server:

        def ask(path: str, host: str = "plumbrule.example.com") -> tuple[int, str]:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=LONG_S)
            try:
                connection.request("GET", path, headers={"Host": host})
                response = connection.getresponse()
                return response.status, response.getheader("location") or response.read().decode()
            except OSError:
                return 0, ""
            finally:
                connection.close()

        wait_until(lambda: ask("/health")[0] == 200 or server.poll() is not None)
        answers = [ask("/health"), ask("/ready"), ask("/runs"), ask("/health", host="evil.example")]
        server.send_signal(signal.SIGTERM)
    assert [status for status, _ in answers] == [200, 200, 303, 421]
    assert answers[2][1] == "/sign-in?next=/runs"
    lines = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    assert {"GET /health 200", "GET /runs 303"} <= {
        f"{each['method']} {each['route']} {each['status']}" for each in lines
    }
