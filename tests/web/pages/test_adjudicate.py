"""Adjudicating on the pages: looking takes nothing, names are hidden, only what is open can be decided."""

from collections.abc import Callable
from pathlib import Path

from fastapi.testclient import TestClient
from playwright.sync_api import Page, expect
from tests.web.open_reviews import NAME, client_of, open_campaign, rate, send

from plumbrule.api import reviews
from plumbrule.web.site import Site

ME = "Robin Reader"


def disputed_items(site: Site, folder: Path) -> list[str]:
    """Open a campaign in which two people disagree on two items, on the second with an Unsafe."""
    traces = open_campaign(site, folder)
    for trace_id, other in ((traces[0], 2), (traces[1], 1)):
        rate(site, trace_id, "Ada Angle", 4)
        rate(site, trace_id, "Ben Bevel", other, 4)
    return traces


def test_an_empty_inbox_says_when_something_comes(client: TestClient) -> None:
    """Where nothing waits, the page says what would bring an item here."""
    page = client.get("/adjudicate").text
    assert "Nothing to adjudicate" in page
    assert "disagree" in page


def test_the_inbox_shows_unsafe_first_and_takes_nothing(site: Site, client: TestClient, demo_folder: Path) -> None:
    """The alarming item stands first; neither the inbox nor the item's page takes it; names are hidden."""
    traces = disputed_items(site, demo_folder)
    page = client.get("/adjudicate").text
    assert "2 items wait for an adjudicator" in page
    assert page.index(f"/adjudicate/{NAME}/{traces[1]}") < page.index(f"/adjudicate/{NAME}/{traces[0]}")
    page = client.get(f"/adjudicate/{NAME}/{traces[1]}").text
    assert "You are looking; nothing is taken." in page
    assert "Rater A" in page
    assert "Ada Angle looked at it" in page  # the note is theirs; the name above it is hidden
    assert "Ada Angle:" not in page
    assert 'name="level_attribution_accuracy"' in page
    assert 'name="level_grounding_integrity"' not in page
    assert all(line.until is None for line in reviews.adjudications(ME, ledger=site.ledger))


def test_an_item_is_taken_given_back_and_decided(site: Site, client: TestClient, demo_folder: Path) -> None:
    """Taking and giving back are buttons; a decision needs its reason, and stands under the visitor's name."""
    [trace_id, *_] = disputed_items(site, demo_folder)
    address = f"/adjudicate/{NAME}/{trace_id}"
    assert send(client, address, do="take").status_code == 303
    with client_of(site, "Cy Chord") as other:
        assert "somebody else is adjudicating" in other.get(address).text
        assert send(other, address, do="take").status_code == 409
    returned = send(client, address, do="release").headers["location"]
    assert "Given back." in client.get(returned).text
    assert all(line.until is None for line in reviews.adjudications(ME, ledger=site.ledger))
    send(client, address, do="take")
    fields = {"holds": "yes", "do": "submit", "level_attribution_accuracy": "3"}
    answer = send(client, address, **fields)
    assert (answer.status_code, "say why you decide so" in answer.text) == (422, True)
    answer = send(client, address, **fields, notes="the cited source says it")
    assert answer.status_code == 303
    page = client.get(f"/campaigns/{NAME}/items/{trace_id}").text
    assert "decided by the adjudicator" in page
    assert "the cited source says it" in page
    assert "Ada Angle</th>" not in page  # the campaign is open, and the visitor did not rate
    revised = send(
        client,
        address,
        **{**fields, "level_attribution_accuracy": "4"},
        revises="yes",
        notes="read again",
        reason="slip",
    )
    assert revised.headers["location"] == f"/campaigns/{NAME}/items/{trace_id}"
    assert "slip" in client.get(revised.headers["location"]).text


def test_who_rated_does_not_adjudicate(site: Site, demo_folder: Path) -> None:
    """The page says why, and a form that is sent all the same changes nothing."""
    [trace_id, *_] = disputed_items(site, demo_folder)
    address = f"/adjudicate/{NAME}/{trace_id}"
    with client_of(site, "Ada Angle") as client:
        assert "who rated" in client.get("/adjudicate").text
        assert "who rated" in client.get(address).text
        fields = {"holds": "yes", "do": "submit", "level_attribution_accuracy": "4", "notes": "mine"}
        assert send(client, address, **fields).status_code == 409
    assert reviews.items(NAME, ledger=site.ledger).items[0].status == "adjudication"


def test_an_adjudication_by_keyboard_alone(
    site: Site, page: Page, look: Callable[[Page, str], None], demo_folder: Path
) -> None:
    """From the inbox to the next item without a mouse."""
    traces = disputed_items(site, demo_folder)
    page.goto("/adjudicate")
    look(page, "adjudicate-inbox")
    page.keyboard.press("Enter")  # on the first item, which has the focus
    expect(page.get_by_text("nothing is taken")).to_be_visible()
    look(page, "adjudicate-look")
    expect(page.locator("html[data-keys=ready]")).to_have_count(1)
    page.keyboard.press("t")
    expect(page.get_by_role("button", name="Give back")).to_be_visible()
    expect(page.locator(".dimension.active")).to_have_count(1)
    assert page.evaluate("document.documentElement.scrollHeight <= window.innerHeight")
    page.keyboard.press("3")
    expect(page.locator("#standing")).to_contain_text("Say why you decide so")
    page.keyboard.press("n")
    page.keyboard.type("Both readings are fair, and the citation is right.")
    look(page, "adjudicate")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("Decided and kept.")).to_be_visible()
    expect(page.get_by_text("nothing is taken")).to_be_visible()  # the next one is shown, and not taken
    expect(page.locator("html[data-keys=ready]")).to_have_count(1)
    page.keyboard.press("q")
    expect(page.get_by_role("heading", level=1)).to_contain_text("1 item waits")
    page.goto(f"/campaigns/{NAME}/items/{traces[1]}")
    look(page, "campaign-item")
