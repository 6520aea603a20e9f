"""Monitoring: figures over time, alerts that get an owner, and the reviews behind a week."""

import datetime as dt
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from playwright.sync_api import Page, expect
from tests.storing import MONDAY, Store, card

from plumbrule.ledger import open_ledger
from plumbrule.monitoring.acknowledgements import read_acknowledgement
from plumbrule.monitoring.monitoring_report import alert_id
from plumbrule.web.application import create_app
from plumbrule.web.site import Site

ALERT = alert_id("2025-W23", "unsafe_share")
HOSTILE = '<script>alert(1)</script> "quoted" & {{ 7 * 7 }}'


def csrf_of(client: TestClient) -> str:
    """Return the token that forms of this client's session carry."""
    [token] = re.findall(r'name="csrf" content="([0-9a-f]+)"', client.get("/monitoring").text)
    return str(token)


def acknowledge(client: TestClient, owner: str, remedy: str, *, after: int = 0, alert: str = ALERT) -> Any:
    """Send the form of an alert."""
    form = {"csrf": csrf_of(client), "owner": owner, "remedy": remedy, "after": str(after)}
    return client.post(f"/monitoring/alerts/{alert}", data=form)


def test_the_figures_with_their_alerts(client: TestClient) -> None:
    """Six charts with weeks that are links, the numbers behind them, refusals, drift, agreement."""
    page = client.get("/monitoring").text
    assert "1 alert without an owner" in page
    assert "112 reviewed of 256 interactions" in page
    assert page.count('id="chart-') == 6
    assert 'href="/monitoring/2025-W23"' in page
    assert "27 correct, 0 unneeded, 0 missing, 0 not known" in page
    assert page.count('id="drift-') == 3
    assert "Krippendorff" in page
    assert len(page) < 150_000


def test_filters_stand_in_the_address(client: TestClient) -> None:
    """A trigger, a stratum and a period narrow the figures; links keep them; nonsense is said to be nonsense."""
    page = client.get("/monitoring?trigger=monitoring&stratum=refusals&from=2025-W20&to=2025-W23").text
    assert "2025-W20 to 2025-W23: 8 reviewed" in page
    assert 'href="/monitoring/2025-W20?trigger=monitoring&amp;stratum=refusals"' in page
    assert 'value="2025-W20"' in page
    nothing = client.get("/monitoring?trigger=incident").text
    assert "Inconclusive: nothing was reviewed that matches" in nothing
    assert "No review matches." in nothing
    assert "No alert" not in nothing
    for query in ("trigger=nothing", "stratum=nothing", "from=2025", "from=2025-W20&to=2025-W10"):
        assert client.get(f"/monitoring?{query}").status_code == 400
    assert client.get("/monitoring?from=" + "9" * 300).status_code == 422


def test_an_alert_gets_an_owner_and_a_remedy(client: TestClient, site: Site) -> None:
    """It is kept under the name of the visitor; hostile text is shown as text; the overview knows it, too."""
    assert acknowledge(client, "Ada", HOSTILE).status_code == 303
    with open_ledger(site.ledger) as ledger:
        [entry] = ledger.entries(kind="acknowledgement")
    said = read_acknowledgement(entry)
    assert (said.author, said.owner, said.remedy, said.alert) == ("Robin Reader", "Ada", HOSTILE, ALERT)
    page = client.get("/monitoring").text
    assert "1 alert, it has an owner" in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "<script>alert" not in page
    assert "Seen to" in client.get("/").text
    assert acknowledge(client, "Ben", "Another").status_code == 409
    assert acknowledge(client, "Ben", "Another", after=said.sequence).status_code == 303


@pytest.mark.parametrize(("owner", "remedy"), [("", "Tune"), ("Ada", ""), ("Ada", "x" * 1001)])
def test_a_form_keeps_what_was_typed(client: TestClient, owner: str, remedy: str) -> None:
    """On an error the form is open, with its content and the reason."""
    response = acknowledge(client, owner, remedy)
    assert response.status_code == 422
    assert "<details open>" in response.text
    assert 'role="alert"' in response.text
    assert f">{remedy}</textarea>" in response.text


def test_an_alert_that_nobody_raised(client: TestClient) -> None:
    """Its form cannot be sent."""
    assert acknowledge(client, "Ada", "Tune", alert="0" * 16).status_code == 422


def test_a_change_needs_the_token(client: TestClient, site: Site) -> None:
    """Without it nothing is kept."""
    response = client.post(f"/monitoring/alerts/{ALERT}", data={"owner": "Ada", "remedy": "Tune"})
    assert response.status_code == 403
    with open_ledger(site.ledger) as ledger:
        assert not list(ledger.entries(kind="acknowledgement"))


def test_reading_keeps_no_alert(client: TestClient, site: Site) -> None:
    """A page that is read changes nothing in the ledger."""
    with open_ledger(site.ledger) as ledger:
        before = ledger.checkpoint()
    for path in ("/", "/monitoring", "/monitoring/2025-W23", "/monitoring/2019-W01", "/feedback"):
        assert client.get(path).status_code == 200
    with open_ledger(site.ledger) as ledger:
        assert ledger.checkpoint() == before


def test_a_week_has_its_reviews(client: TestClient) -> None:
    """The worst first, each with its incident page and its item page."""
    page = client.get("/monitoring/2025-W23").text
    assert "2025-W23: 1 alert, 8 reviewed of 20 interactions" in page
    assert page.index("Unsafe: ") < page.index("Needs Review: ")
    assert 'href="/incidents/8c6b214a-7121-4fc0-9a92-f40e787d1291"' in page
    assert 'href="/campaigns/week-2025-W23/items/8c6b214a-7121-4fc0-9a92-f40e787d1291"' in page
    unseen = client.get("/monitoring/2019-W01").text
    assert "2019-W01: inconclusive, none reviewed" in unseen
    assert "Nothing was reviewed of this week." in unseen
    assert client.get("/monitoring/not-a-week").status_code == 404


def test_monitoring_in_a_browser(page: Page, look: Callable[[Page, str], None]) -> None:
    """From an alert to its week and back, and an owner for it, by keyboard."""
    page.goto("/monitoring")
    look(page, "monitoring")
    page.get_by_role("link", name=re.compile("2025-W23: 0.125")).focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("2025-W23: 1 alert")
    expect(page.get_by_text("The week from Monday")).to_contain_text("Jun 2, 2025")  # in the form of every date
    look(page, "week")
    page.get_by_role("link", name="Owner and remedy").click()
    page.get_by_text("Name an owner and a remedy").click()
    page.get_by_label("Owner").fill("Ada")
    page.get_by_label("Remedy").fill("The prompt now asks for the fee of each kind of wire.")
    look(page, "monitoring-alert")
    page.get_by_role("button", name="Acknowledge as Robin Reader").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("1 alert, it has an owner")
    expect(page.locator("li:target")).to_contain_text("The prompt now asks for the fee")
    page.get_by_text("Show the numbers").click()
    expect(page.get_by_role("region", name="Figures by week")).to_be_visible()


def test_many_weeks_and_alerts_stay_small(site: Site, tmp_path: Path) -> None:
    """The last weeks and alerts are shown, the address has the others, and the page is below the limit."""
    store = Store(tmp_path / "many.db")
    for week in range(45):
        day = MONDAY + dt.timedelta(weeks=week)
        store.record(card(f"t{week}", 4, 4, 1, date=str(day), notes="<" * 1_000))
    client = TestClient(create_app(replace(site, ledger=store.url)))
    response = client.get("/monitoring")
    assert "earlier alerts: name a period to see them" in response.text
    assert "see the weeks before" in response.text
    assert len(response.content) < 300_000
    assert client.get("/").status_code == 200
