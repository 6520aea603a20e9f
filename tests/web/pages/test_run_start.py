"""Starting a run from the pages: the plan first, then its progress."""

from collections.abc import Callable
from typing import Any

from fastapi.testclient import TestClient
from playwright.sync_api import Page, expect
from sqlalchemy import insert
from tests.web.conftest import Enter

from plumbrule.web.access.roles import Role
from plumbrule.web.jobs.run_jobs import jobs
from plumbrule.web.site import Site

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


def keep_job(site: Site, **values: object) -> None:
    """Keep a job that no process carries out."""
    at = site.clock().isoformat()
    row = {
        "id": "job-1",
        "configuration": "run.yaml",
        "person": "Ada",
        "begun_at": at,
        "heard_at": at,
        "state": "running",
        "finished": 0,
        "errors": 0,
        "stop": False,
    }
    with site.store.begin() as connection:
        connection.execute(insert(jobs).values({**row, **values}))


def test_a_job_that_is_being_planned_says_so(client: TestClient, site: Site) -> None:
    """As long as nobody knows how many tasks there are, no bare number stands beside the bar."""
    keep_job(site)
    assert '<span id="done">being planned</span>' in client.get("/jobs/job-1").text


def test_large_counts_of_a_job_are_readable(client: TestClient, site: Site) -> None:
    """Thousands are set apart, in the list and on the page."""
    keep_job(site, state="failed", total=56_000, finished=12_345, errors=1_678)
    for address in ("/jobs", "/jobs/job-1"):
        text = client.get(address).text
        assert "12,345 of 56,000" in text
        assert "1,678" in text


def test_a_viewer_is_offered_nothing_that_they_may_not_do(enter: Enter, team_site: Site) -> None:
    """Stopping, resuming and starting are for release managers; a viewer sees how far a run is."""
    viewer, manager = enter("Vera", Role.VIEWER), enter("Rita", Role.RELEASE_MANAGER)
    assert "/runs/new" not in viewer.get("/jobs").text
    assert "/runs/new" in manager.get("/jobs").text
    keep_job(team_site)
    keep_job(team_site, id="job-2", state="stopped", run_id="run-1")
    for address in ("/jobs/job-1/stop", "/jobs/job-2/resume"):
        page = address.rpartition("/")[0]
        assert address in manager.get(page).text
        assert address not in viewer.get(page).text


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
