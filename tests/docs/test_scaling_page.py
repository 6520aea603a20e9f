"""The commands for a Ray cluster on the page about scaling are run as they stand."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from bench.ray_nodes import RayNodes
from tests.ray_clusters import starts_ray

from plumbrule.demo import samples_path

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
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"HOME": str(tmp_path), "PATH": path, name: value, "RAY_worker_niceness": "0"}
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


def run(command: str, folder: Path, environment: dict[str, str]) -> None:
    """Run a command, which must end well."""
    done = subprocess.run(command.split(), cwd=folder, env=environment, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
