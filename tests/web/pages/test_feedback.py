"""Feedback: patterns with their examples and remedies, and the correction in words."""

from collections.abc import Callable

from fastapi.testclient import TestClient
from playwright.sync_api import Page, expect


def test_patterns_have_examples_and_remedies(client: TestClient) -> None:
    """The count beside the share, its interval, where it gathers, and what the test says in words."""
    page = client.get("/feedback").text
    assert "Grounding Issues: 1 of 85" in page
    assert "Adjust prompts or thresholds" in page
    assert 'href="/incidents/8c6b214a-7121-4fc0-9a92-f40e787d1291"' in page
    assert "Too few to tell" in page
    assert "corrected for that" in page
    assert "1.2%" in page


def test_a_stratum_without_a_pattern(client: TestClient) -> None:
    """It says so; a trigger that nobody reviewed by says what to do."""
    assert "No pattern in 27 reviewed interactions" in client.get("/feedback?stratum=refusals").text
    assert "No review matches." in client.get("/feedback?trigger=incident").text


def test_feedback_in_a_browser(page: Page, look: Callable[[Page, str], None]) -> None:
    """From monitoring to a pattern, and from its example to the interaction."""
    page.goto("/monitoring")
    page.get_by_role("link", name="Patterns and remedies").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("in 112 reviewed interactions")
    look(page, "feedback")
