"""Two Ray nodes on loopback score one dataset while a worker is killed; the result is compared with the local one.

Each node is a set of processes of its own, with one core. After a quarter of the chunks one process that scores is
killed with SIGKILL; with ``--node`` the whole second node is.
"""

import argparse
import hashlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import orjson
from bench import datasets
from bench.ray_nodes import RayNodes, ray_cluster

_COMMAND = Path(sys.executable).with_name("plumbrule")
_OPTIONS = ["--no-claims", "--json"]


def main() -> None:
    """Run it and print what came out; anything lost, repeated or changed is an error."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--samples", type=int, default=200_000)
    options.add_argument("--chunk-size", type=int, default=1000)
    options.add_argument("--node", action="store_true", help="kill the whole second node, not one process")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = folder / "samples.jsonl"
        datasets.write(source, datasets.generate(chosen.samples, contexts="shared"))
        local_s, local = _local(source, folder)
        with ray_cluster(2) as cluster:
            ray_s, summary, killed = _on_ray(cluster, source, folder, chosen)
        _report(folder, chosen.samples, same_summary=summary == local, killed=killed, seconds=(local_s, ray_s))


def _local(source: Path, folder: Path) -> tuple[float, bytes]:
    start = time.monotonic()
    command: list[str | Path] = [_COMMAND, "score", source, "-o", folder / "local.jsonl", *_OPTIONS]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE)
    return time.monotonic() - start, done.stdout


def _on_ray(cluster: RayNodes, source: Path, folder: Path, chosen: argparse.Namespace) -> tuple[float, bytes, str]:
    start = time.monotonic()
    target = folder / "verdicts"
    size = ["--chunk-size", str(chosen.chunk_size)]
    engine = ["--engine", "ray", "--address", cluster.address]
    command: list[str | Path] = [_COMMAND, "score", source, "-o", f"{target}/", *engine, *size, *_OPTIONS]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=cluster.environment) as process:
        quarter = chosen.samples // chosen.chunk_size // 4
        while process.poll() is None and len(list(target.glob("verdicts-*.jsonl"))) < quarter:
            time.sleep(0.05)
        killed = _kill(cluster, process, whole_node=chosen.node)
        after = len(list(target.glob("verdicts-*.jsonl")))
        summary = process.stdout.read() if process.stdout is not None else b""
    if process.returncode != 0:
        raise SystemExit(f"the command ended with {process.returncode}")
    return time.monotonic() - start, summary, f"{killed}, after {after} chunks"


def _kill(cluster: RayNodes, process: "subprocess.Popen[bytes]", *, whole_node: bool) -> str:
    if whole_node:
        cluster.kill_node(1)
        return "every process of the second node"
    while process.poll() is None:
        for worker in cluster.scoring_processes():
            os.kill(worker, signal.SIGKILL)
            return f"process {worker}"
        time.sleep(0.01)
    raise SystemExit("it ended before a worker could be killed")


def _report(folder: Path, samples: int, *, same_summary: bool, killed: str, seconds: tuple[float, float]) -> None:
    ids: Counter[str] = Counter()
    digest = hashlib.sha256()
    for path in sorted((folder / "verdicts").glob("verdicts-*.jsonl")):
        content = path.read_bytes()
        digest.update(content)
        ids.update(orjson.loads(line)["id"] for line in content.splitlines())
    with (folder / "local.jsonl").open("rb") as file:
        same = hashlib.file_digest(file, "sha256").hexdigest() == digest.hexdigest()
    lost = sum(f"bench-{number}" not in ids for number in range(samples))
    repeated = sum(count - 1 for count in ids.values())
    print(f"{samples:,} samples, values only, on two Ray nodes of one core each; killed with SIGKILL: {killed}")
    print(f"lost: {lost}, duplicated: {repeated}, byte-identical to local: {same}, same summary: {same_summary}")
    print(
        f"seconds: local {seconds[0]:.0f} (two processes), Ray {seconds[1]:.0f} (two nodes, with the start of workers)"
    )
    print(f"load of the machine over the last minute: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    if lost or repeated or not same or not same_summary:
        raise SystemExit("not the same")


if __name__ == "__main__":
    main()
