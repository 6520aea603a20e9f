"""The commands for a Ray cluster on the page about scaling are run as they stand."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from bench.ray_nodes import RayNodes, ray_cluster
from tests.ray_clusters import starts_ray

from plumbrule.demo import samples_path
from plumbrule.ledger import open_ledger

PAGE = Path(__file__).parents[2] / "docs" / "scaling.md"


def commands() -> list[str]:
    """Return the lines of the one shell fence."""
    [body] = re.findall(r"^```shell\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    return [line for line in body.splitlines() if line]


@starts_ray
def test_the_cluster_of_the_page_scores(tmp_path: Path) -> None:
    """A head and a node with a token, started as the page says, give the verdicts that this machine gives."""
    pytest.importorskip("ray", reason="the extra 'ray' is not installed")
    setting, token, head, node, score = commands()
    name, _, value = setting.removeprefix("export ").partition("=")
    environment = _environment() | {"HOME": str(tmp_path), name: value, "RAY_worker_niceness": "0"}
    (tmp_path / "answers.jsonl").write_bytes(samples_path().read_bytes())
    run(token, tmp_path, environment)
    assert (tmp_path / ".ray" / "auth_token").exists()
    cluster = RayNodes(tmp_path, environment)

    def here(command: str) -> str:
        return command.replace("HEAD:6379", cluster.address).replace("6379", cluster.address.split(":")[1])

    try:
        cluster.start_with([here(head).split(), here(node).split()])
        run(here(score), tmp_path, environment)
    finally:
        cluster.stop()
    run("plumbrule score answers.jsonl -o verdicts.jsonl", tmp_path, environment)
    chunks = sorted((tmp_path / "verdicts").glob("verdicts-*.jsonl"))
    assert b"".join(chunk.read_bytes() for chunk in chunks) == (tmp_path / "verdicts.jsonl").read_bytes()


@starts_ray
def test_ray_workers_share_a_run(tmp_path: Path) -> None:
    """The script of the page does one run with the workers of two nodes: each sample is done once, by one of them."""
    pytest.importorskip("ray", reason="the extra 'ray' is not installed")
    [script] = re.findall(r"^```py\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    (tmp_path / "data.jsonl").write_bytes(samples_path().read_bytes())
    run("plumbrule init run.yaml", tmp_path, _environment())
    ledger = f"sqlite:///{tmp_path}/ledger.db"
    with ray_cluster(2) as cluster:
        own = {
            "/srv/evaluation/run.yaml": str(tmp_path / "run.yaml"),
            "postgresql://eval@db.example/ledger": ledger,
            "HEAD:6379": cluster.address,
            "range(8)": "range(2)",
        }
        for name, value in own.items():
            assert script.count(name) == 1
            script = script.replace(name, value)
        done = subprocess.run(
            [sys.executable, "-c", script],
            cwd=tmp_path,
            env=cluster.environment,
            check=False,
            capture_output=True,
            text=True,
        )
    assert done.returncode == 0, done.stderr
    outcome = re.fullmatch(r"(.+) (\d+) \[(\d+), (\d+)\]", done.stdout.splitlines()[-1])
    assert outcome is not None
    assert outcome[1] == "NO RELEASE"
    assert sum(map(int, outcome.groups()[1:])) == 56
    with open_ledger(ledger) as opened:
        [entry] = opened.runs()
        assert len(list(opened.results(entry.subject))) == 56
        assert len(list(opened.entries(kind="decision"))) == 1


def _environment() -> dict[str, str]:
    return os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}


def run(command: str, folder: Path, environment: dict[str, str]) -> None:
    """Run a command, which must end well."""
    done = subprocess.run(command.split(), cwd=folder, env=environment, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
