"""What Plumbrule costs on top of the calls: CPU for each judged sample, beside a bare client loop on the same server.

The server is a process of its own; so is each case, so that its CPU time is its own. Read the ratio. With a thousand
slow calls at once the longest wait of the event loop, after the first answer, tells whether the run stays responsive.
"""

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

CASES = [(16, 0.0, 2000), (1000, 2.0, 3000)]  # calls at once, seconds a call takes, samples
BEAT_S = 0.01
SERVER = Path(__file__).parent.parent / "tests" / "servers" / "scripted.py"


def main() -> None:
    """Run every case and print the table."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--case", nargs=4, help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.case:
        case, port, at_once, count = chosen.case
        print(json.dumps({"bare": _bare, "plumbrule": _plumbrule}[case](int(port), int(at_once), int(count))))
        return
    print("\nJudging recorded answers by a model over HTTP, into a ledger on SQLite. CPU in milliseconds a sample.\n")
    print(f"{'at once':>8}{'call s':>8}{'samples':>9}{'bare':>8}{'plumbrule':>11}{'ratio':>7}{'longest wait ms':>20}")
    for at_once, delay_s, count in CASES:
        with subprocess.Popen([sys.executable, SERVER, str(delay_s)], stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout is not None  # noqa: S101 - it is a pipe
            port = server.stdout.readline().strip()
            bare, ours = (_measure(case, port, at_once, count) for case in ("bare", "plumbrule"))
            server.kill()
        ratio = ours["cpu_ms"] / bare["cpu_ms"]
        print(
            f"{at_once:>8}{delay_s:>8g}{count:>9}{bare['cpu_ms']:>8.2f}{ours['cpu_ms']:>11.2f}{ratio:>6.2f}x"
            f"{bare['longest_wait_ms']:>12.0f} / {ours['longest_wait_ms']:.0f}",
            flush=True,
        )


def _measure(case: str, port: str, at_once: int, count: int) -> dict[str, float]:
    command = [sys.executable, "-m", "bench.overhead", "--case", case, port, str(at_once), str(count)]
    measured: dict[str, float] = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    return measured


def _records(count: int) -> list[dict[str, Any]]:
    passage = "Outgoing domestic wires cost $25 and are final once sent. " * 20
    return [
        {
            "id": f"q{number}",
            "question": f"What is the fee for wire {number}?",
            "answer": "The fee is $25, and the wire is final once sent.",
            "contexts": [passage],
            "reference": "$25",
            "latency_e2e_ms": 900,
            "input_tokens": 300,
            "output_tokens": 20,
        }
        for number in range(count)
    ]


def _bare(port: int, at_once: int, count: int) -> dict[str, float]:
    """Ask with nothing but the client: the prompt, the call, the reply as JSON."""
    import httpx  # noqa: PLC0415 - each case imports only its own

    from plumbrule.judges.judge_prompt import prompt_for  # noqa: PLC0415 - the same
    from plumbrule.samples import samples_from  # noqa: PLC0415 - the same

    samples = list(samples_from(_records(count)))
    kept: list[object] = []
    waits: list[float] = []

    async def ask_all() -> None:
        places = asyncio.Semaphore(at_once)
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=256)
        async with (
            httpx.AsyncClient(timeout=60, limits=limits, trust_env=False) as client,
            asyncio.TaskGroup() as group,
        ):

            async def ask(prompt: str) -> None:
                async with places:
                    body = {"model": "m", "messages": [{"role": "user", "content": prompt}], "temperature": 0}
                    answer = await client.post(f"http://127.0.0.1:{port}/v1/chat/completions", json=body)
                    kept.append(json.loads(answer.json()["choices"][0]["message"]["content"]))
                    if not waits:
                        _beat(waits)

            for sample in samples:
                group.create_task(ask(prompt_for(sample)))

    begin = time.process_time()
    asyncio.run(ask_all())
    return {"cpu_ms": (time.process_time() - begin) * 1000 / len(kept), "longest_wait_ms": max(waits) * 1000}


def _beat(waits: list[float], due: float | None = None) -> None:
    """Note how much later than due the event loop comes to this, again and again."""
    loop = asyncio.get_running_loop()
    waits.append(loop.time() - due if due is not None else 0.0)
    loop.call_later(BEAT_S, _beat, waits, loop.time() + BEAT_S)


def _plumbrule(port: int, at_once: int, count: int) -> dict[str, float]:
    """Carry out a run, from its configuration to its figures in the ledger."""
    from plumbrule.ledger import open_ledger  # noqa: PLC0415 - the same
    from plumbrule.runs.plan import plan_run  # noqa: PLC0415 - the same
    from plumbrule.runs.session import execute  # noqa: PLC0415 - each case imports only its own

    waits: list[float] = []

    def watch(_: object) -> None:
        if not waits:
            _beat(waits)

    def clock() -> datetime:
        return datetime.now(UTC)

    with tempfile.TemporaryDirectory() as folder:
        data = "".join(json.dumps(record) + "\n" for record in _records(count))
        Path(folder, "data.jsonl").write_text(data, encoding="utf-8")
        config = Path(folder, "run.yaml")
        config.write_text(
            "name: overhead\ndataset: {path: data.jsonl, id: overhead}\ncandidate: {kind: recorded}\n"
            f'judge: {{kind: llm, model: "local:m", base_url: "http://127.0.0.1:{port}/v1"}}\nconcurrency: {at_once}\n',
            encoding="utf-8",
        )
        begin = time.process_time()
        with open_ledger(f"sqlite:///{folder}/ledger.db", at=clock()) as ledger:
            progress = execute(plan_run(config), ledger, clock, watch=watch).progress
        spent = time.process_time() - begin
    if progress.finished < progress.total:
        sys.exit("the run did not come to its end")
    return {"cpu_ms": spent * 1000 / count, "longest_wait_ms": max(waits) * 1000}


if __name__ == "__main__":
    main()
