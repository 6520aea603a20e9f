"""One sample of a run, for a client and in a browser."""

from collections.abc import Callable

from playwright.sync_api import Page, expect


def test_a_sample_in_a_browser(page: Page, look: Callable[[Page, str], None]) -> None:
    """A sentence lights its evidence, a link goes to it and back, and keys go to the next sample."""
    page.goto("/runs/last/samples?verdict=FAIL&cause=faithfulness")
    page.get_by_role("row").nth(1).get_by_role("link").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("fails")
    sentence = page.locator("#answer a.sentence").first
    sentence.focus()
    expect(page.locator(".passage .lit").first).to_be_visible()
    look(page, "sample")
    first = page.url
    page.keyboard.press("j")
    page.wait_for_url(lambda url: url != first)
    page.keyboard.press("k")
    page.wait_for_url(first)
