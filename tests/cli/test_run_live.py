"""Runs that call somebody, over real HTTP: judges, live candidates, budgets, failures, and going on after them."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.clock import LONG_S, MovableTime, wait_until
from tests.processes import start_interruptible
from tests.servers.scripted import GOOD, MODEL, Request, ScriptedServer, Step, responding

from plumbrule.judges.judgement import Judgement
from plumbrule.judges.rules_judge import RulesJudge
from plumbrule.ledger import Ledger, LedgerFullError, open_ledger
from plumbrule.runs.candidate import Answered
from plumbrule.runs.candidates.http_candidate import HttpCandidate
from plumbrule.samples import Sample
from plumbrule.support.support_model import load_model

COMMAND = Path(sys.executable).with_name("plumbrule")
JUDGE = "You are a strict evaluation judge."

Run = Callable[..., Any]
Start = Callable[..., ScriptedServer]


@pytest.fixture
def start() -> Iterator[Start]:
    """Return a function that starts a server with a script; it stops with the test."""
    running: list[ScriptedServer] = []

    def start_server(script: Any = None) -> ScriptedServer:
        server = ScriptedServer(script)
        server.__enter__()
        running.append(server)
        return server

    yield start_server
    for server in running:
        server.__exit__()


@pytest.fixture
def configure(tmp_path: Path) -> Callable[..., None]:
    """Return a function that writes data.jsonl and run.yaml."""

    def write(candidate: str, judge: str, more: str = "", *, count: int = 12) -> None:
        records = [
            {
                "id": f"q{number}",
                "question": f"What is the fee of plan q{number}?",
                "answer": "The fee is $25.",
                "contexts": ["The fee is $25."],
                "reference": "The fee is $25.",
                "latency_e2e_ms": 900,
                "input_tokens": 300,
                "output_tokens": 20,
            }
            for number in range(count)
        ]
        (tmp_path / "data.jsonl").write_text("\n".join(map(json.dumps, records)) + "\n")
        (tmp_path / "run.yaml").write_text(
            f"name: live\ndataset: {{path: data.jsonl, id: fees}}\ncandidate: {candidate}\njudge: {judge}\n{more}\n"
        )

    return write


RECORDED, RULES = "{kind: recorded}", "{kind: rules}"


def judge_at(server: ScriptedServer, model: str = "local:judge", protocol: str = "openai") -> str:
    """Return the configuration of a judge on the server."""
    return f'{{kind: llm, model: "{model}", base_url: "{server.base_url(protocol)}"}}'


def model_at(server: ScriptedServer) -> str:
    """Return the configuration of a candidate model on the server."""
    return f'{{kind: model, model: "local:candidate-2025-01-01", base_url: "{server.base_url("openai")}"}}'


def answers_and_judges(request: Request) -> Step:
    """Answer as a candidate, or judge."""
    return Step(text=GOOD if request.prompt.startswith(JUDGE) else "The fee is $25.")


@pytest.mark.parametrize(
    ("protocol", "model"), [("openai", "local:judge"), ("anthropic", "anthropic:claude-sonnet-4-20250514")]
)
def test_a_model_judges_recorded_answers(
    run: Run, start: Start, configure: Callable[..., None], protocol: str, model: str
) -> None:
    """One call a sample; scores, reported model, tokens and cost are kept apart from the candidate's."""
    server = start()
    price = f'prices: {{"{model}": {{input_per_million: 1, output_per_million: 10}}}}'
    configure(RECORDED, judge_at(server, model, protocol), price)
    done = run("run", "run.yaml", "--json")
    assert (done.code, done.err) == (0, "")
    [shown] = done.records
    assert len(server.requests) == 12
    assert (shown["aggregates"]["accuracy_mean"], shown["aggregates"]["faithfulness_mean"]) == (2.0, 1.0)
    assert shown["metadata"]["evaluator_model_id"] == model
    assert shown["metadata"]["evaluator_model_reported"] == [MODEL]
    assert shown["usage"]["judge"] == {
        "requests": 12,
        "input_tokens": 12 * 321,
        "output_tokens": 12 * 21,
        "cost_usd": pytest.approx(12 * (321 + 210) / 1e6),
    }
    assert shown["usage"]["candidate"]["requests"] == 0
    assert shown["aggregates"]["total_tokens"] == 12 * 320
    assert run("ledger", "verify").code == 0
    assert bands(run) == {"supported": 0, "doubtful": 0, "unsupported": 0, "not_given": 12, "stamps": []}


def bands(run: Run) -> dict[str, Any]:
    """Return what the report of the last run says of support."""
    assert run("report", "last", "-o", "report.json").code == 0
    found: dict[str, Any] = json.loads(Path("report.json").read_bytes())["support"]
    return found


def test_a_panel_judges(run: Run, start: Start, configure: Callable[..., None]) -> None:
    """Rules and a model together; every member's judgement is kept."""
    server = start()
    configure(RECORDED, f"{{kind: panel, vote: median, judges: [{RULES}, {judge_at(server)}]}}")
    [shown] = run("run", "run.yaml", "--json").records
    assert shown["complete"]
    assert shown["metadata"]["evaluator_model_id"] == "local:judge"
    assert len(server.requests) == 12
    told = bands(run)
    assert told["supported"] + told["doubtful"] > told["not_given"]
    assert [(stamp["part"], stamp["sha256"]) for stamp in told["stamps"]] == [("model", load_model().sha256)]


def test_a_cache_is_paid_for_once(run: Run, start: Start, configure: Callable[..., None]) -> None:
    """A second run with the same file asks nobody, and its samples say so."""
    server = start()
    configure(RECORDED, judge_at(server)[:-1] + ", cache: kept/judge.db}")
    [first] = run("run", "run.yaml", "--json").records
    [second] = run("run", "run.yaml", "--json").records
    assert len(server.requests) == 12
    assert json.dumps(first["aggregates"]) == json.dumps(second["aggregates"])
    assert second["usage"]["judge"]["requests"] == 0
    [shown] = run("show", "last", "--samples", "--json").records
    assert all("cached" in sample["flags"] for sample in shown["samples"])


def test_a_model_answers(run: Run, start: Start, configure: Callable[..., None]) -> None:
    """Three repeats by default; latency is measured, the dataset's old figures are not used."""
    server = start(answers_and_judges)
    configure(model_at(server), judge_at(server))
    [shown] = run("run", "run.yaml", "--json").records
    assert shown["complete"]
    assert shown["repeats"]["repeats"] == 3
    assert len(server.requests) == 12 * 3 * 2
    assert shown["metadata"]["model_id"] == "local:candidate-2025-01-01"
    assert shown["metadata"]["model_version"] == "2025-01-01"
    assert shown["metadata"]["prompt_template_version_or_hash"] is not None
    assert shown["usage"]["candidate"]["input_tokens"] == 36 * 321
    assert shown["aggregates"]["total_input_tokens"] == 12 * 321
    assert 0 < shown["aggregates"]["latency_e2e_p50_ms"] != 900


def test_a_timeout_is_recorded(
    run: Run, start: Start, configure: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is non-responsive: accuracy 0, faithfulness none, its elapsed time counts, and no judge is called."""
    moved = MovableTime()
    monkeypatch.setattr(asyncio, "run", moved.run)

    def script(request: Request) -> Step:
        late = "q3?" in request.prompt and not request.prompt.startswith(JUDGE)
        if late:
            moved.move(LONG_S)
        return Step(delay_s=LONG_S) if late else answers_and_judges(request)

    server = start(script)
    configure(model_at(server), judge_at(server), f"repeats: 1\nconcurrency: 1\ntimeout_s: {LONG_S}")
    [_] = run("run", "run.yaml", "--json").records
    [shown] = run("show", "last", "--samples", "--json").records
    [late] = [sample for sample in shown["samples"] if sample["sample_id"] == "q3"]
    assert (late["timed_out"], late["accuracy_score"], late["faithfulness_score"]) == (True, 0, None)
    assert late["latency_e2e_ms"] >= LONG_S * 1000
    assert shown["aggregates"]["counts"]["timed_out"] == 1
    assert sum("q3?" in request.prompt for request in server.requests) == 1


def test_an_endpoint_answers(run: Run, start: Start, configure: Callable[..., None]) -> None:
    """The compliance assistant's own response, refusals too."""

    def script(request: Request) -> Step:
        refused = request.json["query"].endswith("q1?")
        body = {
            "query": request.json["query"],
            "grounding_status": "REFUSED" if refused else "FULLY_GROUNDED",
            "answer": None if refused else "The fee is $25.",
            "citations": [],
            "refusal": {"code": "NO_ELIGIBLE_DOCS", "reason": "None."} if refused else None,
            "metadata": {"processing_time_ms": 7},
        }
        return Step(body=json.dumps(body).encode())

    server = start(script)
    configure(f'{{kind: http, url: "http://127.0.0.1:{server.port}/answer"}}', RULES, "repeats: 1")
    [shown] = run("run", "run.yaml", "--json").records
    assert shown["complete"]
    assert shown["aggregates"]["counts"]["refused"] == 1
    assert shown["aggregates"]["latency_model_p50_ms"] == 7
    assert [request.path for request in server.requests] == ["/answer"] * 12


def test_a_function_answers(run: Run, tmp_path: Path, configure: Callable[..., None]) -> None:
    """A callable beside the configuration."""
    (tmp_path / "my_answers.py").write_text("def reply(question, contexts):\n    return contexts[0]\n")
    configure('{kind: python, target: "my_answers:reply"}', RULES, "repeats: 2")
    [shown] = run("run", "run.yaml", "--json").records
    assert shown["complete"]
    assert shown["aggregates"]["faithfulness_mean"] == 2.0
    assert shown["aggregates"]["total_tokens"] is None


def test_a_dry_run_imports_nothing(run: Run, tmp_path: Path, configure: Callable[..., None]) -> None:
    """To import a function is to run its module: that is left to the run, in a process of its own."""
    (tmp_path / "marks.py").write_text(
        "import os, pathlib\npathlib.Path(__file__).with_name('mark').write_text(str(os.getpid()))\n"
        "def reply(question):\n    return question\n"
    )
    configure('{kind: python, target: "marks:reply"}', RULES, "repeats: 1", count=2)
    assert run("run", "run.yaml", "--dry-run").code == 0
    assert not (tmp_path / "mark").exists()
    assert run("run", "run.yaml").code == 0
    assert (tmp_path / "mark").read_text() != str(os.getpid())


def test_contexts_that_a_candidate_reports_of_itself_do_not_ground_it(
    run: Run, tmp_path: Path, configure: Callable[..., None]
) -> None:
    """They are kept apart and flagged; the configuration can say that they count."""
    (tmp_path / "grounds.py").write_text(
        "def reply(question):\n    said = 'The fee is $99.'\n    return {'answer': said, 'contexts': [said]}\n"
    )
    faithful = []
    for more in ("", ", accept_contexts: true"):
        configure(f'{{kind: python, target: "grounds:reply"{more}}}', RULES, "repeats: 1", count=2)
        [shown] = run("run", "run.yaml", "--json").records
        faithful.append(shown["aggregates"]["faithfulness_mean"])
        [shown] = run("show", "last", "--samples", "--json").records
        assert all("self_reported" in sample["flags"] for sample in shown["samples"])
        told = [warning for warning in shown["metadata"]["warnings"] if "accept_contexts" in warning]
        assert bool(told) == (not more)
    assert faithful == [0.0, 2.0]


def test_a_function_that_prints_or_fails(run: Run, tmp_path: Path, configure: Callable[..., None]) -> None:
    """Standard output is the result's alone, and the first error is told."""
    (tmp_path / "noisy.py").write_text(
        "print('loaded')\ndef reply(question):\n    print('asked')\n    raise ValueError('out of order')\n"
    )
    configure('{kind: python, target: "noisy:reply"}', RULES, "repeats: 1")
    done = run("run", "run.yaml", "--json")
    [shown] = done.records
    assert shown["aggregates"]["counts"]["errored"] == 12
    assert "12 samples errored and do not pass; the first: q" in done.err
    assert "ValueError: out of order" in done.err
    [shown] = run("show", "last", "--samples", "--json").records
    assert {sample["error_detail"] for sample in shown["samples"]} == {"ValueError: out of order"}


def test_a_judge_by_rules_takes_no_time_of_the_candidate(
    run: Run, start: Start, configure: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The others are answered while the first answer is being judged."""
    answered = threading.Semaphore(0)
    answer, rate = HttpCandidate.answer, RulesJudge.rate
    beside: list[bool] = []

    async def answer_and_tell(candidate: HttpCandidate, sample: Sample, repeat: int) -> Answered:
        came = await answer(candidate, sample, repeat)
        answered.release()
        return came

    def rate_slowly(judge: RulesJudge, sample: Sample) -> Judgement:
        if not beside:
            beside.append(all(answered.acquire(timeout=LONG_S) for _ in range(4)))
        return rate(judge, sample)

    def script(request: Request) -> Step:
        return responding({"answer": "It is $25."}, delay_s=0.0 if request.json["query"].endswith("q0?") else 0.5)

    monkeypatch.setattr(HttpCandidate, "answer", answer_and_tell)
    monkeypatch.setattr(RulesJudge, "rate", rate_slowly)
    server = start(script)
    configure(f'{{kind: http, url: "http://127.0.0.1:{server.port}/a"}}', RULES, "repeats: 1", count=4)
    [shown] = run("run", "run.yaml", "--json").records
    assert beside == [True]
    assert shown["aggregates"]["counts"]["timed_out"] == 0


def test_a_recorded_model_that_floats_is_refused(run: Run, tmp_path: Path, configure: Callable[..., None]) -> None:
    """Also where the dataset names it; allowed, it is recorded."""
    configure(RECORDED, RULES)
    data = tmp_path / "data.jsonl"
    records = [json.loads(line) | {"model_id": "assistant@latest"} for line in data.read_text().splitlines()]
    data.write_text("\n".join(map(json.dumps, records)) + "\n")
    done = run("run", "run.yaml")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "'assistant@latest' may mean another model tomorrow" in done.err
    config = tmp_path / "run.yaml"
    config.write_text(config.read_text() + "allow_floating_models: true\n")
    [shown] = run("run", "run.yaml", "--json").records
    assert shown["floating_models_allowed"]


def test_an_id_that_is_too_long(run: Run, tmp_path: Path, configure: Callable[..., None]) -> None:
    """Told before anything is begun, also where escaping makes it so."""
    configure(RECORDED, RULES)
    for sample in ("x" * 3000, "%" * 700):
        (tmp_path / "data.jsonl").write_text(json.dumps({"id": sample, "answer": "a"}) + "\n")
        done = run("run", "run.yaml")
        assert (done.code, done.err.count("\n")) == (3, 1)
        assert "is too long: give" in done.err


def test_a_limit_is_never_rounded_away(run: Run, tmp_path: Path, configure: Callable[..., None]) -> None:
    """What misses a limit by a hair is shown to miss it."""
    configure(RECORDED, RULES, count=2001)
    data = tmp_path / "data.jsonl"
    lines = data.read_text().splitlines()
    slow = [json.dumps(json.loads(line) | {"latency_e2e_ms": 8001}) for line in lines[:301]]
    data.write_text("\n".join([*slow, *lines[301:]]) + "\n")
    assert run("run", "run.yaml").code == 0
    assert "pass_rate 0.8496 (nulls as zero 0.8496) is not ≥ 0.85" in run("gate", "last").out


def test_a_dry_run_calls_nobody(run: Run, start: Start, tmp_path: Path, configure: Callable[..., None]) -> None:
    """It tells calls, tokens and cost, and leaves no ledger behind."""
    server = start(answers_and_judges)
    prices = "".join(
        f'\n  "{name}": {{input_per_million: 1000, output_per_million: 1000}}'
        for name in ("local:candidate-2025-01-01", "local:judge")
    )
    configure(model_at(server), judge_at(server), f"repeats: 2\nprices:{prices}")
    done = run("run", "run.yaml", "--dry-run", "--json")
    assert done.code == 0
    [plan] = done.records
    estimate = plan["estimate"]
    assert (estimate["candidate"]["calls"], estimate["judge"]["calls"], estimate["total"]["calls"]) == (24, 24, 48)
    assert estimate["candidate"]["output_tokens_at_most"] == 24 * 1024
    assert estimate["total"]["cost_usd_at_most"] > 48
    assert server.requests == []
    assert not (tmp_path / ".plumbrule").exists()
    shown = run("run", "run.yaml", "--dry-run").out
    assert "12 samples" in shown
    assert "local:candidate-2025-01-01" in shown


def test_a_budget_stops_and_can_be_raised(
    run: Run, start: Start, tmp_path: Path, configure: Callable[..., None]
) -> None:
    """Exit code 4 with how to go on; with a higher limit the same run comes to its end, nothing is paid twice."""
    server = start()
    configure(RECORDED, judge_at(server), "budget: {max_calls: 5}")
    done = run("run", "run.yaml")
    assert done.code == 4
    assert "5 of 12 samples are finished; stopped: one more would pass budget.max_calls 5; go on with" in done.err
    assert "NO RELEASE" in done.out
    assert "go on with: plumbrule run run.yaml --resume run-" in done.err
    config = tmp_path / "run.yaml"
    config.write_text(config.read_text().replace("max_calls: 5", "max_calls: 12"))
    assert run("run", "run.yaml", "--resume", "last").code == 0
    assert len(server.requests) == 12


def test_a_provider_that_is_away(run: Run, start: Start, tmp_path: Path, configure: Callable[..., None]) -> None:
    """Exit code 4, with what was finished and how to resume; when it is back, only the rest is asked."""
    away = True

    def script(request: Request) -> Step:
        return Step(status=400) if away and int(request.prompt.split("plan q")[1].split("?")[0]) >= 4 else Step()

    server = start(script)
    configure(RECORDED, judge_at(server), "stop_after_failures: 3\nconcurrency: 1")
    done = run("run", "run.yaml")
    assert done.code == 4
    assert "4 of 12 samples are finished; 3 could not be evaluated (judge: " in done.err
    assert "status 400" in done.err
    assert run("gate", "last").code == 1
    away = False
    before = len(server.requests)
    assert run("run", "run.yaml", "--resume", "last").code == 0
    assert len(server.requests) - before == 8
    [shown] = run("show", "last", "--json").records
    assert shown["usage"]["calls_repeated"] == 0
    config = tmp_path / "run.yaml"
    text = config.read_text().replace(str(server.port), "9")  # nothing listens there
    config.write_text(text.replace("concurrency: 1", "concurrency: 4"))
    done = run("run", "run.yaml", "--json")
    assert (done.code, done.out) == (4, "")
    assert "0 of 12 samples are finished" in done.err


def test_errors_can_be_accepted(run: Run, start: Start, configure: Callable[..., None]) -> None:
    """Then the run is complete, the sample is errored, and it does not pass."""
    server = start(lambda request: Step(status=400) if "q3?" in request.prompt else Step())
    configure(RECORDED, judge_at(server))
    assert run("run", "run.yaml").code == 4
    assert run("run", "run.yaml", "--resume", "last", "--accept-errors").code == 0
    [shown] = run("show", "last", "--samples", "--json").records
    assert shown["complete"]
    assert shown["aggregates"]["counts"]["errored"] == 1
    [errored] = [sample for sample in shown["samples"] if sample["sample_id"] == "q3"]
    assert (errored["evaluator_error"], errored["accuracy_score"]) == ("transport_error", None)
    assert not errored["passed"]


def test_an_answer_is_not_paid_for_again(run: Run, start: Start, configure: Callable[..., None]) -> None:
    """Where only the judge failed, the answer stands, and the resumed run asks the judge alone."""
    away = True

    def script(request: Request) -> Step:
        judging = request.prompt.startswith(JUDGE)
        return Step(status=400) if judging and away else answers_and_judges(request)

    server = start(script)
    configure(model_at(server), judge_at(server), "repeats: 1\nstop_after_failures: 20")
    assert run("run", "run.yaml").code == 4
    away = False
    before = len(server.requests)
    assert run("run", "run.yaml", "--resume", "last").code == 0
    assert [request.prompt.startswith(JUDGE) for request in server.requests[before:]] == [True] * 12


def test_a_missing_key_is_named(
    run: Run, start: Start, configure: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before anything is begun, and a key that is there is never printed or kept."""
    server = start()
    configure(RECORDED, judge_at(server)[:-1] + ", api_key_env: MY_KEY}")
    monkeypatch.delenv("MY_KEY", raising=False)
    done = run("run", "run.yaml")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "MY_KEY (for judge)" in done.err
    monkeypatch.setenv("MY_KEY", "sk-very-secret-value")
    assert run("run", "run.yaml").code == 0
    assert server.requests[0].headers["authorization"] == "Bearer sk-very-secret-value"
    assert run("ledger", "export", "all.jsonl").code == 0
    assert b"sk-very-secret-value" not in Path("all.jsonl").read_bytes()


def test_a_run_that_has_changed_is_not_gone_on_with(
    run: Run, start: Start, tmp_path: Path, configure: Callable[..., None]
) -> None:
    """Another prompt, dataset or configuration makes another run."""
    (tmp_path / "ask.txt").write_text("Answer: {question}")
    server = start(answers_and_judges)
    configure(model_at(server)[:-1] + ", prompt: ask.txt}", judge_at(server), "budget: {max_calls: 8}")
    assert run("run", "run.yaml").code == 4
    (tmp_path / "ask.txt").write_text("Reply: {question}")
    done = run("run", "run.yaml", "--resume", "last")
    assert done.code == 2
    assert "was begun with another prompt: give that one, or start a new run" in done.err


def finished(folder: Path) -> int:
    """Return how many samples of the only run are finished."""
    with open_ledger(f"sqlite:///{folder}/.plumbrule/ledger.db") as ledger:
        [begun] = ledger.runs()
        return len(list(ledger.results(begun.subject)))


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=["INT", "TERM", "HUP"])
def test_an_interrupt_says_how_to_go_on(
    start: Start, tmp_path: Path, configure: Callable[..., None], ending: signal.Signals
) -> None:
    """Ctrl+C ends calls under way, keeps what is finished, and leaves with 130; so do SIGTERM and SIGHUP."""
    server = start(lambda request: Step(delay_s=LONG_S if "q7?" in request.prompt else 0))
    configure(RECORDED, judge_at(server))
    process = start_interruptible(
        [COMMAND, "run", "run.yaml"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    wait_until(lambda: len(server.requests) == 12 and finished(tmp_path) == 11)
    os.kill(process.pid, ending)
    _, errors = process.communicate(timeout=LONG_S)
    assert process.returncode == 130
    assert errors.count("\n") == 1
    assert "interrupted; what was finished is kept; go on with: plumbrule run run.yaml --resume run-" in errors
    assert not list((tmp_path / ".plumbrule").glob("*.lock"))


def test_the_metadata_says_what_was_sent(run: Run, start: Start, configure: Callable[..., None]) -> None:
    """Each model's parameters as they went over the wire, apart from each other; the region as it was given."""
    server = start(answers_and_judges)
    judge = f"{judge_at(server)[:-1]}, generation: {{temperature: null, seed: null, max_tokens: 99}}}}"
    more = "repeats: 1\ngeneration: {top_p: null}\nenvironment: {region: eu-west-9}"
    configure(f"{model_at(server)[:-1]}, extra_body: {{reasoning_effort: low}}}}", judge, more, count=2)
    [shown] = run("run", "run.yaml", "--json").records
    assert shown["metadata"]["generation_params"] == {
        "candidate": {"max_tokens": 1024, "temperature": 0, "seed": 42, "reasoning_effort": "low"},
        "judge": {"max_tokens": 99, "top_p": 1},
    }
    assert shown["metadata"]["environment"]["region"] == "eu-west-9"
    for request in server.requests:
        sent = {name: value for name, value in request.json.items() if name not in {"model", "messages"}}
        kind = "judge" if request.prompt.startswith(JUDGE) else "candidate"
        assert sent == shown["metadata"]["generation_params"][kind]
    configure(RECORDED, RULES, "generation: {temperature: 0.7}", count=2)
    [shown] = run("run", "run.yaml", "--json").records
    assert shown["metadata"]["generation_params"] == {}
    assert "generation_params" not in shown["missing_metadata"]


def test_an_answer_that_was_cut_is_flagged(run: Run, start: Start, configure: Callable[..., None]) -> None:
    """At max_tokens: it is not the whole answer, and the run says how many."""
    server = start(
        lambda request: Step(
            text=GOOD if request.prompt.startswith(JUDGE) else "The fee is",
            finish_reason="length" if "q1?" in request.prompt and not request.prompt.startswith(JUDGE) else "stop",
        )
    )
    configure(model_at(server), judge_at(server), "repeats: 1", count=3)
    run("run", "run.yaml")
    [shown] = run("show", "last", "--samples", "--json").records
    assert [sample["sample_id"] for sample in shown["samples"] if "truncated" in sample["flags"]] == ["q1"]
    assert "candidate: 1 answer was cut at max_tokens" in shown["metadata"]["warnings"]


def test_a_ledger_that_fails_says_how_to_go_on(
    run: Run, start: Start, configure: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk, a database that is gone, a bug: whatever stops a run that has begun, its resume command is shown."""
    submit, failures = Ledger.submit, [LedgerFullError("the disk is full"), RuntimeError("a bug")]

    def fail_later(ledger: Ledger, drafts: Any, **options: Any) -> Any:
        listed = list(drafts)
        if any(draft.kind == "result" for draft in listed):
            raise failures[0]
        return submit(ledger, listed, **options)

    server = start()
    configure(RECORDED, judge_at(server), count=2)
    monkeypatch.setattr(Ledger, "submit", fail_later)
    for said in ("the disk is full; what was finished", "what was finished"):
        done = run("run", "run.yaml")
        assert done.code == 4
        assert f"{said} is kept; go on with: plumbrule run run.yaml --resume run-" in done.err
        failures.pop(0)
    monkeypatch.setattr(Ledger, "submit", submit)
    assert run("run", "run.yaml", "--resume", "last").code == 0


def test_a_run_in_which_every_answer_came_too_late_was_not_judged(
    run: Run, start: Start, configure: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The accuracy of 0 that a timeout counts as is no judgement: exit code 4, and every sample is kept."""
    moved = MovableTime()
    monkeypatch.setattr(asyncio, "run", moved.run)

    def script(_request: Request) -> Step:
        moved.move(LONG_S)
        return Step(delay_s=LONG_S)

    server = start(script)
    configure(model_at(server), judge_at(server), f"repeats: 1\nconcurrency: 1\ntimeout_s: {LONG_S}", count=2)
    done = run("run", "run.yaml")
    assert done.code == 4
    assert "nothing was judged" in done.err
    [shown] = run("show", "last", "--json").records
    assert shown["aggregates"]["counts"]["timed_out"] == 2


def test_a_run_in_which_nothing_was_judged_is_not_complete(
    run: Run, start: Start, configure: Callable[..., None]
) -> None:
    """Every reply of the judge is no judgement: exit code 4, of ``judge`` as well; one that is one makes it 0."""
    server = start([Step(text="Fine, I suppose.")])
    configure(RECORDED, judge_at(server), count=3)
    done = run("run", "run.yaml")
    assert done.code == 4
    assert "nothing was judged" in done.err
    alone = run("judge", "-q", "Fee?", "-a", "$25.", "-c", "The fee is $25.", "-r", "$25", "--config", "run.yaml")
    assert alone.code == 4
    assert "could not be judged" in alone.err
    server = start(lambda request: Step(text=GOOD if "q1?" in request.prompt else "Fine."))
    configure(RECORDED, judge_at(server), count=3)
    assert run("run", "run.yaml").code == 0


def test_a_refusal_by_wording_counts(run: Run, start: Start, configure: Callable[..., None]) -> None:
    """Beside a declared one: a model that refuses in words alone is seen to refuse."""
    words = "I'm sorry, but I cannot answer that question."
    server = start(lambda request: Step(text=GOOD if request.prompt.startswith(JUDGE) else words))
    configure(model_at(server), judge_at(server), "repeats: 1", count=3)
    run("run", "run.yaml")
    [shown] = run("show", "last", "--samples", "--json").records
    assert shown["aggregates"]["counts"]["refused"] == 3
    assert all("refused_by_wording" in sample["flags"] and sample["refused"] for sample in shown["samples"])
