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
    assert response.text.index("No release") < response.text.index("Inconclusive</span>")


def test_a_run_can_be_started_from_the_list(client: TestClient) -> None:
    """Whoever may start a run finds the way on the list."""
    assert 'href="/runs/new">Start a run</a>' in client.get("/runs").text


def test_the_address_filters_the_runs(client: TestClient) -> None:
    """Outcome, fields, completeness and text are conditions; what fits none is said, with the way back."""
    page = client.get("/runs", params={"outcome": "INCONCLUSIVE", "dataset": "compliance-qa", "complete": "yes"}).text
    assert "1 of 2 runs" in page
    assert "1 of 2 runs" in client.get("/runs", params={"outcome": "NO RELEASE", "q": "DEMO-ASSISTANT"}).text
    for query in ({"complete": "no"}, {"name": "another"}, {"model": "another"}, {"q": "<script>"}, {"page": "x" * 99}):
        response = client.get("/runs", params=query)
        assert response.status_code == 200
        assert "<script>" not in response.text
    assert "No run fits." in client.get("/runs", params={"complete": "no"}).text


def test_names_of_runs_are_whole(page: Page) -> None:
    """On a wide page a model's name is on one line; on a narrow one a run's id does not reach into its outcome."""
    page.goto("/runs")
    row = page.get_by_role("row").nth(1)
    lines = row.get_by_text("demo-assistant@2025-01-01").evaluate(
        "cell => { const range = document.createRange(); range.selectNodeContents(cell.firstChild);"
        " return range.getClientRects().length; }"
    )
    assert lines == 1
    page.set_viewport_size({"width": 390, "height": 844})
    run_id, outcome = row.locator("code").bounding_box(), row.locator(".status").bounding_box()
    assert run_id is not None
    assert outcome is not None
    assert run_id["x"] + run_id["width"] <= outcome["x"]


def test_the_runs_that_were_started_here_are_found_from_the_list(client: TestClient) -> None:
    """Whoever started a run finds the way back to how far it is."""
    assert 'href="/jobs"' in client.get("/runs").text


def test_the_list_in_a_browser(page: Page, look: Callable[[Page, str], None]) -> None:
    """Runs are filtered by a form whose state is in the address, and two of them are chosen and compared."""
    page.goto("/runs")
    expect(page.get_by_role("heading", level=1)).to_have_text("2 runs")
    look(page, "runs")
    page.get_by_label("outcome is").select_option("NO RELEASE")
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("1 of 2 runs")
    assert "outcome=NO" in page.url
    page.get_by_role("link", name="Show all").click()
    for box in page.get_by_role("checkbox").all():
        box.check()
    page.get_by_role("button", name="Compare selected runs").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("These runs cannot be compared as they are")
