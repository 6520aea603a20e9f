"""The list of campaigns and one campaign, for a client and in a browser."""

from collections.abc import Callable
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from playwright.sync_api import Page, expect
from tests.web.campaigns import HOSTILE, open_one, rate, response, token

from plumbrule.api import reviews
from plumbrule.web.site import Site

Look = Callable[[Page, str], None]


@pytest.fixture
def items(site: Site, tmp_path: Path) -> list[str]:
    """Open a campaign on six items: two rated once, one waits for an adjudicator, one is held."""
    answers = [response(number) for number in range(5)] + [response(5, query=HOSTILE * 40)]
    items = open_one(site, tmp_path, "release-7", answers)
    rate(site, "release-7", items[0], "Ada", 4)
    rate(site, "release-7", items[1], "Ada", 2, 4)
    rate(site, "release-7", items[1], "Ben", 4)
    reviews.claim_items("Ben", [items[0]], campaign="release-7", ledger=site.ledger)
    return items


def test_open_campaigns_stand_first(client: TestClient, items: list[str]) -> None:
    """The list says how far open ones are and how closed ones ended, and the filters are in the address."""
    assert items
    page = client.get("/campaigns").text
    assert "1 open campaign, 13 closed" in page
    assert page.index("release-7") < page.index("release-2025-03-31")
    assert "1 held" in page
    assert "Release" in page
    assert "No release" in page
    weekly = client.get("/campaigns?state=closed&trigger=monitoring").text
    assert "week-2025-W15" in weekly
    assert "release-2025-03-31<" not in weekly
    assert "No campaign is like this" in client.get("/campaigns?state=open&trigger=incident").text
    assert client.get("/campaigns?page=99").status_code == 200


def test_an_open_campaign_shows_who_not_how(client: TestClient, items: list[str]) -> None:
    """Who rated, holds and waits is told; no level is, while the ratings are blind."""
    page = client.get("/campaigns/release-7").text
    assert "release-7 is open: 0 of 6 items done" in page
    assert "held by Ben" in page
    assert "rated by Ada, Ben" in page
    assert "Needs Review" not in page
    assert HOSTILE not in page
    assert page.index(items[1]) < page.index(items[2])  # what waits for an adjudicator stands first
    only = client.get("/campaigns/release-7?show=adjudication").text
    assert f"items/{items[1]}" in only
    assert f"items/{items[0]}" not in only
    found = client.get("/campaigns/release-7?find=wire+3").text
    assert "items/new-003" in found
    assert "items/new-001" not in found


def test_a_closed_campaign_shows_failing_items_first(client: TestClient) -> None:
    """The item that fails stands first, with its low levels; the records are there to download."""
    page = client.get("/campaigns/week-2025-W23").text
    assert "week-2025-W23 is closed: no release" in page
    assert page.index("Unsafe") < page.index("Strong") if "Strong" in page else "Unsafe" in page
    lines = client.get("/campaigns/week-2025-W23/records.jsonl")
    assert len(lines.text.splitlines()) == 9
    assert lines.headers["content-disposition"].startswith("attachment")
    table = client.get("/campaigns/week-2025-W23/records.csv").text
    assert table.startswith("evaluation_id,date,evaluator,role,trigger,query,trace_id,")
    assert "Unsafe" in table


def test_a_campaign_that_is_not_there(client: TestClient) -> None:
    """A name that no campaign has is no page, whatever it holds; the start of a name is none either."""
    for name in ("nothing", "release", "%3Cscript%3Ealert(1)%3C%2Fscript%3E"):
        answer = client.get(f"/campaigns/{name}")
        assert answer.status_code == 404
        assert "<script>alert" not in answer.text


def test_items_are_assigned_by_name(client: TestClient, site: Site, items: list[str]) -> None:
    """A chosen item is kept for somebody; a mistake keeps the form."""
    csrf = token(client, "/campaigns/release-7")
    form = {"csrf": csrf, "item": items[2:4], "person": "Cleo"}
    assert client.post("/campaigns/release-7/assign", data=form).status_code == 303
    kept = {item.trace_id: item.assigned for item in reviews.items("release-7", ledger=site.ledger).items}
    assert kept[items[2]] == kept[items[3]] == ("Cleo",)
    nobody = client.post("/campaigns/release-7/assign", data={"csrf": csrf, "item": items[4:5], "person": " "})
    assert nobody.status_code == 422
    assert "Name whom the items are for" in nobody.text
    assert f'value="{items[4]}" aria-label="Choose item 5" checked' in nobody.text
    assert client.post("/campaigns/release-7/assign", data={**form, "csrf": "0"}).status_code == 403


def test_agreement_is_blind_until_closed(client: TestClient, items: list[str]) -> None:
    """The figures have intervals; of an open campaign nobody sees more than their own items."""
    assert items
    assert "Nothing can be said yet" in client.get("/campaigns/release-7/agreement").text
    page = client.get("/campaigns/release-2025-03-31/agreement").text
    assert "Attribution Accuracy" in page
    assert 'class="interval"' in page


@pytest.mark.usefixtures("items")
def test_campaigns_in_a_browser(page: Page, look: Look) -> None:
    """A release manager finds the campaign, filters its items and assigns one, without a mouse where it matters."""
    page.goto("/campaigns")
    look(page, "campaigns")
    page.get_by_role("link", name="release-7", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("release-7 is open: 0 of 6 items done")
    look(page, "campaign-open")
    page.get_by_label("Items that").select_option("waiting")
    page.get_by_role("button", name="Show").click()
    page.get_by_label("Choose item 4").check()
    page.get_by_label("Assign the chosen items to").fill("Cleo")
    page.get_by_role("button", name="Assign").press("Enter")
    expect(page.get_by_text("kept for Cleo")).to_have_count(1)
    page.goto("/campaigns/week-2025-W23")
    look(page, "campaign-closed")
    page.get_by_role("link", name="How far they agree").click()
    look(page, "campaign-agreement")
