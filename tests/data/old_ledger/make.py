"""Makes the kept ledger and its inputs with the command line alone: ``python -m tests.data.old_ledger.make``.

Run it with PYTHONPATH at the source tree that shall have made the ledger (see README.md); ``commands.py`` then keeps
what the commands print about it. Nothing of the package is used but its entry point.
"""

import gzip
import json
import platform
import shutil
import sqlite3
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.data.old_ledger.commands import invoke

HERE = Path(__file__).parent
GOLDEN = HERE.parents[1] / "runs" / "golden"
PORT = 18765  # of the scripted judge; the ledger keeps it
DIMENSIONS = (
    "attribution_accuracy",
    "retrieval_relevance",
    "grounding_integrity",
    "response_completeness",
    "refusal_appropriateness",
    "compliance_alignment",
)
TIGHT = """\
version: tight-1
weights: {accuracy: 0.40, faithfulness: 0.40, latency: 0.10, token_efficiency: 0.10}
gates: {aggregate_score: 0.50, pass_rate: 0.40, faithfulness_failure_rate: 0.35, latency_e2e_p95_ms: 9000}
total_tokens: {full_score_up_to: 400}
rationale: {at_most_words: 20}
"""
LOOSE = "version: loose-1\ngates: {aggregate_score: 0.10, pass_rate: 0.10, faithfulness_failure_rate: 0.9}\n"
RULES = "version: rules-x\nfaithfulness: {drift_cost: 2}\n"
VERDICT = "version: verdict-x\nrelevance: {fail_below: 0.05}\nsupport: {unsupported_below: 0.2}\n"
DESK = '''\
"""Answers from a table: one right, one wrong, one late, one that fails."""
import time


def reply(sample):
    number = int(sample["id"][1:])
    if number == 4:
        time.sleep(2)
    if number == 5:
        raise ValueError("no such plan")
    fee = 25 if number != 2 else 40
    return {"answer": f"The fee of plan {number} is ${fee}.", "input_tokens": 100, "output_tokens": 12}
'''


class Maker:
    """Runs commands in one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, *arguments: str, code: int | None = 0) -> str:
        """Run one command and return what it printed."""
        done = invoke(arguments, self.folder)
        if code is None:
            sys.stderr.write(f"{' '.join(arguments)}: exit code {done['exit']} {done['stderr']}\n")
        elif done["exit"] != str(code):
            raise SystemExit(f"{arguments}: exit code {done['exit']}\n{done['stdout']}\n{done['stderr']}")
        return done["stdout"]

    def write(self, name: str, content: object) -> str:
        """Write text, or a list as JSON Lines, and return its name."""
        if isinstance(content, list):
            content = "".join(json.dumps(line) + "\n" for line in content)
        (self.folder / name).write_text(str(content), encoding="utf-8")
        return name

    def lines(self, name: str) -> list[dict[str, Any]]:
        """Return the JSON lines of a file."""
        return [json.loads(line) for line in (self.folder / name).read_text(encoding="utf-8").splitlines()]


class Judge(BaseHTTPRequestHandler):
    """A chat model that gives each golden sample the scores of its file, and 2 and 1 to any other."""

    protocol_version = "HTTP/1.1"
    scores: dict[str, dict[str, Any]] = {}  # noqa: RUF012 - filled once, read by every request

    def do_POST(self) -> None:
        """Judge, or answer where nothing asks for a judgement."""
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))["messages"][-1]["content"]
        text = "The fee is $25."
        if "strict evaluation judge" in asked:
            key = asked.partition("Golden ")[2].partition(":")[0]
            given = self.scores.get(key, {"accuracy_score": 2, "faithfulness_score": 1})
            text = json.dumps({name: given[name] for name in ("accuracy_score", "faithfulness_score")}
                              | {"rationale": given.get("rationale", "Scripted.")})  # fmt: skip
            if given.get("evaluator_error") == "parse_error":
                text = "I would rather not say."
        body = json.dumps(
            {
                "id": "chatcmpl-1",
                "object": "chat.completion",
                "model": "scripted-2025-01-01",
                "system_fingerprint": "fp_scripted",
                "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": 321, "completion_tokens": 21},
            }
        ).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the library's
        """Log nothing."""


@contextmanager
def scripted_judge() -> Iterator[str]:
    """Serve the judge, and yield its configuration."""
    with ThreadingHTTPServer(("127.0.0.1", PORT), Judge) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f'{{kind: llm, model: "local:judge", base_url: "http://127.0.0.1:{PORT}/v1"}}'
        server.shutdown()


def benchmark_runs(run: Maker, judge: str) -> None:
    """Add runs: changed rubrics, other answers, the golden ones, a panel, repeats, one that a budget stopped."""
    demo = "dataset: {path: answers.jsonl, id: compliance-qa}\ncandidate: {kind: recorded}\njudge: {kind: rules}\n"
    run.write("tight_benchmark.yaml", TIGHT)
    run.write("loose_benchmark.yaml", LOOSE)
    run.write("changed_rules.yaml", RULES)
    run.write("changed_verdict.yaml", VERDICT)
    run("run", run.write("tight.yaml", f"name: tight\n{demo}rubric: {{benchmark: tight_benchmark.yaml}}\n"))
    rubrics = "rubric: {benchmark: loose_benchmark.yaml, rules: changed_rules.yaml, verdict: changed_verdict.yaml}\n"
    run("run", run.write("loose.yaml", f"name: loose\n{demo}{rubrics}"))
    better = run.lines("answers.jsonl")
    for number, sample in enumerate(better):
        if number % 3 == 0 and sample.get("reference"):
            sample["answer"] = sample["reference"]
        if sample.get("latency_e2e_ms"):
            sample["latency_e2e_ms"] = round(sample["latency_e2e_ms"] * 0.8, 3)
    run.write("better.jsonl", better[:-2])
    run("run", run.write("better.yaml", "name: better\n" + demo.replace("answers.jsonl", "better.jsonl")))
    for path in sorted(GOLDEN.glob("*.json")):
        golden = json.loads(path.read_text(encoding="utf-8"))
        name = golden["name"]
        Judge.scores |= {f"{name} {sample['sample_id']}": sample for sample in golden["samples"]}
        run.write(f"{name}.jsonl", [golden_sample(name, sample) for sample in golden["samples"]])
        about = f"name: {name}\ndataset: {{path: {name}.jsonl, id: golden-{name}}}\njudge: {judge}\n"
        candidate = 'candidate: {kind: recorded, model_id: "golden@1", prompt_id: p, prompt_version: "7"}\n'
        prices = 'prices: {"local:judge": {input_per_million: 2.0, output_per_million: 8.0}}\n'
        run("run", run.write(f"{name}.yaml", about + candidate + prices))
    fees = []
    for number in range(6):
        fact = f"The fee of plan {number} is $25."
        asked = {"id": f"f{number}", "question": f"What is the fee of plan {number}?", "answer": "?"}
        fees.append({**asked, "contexts": [fact], "reference": fact, "category": "fees", "tags": ["plan"]})
    run.write("fees.jsonl", fees)
    run.write("desk.py", DESK)
    panel = f"{{kind: panel, vote: median, judges: [{{kind: rules}}, {judge}]}}"
    about = "dataset: {path: fees.jsonl, id: fees}\n"
    desk = 'candidate: {kind: python, target: "desk:reply", model_id: "desk@1"}\n'
    limits = "timeout_s: 0.5\nrepeats: 3\nconcurrency: 2\n"
    run("run", run.write("panel.yaml", f"name: panel\n{about}{desk}judge: {panel}\n{limits}"), "--accept-errors")
    model = f'candidate: {{kind: model, model: "local:candidate-2025-01-01", base_url: "http://127.0.0.1:{PORT}/v1"}}\n'
    stopped = f"name: stopped\n{about}{model}judge: {judge}\nconcurrency: 1\nbudget: {{max_calls: 5}}\n"
    run("run", run.write("stopped.yaml", stopped), code=None)


def golden_sample(name: str, given: dict[str, Any]) -> dict[str, Any]:
    """Return a sample that was recorded with these latencies and tokens."""
    sample = {"id": given["sample_id"], "question": f"Golden {name} {given['sample_id']}: what is the fee?",
              "answer": "The fee is $25.", "contexts": ["The fee is $25."], "reference": "The fee is $25."}  # fmt: skip
    sample |= {key: value for key, value in given.items() if key.startswith("latency") or key.endswith("tokens")}
    if given.get("timed_out"):
        sample |= {"timed_out": True, "answer": None}
    if given.get("refused"):
        sample |= {"answer": None, "refusal": {"code": "NO_ELIGIBLE_DOCS", "reason": "nothing was found"}}
    return {key: value for key, value in sample.items() if value is not None or key == "answer"}


def card(trace_id: str, evaluator: str, *levels: str, notes: str = "") -> dict[str, Any]:
    """Return a record; levels left out are Strong."""
    scores = dict(zip(DIMENSIONS, [*levels, *["Strong"] * len(DIMENSIONS)], strict=False))
    return {"trace_id": trace_id, "evaluator": evaluator, "date": "2025-06-02", "scores": scores, "notes": notes}


FILES = ("interactions.jsonl", "--passages", "corpus.jsonl")


def items_of(run: Maker, campaign: str, *more: str) -> list[str]:
    """Return the interactions of a campaign."""
    listed = json.loads(run("review", "list", campaign, *more, "--json"))
    return [item["trace_id"] for item in listed["items"]]


def rate(run: Maker, campaign: str, record: dict[str, Any]) -> None:
    """Claim an item and submit its record."""
    run("review", "claim", record["trace_id"], "--as", record["evaluator"], "--campaign", campaign)
    run("review", "submit", run.write("card.json", [record]), "--campaign", campaign)


def another_scorecard(run: Maker) -> None:
    """Add a campaign by another scorecard altogether, adjudicated and closed."""
    shutil.copy(HERE / "inputs" / "support_card.yaml", run.folder)
    about = ("--trigger", "monitoring", "--size", "2", "--rubric", "support_card.yaml")
    run("sample", *FILES, *about, "--name", "four", "--as", "Lead")
    items = items_of(run, "four")
    for name, tone in (("Ada", "Good"), ("Bob", "Bad")):
        run("review", "claim", "--count", "2", "--as", name, "--campaign", "four")
        cards = [
            {
                "trace_id": each,
                "notes": "n",
                "scores": {"accuracy": "Good", "helpfulness": 2, "tone": tone, "safety": 3},
            }
            for each in items
        ]
        run("review", "submit", run.write("cards.jsonl", cards), "--as", name, "--campaign", "four")
    for each in items:
        decision = run.write("decision.json", [{"scores": {"tone": "Fair"}, "notes": "curt"}])
        run("review", "adjudicate", each, "--as", "Cy", "--record", decision, "--campaign", "four")
    run("review", "close", "--campaign", "four", "--as", "Lead", code=None)


def corpus_release(run: Maker) -> None:
    """Add a campaign by a stricter scorecard: two evaluators, one revision, an adjudication that is revised."""
    run.write("strict_card.yaml", "version: strict-1\nrecommendation: {pass_at_least: 3.9}\nclaims: {minutes: 1}\n")
    about = ("--trigger", "corpus-release", "--changed", "OPS-014", "--size", "3", "--evaluators", "2")
    rubrics = ("--rubric", "strict_card.yaml", "--verdict-rubric", "changed_verdict.yaml")
    run("sample", *FILES, *about, *rubrics, "--name", "corpus-1", "--as", "Lead")
    items = items_of(run, "corpus-1")
    for name, level in (("Ada", "Strong"), ("Bob", "Needs Review")):
        for each in items:
            rate(run, "corpus-1", card(each, name, level, notes="The marker stands at the wrong claim."))
    change = run.write("change.json", [{"trace_id": items[0], "scores": {"grounding_integrity": 3}}])
    run("review", "revise", change, "--as", "Ada", "--reason", "misread the second passage", "--campaign", "corpus-1")
    for each in items:
        decision = run.write("decision.json", [{"scores": {DIMENSIONS[0]: "Adequate"}, "notes": "In between."}])
        run("review", "adjudicate", each, "--as", "Cy", "--record", decision, "--campaign", "corpus-1")
    again = {"trace_id": items[0], "scores": {DIMENSIONS[0]: "Needs Review"}, "notes": "No."}
    revise = ("review", "revise", run.write("change.json", [again]), "--as", "Cy", "--adjudicator")
    run(*revise, "--reason", "on reflection", "--campaign", "corpus-1")
    run("review", "close", "--campaign", "corpus-1", "--mode", "run_mean", "--as", "Lead", code=None)


def model_change(run: Maker) -> None:
    """Add a campaign of pairs, closed as it is, with items that nobody rated."""
    later = run.lines("interactions.jsonl")
    for number, line in enumerate(later):
        line["response"]["timestamp"] = line["response"]["timestamp"].replace("2025-03-31T", "2025-05-30T")
        line["response"]["trace_id"] = line["trace"]["trace_id"] = f"later-{number:02}"
    run.write("later.jsonl", later)
    about = ("--trigger", "model-change", "--size", "4", "--earlier", "interactions.jsonl", "--evaluators", "2")
    run("sample", "later.jsonl", "--passages", "corpus.jsonl", *about, "--name", "model-2", "--no-claims")
    first = items_of(run, "model-2")[0]
    rate(run, "model-2", card(first, "Ada", "Adequate", "Strong", "Unsafe", notes="The fee is wrong."))
    run("review", "close", "--campaign", "model-2", "--as-is", code=1)


def incident(run: Maker) -> None:
    """Add the review of an incident, which waits for an adjudicator, and two records outside of any campaign."""
    ids = [line["response"]["trace_id"] for line in run.lines("interactions.jsonl")]
    about = ("--trigger", "incident", "--trace", ids[1], "--evaluators", "2")
    run("sample", *FILES, *about, "--name", "incident-1", "--as", "Lead")
    for name in ("Ada", "Bob"):
        rate(run, "incident-1", card(ids[1], name, "Strong", "Adequate", "Unsafe", notes="It makes up a limit."))
    told = {**card("by-telephone", "Dee", "Adequate", notes="By telephone."), "query": "What is the wire fee?"}
    seen = {**card(ids[2], "Dee", "Needs Review", notes="Odd."), "query": "Asked again."}
    adhoc = [{**each, "trigger": "monitoring"} for each in (told, seen)]
    run("review", "submit", run.write("adhoc.json", adhoc), "--adhoc")


def open_campaign(run: Maker) -> None:
    """Add an open campaign: rated by both, by one, waiting for an adjudicator, assigned, given back, held too long."""
    about = ("--trigger", "pre-deployment", "--rubric", "strict_card.yaml")
    run("sample", "later.jsonl", "--passages", "corpus.jsonl", *about, "--name", "open-1", "--as", "Lead")
    run("review", "claim", "--count", "5", "--as", "Ada", "--campaign", "open-1")
    held = items_of(run, "open-1", "--as", "Ada", "--mine")
    cards = [card(each, "Ada", "Strong", "Adequate") for each in held[:3]]
    run("review", "submit", run.write("cards.jsonl", cards), "--campaign", "open-1")
    for each, level in ((held[0], "Strong"), (held[1], "Unsafe")):
        rate(run, "open-1", card(each, "Bob", level, notes="The source says otherwise."))
    change = run.write("change.json", [{"trace_id": held[0], "scores": {DIMENSIONS[1]: 4}}])
    run("review", "revise", change, "--as", "Ada", "--reason", "saw the third passage", "--campaign", "open-1")
    run("review", "release", held[4], "--as", "Ada", "--campaign", "open-1")
    run("review", "assign", held[4], "--to", "Bob", "--as", "Lead", "--campaign", "open-1")
    time.sleep(61)  # until what Ada still holds may be taken by others: what is listed depends on the time no more


def keep(source: Path, target: Path) -> None:
    """Compress a file; the same content gives the same bytes."""
    target.write_bytes(gzip.compress(source.read_bytes(), 9, mtime=0))


def main() -> None:
    """Make the ledger in a temporary folder, and keep it."""
    platform.platform = lambda *_, **__: "Linux"  # each run keeps it: a neutral name stands for this machine's
    with tempfile.TemporaryDirectory() as folder:
        Maker(Path(folder))("demo")
        run = Maker(Path(folder) / "plumbrule-demo")
        with scripted_judge() as judge:
            benchmark_runs(run, judge)
        another_scorecard(run)
        corpus_release(run)
        model_change(run)
        incident(run)
        open_campaign(run)
        run("monitor", "--from", "2025-W14", code=1)
        run("monitor", "--rubric", "support_card.yaml", code=None)
        run("ledger", "export", "all.jsonl", "--with-open-ratings", "--as", "Auditor")
        database = run.folder / ".plumbrule" / "ledger.db"
        with closing(sqlite3.connect(database)) as opened:
            opened.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            opened.execute("VACUUM")
        keep(database, HERE / "ledger.db.gz")
        for name in ("answers.jsonl", "better.jsonl", "corpus.jsonl", "interactions.jsonl"):
            keep(run.folder / name, HERE / "inputs" / f"{name}.gz")
        for name in ("tight_benchmark.yaml", "changed_rules.yaml", "changed_verdict.yaml", "strict_card.yaml"):
            shutil.copy(run.folder / name, HERE / "inputs")


if __name__ == "__main__":
    main()
