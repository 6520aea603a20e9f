"""A page that takes long to work out answers at once, and shows itself when it is ready."""

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from playwright.sync_api import Browser, expect
from tests.web.campaigns import open_one, response
from tests.web.conftest import WIDE, Look, served
from tests.web.made_runs import RIGHT, make_run, sample

from plumbrule.api import reviews
from plumbrule.api.reports import view_run
from plumbrule.ledger import Ledger
from plumbrule.reviews.campaigns.campaign_list import CampaignOutline, outline_campaigns
from plumbrule.reviews.replays import kept_replays
from plumbrule.runs.run_entries import find_run
from plumbrule.web import view_preparation
from plumbrule.web.application import create_app
from plumbrule.web.kept_views import KeptViews
from plumbrule.web.pages import campaigns
from plumbrule.web.site import Site
from plumbrule.web.view_preparation import prepare_once, prepare_views
from plumbrule.web.views import run_views
from plumbrule.web.views.run_views import run_view

LONG_S = 120.0  # a limit that only ends a test that hangs


@pytest.fixture
def hasty(site: Site) -> Iterator[Site]:
    """Give the site with no patience at all."""
    hasty = replace(site, patience_s=0.0)
    yield hasty
    hasty.views.close()


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Give a gate that keeps every run from being worked out until it is set."""
    gate, real = threading.Event(), view_run

    def wait(ledger: Ledger, run: Any) -> Any:
        assert gate.wait(LONG_S)
        return real(ledger, run)

    monkeypatch.setattr(run_views, "view_run", wait)
    yield gate
    gate.set()


def wait_for_run(site: Site, reference: str = "last") -> str:
    """Wait until a run is worked out; return its id."""
    with site.ledgers.use(site.ledger) as ledger:
        entry = find_run(ledger, reference)
    site.views.get(run_view(entry))
    return entry.subject


def test_a_page_answers_before_it_is_worked_out(hasty: Site, gate: threading.Event) -> None:
    """It says so with a status of its own, asks the browser to look again, and is there afterwards."""
    hasty.views.get(run_views.run_lines())
    with TestClient(create_app(hasty), follow_redirects=False) as client:
        early = client.get("/runs/last?x=1")
        assert (early.status_code, early.headers["refresh"], early.headers["retry-after"]) == (202, "2", "2")
        assert "is being worked out" in early.text
        assert 'href="/runs/last?x=1"' in early.text
        gate.set()
        run_id = wait_for_run(hasty)
        ready = client.get(f"/runs/{run_id}")
        assert (ready.status_code, "refresh" in ready.headers) == (200, False)


def test_the_browser_shows_it_when_it_is_ready(
    hasty: Site, gate: threading.Event, browser: Browser, look: Look
) -> None:
    """Nobody has to reload, and no script is needed for it."""
    hasty.views.get(run_views.run_lines())
    with served(hasty) as address:
        context = browser.new_context(base_url=address, viewport=WIDE, java_script_enabled=True)
        page = context.new_page()
        page.goto("/runs/last")
        expect(page.get_by_role("heading", level=1)).to_have_text("This page is being worked out")
        look(page, "being-made")
        gate.set()
        run_id = wait_for_run(hasty)
        expect(page.get_by_text(run_id).first).to_be_visible()
        context.close()


def test_what_is_likely_to_be_looked_at_is_made_ready(hasty: Site, tmp_path: Path) -> None:
    """The overview, monitoring, the newest runs and their comparison are there for the first who looks."""
    runs = [make_run(hasty.ledger, tmp_path, [sample("one", RIGHT)], name=name) for name in ("first", "second")]
    prepare_once(hasty)
    with TestClient(create_app(hasty), follow_redirects=False) as client:
        for path in ("/", "/campaigns", "/runs", f"/runs/{runs[-1]}", f"/compare?runs={runs[0]}&runs={runs[1]}"):
            assert client.get(path).status_code == 200, path


def test_open_campaigns_are_replayed_before_anybody_looks(hasty: Site, tmp_path: Path) -> None:
    """The first reviewer reads only what was appended since; closed campaigns are left alone."""
    open_one(hasty, tmp_path, "release-7", [response(number) for number in range(2)])
    prepare_once(hasty)
    with hasty.ledgers.use(hasty.ledger) as ledger:
        replays = kept_replays(ledger)
        assert replays is not None
        assert replays.find("release-7") is not None
        assert replays.find("week-2025-W23") is None


def test_the_list_of_campaigns_is_made_once(hasty: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A claim shows at once and makes nothing again; a campaign that is opened makes the list again."""
    made: list[Ledger] = []

    def make(ledger: Ledger) -> tuple[CampaignOutline, ...]:
        made.append(ledger)
        return outline_campaigns(ledger)

    monkeypatch.setattr(campaigns, "outline_campaigns", make)
    items = open_one(hasty, tmp_path, "release-7", [response(number) for number in range(2)])
    hasty.views.get(campaigns.campaign_outlines())
    with TestClient(create_app(hasty), follow_redirects=False) as client:
        assert "1 held" not in client.get("/campaigns").text
        reviews.claim_items("Ben", items[:1], campaign="release-7", ledger=hasty.ledger)
        assert "1 held" in client.get("/campaigns").text
        assert len(made) == 1
        open_one(hasty, tmp_path, "release-8", [response(3)])
        hasty.views.get(campaigns.campaign_outlines())
        assert "release-8" in client.get("/campaigns").text
        assert len(made) == 2


def test_every_view_that_is_made_ready_can_be_kept(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    """Its type reads back what it wrote, so that the next start finds it in the store."""
    views = KeptViews(site.ledgers, site.ledger, site.store, keep_from_s=0.0)
    for view in view_preparation.likely_views(site):
        views.get(view)
    views.close()
    assert [record.message for record in caplog.records if "kept in memory only" in record.message] == []


def test_a_run_that_another_process_decided_is_made_ready(
    hasty: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The ledger is looked at again and again; nothing is prepared while no decision is new."""
    monkeypatch.setattr(view_preparation, "_LOOK_EVERY_S", 0.01)
    prepared, stopped, real = threading.Semaphore(0), threading.Event(), prepare_once

    def prepare(site: Site) -> None:
        real(site)
        prepared.release()

    monkeypatch.setattr(view_preparation, "prepare_once", prepare)
    thread = threading.Thread(target=prepare_views, args=(hasty, stopped))
    thread.start()
    try:
        assert prepared.acquire(timeout=LONG_S)
        run_id = make_run(hasty.ledger, tmp_path, [sample("one", RIGHT)], name="new")
        assert prepared.acquire(timeout=LONG_S)
    finally:
        stopped.set()
        thread.join()
    with TestClient(create_app(hasty), follow_redirects=False) as client:
        assert client.get(f"/runs/{run_id}").status_code == 200
