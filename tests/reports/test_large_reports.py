"""The page of a large run stays small, holds every sample, and runs nothing, whatever its texts are."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright
from tests.reports.conftest import Make
from tests.reports.test_hostile_reports import report_with
from tests.web.conftest import CHROMIUM, FLAGS, LONG_MS

from plumbrule.reports.html import render_html

SAMPLES = 10_000
ATTACK = (
    "<script>document.title='ran'</script><img src=x onerror=\"document.title='ran'\"><svg onload=document.title='ran'>"
    "<a href=\"javascript:document.title='ran'\">x</a></td></table></details></main><style>*{display:none}</style>"
    "<iframe srcdoc=\"<script>top.document.title='ran'</script>\"></iframe><link rel=stylesheet href=http://a.example>"
    "'\"><!--\x00\x1b[31m\u202e{{ 7*7 }}"
)


@pytest.fixture(scope="module")
def large(make: Make) -> bytes:
    """Return the page of 10,000 samples, half of which fail, each with hostile texts and a category of its own."""
    ids = [f"sample-{place:05}" for place in range(SAMPLES)]
    results = [
        {"sample_id": name, "accuracy_score": place % 2 * 2, "rationale": ATTACK * 3} for place, name in enumerate(ids)
    ]
    texts = {
        "answer": ATTACK,
        "reference": ATTACK,
        "contexts": [{"id": ATTACK, "title": ATTACK, "text": ATTACK * 10} for _ in range(2)],
    }
    samples = {name: {**texts, "question": f"{name} {ATTACK}", "category": f"{name} {ATTACK}"} for name in ids}
    return render_html(make(results, samples=samples, name=ATTACK))


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Start a real Chromium; it ends with its module."""
    if CHROMIUM is None:
        pytest.skip("there is no Chromium: install the package chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


def test_a_large_page_is_small(large: bytes) -> None:
    """10,000 samples with long texts in every field are less than 5 MB."""
    assert len(large) < 5_000_000


def test_what_there_is_no_room_for_is_said(large: bytes) -> None:
    """Failures and categories that are left out are counted."""
    page = large.decode()
    assert "of 5,000 failing samples are left out here" in page
    assert "The first 100 of 10,000 are shown" in page


def test_every_sample_is_found_and_nothing_runs(large: bytes, browser: Browser, tmp_path: Path) -> None:
    """Each sample has its row, the browser's search finds the last, and no text runs, loads or hides anything."""
    path = tmp_path / "report.html"
    path.write_bytes(large)
    page = browser.new_page()
    page.set_default_timeout(LONG_MS)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    page.goto(path.as_uri())
    assert page.locator(".list tbody tr").count() == SAMPLES
    assert page.evaluate("find('sample-09999')")
    assert page.locator("h1").is_visible()
    assert page.locator("script, img, iframe, link, [onerror], [onload]").count() == 0
    assert page.title().startswith("NO RELEASE")
    assert asked == [path.as_uri()]
    page.close()


def test_no_field_of_a_report_runs_anything(make: Make, browser: Browser, tmp_path: Path) -> None:
    """With hostile text in every field that holds text from outside, nothing runs in a real browser."""
    path = tmp_path / "report.html"
    path.write_bytes(render_html(report_with(make, ATTACK)))
    page = browser.new_page()
    page.set_default_timeout(LONG_MS)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    page.goto(path.as_uri())
    assert page.title().startswith("NO RELEASE")
    assert page.locator("script, img, iframe, link, [onerror], [onload]").count() == 0
    assert asked == [path.as_uri()]
    page.close()
