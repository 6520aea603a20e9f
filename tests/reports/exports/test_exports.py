"""A run for other tools has each evaluation once, and is sent only where an address is named."""

import base64
import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from plumbrule.api.exports import EXPORTS, send_export, write_export
from plumbrule.errors import UsageError
from plumbrule.ledger import Ledger
from plumbrule.reports import Report
from plumbrule.samples import Reading

Make = Callable[..., Report]


@pytest.fixture(scope="module")
def run(make: Make) -> str:
    """Return a run of three answers: a good one, a bad one, and one that could not be judged."""
    results = [
        {},
        {"accuracy_score": 0, "faithfulness_score": 0},
        {"accuracy_score": None, "faithfulness_score": None, "evaluator_error": "parse_error", "rationale": None},
    ]
    samples = {"q0": {"trace_id": "0AF7651916CD43DD8448EB211C80319C", "contexts": [{"text": "The fee is $25."}]}}
    support = {"support": {"score": 0.9, "band": "supported"}}
    return make(results, samples=samples, judgements={"q0": support}).run_id


def written(ledger: Ledger, run: str, to: str, folder: Path) -> Path:
    """Write a run for a tool."""
    path = folder / f"{to}{EXPORTS[to].suffix}"
    told = write_export(ledger, run, to, path)
    assert (told.results, told.evaluations, told.requests) == (3, 8, 0)
    return path


def test_events_of_opentelemetry(ledger: Ledger, run: str, tmp_path: Path) -> None:
    """Each evaluation is one event of the semantic convention, of the trace of the answer."""
    document = json.loads(written(ledger, run, "otlp", tmp_path).read_bytes())
    records = document["resourceLogs"][0]["scopeLogs"][0]["logRecords"]
    given = [{each["key"]: next(iter(each["value"].values())) for each in record["attributes"]} for record in records]

    assert {record["eventName"] for record in records} == {"gen_ai.evaluation.result"}
    assert records[0]["traceId"] == "0af7651916cd43dd8448eb211c80319c"
    assert [each["gen_ai.evaluation.name"] for each in given[:4]] == [
        "plumbrule.result",
        "plumbrule.accuracy",
        "plumbrule.faithfulness",
        "plumbrule.support",
    ]
    assert (given[0]["gen_ai.evaluation.score.label"], given[3]["gen_ai.evaluation.score.value"]) == ("pass", 0.9)
    assert [each.get("error.type") for each in given if each["plumbrule.sample.id"] == "q2"] == ["parse_error"]


def test_scores_of_langfuse(ledger: Ledger, run: str, tmp_path: Path) -> None:
    """A score has an id of its own that stays the same, so that it can be sent again."""
    path = written(ledger, run, "langfuse", tmp_path)
    scores = [json.loads(line) for line in path.read_text().splitlines()]

    assert len({score["id"] for score in scores}) == len(scores) == 8
    assert [score["value"] for score in scores if score["name"] == "plumbrule.faithfulness"] == [2.0, 0.0]
    assert path.read_bytes() == written(ledger, run, "langfuse", tmp_path).read_bytes()


def test_a_log_of_inspect_is_read_again(ledger: Ledger, run: str, tmp_path: Path) -> None:
    """What is written as a log is a dataset with the same questions, answers and passages."""
    samples = list(Reading(written(ledger, run, "inspect", tmp_path)))

    assert [(sample.id, sample.question, sample.answer) for sample in samples] == [
        (f"q{number}", "What is the fee?", "$25") for number in range(3)
    ]
    assert [passage.text for passage in samples[0].contexts] == ["The fee is $25."]


def test_a_file_of_another_name(ledger: Ledger, run: str, tmp_path: Path) -> None:
    """A form is never written to a file whose name says another."""
    with pytest.raises(UsageError, match="is written to"):
        write_export(ledger, run, "otlp", tmp_path / "a.csv")
    with pytest.raises(UsageError, match="none of"):
        write_export(ledger, run, "other", tmp_path / "a.json")


class Taken(ThreadingHTTPServer):
    """A server that keeps what is posted to it."""

    posts: list[tuple[str, str | None, Any]]


class _Handler(BaseHTTPRequestHandler):
    server: Taken

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.posts.append((self.path, self.headers["authorization"], body))
        content = b'{"run": {"info": {"run_id": "abc"}}}'
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the library
        """Say nothing."""


@pytest.fixture
def server() -> Iterator[Taken]:
    """Return a server on this machine."""
    with Taken(("127.0.0.1", 0), _Handler) as opened:
        opened.posts = []
        thread = threading.Thread(target=opened.serve_forever)
        thread.start()
        yield opened
        opened.shutdown()
        thread.join()


def test_a_run_is_sent(ledger: Ledger, run: str, server: Taken, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each tool gets its requests at its own paths, with the key in the header that it asks for."""
    monkeypatch.setenv("TOOL_KEY", "pk:sk")
    url = f"http://127.0.0.1:{server.server_address[1]}"
    for to in ("otlp", "langfuse", "mlflow"):
        assert send_export(ledger, run, to, url, key_env="TOOL_KEY").requests > 0
    paths = [path for path, _, _ in server.posts]

    assert paths[:2] == ["/v1/logs", "/api/public/scores"]
    assert paths[2:] == [
        "/api/2.0/mlflow/runs/create",
        "/api/2.0/mlflow/runs/log-batch",
        *["/api/3.0/mlflow/traces"] * 3,
        "/api/2.0/mlflow/runs/update",
    ]
    assert server.posts[0][1] == "Bearer pk:sk"
    assert server.posts[1][1] == f"Basic {base64.b64encode(b'pk:sk').decode()}"
    assert len(server.posts[1][2]) == 8
    assert server.posts[3][2]["run_id"] == server.posts[-1][2]["run_id"] == "abc"


def test_what_cannot_be_sent(ledger: Ledger, run: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tool without a server, a key that is not there, and a key that would travel in the clear are refused."""
    monkeypatch.delenv("TOOL_KEY", raising=False)
    with pytest.raises(UsageError, match="no server"):
        send_export(ledger, run, "inspect", "http://127.0.0.1:1")
    with pytest.raises(UsageError, match="is not set"):
        send_export(ledger, run, "otlp", "http://127.0.0.1:1", key_env="TOOL_KEY")
    monkeypatch.setenv("TOOL_KEY", "secret")
    with pytest.raises(UsageError):
        send_export(ledger, run, "otlp", "http://example.com", key_env="TOOL_KEY")
