"""Incidents: an interaction by its trace id, everything that is known of it, and the same as one file."""

import datetime as dt
from collections.abc import Callable

import orjson
import pytest
from fastapi.testclient import TestClient
from playwright.sync_api import Page, Route, expect
from tests.clock import wait_until
from tests.web.conftest import PAPER

from plumbrule.ledger import open_ledger
from plumbrule.reviews import interaction_archive
from plumbrule.web.site import Site

TRACE = "8c6b214a-7121-4fc0-9a92-f40e787d1291"
HOSTILE = '<script>alert(1)</script> "quoted" & {{ 7 * 7 }}'


def keep(site: Site, trace_id: str, text: str) -> None:
    """Keep an interaction whose every text is this one."""
    response = {
        "trace_id": trace_id,
        "timestamp": "2025-06-03T10:00:00Z",
        "query": text,
        "grounding_status": "FULLY_GROUNDED",
        "answer": text,
        "citations": [{"citation_id": "1", "source_id": text, "source_title": text, "passage": text}],
        "refusal": None,
        "metadata": {"corpus_release_id": "r1", "sources_consulted": 1, "model_provider": text},
    }
    body = {
        "trace_id": trace_id,
        "response": response,
        "trace": None,
        "passages": [{"id": "p", "source_id": text[:500], "text": text}] * 30,
        "findings": [],
        "prescore": None,
        "traits": [],
        "week": "2025-W23",
        "passages_from": "trace",
        "unresolved": [],
        "where": "log.jsonl:1",
    }
    with open_ledger(site.ledger) as ledger:
        at = dt.datetime(2026, 12, 1, tzinfo=dt.UTC)
        ledger.append("interaction", interaction_archive.subject_of(trace_id), body, "test", at=at)


def test_everything_that_is_known(client: TestClient) -> None:
    """What was found first, then texts with marks, ratings, what happened, runs; each with its links."""
    page = client.get(f"/incidents/{TRACE}").text
    assert "Problems found: What fee does the firm charge" in page
    assert "the passage says: $25" in page
    assert 'href="/monitoring/2025-W23"' in page
    assert f'href="/campaigns/week-2025-W23/items/{TRACE}"' in page
    for what in ("drawn", "claimed by Dee", "rated: Fail, overall 2.5", "the campaign was closed: NO RELEASE"):
        assert what in page
    similar = page.partition('id="similar"')[2]
    assert 'href="/incidents/004aa186-859e-4536-8023-311b556d10ae"' in similar
    assert ">What fee does the firm charge" in similar  # the question, not the id
    assert len(page) < 100_000


def test_an_interaction_is_looked_up(client: TestClient) -> None:
    """By its id or the beginning of it; an unknown one is said to be unknown, with those like it."""
    assert client.get("/incidents").status_code == 200
    for asked in (TRACE, TRACE[:6], f" {TRACE} "):
        response = client.get("/incidents", params={"trace": asked})
        assert (response.status_code, response.headers["location"]) == (303, f"/incidents/{TRACE}")
    response = client.get("/incidents", params={"trace": f"{TRACE[:-1]}0"})
    assert response.status_code == 404
    assert TRACE in response.text
    assert client.get("/incidents/unknown").status_code == 404
    assert client.get("/incidents", params={"trace": HOSTILE}).status_code == 404


def test_an_interaction_is_found_by_the_words_of_its_question(client: TestClient) -> None:
    """Who has no trace id looks for words; each reviewed interaction that asks so is listed and leads to its page."""
    page = client.get("/incidents", params={"trace": "DOMESTIC WIRE"})
    assert page.status_code == 200
    assert "reviewed interactions ask “DOMESTIC WIRE”" in page.text
    assert page.text.count(f'href="/incidents/{TRACE}"') == 2  # here, and among those that block


def test_an_unknown_interaction_offers_the_box(client: TestClient) -> None:
    """A wrong address of an incident lets the visitor look again, and says nothing of where the ledger is."""
    for response in (client.get("/incidents/unknown"), client.get("/incidents", params={"trace": "unknown"})):
        assert response.status_code == 404
        assert "There is no interaction “unknown”" in response.text
        assert 'value="unknown"' in response.text
        assert "sqlite" not in response.text


def test_an_alert_in_per_cent_is_one(client: TestClient) -> None:
    """A figure whose title begins with % is shown as the overview shows it."""
    alerts = client.get(f"/incidents/{TRACE}").text.partition('id="alerts"')[2].partition("<h2")[0]
    assert ": 12.5%" in alerts


def test_one_file_to_take_away(client: TestClient) -> None:
    """HTML and JSON, as the command line writes them; no other format."""
    page = client.get(f"/incidents/{TRACE}/file.html")
    assert page.headers["content-disposition"].startswith("attachment; ")
    assert "<!DOCTYPE html>" in page.text
    content = client.get(f"/incidents/{TRACE}/file.json")
    assert orjson.loads(content.content)["trace_id"] == TRACE
    assert client.get(f"/incidents/{TRACE}/file.exe").status_code == 404
    assert client.get("/incidents/unknown/file.json").status_code == 404


def test_hostile_and_long_texts(client: TestClient, site: Site) -> None:
    """Text is shown as text, and what is long is cut on the page, with the rest in the file."""
    keep(site, "hostile/trace ?#", HOSTILE)
    page = client.get("/incidents/hostile%2Ftrace%20%3F%23").text
    assert "<script>alert" not in page
    assert "&lt;script&gt;" in page
    keep(site, "long", 'A fee of $5 " & < and so on. ' * 4_000)
    response = client.get("/incidents/long")
    assert response.status_code == 200
    assert "more characters are in the file" in response.text
    assert len(response.content) < 300_000


def test_an_incident_in_a_browser(page: Page, look: Callable[[Page, str], None]) -> None:
    """Looked up, read with the keyboard, and downloaded."""
    page.goto("/incidents")
    look(page, "incidents")
    page.get_by_label("Trace id").fill(TRACE[:8])
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Problems found")
    page.get_by_role("link", name="$35").focus()
    expect(page.locator(".passage-box .lit").first).to_contain_text("$25")
    look(page, "incident")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download the file").click()
    assert download.value.suggested_filename == f"incident-{TRACE}.html"
    page.emulate_media(media="print")
    page.set_viewport_size(PAPER)
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
    expect(page.get_by_role("link", name="Download the file")).to_be_hidden()
    expect(page.locator(".two-sides .answer")).to_be_visible()


def test_what_has_the_focus_before_the_script_lights_too(page: Page) -> None:
    """On a slow machine a hand is quicker than the file that lights the evidence."""
    held: list[Route] = []
    page.route("**/marked_text*", lambda route: held.append(route))  # noqa: PLW0108 - it wants a function of its own
    page.goto(f"/incidents/{TRACE}", wait_until="commit")
    page.get_by_role("link", name="$35").focus()
    page.wait_for_function("document.activeElement.dataset.lights")
    wait_until(lambda: page.evaluate("true") and held)  # the events of a page come while it is asked
    held[0].continue_()
    expect(page.locator(".passage-box .lit").first).to_contain_text("$25")


def test_a_large_ledger_is_not_read_whole(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs and similar interactions are left to the file, and the page says so."""
    monkeypatch.setattr("plumbrule.web.pages.incidents._READ_WHOLE", 10)
    page = client.get(f"/incidents/{TRACE}").text
    assert page.count("Not looked for here, because the ledger is large") == 2
    assert "rated: Fail, overall 2.5" in page
    assert "004aa186-859e-4536-8023-311b556d10ae" in client.get(f"/incidents/{TRACE}/file.json").text
