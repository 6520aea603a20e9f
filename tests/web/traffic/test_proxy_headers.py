"""A proxy's word is taken only from addresses that were named."""

import dataclasses
from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient
from tests.web.conftest import csrf_of

from plumbrule.errors import UsageError
from plumbrule.web.access.sign_in_throttle import FREE_BY_ADDRESS
from plumbrule.web.application import create_app
from plumbrule.web.site import Site
from plumbrule.web.traffic.proxy_headers import read_network

FORWARDED = {"x-forwarded-proto": "https", "x-forwarded-host": "plumbrule.example", "x-forwarded-for": "198.51.100.9"}


@pytest.fixture
def proxied(team_site: Site) -> Site:
    """Give a site behind a proxy."""
    networks = (read_network("10.0.0.0/8"), read_network("fd00::/8"))
    return dataclasses.replace(team_site, proxies=networks, hosts=("plumbrule.example", "testserver"))


def client_at(site: Site, address: str) -> TestClient:
    """Return a client whose requests come from an address."""
    return TestClient(create_app(site), follow_redirects=False, client=(address, 4711))


@pytest.fixture
def clients(proxied: Site) -> Iterator[tuple[TestClient, TestClient]]:
    """Give a client behind the proxy, and one that only says so."""
    with client_at(proxied, "10.0.0.5") as behind, client_at(proxied, "203.0.113.7") as stranger:
        yield behind, stranger


def test_https_at_the_proxy_is_https_here(clients: tuple[TestClient, TestClient]) -> None:
    """Cookies are for HTTPS only, under a name that no neighbouring host can set, and browsers are told to stay."""
    behind, _ = clients
    response = behind.get("/sign-in", headers=FORWARDED | {"host": "internal"})
    assert response.status_code == 200
    cookie = response.headers["set-cookie"]
    assert cookie.startswith("__Host-plumbrule_session=")
    assert {"Secure", "HttpOnly", "SameSite=lax", "Path=/"} <= set(cookie.split("; "))
    assert "Domain" not in cookie
    assert "strict-transport-security" in response.headers
    assert behind.get("/sign-in", headers=FORWARDED | {"x-forwarded-host": "evil.example"}).status_code == 421


def test_a_stranger_is_not_believed(clients: tuple[TestClient, TestClient]) -> None:
    """The same headers from another address change nothing."""
    _, stranger = clients
    response = stranger.get("/sign-in", headers=FORWARDED | {"x-forwarded-host": "testserver"})
    assert response.headers["set-cookie"].startswith("plumbrule_session=")
    assert "Secure" not in response.headers["set-cookie"]
    assert "strict-transport-security" not in response.headers
    assert stranger.get("/sign-in", headers=FORWARDED | {"host": "internal"}).status_code == 421


def test_a_form_by_https_comes_from_our_own_origin(clients: tuple[TestClient, TestClient]) -> None:
    """The origin of a form is held against what the browser sees, not against what the proxy asks for."""
    behind, _ = clients
    page = behind.get("/sign-in", headers=FORWARDED)
    cookie = page.headers["set-cookie"].partition(";")[0]
    data = {"name": "x", "password": "y", "csrf": page.text.partition('name="csrf" content="')[2].partition('"')[0]}
    headers = FORWARDED | {"cookie": cookie}
    right = behind.post("/sign-in", data=data, headers=headers | {"origin": "https://plumbrule.example"})
    wrong = behind.post("/sign-in", data=data, headers=headers | {"origin": "http://plumbrule.example"})
    assert (right.status_code, wrong.status_code) == (401, 403)


@pytest.mark.parametrize(
    ("told", "counted"),
    [
        ("198.51.100.9", True),
        ("{number}.1.2.3, 198.51.100.9", True),  # what the browser invented stands first
        ("198.51.100.9, 10.0.0.7", True),  # two proxies of ours
        ("198.51.100.{number}", False),
    ],
)
def test_guesses_are_counted_by_the_browsers_address(proxied: Site, told: str, counted: bool) -> None:  # noqa: FBT001 - a column
    """Everybody behind the proxy has an address of their own, which they cannot choose."""
    with client_at(proxied, "10.0.0.5") as client:
        statuses = set()
        token = csrf_of(client, "/sign-in")
        for number in range(FREE_BY_ADDRESS + 1):
            data = {"name": f"Name {number}x", "password": "wrong", "csrf": token}
            headers = {"x-forwarded-for": told.format(number=number + 1)}
            statuses.add(client.post("/sign-in", data=data, headers=headers).status_code)
    assert (429 in statuses) == counted


@pytest.mark.parametrize("text", ["everywhere", "10.0.0.1/8", "", "300.0.0.1"])
def test_a_network_is_written_plainly(text: str) -> None:
    """What is no address or network is refused when the site starts."""
    with pytest.raises(UsageError, match="is no address or network"):
        read_network(text)
