"""A run through LiteLLM's proxy: the candidate over OpenAI's protocol, the judge over Anthropic's, to its end.

Behind the proxy a counting server answers; one request in ten with 429, 408 or late. The same answers are then asked
for and judged by Inspect AI and by promptfoo through the same proxy, each with its own defaults: compare wall and CPU.
None of the three is a dependency: pinned versions are installed in environments of their own, in a temporary folder or
in the one that ``--tools`` names, where they are found again. promptfoo needs npm and Node 20, and is left out where
there is no npm.
"""

import argparse
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from bench.faults import ANSWER, JUDGE, call_command, configure, run_command
from tests.servers.scripted import GOOD, Request, ScriptedServer, Step

LITELLM = "litellm[proxy]==1.74.0"
INSPECT_AI = ("inspect-ai==0.3.112", "openai==1.97.0")
PROMPTFOO = "promptfoo@0.121.20"  # the last that runs on Node 20
QUIET = {
    "PROMPTFOO_DISABLE_TELEMETRY": "1",
    "PROMPTFOO_DISABLE_UPDATE": "1",
    "PROMPTFOO_DISABLE_SHARING": "1",
    "PROMPTFOO_DISABLE_REMOTE_GENERATION": "1",
}
PASSED = '{"pass": true, "score": 1, "reason": "Correct."}'
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

    def __init__(self, judged: str = GOOD) -> None:
        self.asked: Counter[str] = Counter()
        self._judged = judged

    def __call__(self, request: Request) -> Step:
        """Answer one request."""
        number = self.asked.total()
        judging = JUDGE in json.dumps(request.json["messages"])
        fault = FAULTS[number // 10 % len(FAULTS)] if number % 10 == 9 else None
        self.asked[str(fault.status) if fault is not None and fault.status != 200 else "answered"] += 1
        if fault is not None and fault.status != 200:
            return fault
        text = self._judged if judging else ANSWER
        return Step(text=text, delay_s=fault.delay_s if fault is not None else 0.05)


class Done(NamedTuple):
    """What a run took, and whether it came to its end."""

    wall_s: float
    cpu_s: float
    fine: bool


def main() -> None:
    """Run, print what came of it, and leave with 1 where our run did not come to its end or took longer than others."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--tools", type=Path, help="folder for the other tools; kept, so that they are installed once")
    options.add_argument("--samples", type=int, default=200)
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tools = chosen.tools.resolve() if chosen.tools is not None else folder / "tools"
        proxy = make_environment(tools / "litellm", LITELLM) / "litellm"
        ours = _plumbrule(proxy, folder, chosen.samples)
        others = {"Inspect AI": _inspect(proxy, folder, tools, chosen.samples)}
        if shutil.which("npm") is None:
            print("promptfoo: left out, for there is no npm")
        else:
            others["promptfoo"] = _promptfoo(proxy, folder, tools, chosen.samples)
    for name, theirs in others.items():
        print(f"{name}: {theirs.wall_s / ours.wall_s:.1f} times our wall, {theirs.cpu_s / ours.cpu_s:.1f} our CPU")
    ahead = all(ours.wall_s < theirs.wall_s and ours.cpu_s < theirs.cpu_s for theirs in others.values())
    sys.exit(0 if ours.fine and ahead else 1)


def make_environment(folder: Path, *packages: str) -> Path:
    """Return where the commands of an environment with these packages are; it is made where there is none."""
    if not folder.exists():
        try:
            subprocess.run([sys.executable, "-m", "venv", folder], check=True)
            subprocess.run([folder / "bin/pip", "install", "--quiet", *packages], check=True)
        except subprocess.CalledProcessError:
            shutil.rmtree(folder, ignore_errors=True)  # half of one would be found again
            raise
    return folder / "bin"


def _plumbrule(proxy: Path, folder: Path, count: int) -> Done:
    provider = Provider()
    with ScriptedServer(provider) as server, _proxy(proxy, folder, server.port) as address:
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
    fine = done["code"] == 0 and counts["scored"] == count and ours == provider.asked.total()
    return Done(done["wall_s"], done["cpu_s"], fine)


def _inspect(proxy: Path, folder: Path, tools: Path, count: int) -> Done:
    python = make_environment(tools / "inspect", *INSPECT_AI) / "python"
    provider = Provider()
    script = folder / "inspect_task.py"
    script.write_text(INSPECT.replace("MODEL", MODEL), encoding="utf-8")
    with ScriptedServer(provider) as server, _proxy(proxy, folder, server.port) as address:
        wall_s, cpu_s, run = _timed([str(python), str(script), f"{address}/v1", str(count)], folder)
    told = run.stdout.strip() or run.stderr.strip()[-300:]
    print(f"Inspect AI: {told}, {wall_s:.1f} s, CPU {cpu_s:.1f} s; requests at the server {dict(provider.asked)}")
    return Done(wall_s, cpu_s, run.returncode == 0)


def _promptfoo(proxy: Path, folder: Path, tools: Path, count: int) -> Done:
    command = tools / "promptfoo/node_modules/.bin/promptfoo"
    if not command.exists():
        install = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--silent"]
        subprocess.run([*install, "--prefix", str(tools / "promptfoo"), PROMPTFOO], check=True)
    provider = Provider(PASSED)
    with ScriptedServer(provider) as server, _proxy(proxy, folder, server.port) as address:
        settings = {"apiBaseUrl": f"{address}/v1", "apiKey": "none", "temperature": 0, "max_tokens": 1024}
        model = {"id": f"openai:chat:{MODEL}", "config": settings}
        grading = f"{JUDGE} Say whether the answer '{{{{output}}}}' meets this: {{{{rubric}}}}"
        content = {
            "prompts": ["{{question}}"],
            "providers": [model],
            "defaultTest": {
                "assert": [{"type": "llm-rubric", "value": ANSWER}],
                "options": {"provider": model, "rubricPrompt": grading},
            },
            "tests": [{"vars": {"question": f"What is the fee of plan {number}?"}} for number in range(count)],
        }
        (folder / "promptfoo.json").write_text(json.dumps(content), encoding="utf-8")
        arguments = [str(command), "eval", "--config", "promptfoo.json", "--output", "result.json", "--no-cache"]
        more = ["--max-concurrency", "16", "--no-table", "--no-progress-bar"]
        wall_s, cpu_s, run = _timed([*arguments, *more], folder, QUIET | {"PROMPTFOO_CONFIG_DIR": str(folder)})
    result = folder / "result.json"
    told = json.loads(result.read_text())["results"]["stats"] if result.exists() else {"said": run.stderr[-300:]}
    told.pop("tokenUsage", None)
    print(f"promptfoo: {told}, {wall_s:.1f} s, CPU {cpu_s:.1f} s; requests at the server {dict(provider.asked)}")
    return Done(wall_s, cpu_s, run.returncode == 0)


def _timed(
    arguments: list[str], folder: Path, environment: Mapping[str, str] | None = None
) -> "tuple[float, float, subprocess.CompletedProcess[str]]":
    """Run a command in a folder, and return its wall and CPU seconds."""
    started = time.monotonic(), _children_cpu_s()
    variables = os.environ | (environment or {})
    done = subprocess.run(arguments, cwd=folder, capture_output=True, text=True, check=False, env=variables)
    return time.monotonic() - started[0], _children_cpu_s() - started[1], done


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
