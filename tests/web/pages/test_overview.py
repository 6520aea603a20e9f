"""The overview: the state of every assistant, what is open, what is at alert; and what to do where there is nothing."""

import html
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from fastapi.testclient import TestClient
from playwright.sync_api import Page, expect
from tests.web.campaigns import open_one, response

from plumbrule.ledger import open_ledger
from plumbrule.web.application import create_app
from plumbrule.web.site import Site
from plumbrule.web.web_store import Store

AT = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)


def client_of(site: Site, address: str) -> TestClient:
    """Return a client of the same site with another ledger."""
    return TestClient(create_app(replace(site, ledger=address)))


def test_each_assistant_has_its_state_and_its_reason(client: TestClient) -> None:
    """Blocked, because of these gates, with the run as the next step; the campaigns below it, and the alert."""
    page = client.get("/").text
    assert "<h1>2 of 2 assistants are blocked, 1 alert without an owner</h1>" in page
    assert "3 of 4 gates fail: Mean score of the samples is 0.727, and must be at least 0.8" in page
    assert "See what to fix first" in page
    assert 'href="/campaigns/release-2025-03-31/decision"' in page
    assert "No campaign is open." in page
    assert 'href="/monitoring/2025-W23"' in page
    assert page.count('class="weeks small-weeks"') == 6
    assert "563 of 563 entries" in page
    assert len(page) < 60_000


def test_a_review_names_the_model_whose_answers_were_rated(client: TestClient) -> None:
    """What people found ready is not what a run found blocked: each line names its own model."""
    lines = re.findall(r'<th scope="row">(.*?)</th>', client.get("/").text, flags=re.DOTALL)
    reviewed = [re.sub(r"<[^>]*>", " ", line) for line in lines if "reviewed by people" in line]
    assert [line.split()[0] for line in reviewed] == ["demo-assistant@2025-03-31"] * 2
    assert "16 answers reviewed by people, pre-deployment" in reviewed[1]


def test_small_charts_end_with_the_last_review(client: TestClient, site: Site, tmp_path: Path) -> None:
    """Interactions of a year later that nobody reviewed yet do not push the reviewed weeks out of the charts."""
    open_one(site, tmp_path, "later", [response(number) for number in range(2)])
    page = client.get("/").text
    assert "to 2025-W26" in page
    assert page.count("2025-W14 to 2025-W26") == 6


def test_reasons_are_in_words(client: TestClient) -> None:
    """A reason names no option of the command line and no key, and a figure in per cent is one."""
    shown = re.sub(r"<[^>]*>", "", client.get("/").text.partition("<main")[2])
    assert "--second" not in shown
    assert not re.search(r"\b[a-z]+_[a-z_]+\b", shown)
    assert "in any dimension is 12.5%" in html.unescape(shown)


def test_an_empty_ledger_says_what_to_do(site: Site, tmp_path: Path) -> None:
    """A ledger without a run or a campaign names the commands that begin one."""
    address = f"sqlite:///{tmp_path}/empty.db"
    with open_ledger(address, at=AT):
        pass
    response = client_of(site, address).get("/")
    assert response.status_code == 200
    assert "Nothing is evaluated yet" in response.text
    assert "plumbrule run run.yaml" in response.text


def test_no_ledger_at_all(site: Site, tmp_path: Path) -> None:
    """The page says so, and that trying needs none; reading it makes no ledger."""
    response = client_of(site, f"sqlite:///{tmp_path}/none/ledger.db").get("/")
    assert response.status_code == 200
    assert "There is no ledger here yet" in response.text
    assert "plumbrule serve --demo" in response.text
    assert not (tmp_path / "none").exists()


def test_the_address_of_a_ledger_shows_no_password(site: Site, tmp_path: Path) -> None:
    """What is missing is named without its secrets."""
    store = Store(f"sqlite:///{tmp_path}/web.db")
    absent = replace(site, store=store, ledger=f"sqlite:///{tmp_path}/none.db?key=hunter2")
    assert "hunter2" not in TestClient(create_app(absent)).get("/").text
    store.close()


def test_the_overview_in_a_browser(page: Page, look: Callable[[Page, str], None]) -> None:
    """A figure leads to its chart, an alert to where it gets an owner."""
    page.goto("/")
    expect(page.get_by_role("heading", level=1)).to_contain_text("2 of 2 assistants are blocked")
    look(page, "overview")
    page.get_by_role("link", name="Grounding Integrity average").click()
    expect(page).to_have_url(re.compile("/monitoring#figure-grounding_integrity_average$"))
    page.go_back()
    page.get_by_role("link", name="Name an owner and a remedy").click()
    expect(page.locator("li:target")).to_contain_text("2025-W23")
