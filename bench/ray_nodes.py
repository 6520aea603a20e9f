"""A Ray cluster on loopback: a head and workers, each a node of its own with its own processes."""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

_HOST = "127.0.0.1"
_LONGEST_START_S = 300.0
_SMALL = ("--object-store-memory=134217728",)


class RayNodes:
    """A cluster with one core a node; ``address`` is what a driver connects to."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self.address = f"{_HOST}:{_free_port()}"
        self.environment = environment
        self._folder = folder
        self._nodes: list[subprocess.Popen[bytes]] = []

    def start(self, nodes: int) -> None:
        """Start the head, and so many nodes less one beside it, and wait until all of them work."""
        port = self.address.split(":")[1]
        each = ["ray", "start", "--block", f"--node-ip-address={_HOST}", "--num-cpus=1", *_SMALL]
        head = [*each, "--head", f"--port={port}", "--include-dashboard=false", "--disable-usage-stats"]
        node = [*each, f"--address={self.address}"]
        self.start_with([[*head, f"--temp-dir={self._folder}"], *[node] * (nodes - 1)])

    def start_with(self, commands: Sequence[Sequence[str]]) -> None:
        """Start one node by each command, the head first, and wait until all of them work."""
        for number, (program, *arguments) in enumerate(commands, 1):
            command = [str(Path(sys.executable).with_name(program)), *arguments]
            with (self._folder / f"node-{number}.log").open("wb") as log:
                node = subprocess.Popen(
                    command, stdout=log, stderr=subprocess.STDOUT, env=self.environment, start_new_session=True
                )
            self._nodes.append(node)
            self._wait_for(number)

    def scoring_processes(self) -> list[int]:
        """Return the processes that run tasks now; Ray gives a process the name of its task."""
        members = [member for node in self._nodes for member in _members(node.pid)]
        return [pid for pid, title in members if title.startswith("ray::_run_task")]

    def kill_node(self, number: int) -> None:
        """Kill every process of a node."""
        for pid, _ in _members(self._nodes[number].pid):
            _kill(pid)
        self._nodes[number].wait()

    def stop(self) -> None:
        """End every process that was started here."""
        for node in reversed(self._nodes):
            for pid, _ in _members(node.pid):
                _kill(pid)
            node.wait()

    def _wait_for(self, nodes: int) -> None:
        until = time.monotonic() + _LONGEST_START_S
        question = (
            "import ray, sys; ray.init(address=sys.argv[1], logging_level='ERROR', log_to_driver=False); "
            "sys.exit(len([node for node in ray.nodes() if node['Alive']]) < int(sys.argv[2]))"
        )
        while time.monotonic() < until:
            asked = subprocess.run(
                [sys.executable, "-c", question, self.address, str(nodes)],
                check=False,
                env=self.environment,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            if asked.returncode == 0:
                return
            time.sleep(0.5)
        raise TimeoutError(f"no Ray cluster of {nodes} nodes came up; see {self._folder}")


@contextmanager
def ray_cluster(nodes: int, **environment: str) -> Iterator[RayNodes]:
    """Give a cluster of so many nodes, and end it."""
    # Ray makes sockets in the folder, whose names may have 107 characters
    with tempfile.TemporaryDirectory(prefix="ray", dir="/tmp", ignore_cleanup_errors=True) as folder:
        own = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_worker_niceness": "0"}
        cluster = RayNodes(Path(folder), os.environ | own | environment)
        try:
            cluster.start(nodes)
            yield cluster
        finally:
            cluster.stop()


def _free_port() -> int:
    with socket.socket() as free:
        free.bind((_HOST, 0))
        port: int = free.getsockname()[1]
        return port


def _members(session: int) -> list[tuple[int, str]]:
    """Return the processes of a session with their command lines: those of a node, whatever groups they made."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            if entry.name.isdigit() and int(fields[3]) == session:
                title = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                found.append((int(entry.name), title))
        except (OSError, IndexError):
            continue
    return found


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return
