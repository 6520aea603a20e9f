"""The page of the JSON API: every call of the description, with examples that are true."""

import ast
import inspect
import re
from collections.abc import Callable

from fastapi.testclient import TestClient
from playwright.sync_api import Page, expect
from tests.web.conftest import Enter

from plumbrule.client import Connection
from plumbrule.web.access.roles import Role
from plumbrule.web.views.api_description import ApiCall, describe_api

PLACEHOLDER = re.compile(r"96d0cc5f|job-id|nightly|run-20250101")


def calls_of(client: TestClient) -> list[ApiCall]:
    """Return every call that the description has."""
    description = client.get("/api/v1/openapi.json").json()
    return [
        call for group in describe_api(description, server="http://testserver", token=False) for call in group.calls
    ]


def test_every_call_has_its_place(client: TestClient) -> None:
    """Grouped, with method, path, words and both examples; the foot of every page leads here."""
    page = client.get("/api").text
    calls = calls_of(client)
    assert f"The JSON API: {len(calls)} calls" in page
    for call in calls:
        assert f'id="{call.id}"' in page
        assert f"<code>{call.path}</code>" in page
    for title in ("Verdicts", "Runs", "Reviews and campaigns", "Monitoring", "Ledger"):
        assert f">{title}</h2>" in page
    assert "Bearer" not in page  # nobody signs in
    assert '<a href="/api">' in client.get("/try").text
    assert len(page) < 300_000


def test_examples_carry_a_token_where_one_is_needed(enter: Enter) -> None:
    """On a team's server; a stranger is sent to sign in."""
    page = enter("Vera Viewer", Role.VIEWER).get("/api").text
    assert page.count("Authorization: Bearer $PLUMBRULE_TOKEN") == page.count("<code>curl ")
    assert "token=token" in page
    assert enter(None).get("/api").status_code == 303


def test_the_examples_for_python_are_calls_that_there_are(client: TestClient) -> None:
    """Every call names a method of the client with arguments that it takes, and every method is named."""
    named = set()
    for call in calls_of(client):
        if call.path.endswith("/openapi.json"):
            continue
        assert call.python is not None, call.path
        expression = ast.parse(call.python, mode="eval").body
        assert isinstance(expression, ast.Call)
        assert isinstance(expression.func, ast.Attribute)
        method = getattr(Connection, expression.func.attr)
        given = {keyword.arg: None for keyword in expression.keywords if keyword.arg is not None}
        inspect.signature(method).bind(None, *expression.args, **given)
        named.add(expression.func.attr)
    methods = {name for name, _ in inspect.getmembers(Connection, inspect.isfunction) if not name.startswith("_")}
    assert named == methods - {"close"}


def test_the_examples_for_the_shell_are_answered(client: TestClient) -> None:
    """What needs no name of the reader's own can be run as it stands."""
    run = 0
    for call in calls_of(client):
        address = call.curl.split()[1].strip("'").removeprefix("http://testserver")
        if call.method == "GET" and not PLACEHOLDER.search(address) and "/verification" not in address:
            assert client.get(address).status_code == 200, call.curl
            run += 1
    assert run > 10


def test_the_api_in_a_browser(page: Page, look: Callable[[Page, str], None]) -> None:
    """From the foot of a page to a call, what it takes and what it answers."""
    page.goto("/try")
    page.get_by_role("link", name="JSON API").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("The JSON API")
    page.get_by_role("article", name="POST /api/v1/score").get_by_text("Takes question").click()
    expect(page.get_by_text("required", exact=False).first).to_be_visible()
    look(page, "api")
