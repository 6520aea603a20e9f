"""Logs say which route, with which outcome and how long it took: no text, no name, no secret."""

import json
import logging
from collections.abc import Iterator

import pytest
from tests.web.conftest import PASSWORD, Enter, csrf_of

from plumbrule.web.access.roles import Role
from plumbrule.web.traffic.request_log import JsonLines, set_up_logs


@pytest.fixture(autouse=True)
def logs_as_before() -> Iterator[None]:
    """Put the handlers back that other tests have."""
    root, own = logging.getLogger(), logging.getLogger("plumbrule.web.requests")
    before = root.handlers[:], root.level, own.level
    yield
    root.handlers[:], level, own_level = before
    root.setLevel(level)
    own.setLevel(own_level)


def test_a_request_is_one_line_of_json(enter: Enter, capsys: pytest.CaptureFixture[str]) -> None:
    """The line has the route's template; what was asked for, by whom and with which token stands nowhere."""
    set_up_logs("json")
    client = enter("Ada Admin", Role.ADMIN)
    client.get("/accounts/1?question=secret")
    client.get("/nowhere/secret")
    client.post("/sign-out", data={"csrf": csrf_of(client, "/account")})
    output = capsys.readouterr().err
    lines = [json.loads(line) for line in output.splitlines()]
    kept = [(line["method"], line["route"], line["status"]) for line in lines]
    assert ("GET", "/accounts/{number}", 200) in kept
    assert ("GET", "none", 404) in kept
    assert ("POST", "/sign-in", 303) in kept
    assert all(set(line) == {"at", "level", "logger", "method", "route", "status", "ms"} for line in lines)
    assert all(text not in output for text in ("secret", "Ada", PASSWORD, *client.cookies.values()))


def test_an_error_is_told_without_its_words(
    enter: Enter, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The log names the kind of error and the places in the code; the words may hold the text of a record."""
    set_up_logs("json")
    client = enter("Ada Admin", Role.ADMIN)

    def fail(*_arguments: object) -> None:
        raise RuntimeError("the answer of a record")

    monkeypatch.setattr("plumbrule.web.access.accounts.Accounts.all", fail)
    assert client.get("/accounts").status_code == 500
    output = capsys.readouterr().err
    [line] = [each for each in map(json.loads, output.splitlines()) if each["level"] == "error"]
    assert line["error"] == "RuntimeError"
    assert line["places"][-1].endswith(" fail")
    assert "the answer of a record" not in output


def test_a_message_keeps_nothing_that_is_filled_in() -> None:
    """Of a message only its fixed words are kept."""
    record = logging.LogRecord("x", logging.WARNING, __file__, 1, "%s could not be read", ("a secret",), None)
    assert json.loads(JsonLines().format(record))["message"] == "%s could not be read"


def test_text_logs_only_what_went_wrong(enter: Enter, capsys: pytest.CaptureFixture[str]) -> None:
    """On a terminal a request is no news."""
    set_up_logs("text")
    enter("Ada Admin", Role.ADMIN).get("/accounts")
    assert capsys.readouterr().err == ""
