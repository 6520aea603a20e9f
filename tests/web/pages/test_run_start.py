"""Starting a run from the pages: the plan first, then its progress."""

from collections.abc import Callable
from typing import Any

from fastapi.testclient import TestClient
from playwright.sync_api import Page, expect

Send = Callable[..., Any]


def test_configurations_are_listed(client: TestClient) -> None:
    """Each run configuration of the folder can be chosen."""
    text = client.get("/runs/new").text
    assert "first-run.yaml" in text
    assert "/runs/new?configuration=run.yaml" in text


def test_the_plan_comes_first(client: TestClient) -> None:
    """Choosing shows samples, calls and cost, and begins nothing."""
    text = client.get("/runs/new", params={"configuration": "run.yaml"}).text
    assert "56 samples" in text
    assert "Cost in USD, at most" in text
    assert "No run was started" in client.get("/jobs").text


def test_a_configuration_that_is_not_there(client: TestClient, send: Send) -> None:
    """An unknown name is refused in words, whatever it points to."""
    assert client.get("/runs/new", params={"configuration": "../../etc/passwd"}).status_code == 404
    assert send("/runs/new", configuration="../../etc/passwd").status_code == 404
    assert client.get("/jobs/job-nowhere").status_code == 404
    assert client.get("/jobs/job-nowhere/events").status_code == 404


def test_a_form_from_elsewhere_starts_nothing(client: TestClient) -> None:
    """Without the token of the session, or from another site, no run is started."""
    assert client.post("/runs/new", data={"configuration": "run.yaml"}).status_code == 403
    foreign = {"origin": "https://evil.example"}
    assert client.post("/runs/new", data={"configuration": "run.yaml"}, headers=foreign).status_code == 403


def test_a_run_is_started_and_followed(page: Page, look: Callable[[Page, str], None]) -> None:
    """From the list to the plan to the progress, which the page follows until the run is finished."""
    page.goto("/runs/new")
    look(page, "run-start")
    page.get_by_role("link", name="run.yaml", exact=True).click()
    look(page, "run-plan")
    page.get_by_role("button", name="Start the run").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("run.yaml: finished")
    expect(page.get_by_text("56 of 56 tasks")).to_be_visible()
    look(page, "job")
    page.goto("/jobs")
    look(page, "jobs")
