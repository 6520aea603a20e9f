"""The list of runs, for a client and in a browser."""

from collections.abc import Callable

from fastapi.testclient import TestClient
from playwright.sync_api import Page, expect


def test_every_run_is_listed(client: TestClient) -> None:
    """The newest run stands first, with its outcome in words."""
    response = client.get("/runs")
    assert response.status_code == 200
    assert "2 runs" in response.text
    assert "No release" in response.text


def test_the_list_in_a_browser(page: Page, look: Callable[[Page, str], None]) -> None:
    """The list is readable in light, dark and narrow."""
    page.goto("/runs")
    expect(page.get_by_role("heading", level=1)).to_have_text("2 runs")
    look(page, "runs")
