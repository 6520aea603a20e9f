"""The JSON API: the same results as the local functions, through a real server and the Python client."""

import gzip
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.clock import LONG_S, wait_until
from tests.web.campaigns import WEAKER

import plumbrule
from plumbrule import Connection, connect
from plumbrule.api import reviews
from plumbrule.api.monitoring import view_monitoring
from plumbrule.api.reports import report_on
from plumbrule.codec import to_json
from plumbrule.reviews.queue import NothingLeft
from plumbrule.rubrics import load_scorecard
from plumbrule.runs.run_entries import find_run
from plumbrule.web.site import Site


@pytest.fixture
def server(address: str) -> Iterator[Connection]:
    """Give a connection to the site."""
    with connect(address, timeout_s=LONG_S) as connection:
        yield connection


def test_runs_are_the_same_from_afar(server: Connection, site: Site) -> None:
    """A summary, a gate, a report and a comparison that went over HTTP equal those of the local call."""
    first, second = (line.run_id for line in plumbrule.list_runs(site.ledger))
    assert server.list_runs() == plumbrule.list_runs(site.ledger)
    beginning = second[:-1]  # all but one character: two runs of one second share all but the last six
    assert server.show_run(beginning, samples=True) == plumbrule.show_run(second, site.ledger, samples=True)
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


def test_monitoring_is_the_same_from_afar(server: Connection, site: Site) -> None:
    """Figures, alerts and the reviews of every week equal those of the local call; an alert gets its owner."""
    loaded = load_scorecard()
    server.monitor()  # which keeps what is new
    with plumbrule.open_ledger(site.ledger) as ledger:
        every = plumbrule.Reviews(ledger=ledger, loaded=loaded)
        weekly = plumbrule.Reviews(ledger=ledger, loaded=loaded, triggers=("monitoring",))
        monitored = server.monitor(decide_on="bound")
        assert monitored == plumbrule.monitor(every, decide_on="bound")
        week = monitored.report.weeks[-1].week
        assert server.monitor(triggers=["monitoring"], first=week) == plumbrule.monitor(weekly, first=week)
        assert server.view_monitoring() == view_monitoring(every)
        assert server.view_monitoring(triggers=["monitoring"], last=week) == view_monitoring(weekly, last=week)
        alert = monitored.report.alerts[-1].id
        kept = server.acknowledge_alert(alert, owner="Fay Friday", remedy="The new chunker is taken back.")
        assert kept.author == "Robin Reader"
        assert kept in plumbrule.monitor(every).report.acknowledged
    with pytest.raises(plumbrule.UsageError, match="after"):
        server.monitor(first="2025-W09", last="2025-W03")
    with pytest.raises(plumbrule.UsageError, match="no trigger 'nothing'"):
        server.view_monitoring(triggers=["nothing"])


def test_a_campaign_is_opened_from_afar(
    server: Connection, site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The files go with the call; what is drawn and opened is what the local call draws and opens."""
    request = plumbrule.Request(trigger="pre-deployment", path=str(demo_file(site, "interactions.jsonl")), size=2)
    assert server.draw_sample(request) == reviews.draw(request)
    before = len(server.list_campaigns())
    terms = plumbrule.ReleaseTerms(mode="run_mean", decide_on="bound", show_proposals=True)
    opened = server.open_campaign(request, name="afar", evaluators=3, terms=terms)
    local = plumbrule.open_campaign(
        request, name="afar", evaluators=3, terms=terms, author="Robin", ledger=f"sqlite:///{tmp_path}/near.db"
    )
    assert replace(opened, remarks=()) == replace(local, remarks=())  # which name the earlier campaigns of each ledger
    assert len(server.list_campaigns()) == before + 1
    with plumbrule.open_ledger(site.ledger) as ledger:
        [entry] = [each for each in ledger.entries(kind="campaign") if each.subject.startswith("campaigns/afar")]
        assert entry.author == "Robin Reader"
    with pytest.raises(plumbrule.UsageError, match="afar"):
        server.open_campaign(request, name="afar")
    with pytest.raises(plumbrule.UsageError, match="is a folder"):
        server.draw_sample(replace(request, path=str(tmp_path)))
    with monkeypatch.context() as patch:
        patch.setattr("plumbrule.client.LARGEST_BODY", 1 << 10)
        with pytest.raises(plumbrule.UsageError, match="with 'plumbrule sample'"):
            server.draw_sample(request)
    packed = tmp_path / "packed.jsonl.gz"
    packed.write_bytes(gzip.compress(demo_file(site, "interactions.jsonl").read_bytes()))
    assert server.draw_sample(replace(request, path=str(packed))).manifest == reviews.draw(request).manifest


def test_an_opening_from_afar_is_checked_as_on_the_page(server: Connection, site: Site, tmp_path: Path) -> None:
    """A weaker policy must be accepted, a trigger must be there, and what changed is never taken for a path."""
    request = plumbrule.Request(trigger="pre-deployment", path=str(demo_file(site, "interactions.jsonl")), size=1)
    weaker = tmp_path / "ours.yaml"
    weaker.write_text(WEAKER)
    with pytest.raises(plumbrule.UsageError, match="that you accept it"):
        server.open_campaign(request, name="weak", rubric=weaker)
    accepted = plumbrule.ReleaseTerms(accept_weaker_policy=True)
    assert server.open_campaign(request, name="weak", rubric=weaker, terms=accepted).policy
    with pytest.raises(plumbrule.UsageError, match="no trigger 'nothing'"):
        server.draw_sample(replace(request, trigger="nothing"))
    changed = replace(request, trigger="corpus-release", size=None, changed="OPS-014,REC-003")
    assert server.draw_sample(changed).manifest == reviews.draw(changed).manifest


def demo_file(site: Site, name: str) -> Path:
    """Return a file of the demo that the site serves."""
    folder = site.configurations.folder
    assert folder is not None
    return folder / name


def test_an_item_is_rated_from_afar(server: Connection, site: Site) -> None:
    """The evaluator is who the server says, not who the record says; another's name in it is refused."""
    request = plumbrule.Request(trigger="pre-deployment", path=str(demo_file(site, "interactions.jsonl")), size=2)
    drawn = plumbrule.open_campaign(request, author="Ada", ledger=site.ledger)
    campaign = drawn.campaign
    assert campaign is not None
    sheet = server.claim_next(campaign=campaign)
    assert not isinstance(sheet, NothingLeft)
    assert server.assign_items([sheet.trace_id] * 3, "Robin Reader", campaign=campaign).assigned == (sheet.trace_id,)
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
    wait_until(lambda: server.job(job.id).over)


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


@pytest.mark.long
def test_no_generated_request_breaks_it(address: str, tmp_path: Path) -> None:
    """Whatever is sent by the description or against it, no call fails on the server's side."""
    command = [
        str(Path(sys.executable).with_name("schemathesis")),
        *("run", f"{address}/api/v1/openapi.json", "--url", address, "--no-color", "--no-shrink"),
        *("--checks", "not_a_server_error,response_schema_conformance,content_type_conformance"),
        *("--phases", "examples,coverage,fuzzing", "--max-examples", "4", "--generation-deterministic"),
        *("--continue-on-failure", "--warnings", "off", "--exclude-path", "/api/v1/openapi.json"),
        *("--exclude-path", "/api/v1/draws"),  # what is sent there is what is sent to open a campaign
        *("--request-timeout", "300"),  # however slow the machine is: the first draw loads the parser
    ]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout[-5000:]
