"""A Ray cluster gives the bytes that this machine gives, whatever dies on the way."""

import os
import secrets
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from bench.ray_nodes import RayNodes, ray_cluster
from tests.clock import wait_until
from tests.processes import start_interruptible
from tests.ray_clusters import starts_ray
from tests.support.verifier.conftest import Make, make, share_graph  # noqa: F401 - fixtures

COMMAND = Path(sys.executable).with_name("plumbrule")
pytestmark = starts_ray
# A task that kills its process, as a fault of a library would: ids_of, but for one id.
POISONED = """
import os, signal, sys
from dataclasses import dataclass
from plumbrule.engines.chunks import chunks_of
from plumbrule.engines.ray_tasks import RayEngine
from plumbrule.samples import DatasetFile

def make_task():
    def run(samples):
        if any(sample.id == "q7" for sample in samples):
            os.kill(os.getpid(), signal.SIGKILL)
        return [sample.id for sample in samples]
    return run

for done in RayEngine(sys.argv[1])(make_task, chunks_of(DatasetFile(sys.argv[2]).open(), 5)):
    print(sum(done.results, []), done.error, file=sys.stderr)
    if done.error:
        break
"""


@pytest.fixture(scope="module")
def cluster() -> Iterator[RayNodes]:
    """Give two nodes that ask for a token."""
    pytest.importorskip("ray", reason="the extra 'ray' is not installed")
    with ray_cluster(2, RAY_AUTH_MODE="token", RAY_AUTH_TOKEN=secrets.token_hex(32)) as cluster:
        yield cluster


Score = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def score(cluster: RayNodes, dataset: Path, tmp_path: Path) -> Score:
    """Return a function that scores the dataset with one more option or another."""

    def run(*options: object, environment: dict[str, str] | None = None) -> "subprocess.CompletedProcess[str]":
        command = [COMMAND, "score", dataset, *options]
        return subprocess.run(
            list(map(str, command)),
            cwd=tmp_path,
            env=environment or cluster.environment,
            check=False,
            capture_output=True,
            text=True,
        )

    return run


def content(folder: Path) -> bytes:
    """Return all chunk files one after another."""
    return b"".join(path.read_bytes() for path in sorted(folder.glob("verdicts-*.jsonl")))


@pytest.mark.parametrize("verified", [False, True], ids=["values", "verifier"])
def test_a_cluster_gives_the_same_bytes(
    cluster: RayNodes,
    score: Score,
    tmp_path: Path,
    make: Make,  # noqa: F811 - the fixture
    *,
    verified: bool,
) -> None:
    """Verdicts and summary are those of this machine; the files of the verifier come to the workers."""
    options: list[object] = ["--no-claims", "--json"]
    if verified:
        (tmp_path / "model").mkdir()
        folder = make()
        options += ["--support", "--verifier", folder]
    local = score("-o", "local.jsonl", *options)
    assert local.returncode == 0, local.stderr
    ray = score("--engine", "ray", "--address", cluster.address, "-o", "out", "--chunk-size", 20, *options)
    assert ray.returncode == 0, ray.stderr
    assert ray.stdout == local.stdout
    assert content(tmp_path / "out") == (tmp_path / "local.jsonl").read_bytes()


def test_a_sample_that_kills_its_worker_is_named(cluster: RayNodes, dataset: Path) -> None:
    """The results of the samples before it come first."""
    done = subprocess.run(
        [sys.executable, "-c", POISONED, cluster.address, dataset],
        env=cluster.environment,
        check=True,
        capture_output=True,
        text=True,
    )
    lines = [line for line in done.stderr.splitlines() if line.startswith("['q")]
    assert lines[0] == "['q0', 'q1', 'q2', 'q3', 'q4'] None"
    assert lines[1].startswith("['q5', 'q6'] sample 'q7', number 8 of the input, ends the process that works on it")


def test_a_driver_without_the_token_is_refused(cluster: RayNodes, score: Score) -> None:
    """One line says that the cluster cannot be reached."""
    other = cluster.environment | {"RAY_AUTH_TOKEN": secrets.token_hex(32)}
    done = score("--engine", "ray", "--address", cluster.address, "-o", "out", "--no-claims", environment=other)
    assert done.returncode == 2
    assert f"--address {cluster.address}: there is no Ray cluster to be reached" in done.stderr.splitlines()[-1]


def test_an_interrupted_scoring_is_gone_on_with(cluster: RayNodes, dataset: Path, score: Score, tmp_path: Path) -> None:
    """Ctrl+C ends it with one line; what was written is kept, and the same command does the rest."""
    options = ["--engine", "ray", "--address", cluster.address, "-o", "out", "--no-claims", "--chunk-size", "1"]
    pipe = tmp_path / "answers.jsonl"  # with no end, so that it is interrupted halfway on any machine
    os.mkfifo(pipe)
    writer = os.open(pipe, os.O_RDWR)
    os.write(writer, b"".join(dataset.read_bytes().splitlines(keepends=True)[:40]))
    process = start_interruptible(
        [COMMAND, "score", str(pipe), *options],
        cwd=tmp_path,
        env=cluster.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        wait_until(lambda: process.poll() is not None or len(list((tmp_path / "out").glob("verdicts-*"))) > 3)
        os.killpg(process.pid, signal.SIGINT)
        _, err = process.communicate()
    finally:
        os.close(writer)
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    assert process.returncode == 130, err.decode()
    assert b"Traceback" not in err
    before = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "out").glob("verdicts-*")}
    assert score(*options).returncode == 0
    after = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "out").glob("verdicts-*")}
    assert {name: after[name] for name in before} == before
    assert len(after) == 90
    score("-o", "local.jsonl", "--no-claims")
    assert content(tmp_path / "out") == (tmp_path / "local.jsonl").read_bytes()
