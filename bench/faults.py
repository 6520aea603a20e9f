"""Runs against a provider that fails: every sample ends scored or typed, and every call is counted.

A counting server on loopback plays candidate and judge. One request in twenty is answered with a fault, by turns of
every kind: 429 with and without Retry-After, 408, 409, 425, 500, 502, 503, 504, 529, a reset, a body that ends early,
JSON that is cut, another content type, 400, an answer that never comes, an empty reply, one that is cut at max_tokens,
one that is no judgement. The second case is a provider that answers four requests a second, and 429 to the others.
"""

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.servers.scripted import GOOD, Request, ScriptedServer, Step

JUDGE = "You are a strict evaluation judge."
ANSWER = "The fee is $25."
TIMEOUT_S = 10.0
FAULTS = {
    "429": Step(status=429),
    "429 with Retry-After": Step(status=429, headers={"retry-after-ms": "100"}),
    **{str(status): Step(status=status) for status in (408, 409, 425, 500, 502, 503, 504, 529, 400)},
    "reset": Step(reset=True),
    "ends early": Step(cut_at=20),
    "cut JSON": Step(body=b'{"choices": ['),
    "another content type": Step(content_type="text/html"),
    "never": Step(delay_s=10 * TIMEOUT_S),
    "empty": Step(text=""),
    "cut at max_tokens": Step(text="The fee", finish_reason="length"),
    "no judgement": Step(text="Fine, I suppose."),
}


@dataclass
class Provider:
    """Answers as a candidate or a judge, with faults; counts what it was asked."""

    share: float
    seed: int = 7
    asked: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)  # noqa: S311 - a bench, not a secret
        self._turn = 0

    def __call__(self, request: Request) -> Step:
        """Answer one request."""
        judging = request.prompt.startswith(JUDGE)
        self.asked["judge" if judging else "candidate"] += 1
        if self._random.random() >= self.share:
            return Step(text=GOOD if judging else ANSWER)
        kind = list(FAULTS)[self._turn % len(FAULTS)]
        self._turn += 1
        self.faults[kind] += 1
        return FAULTS[kind]


@dataclass
class Limited:
    """Answers so many requests within any second, and 429 to the others."""

    per_s: int
    asked: Counter[str] = field(default_factory=Counter)
    _within: list[float] = field(default_factory=list)

    def __call__(self, request: Request) -> Step:  # noqa: ARG002 - every request counts alike
        """Answer one request."""
        now = time.monotonic()
        self._within = [moment for moment in self._within if moment > now - 1]
        fine = len(self._within) < self.per_s
        self.asked["answered" if fine else "429"] += 1
        if fine:
            self._within.append(now)
        return Step() if fine else Step(status=429)


def main() -> None:
    """Run both cases and print what came of them; leave with 1 where anything is lost or miscounted."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--samples", type=int, default=5000)
    chosen = options.parse_args()
    sys.exit(0 if all([_faulty(chosen.samples), _limited(60, per_s=4)]) else 1)


def _faulty(count: int) -> bool:
    provider = Provider(share=0.05)
    with ScriptedServer(provider) as server, tempfile.TemporaryDirectory() as folder:
        candidate = _model(server, "candidate", "model")
        more = f"repeats: 1\nconcurrency: 16\ntimeout_s: {TIMEOUT_S}\nstop_after_failures: 1000\n"
        config = configure(Path(folder), count, candidate, _model(server, "judge", "llm"), more)
        done = run_command(config, "--accept-errors")
        shown = json.loads(call_command(config, "show", "last", "--samples", "--json").stdout)
    samples = shown["samples"]
    typed = Counter(
        sample["candidate_error"] or sample["evaluator_error"] or ("timed_out" if sample["timed_out"] else "scored")
        for sample in samples
    )
    odd = [sample for sample in samples if not _has_an_end(sample)]
    usage = shown["usage"]
    ours = {role: usage[role]["requests"] for role in ("candidate", "judge")}
    asked = dict(provider.asked)
    print(
        f"\n{count:,} samples, {sum(asked.values()):,} requests, {sum(provider.faults.values()):,} faults of "
        f"{len(provider.faults)} kinds; {done['wall_s']:.0f} s, CPU {done['cpu_s']:.1f} s"
    )
    print("faults: " + ", ".join(f"{kind} {number}" for kind, number in sorted(provider.faults.items())))
    print("samples: " + ", ".join(f"{kind} {number:,}" for kind, number in typed.most_common()))
    print(f"without an end: {len(odd) + count - len(samples)}; exit code {done['code']}")
    print(f"requests by the server: {asked}; by the run: {ours}, failed in samples tried again {usage['calls_failed']}")
    return done["code"] == 0 and not odd and len(samples) == count and ours == asked and not usage["calls_failed"]


def _has_an_end(sample: dict[str, Any]) -> bool:
    scored = sample["accuracy_score"] is not None
    return scored or sample["evaluator_error"] is not None or sample["candidate_error"] is not None


def _limited(count: int, *, per_s: int) -> bool:
    provider = Limited(per_s=per_s)
    with ScriptedServer(provider) as server, tempfile.TemporaryDirectory() as folder:
        config = configure(Path(folder), count, "{kind: recorded}", _model(server, "judge", "llm"), "concurrency: 16\n")
        done = run_command(config)
        shown = json.loads(call_command(config, "show", "last", "--json").stdout)
    ours = shown["usage"]["judge"]["requests"]
    print(
        f"\n{per_s} requests a second, {count} samples, concurrency 16: exit code {done['code']}, "
        f"{shown['aggregates']['counts']['scored']} scored, {done['wall_s']:.0f} s (at least {count / per_s:.0f} s)"
    )
    print(f"requests by the server: {dict(provider.asked)}; by the run: {ours}")
    return done["code"] == 0 and ours == sum(provider.asked.values())


def _model(server: ScriptedServer, name: str, kind: str) -> str:
    return f'{{kind: {kind}, model: "local:{name}", base_url: "{server.base_url("openai")}"}}'


def configure(folder: Path, count: int, candidate: str, judge: str, more: str) -> Path:
    """Write so many samples and the configuration of a run of them."""
    records = [
        {
            "id": f"q{number}",
            "question": f"What is the fee of plan {number}?",
            "answer": ANSWER,
            "contexts": [ANSWER],
            "reference": ANSWER,
            "latency_e2e_ms": 900,
            "input_tokens": 300,
            "output_tokens": 20,
        }
        for number in range(count)
    ]
    (folder / "data.jsonl").write_text("\n".join(map(json.dumps, records)) + "\n", encoding="utf-8")
    config = folder / "run.yaml"
    text = f"name: faults\ndataset: {{path: data.jsonl, id: faults}}\ncandidate: {candidate}\njudge: {judge}\n{more}"
    config.write_text(text, encoding="utf-8")
    return config


def run_command(config: Path, *options: str) -> dict[str, float]:
    """Carry out the run, and return its exit code and what time it took."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = call_command(config, "run", config.name, "--json", *options)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        print(done.stderr, file=sys.stderr)
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"code": done.returncode, "wall_s": time.monotonic() - started, "cpu_s": cpu_s}


def call_command(config: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Call the command in the folder of the configuration."""
    command = [str(Path(sys.executable).with_name("plumbrule")), *arguments]
    return subprocess.run(command, cwd=config.parent, capture_output=True, text=True, check=False)


if __name__ == "__main__":
    main()
