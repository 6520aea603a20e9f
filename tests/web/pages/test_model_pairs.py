"""A model change pair by pair."""

from collections.abc import Callable
from pathlib import Path

from fastapi.testclient import TestClient
from playwright.sync_api import Page, expect
from tests.web.campaigns import HOSTILE, open_model_change, open_one, response

from plumbrule.web.site import Site

Look = Callable[[Page, str], None]


def test_while_open_only_prescores_are_compared(client: TestClient, site: Site, tmp_path: Path) -> None:
    """Pre-scores reveal no rating; people's levels are told to come later."""
    items = open_model_change(site, tmp_path, closed=False)
    page = client.get("/campaigns/model-2/pairs").text
    assert "12 of 12 items are paired" in page
    assert "People&#39;s records" not in page
    assert "Pre-scores" in page
    pair = client.get(f"/campaigns/model-2/pairs/{items[0]}").text
    assert "people's levels are here when it is closed" in pair


def test_the_seven_figures_and_each_pair(client: TestClient, site: Site, tmp_path: Path) -> None:
    """Every figure with interval and the p-value that allows for all; both answers with the words that differ."""
    items = open_model_change(site, tmp_path, closed=True)
    page = client.get("/campaigns/model-2/pairs").text
    assert "<h1>The new model is clearly worse in 3 figures</h1>" in page
    people = page.partition("People")[2].partition("Pre-scores")[0]
    assert people.count('<th scope="row"') == 7
    assert people.count("clearly worse") == 3
    pair = client.get(f"/campaigns/model-2/pairs/{items[0]}").text
    assert "<del>" in pair
    assert "<ins>costs $35</ins>" in pair
    assert "Adequate" in pair


def test_hostile_answers_and_other_campaigns(client: TestClient, site: Site, tmp_path: Path) -> None:
    """Markup in an answer or in a trace id is text; a campaign that compares nothing has no pairs."""
    new = [response(0, trace_id="a/b?<i>", answer=HOSTILE + " new", query=HOSTILE)]
    old = [response(0, prefix="old", answer=HOSTILE + " old", query=HOSTILE)]
    open_one(site, tmp_path, "change", new, trigger="model-change", earlier=old)
    assert HOSTILE not in client.get("/campaigns/change/pairs").text
    pair = client.get("/campaigns/change/pairs/a%2Fb%3F%3Ci%3E")
    assert pair.status_code == 200
    assert HOSTILE not in pair.text
    assert "&lt;script&gt;" in pair.text
    assert client.get("/campaigns/week-2025-W15/pairs").status_code == 404


def test_pairs_in_a_browser(page: Page, look: Look, site: Site, tmp_path: Path) -> None:
    """An engineer goes from the figures to one pair."""
    open_model_change(site, tmp_path, closed=True)
    page.goto("/campaigns/model-2/pairs")
    look(page, "model-change")
    page.get_by_role("link", name="What is the fee of wire 3?").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("The new answer is worse by 0.50")
    look(page, "model-change-pair")
