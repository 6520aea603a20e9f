"""What holds for every test: no example is too slow, since another process may be what slows it; no user's settings.

Generated examples are the same every time; ``--hypothesis-profile=random -m hypothesis`` looks for others.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from fcntl import LOCK_EX, flock
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from tests.loaded_process import loaded_process

settings.register_profile("random", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("plumbrule", settings.get_profile("random"), derandomize=True)
settings.load_profile("plumbrule")

# settings and keys of whoever runs the tests are neither read nor changed, in child processes either
os.environ["XDG_CONFIG_HOME"] = tempfile.mkdtemp(prefix="plumbrule-settings-")
os.environ.pop("PLUMBRULE_SETTINGS", None)
# an installed verifier has no part in what tests and pages show: its last decimals depend on the processor
os.environ["PLUMBRULE_VERIFIER"] = "none"


def pytest_xdist_auto_num_workers() -> int:
    """Start half as many processes again as there are processors: a test often waits for a disk or for a process."""
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return processors + (processors + 1) // 2


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes long, so that no process is left with it at the end."""
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeDemo:
    """What ``plumbrule demo`` made, and what it printed on 100 columns."""

    folder: Path
    printed: str


@pytest.fixture(scope="session")
def made_demo(tmp_path_factory: pytest.TempPathFactory) -> MadeDemo:
    """Give the demo, made once for all processes that test: who changes it changes a copy."""
    shared = tmp_path_factory.getbasetemp()
    if os.environ.get("PYTEST_XDIST_WORKER"):
        shared = shared.parent
    place = shared / "demo"
    place.mkdir(exist_ok=True)
    printed = place / "printed.txt"
    with (place / "lock").open("w") as lock:
        flock(lock, LOCK_EX)
        if not printed.exists():
            environment = os.environ | {"COLUMNS": "100"}
            command = [sys.executable, "-m", "plumbrule", "demo"]
            made = subprocess.run(command, cwd=place, env=environment, check=True, capture_output=True)
            assert made.stderr == b""
            printed.write_bytes(made.stdout)
    return MadeDemo(folder=place / "plumbrule-demo", printed=printed.read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def programs() -> Iterator[Path]:
    """Give a folder for PATH whose ``plumbrule`` and ``python FILE.py`` start quickly, for tests of what they do."""
    with loaded_process() as folder:
        yield folder
