"""The decision of a campaign, on the screen and on paper."""

from collections.abc import Callable
from pathlib import Path

from fastapi.testclient import TestClient
from playwright.sync_api import Page, expect
from tests.web.campaigns import HOSTILE, open_with_every_warning
from tests.web.conftest import SCREENSHOTS

from plumbrule.api import reviews
from plumbrule.web.site import Site

Look = Callable[[Page, str], None]


def test_the_title_is_the_decision(client: TestClient) -> None:
    """Reasons are sentences with links to the items; the failing item stands first, with its notes."""
    page = client.get("/campaigns/week-2025-W23/decision").text
    assert "<h1>No release: 1 of 8 items fails</h1>" in page
    assert "Any dimension scored &#34;Unsafe&#34;" in page
    assert "Attribution Accuracy and Grounding Integrity, in 1 of 8 items." in page
    assert "any_unsafe:" not in page
    assert 'href="/campaigns/week-2025-W23/items/8c6b214a-7121-4fc0-9a92-f40e787d1291"' in page
    assert "Earlier campaign on the same items" in page
    assert "Gus" in page


def test_a_late_revision_is_a_warning(client: TestClient) -> None:
    """Who changed what, why, and that the blind rating counts; the note is a reason with its item."""
    page = client.get("/campaigns/release-2025-03-31/decision").text
    assert "<h1>Release with notes on 1 of 16 items</h1>" in page
    assert "Ada changed Grounding Integrity from Needs Review to Strong" in page
    assert "The blind rating counts." in page
    assert "Response Completeness is at Needs Review in 1 of 16 items." in page


def test_every_warning_is_shown(client: TestClient, site: Site, tmp_path: Path) -> None:
    """As-is, part of the scope, the second signature, roles, a weaker policy in words, earlier campaigns."""
    open_with_every_warning(site, tmp_path)
    reviews.close_campaign("warned", as_is=True, author="Lena Lead", second="Hal", ledger=site.ledger)
    page = client.get("/campaigns/warned/decision").text
    for words in (
        "Weaker policy",
        "fails below an average overall score of 2, not 3",
        "Closed as it was",
        "Lena Lead and Hal signed",
        "Ben changed Attribution Accuracy from Strong to Adequate",
        "One person in several roles",
        "Lena Lead opened it, rated and closed it",
        "Part of the scope",
        "Earlier campaign on the same items",
    ):
        assert words in page, words
    assert HOSTILE not in page
    assert "&lt;script&gt;" in page
    assert HOSTILE not in client.get("/campaigns/warned/print").text


def test_an_open_campaign_has_no_decision(client: TestClient, site: Site, tmp_path: Path) -> None:
    """The page says so, reveals nothing, and leads to the closing."""
    open_with_every_warning(site, tmp_path)
    for address in ("/campaigns/warned/decision", "/campaigns/warned/print"):
        page = client.get(address).text
        assert "Not decided yet: warned is open" in page
        assert "Needs Review" not in page


def test_the_print_view_has_every_field_of_the_template(client: TestClient) -> None:
    """One form for each record, a box for each level, and places to sign."""
    page = client.get("/campaigns/release-2025-03-31/print").text
    assert page.count('class="paper-record"') == 33
    for field in ("Evaluation ID", "Date", "Evaluator", "Trigger", "Query", "Trace ID", "Scores", "Notes"):
        assert f">{field}</" in page, field
    assert page.count("<dt>Overall Score</dt>") == page.count("<dt>Recommendation</dt>") == 33
    assert page.count('class="tick"') == 33 * 6
    assert "Signature, name and date" in page


def test_the_decision_in_a_browser(page: Page, look: Look, site: Site, tmp_path: Path) -> None:
    """A release manager reads the decision, and prints it: several pages, with the records after the decision."""
    page.goto("/campaigns/week-2025-W23/decision")
    look(page, "decision-no-release")
    open_with_every_warning(site, tmp_path)
    reviews.close_campaign("warned", as_is=True, author="Lena Lead", second="Hal", ledger=site.ledger)
    page.goto("/campaigns/warned/decision")
    look(page, "decision-warned")
    page.goto("/campaigns/release-2025-03-31/decision")
    expect(page.get_by_role("heading", level=1)).to_have_text("Release with notes on 1 of 16 items")
    look(page, "decision-release")
    page.get_by_role("link", name="Print and sign").click()
    expect(page.get_by_role("button", name="Print")).to_be_visible()
    look(page, "decision-print")
    printed = page.pdf(format="A4")
    assert printed.startswith(b"%PDF")
    assert printed.count(b"/Type /Page\n") >= 8 or printed.count(b"/Type /Page") >= 8
    if SCREENSHOTS:
        Path(SCREENSHOTS, "decision-print.pdf").write_bytes(printed)
