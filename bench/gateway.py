"""A run through LiteLLM's proxy: the candidate over OpenAI's protocol, the judge over Anthropic's, to its end.

Behind the proxy a counting server answers; one request in ten with 429, 408 or late. LiteLLM is no dependency: a pinned
version is installed in an environment of its own in a temporary folder, or ``--litellm`` names its command. With
``--inspect``, the Python of an environment with inspect-ai and openai, the same answers are asked for and judged by
Inspect AI through the same proxy: compare wall and CPU.
"""

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.faults import ANSWER, JUDGE, call_command, configure, run_command
from tests.servers.scripted import GOOD, Request, ScriptedServer, Step

LITELLM = "litellm[proxy]==1.74.0"
MODEL = "scripted-2025-01-01"
FAULTS = (Step(status=429), Step(status=408), Step(text=GOOD, delay_s=2.0))
INSPECT = """
import sys
from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig, get_model
from inspect_ai.scorer import model_graded_qa
from inspect_ai.solver import generate

base_url, count = sys.argv[1], int(sys.argv[2])
settings = dict(base_url=base_url, api_key="none", config=GenerateConfig(temperature=0, max_tokens=1024))
samples = [Sample(id=str(n), input=f"What is the fee of plan {n}?", target="The fee is $25.") for n in range(count)]
grader = get_model("openai/MODEL", memoize=False, **settings)
task = Task(dataset=MemoryDataset(samples), solver=generate(), scorer=model_graded_qa(model=grader))
[log] = eval(task, model=get_model("openai/MODEL", memoize=False, **settings), max_connections=16, display="none")
print(log.status, len(log.samples or []))
"""


class Provider:
    """Answers as a candidate or a judge; one request in ten fails or is late."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()

    def __call__(self, request: Request) -> Step:
        """Answer one request."""
        number = self.asked.total()
        judging = JUDGE in json.dumps(request.json["messages"])
        fault = FAULTS[number // 10 % len(FAULTS)] if number % 10 == 9 else None
        self.asked[str(fault.status) if fault is not None and fault.status != 200 else "answered"] += 1
        if fault is not None and fault.status != 200:
            return fault
        return Step(text=GOOD if judging else ANSWER, delay_s=fault.delay_s if fault is not None else 0.05)


def main() -> None:
    """Run, print what came of it, and leave with 1 where it did not come to its end."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--litellm", type=Path, help="its command, where it is installed already")
    options.add_argument("--inspect", type=Path, help="the Python of an environment with inspect-ai and openai")
    options.add_argument("--samples", type=int, default=200)
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        command = chosen.litellm or _install(Path(folder))
        fine = _plumbrule(command, Path(folder), chosen.samples)
        if chosen.inspect is not None:
            _inspect(command, Path(folder), chosen.inspect, chosen.samples)
    sys.exit(0 if fine else 1)


def _install(folder: Path) -> Path:
    subprocess.run([sys.executable, "-m", "venv", folder / "litellm"], check=True)
    subprocess.run([folder / "litellm/bin/pip", "install", "--quiet", LITELLM], check=True)
    return folder / "litellm/bin/litellm"


def _plumbrule(command: Path, folder: Path, count: int) -> bool:
    provider = Provider()
    with ScriptedServer(provider) as server, _proxy(command, folder, server.port) as address:
        candidate = f'{{kind: model, model: "local:{MODEL}", base_url: "{address}/v1"}}'
        judge = f'{{kind: llm, model: "anthropic:{MODEL}", base_url: "{address}"}}'
        config = configure(folder, count, candidate, judge, "repeats: 1\nconcurrency: 16\n")
        done = run_command(config)
        shown = json.loads(call_command(config, "show", "last", "--json").stdout)
    usage, counts = shown["usage"], shown["aggregates"]["counts"]
    ours = usage["candidate"]["requests"] + usage["judge"]["requests"] + usage["calls_failed"]
    print(
        f"plumbrule: exit code {done['code']:g}, {counts['scored']} of {count} scored, {done['wall_s']:.1f} s, ", end=""
    )
    print(f"CPU {done['cpu_s']:.1f} s; requests at the server {dict(provider.asked)}, by the run {ours}", flush=True)
    return done["code"] == 0 and counts["scored"] == count and ours == provider.asked.total()


def _inspect(command: Path, folder: Path, python: Path, count: int) -> None:
    provider = Provider()
    script = folder / "inspect_task.py"
    script.write_text(INSPECT.replace("MODEL", MODEL), encoding="utf-8")
    with ScriptedServer(provider) as server, _proxy(command, folder, server.port) as address:
        started = time.monotonic(), _children_cpu_s()
        arguments = [str(python), str(script), f"{address}/v1", str(count)]
        done = subprocess.run(arguments, cwd=folder, capture_output=True, text=True, check=False)
        wall_s, cpu_s = time.monotonic() - started[0], _children_cpu_s() - started[1]
    told = done.stdout.strip() or done.stderr.strip()[-300:]
    print(f"inspect: {told}, {wall_s:.1f} s, CPU {cpu_s:.1f} s; requests at the server {dict(provider.asked)}")


def _children_cpu_s() -> float:
    times = os.times()
    return times.children_user + times.children_system


@contextmanager
def _proxy(command: Path, folder: Path, port: int) -> Iterator[str]:
    """Run the proxy in front of a server, and give its address."""
    model = {"model": f"openai/{MODEL}", "api_base": f"http://127.0.0.1:{port}/v1", "api_key": "none"}
    content = {
        "model_list": [{"model_name": MODEL, "litellm_params": model}],
        "litellm_settings": {"num_retries": 0, "telemetry": False},
        "router_settings": {"disable_cooldowns": True, "num_retries": 0},
    }
    (folder / "proxy.yaml").write_text(json.dumps(content), encoding="utf-8")
    with socket.create_server(("127.0.0.1", 0)) as free:
        own = free.getsockname()[1]
    arguments = [str(command), "--config", "proxy.yaml", "--host", "127.0.0.1", "--port", str(own)]
    environment = os.environ | {"LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    with (folder / "proxy.log").open("wb") as log:
        proxy = subprocess.Popen(arguments, cwd=folder, stdout=log, stderr=log, env=environment)
    address = f"http://127.0.0.1:{own}"
    try:
        for _ in range(120):
            try:
                urllib.request.urlopen(f"{address}/health/liveliness", timeout=2).close()  # noqa: S310 - our own
                break
            except OSError:
                time.sleep(1)
        yield address
    finally:
        proxy.kill()
        proxy.wait()


if __name__ == "__main__":
    main()
