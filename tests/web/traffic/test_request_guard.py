"""Every request is checked before a page sees it."""

import pytest
from fastapi.testclient import TestClient

from plumbrule.web.traffic import request_guard


def test_a_foreign_host_is_refused(client: TestClient) -> None:
    """A page that was asked for by another name is not given: a name of another site may point to this machine."""
    assert client.get("/runs", headers={"host": "evil.example"}).status_code == 421
    assert client.get("/runs", headers={"host": "127.0.0.1:8321"}).status_code == 200


def test_every_response_is_protected(client: TestClient) -> None:
    """No script but our own runs, no other site frames a page, and nothing is kept by caches."""
    for path in ("/runs", "/nowhere", "/health"):
        headers = client.get(path).headers
        assert "script-src 'self'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"


def test_a_body_is_bounded(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """A body is read up to a limit, whatever it says of its length."""
    monkeypatch.setattr(request_guard, "LARGEST_BODY", 1000)
    response = client.post("/runs", content=(b"x" * 100 for _ in range(100)))
    assert response.status_code in {405, 413}
