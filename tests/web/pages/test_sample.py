"""One sample of a run, for a client and in a browser."""

from collections.abc import Callable
from pathlib import Path

from fastapi.testclient import TestClient
from playwright.sync_api import Page, expect
from tests.web.made_runs import HOSTILE, PASSAGE, RIGHT, WRONG, make_run, sample

from plumbrule.web.site import Site

BOLD = f"<b>{HOSTILE}</b>"


def test_a_wrong_value_stands_beside_what_the_passage_says(client: TestClient, site: Site, tmp_path: Path) -> None:
    """Sentences carry their support, a contradicted value its rival, a citation the passage that it means."""
    run = make_run(site.ledger, tmp_path, [sample("a", WRONG), sample("b", RIGHT)], name="made")
    page = client.get(f"/runs/{run}/samples/a").text
    assert "a fails: unfaithful to the context" in page
    assert "the passage says: $25" in page
    assert "the passage says: 30 calendar days" in page
    assert 'href="#passage-1"' in page
    assert 'href="#citation-1"' in page
    assert "<li>Share of numbers, dates and claims in no passage: " in page  # the rule of the verdict that fired
    assert "which judged the run, too." in page
    assert "the rules judge without one" in page
    right = client.get(f"/runs/{run}/samples/b").text
    assert "b passes" in right
    assert "the passage says" not in right


def test_hostile_and_long_texts_are_shown_as_text(client: TestClient, site: Site, tmp_path: Path) -> None:
    """Every text of a sample may hold markup, and be long: it is escaped, and cut with a way to see it all."""
    name = f"../a b?#{HOSTILE}"
    hostile = sample(
        name,
        f"{BOLD} costs $40 [1]. " + "The fee is $25. " * 7_000,
        question=BOLD,
        reference=BOLD,
        category=BOLD,
        contexts=[{"id": BOLD, "title": BOLD, "text": f"{PASSAGE} {BOLD} " + "x " * 50_000, "source_id": BOLD}],
    )
    run = make_run(site.ledger, tmp_path, [hostile, sample("=1+1", RIGHT)], name="hostile")
    table = client.get(f"/runs/{run}/samples").text
    address = table.split('<th scope="row" class="sample-cell"><a href="')[1].split('"')[0].replace("&amp;", "&")
    for path in (f"/runs/{run}", f"/runs/{run}/samples", address, f"{address}&whole=true", "/runs"):
        response = client.get(path)
        assert response.status_code == 200, path
        assert "<script>alert" not in response.text, path
        assert "<b>" not in response.text, path
        assert len(response.content) < 300_000 or "whole" in path, path
    assert "more characters" in client.get(address).text
    assert "more characters" not in client.get(f"{address}&whole=true").text
    cells = client.get(f"/runs/{run}/samples.csv").text
    assert "'=1+1" in cells
    assert "\n=1+1" not in cells


def test_a_sample_has_a_history_over_the_runs_of_its_dataset(client: TestClient, site: Site, tmp_path: Path) -> None:
    """The strip shows what became of the sample in each run, this one marked, and leads to each."""
    before = make_run(site.ledger, tmp_path, [sample("a", RIGHT)], name="before")
    after = make_run(site.ledger, tmp_path, [sample("a", WRONG), sample("b", RIGHT)], name="after")
    page = client.get(f"/runs/{after}/samples/a").text
    strip = page[page.index('id="history"') :]
    assert strip.index(f"/runs/{before}/samples/a?repeat=0") < strip.index(f"/runs/{after}/samples/a?repeat=0")
    assert "newest 2 runs" in strip
    assert "No other run of the dataset has this sample." in client.get(f"/runs/{after}/samples/b").text
    assert client.get(f"/runs/{after}/samples/a?repeat=7").status_code == 404
    assert client.get(f"/runs/{after}/samples/a?repeat=x").status_code == 422


def test_neighbours_are_those_of_the_list(client: TestClient, site: Site, tmp_path: Path) -> None:
    """Who came from a filtered list goes on in it."""
    samples = [sample("a", WRONG), sample("b", RIGHT), sample("c", WRONG)]
    run = make_run(site.ledger, tmp_path, samples, name="made")
    page = client.get(f"/runs/{run}/samples/a?passed=no").text
    assert "Sample 1 of 2 where passed is no" in page
    assert f"/runs/{run}/samples/c?repeat=0&amp;passed=no" in page
    assert "samples/b" not in page


def test_a_sample_in_a_browser(page: Page, look: Callable[[Page, str], None]) -> None:
    """A sentence lights its evidence, a click goes to it and back, and keys go to the next sample."""
    page.goto("/runs/last/samples?verdict=FAIL&flag=contradicted")
    page.get_by_role("row").nth(1).get_by_role("link").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("fails")
    sentence = page.locator("#answer a.marked").first
    sentence.focus()
    expect(page.locator(".sample-passage .lit").first).to_be_visible()
    look(page, "sample")
    sentence.press("Enter")
    page.wait_for_url("**#of-**")
    first = page.url.partition("#")[0]
    page.keyboard.press("j")
    page.wait_for_url(lambda url: not url.startswith(first))
    page.keyboard.press("k")
    page.wait_for_url(first)
