"""The JSON API: the same results as the local functions, through a real server and the Python client."""

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import plumbrule
from plumbrule import Connection, connect
from plumbrule.api import reviews
from plumbrule.api.reports import report_on
from plumbrule.codec import to_json
from plumbrule.reviews.queue import NothingLeft
from plumbrule.rubrics import load_scorecard
from plumbrule.runs.run_entries import find_run
from plumbrule.web.site import Site


@pytest.fixture
def server(address: str) -> Iterator[Connection]:
    """Give a connection to the site."""
    with connect(address) as connection:
        yield connection


def test_runs_are_the_same_from_afar(server: Connection, site: Site) -> None:
    """A summary, a gate, a report and a comparison that went over HTTP equal those of the local call."""
    first, second = (line.run_id for line in plumbrule.list_runs(site.ledger))
    assert server.list_runs() == plumbrule.list_runs(site.ledger)
    assert server.show_run(second[:20], samples=True) == plumbrule.show_run(second, site.ledger, samples=True)
    assert server.gate(strict=True) == plumbrule.gate(ledger=site.ledger, strict=True)
    asked = {"other_dataset": True, "margins": {"pass_rate": 0.03}}
    assert server.compare(first, second, **asked) == plumbrule.compare(first, second, site.ledger, **asked)  # type: ignore[arg-type]
    with plumbrule.open_ledger(site.ledger) as ledger:
        assert server.report() == report_on(ledger, find_run(ledger, "last"))


def test_reviews_are_the_same_from_afar(server: Connection, site: Site) -> None:
    """Campaigns, items, records, agreement and patterns that went over HTTP equal those of the local call."""
    name = "release-2025-03-31"
    with plumbrule.open_ledger(site.ledger) as ledger:
        assert server.campaign_progress(name) == reviews.progress(name, ledger=ledger)
        assert server.list_items(name) == reviews.items(name, viewer="Robin Reader", ledger=ledger)
        assert server.export_records(name) == reviews.export_records(name, viewer="Robin Reader", ledger=ledger)
        assert server.campaign_agreement(name) == reviews.agreement(name, viewer="Robin Reader", ledger=ledger)
        loaded = load_scorecard()
        assert server.feedback() == plumbrule.feedback(plumbrule.Reviews(ledger=ledger, loaded=loaded))
        trace_id = server.list_items(name).items[0].trace_id
        assert to_json(server.incident(trace_id)) == to_json(plumbrule.incident(trace_id, ledger=ledger))
        assert server.show_sheet(trace_id, campaign=name) == reviews.sheet(
            trace_id, "Robin Reader", campaign=name, ledger=ledger
        )
    assert len(server.list_campaigns()) == 13
    assert server.verify_ledger().whole


def test_an_item_is_rated_from_afar(server: Connection, site: Site) -> None:
    """The evaluator is who the server says, not who the record says; another's name in it is refused."""
    folder = site.configurations.folder
    assert folder is not None
    request = plumbrule.Request(trigger="pre-deployment", path=str(folder / "interactions.jsonl"), size=2)
    drawn = plumbrule.open_campaign(request, author="Ada", ledger=site.ledger)
    campaign = drawn.campaign
    assert campaign is not None
    sheet = server.claim_next(campaign=campaign)
    assert not isinstance(sheet, NothingLeft)
    scores = {dimension.key: dimension.levels[0].name for dimension in sheet.dimensions}
    record = {"trace_id": sheet.trace_id, "scores": scores, "notes": "as it should be"}
    with pytest.raises(plumbrule.UsageError):
        server.submit_record({**record, "evaluator": "Somebody Else"}, campaign=campaign)
    submitted = server.submit_record(record, campaign=campaign)
    assert (submitted.evaluator, submitted.campaign) == ("Robin Reader", campaign)
    assert server.campaign_progress(campaign).ratings == 1


def test_a_run_is_started_from_afar(server: Connection) -> None:
    """A configuration is planned and started by its name; the job tells how far it is, and can be stopped."""
    assert server.list_configurations() == ("first-run.yaml", "run.yaml")
    assert server.plan_run("first-run.yaml").dataset.samples == 13
    job = server.start_run("first-run.yaml")
    stopped = server.stop_job(job.id)
    assert stopped.id == job.id
    assert server.list_jobs()[0].id == job.id
    while not server.job(job.id).over:
        time.sleep(0.05)


def test_a_verdict_from_afar(server: Connection) -> None:
    """A verdict is that of the local function, and nothing is kept of it."""
    asked = {"question": "What is the fee?", "answer": "The fee is $30.", "contexts": ["The fee is $25."]}
    local = plumbrule.score(**asked)  # type: ignore[arg-type]
    found = server.score(**asked)  # type: ignore[arg-type]
    assert (found.verdict, found.headline, found.hallucination.score) == (
        local.verdict,
        local.headline,
        local["hallucination"]["score"],
    )


def test_what_is_not_there_says_so(server: Connection) -> None:
    """An unknown run, campaign or job is an error in the words of the command line."""
    for call in (server.show_run, server.campaign_progress, server.job, server.incident):
        with pytest.raises(plumbrule.PlumbruleError, match="nothing-like-this"):
            call("nothing-like-this")


def test_a_server_that_is_not_there() -> None:
    """No server, or an address that is none, is one line, never a traceback of the network."""
    with pytest.raises(plumbrule.UsageError, match="starts with http"):
        connect("ftp://example.org")
    with pytest.raises(plumbrule.EvaluationError, match="cannot be reached"):
        connect("http://127.0.0.1:9").list_runs()


def test_no_generated_request_breaks_it(address: str, tmp_path: Path) -> None:
    """Whatever is sent by the description or against it, no call fails on the server's side."""
    command = [
        str(Path(sys.executable).with_name("schemathesis")),
        *("run", f"{address}/api/v1/openapi.json", "--url", address, "--no-color", "--no-shrink"),
        *("--checks", "not_a_server_error,response_schema_conformance,content_type_conformance"),
        *("--phases", "examples,coverage,fuzzing", "--max-examples", "4", "--generation-deterministic"),
        *("--continue-on-failure", "--warnings", "off", "--exclude-path", "/api/v1/openapi.json"),
    ]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout[-5000:]
