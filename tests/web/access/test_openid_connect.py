"""Sign-in at a real OpenID Connect provider, and what is refused on the way."""

import base64
import dataclasses
import hashlib
import hmac
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from fastapi.testclient import TestClient
from joserfc import jwt
from joserfc.jwk import RSAKey
from tests.clock import LONG_S
from tests.servers.openid_provider import CLIENT_ID, CLIENT_SECRET, PASSWORD
from tests.web.conftest import MovedClock, csrf_of

from plumbrule.errors import UsageError
from plumbrule.ledger import open_ledger
from plumbrule.web.access.accounts import read_account_change
from plumbrule.web.access.openid_connect import (
    TIME_TO_SIGN_IN,
    Flow,
    OpenIdError,
    OpenIdProvider,
    _verified,
    begin_flow,
    read_flow,
)
from plumbrule.web.access.roles import Role
from plumbrule.web.application import create_app
from plumbrule.web.site import Site

CALLBACK = "http://testserver/sign-in/callback"


@pytest.fixture(scope="module")
def issuer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Start the provider, and give its address."""
    command = [
        sys.executable,
        "-m",
        "tests.servers.openid_provider",
        str(tmp_path_factory.mktemp("provider")),
        CALLBACK,
    ]
    with subprocess.Popen(
        command, cwd=Path(__file__).parents[3], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}/o"
        assert process.stdin is not None
        process.stdin.close()


@pytest.fixture
def provider(issuer: str) -> OpenIdProvider:
    """Give the provider as a site is configured with it."""
    return OpenIdProvider(
        issuer=issuer,
        client_id=CLIENT_ID,
        client_secret=CLIENT_SECRET,
        title="Example Bank",
        role_claim="groups",
        roles={"compliance-leads": (Role.ADMIN, Role.RELEASE_MANAGER), "everyone": (Role.EVALUATOR,)},
    )


@pytest.fixture
def site(team_site: Site, provider: OpenIdProvider, clock: MovedClock) -> Site:
    """Give a team's site that people sign in to at the provider; its time is the provider's."""
    clock.now = datetime.now(UTC)
    return dataclasses.replace(team_site, provider=provider)


@pytest.fixture
def client(site: Site) -> Iterator[TestClient]:
    """Give a browser at the site."""
    with TestClient(create_app(site), follow_redirects=False, raise_server_exceptions=False) as client:
        yield client


@pytest.fixture
def browser() -> Iterator[httpx.Client]:
    """Give the same browser at the provider."""
    with httpx.Client(trust_env=False, timeout=LONG_S) as browser:
        yield browser


def sign_in_at_provider(browser: httpx.Client, address: str, user: str) -> httpx.URL:
    """Sign in at the provider, and return where it sends the browser."""
    page = browser.get(address, follow_redirects=True)
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page.text)
    assert token is not None, page.text
    fields = {"username": user, "password": PASSWORD, "csrfmiddlewaretoken": token[1]}
    fields["next"] = parse_qs(page.url.query.decode())["next"][0]
    response = browser.post(page.url, data=fields)
    while response.is_redirect and response.next_request is not None:
        if str(response.next_request.url).startswith(CALLBACK):
            return response.next_request.url
        response = browser.send(response.next_request)
    raise AssertionError(response.text)


def go(client: TestClient, browser: httpx.Client, user: str, *, next_page: str = "/runs") -> httpx.URL:
    """Begin at the site, sign in at the provider, and return the address that leads back."""
    begun = client.get("/sign-in/provider", params={"next": next_page})
    assert begun.status_code == 303, begun.text
    return sign_in_at_provider(browser, begun.headers["location"], user)


def test_somebody_signs_in(client: TestClient, browser: httpx.Client, site: Site) -> None:
    """The account is made at the first sign-in, under the name and with the roles that the claims give."""
    assert "Sign in with Example Bank" in client.get("/sign-in").text
    back = client.get(str(go(client, browser, "ada")))
    assert (back.status_code, back.headers["location"]) == (303, "/runs")
    page = client.get("/accounts")
    assert page.status_code == 200
    assert "Ada Lovelace" in page.text
    [account] = site.accounts.all()
    assert account.roles == {Role.VIEWER, Role.ADMIN, Role.RELEASE_MANAGER, Role.EVALUATOR}
    with open_ledger(site.ledger) as ledger:
        [entry] = ledger.entries(kind="account")
    assert entry.author == f"OpenID Connect ({site.provider.issuer})"  # type: ignore[union-attr]
    assert read_account_change(entry).event == "created"


def test_roles_follow_the_provider(
    client: TestClient, browser: httpx.Client, site: Site, provider: OpenIdProvider, clock: MovedClock
) -> None:
    """At each sign-in the roles are those that the claims give then, and the change is in the ledger."""
    site.accounts.add("Local Admin", roles=[Role.ADMIN], password="x" * 8 + "abcdef", author="the test", at=clock())
    client.get(str(go(client, browser, "ada")))
    other = dataclasses.replace(provider, roles={"everyone": (Role.ADJUDICATOR,)})
    with TestClient(create_app(dataclasses.replace(site, provider=other)), follow_redirects=False) as again:
        begun = again.get("/sign-in/provider").headers["location"]
        response = browser.get(begun)  # who is signed in at the provider already is sent back at once
        assert again.get(response.headers["location"]).status_code == 303
    assert site.accounts.find("Ada Lovelace").roles == {Role.VIEWER, Role.ADJUDICATOR}
    assert client.get("/accounts").status_code == 303  # the earlier session has ended


def test_whoever_has_no_role_stays_out(client: TestClient, browser: httpx.Client, site: Site) -> None:
    """Somebody whom the provider knows, and whose groups mean nothing here, gets no account."""
    back = client.get(str(go(client, browser, "eve")))
    assert back.status_code == 401
    assert "you have no role here" in back.text
    assert site.accounts.all() == []


def test_a_name_that_is_taken_stays_with_its_owner(
    client: TestClient, browser: httpx.Client, site: Site, clock: MovedClock
) -> None:
    """A provider's claim does not open the account of somebody else who is called the same."""
    site.accounts.add("Ben  REYES", roles=[Role.ADMIN], password="x" * 8 + "abcdef", author="the test", at=clock())
    back = client.get(str(go(client, browser, "ben")))
    assert back.status_code == 401
    assert "is the same person as" in back.text


def test_a_disabled_account_stays_out(client: TestClient, browser: httpx.Client, site: Site, clock: MovedClock) -> None:
    """Whom an administrator keeps out, the provider does not let in."""
    client.get(str(go(client, browser, "ben")))
    site.accounts.set_disabled("Ben Reyes", disabled=True, author="the test", at=clock())
    begun = client.get("/sign-in/provider").headers["location"]
    back = client.get(browser.get(begun).headers["location"])
    assert back.status_code == 401
    assert "your account is disabled" in back.text


def test_a_sign_in_is_good_for_one_browser_once(
    client: TestClient, browser: httpx.Client, site: Site, clock: MovedClock
) -> None:
    """The address that leads back works in the browser that began, within minutes, with its own state, and once."""
    address = str(go(client, browser, "ada"))
    with TestClient(create_app(site), follow_redirects=False) as stranger:
        assert stranger.get(address).status_code == 401
        stranger.get("/sign-in/provider")  # with a sign-in of their own
        assert "was not begun in this browser" in stranger.get(address).text
    assert client.get(address.replace("state=", "state=0")).status_code == 401
    clock.move(seconds=TIME_TO_SIGN_IN.total_seconds() + 1)
    assert "took too long" in client.get(address).text
    clock.now = datetime.now(UTC)
    assert client.get(address).status_code == 303
    with TestClient(create_app(site), follow_redirects=False, cookies=dict(client.cookies)) as replayed:
        replayed.post("/sign-out", data={"csrf": csrf_of(replayed, "/account")})
        assert replayed.get(address).status_code == 401


def test_the_provider_holds_us_to_pkce(client: TestClient, browser: httpx.Client, issuer: str) -> None:
    """The provider itself refuses a code without the verifier whose challenge it was asked with."""
    code = parse_qs(urlsplit(str(go(client, browser, "ada"))).query)["code"][0]
    fields = {"grant_type": "authorization_code", "code": code, "redirect_uri": CALLBACK}
    for verifier in ({}, {"code_verifier": "x" * 64}):
        answer = browser.post(f"{issuer}/token/", data=fields | verifier, auth=(CLIENT_ID, CLIENT_SECRET))
        assert answer.status_code == 400


def test_a_refusal_of_the_provider_is_told(client: TestClient, browser: httpx.Client, site: Site) -> None:
    """Where the provider sends an error instead of a code, the sign-in page says so."""
    begun = client.get("/sign-in/provider").headers["location"]
    state = parse_qs(urlsplit(begun).query)["state"][0]
    back = client.get("/sign-in/callback", params={"error": "access_denied", "state": state})
    assert back.status_code == 401
    assert "The provider did not sign you in." in back.text
    assert browser.is_closed is False
    assert site.accounts.all() == []


def test_a_provider_that_is_down_is_told(team_site: Site) -> None:
    """The page says that the provider cannot be asked, and passwords work all the same."""
    provider = OpenIdProvider(issuer="http://127.0.0.1:9", client_id="x")
    with TestClient(create_app(dataclasses.replace(team_site, provider=provider)), follow_redirects=False) as client:
        response = client.get("/sign-in/provider")
    assert response.status_code == 503
    assert "the provider cannot be asked now" in response.text


@pytest.mark.parametrize(
    "issuer", ["http://provider.example", "http://10.0.0.1", "ftp://provider.example", "https://a:b@provider.example"]
)
def test_a_provider_in_the_clear_is_refused(issuer: str) -> None:
    """Sign-ins do not travel unencrypted, nor to an address inside the network that nobody allowed."""
    with pytest.raises(UsageError, match="issuer"):
        OpenIdProvider(issuer=issuer, client_id="x")


def _encoded(part: bytes) -> str:
    return base64.urlsafe_b64encode(part).rstrip(b"=").decode()


class TestIdToken:
    """An ID token is accepted only if the provider made it, for us, for this sign-in, and it is not over."""

    KEY = RSAKey.generate_key(2048, {"kid": "one"})
    AT = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
    PROVIDER = OpenIdProvider(issuer="https://provider.example", client_id="plumbrule")

    def claims(self, **changes: object) -> dict[str, object]:
        """Return good claims, with changes."""
        now = int(self.AT.timestamp())
        good = {
            "iss": self.PROVIDER.issuer,
            "aud": "plumbrule",
            "sub": "42",
            "nonce": "n",
            "iat": now,
            "exp": now + 300,
        }
        return {name: value for name, value in (good | changes).items() if value is not None}

    def verify(self, token: str) -> object:
        """Verify a token with the provider's public key."""
        keys = {"keys": [self.KEY.as_dict(private=False), {"kty": "unheard-of"}]}
        return _verified(self.PROVIDER, token, keys, nonce="n", at=self.AT)["sub"]

    def test_a_good_one_is_accepted(self) -> None:
        """With a key among others, also for several audiences of which we are the one that asked."""
        assert self.verify(jwt.encode({"alg": "RS256", "kid": "one"}, self.claims(), self.KEY)) == "42"
        shared = self.claims(aud=["plumbrule", "other"], azp="plumbrule")
        assert self.verify(jwt.encode({"alg": "RS256", "kid": "one"}, shared, self.KEY)) == "42"

    @pytest.mark.parametrize(
        "changes",
        [
            {"iss": "https://evil.example"},
            {"aud": "another"},
            {"aud": ["plumbrule"], "azp": "another"},
            {"nonce": "another"},
            {"nonce": None},
            {"exp": 1},
            {"exp": None},
            {"iat": 9_999_999_999},
            {"sub": None},
        ],
        ids=str,
    )
    def test_wrong_claims_are_refused(self, changes: dict[str, object]) -> None:
        """Each claim is checked."""
        with pytest.raises(OpenIdError):
            self.verify(jwt.encode({"alg": "RS256", "kid": "one"}, self.claims(**changes), self.KEY))

    def test_a_wrong_signature_is_refused(self) -> None:
        """Another key, no signature at all, and the public key used as a shared secret do not do."""
        other = RSAKey.generate_key(2048, {"kid": "one"})
        claims = _encoded(json.dumps(self.claims()).encode())
        shared = _encoded(b'{"alg":"HS256","kid":"one"}') + f".{claims}"
        mark = hmac.new(self.KEY.as_pem(private=False), shared.encode(), hashlib.sha256).digest()
        tokens = [
            jwt.encode({"alg": "RS256", "kid": "one"}, self.claims(), other),
            f"{shared}.{_encoded(mark)}",
            _encoded(b'{"alg":"none"}') + f".{claims}.",
            "no token",
        ]
        for token in tokens:
            with pytest.raises(OpenIdError, match="cannot be accepted"):
                self.verify(token)


@pytest.mark.parametrize("cookie", ["", "x", "1.2.3", "1.2.!", "." * 3, "9" * 5000, "1.é.YQ=="])
def test_a_forged_cookie_is_refused(team_site: Site, clock: MovedClock, cookie: str) -> None:
    """Whatever a browser sends as its sign-in is an answer, never a fault."""
    with pytest.raises(OpenIdError, match="sign in again"):
        read_flow(team_site.store, cookie, state="", at=clock())


def test_a_flow_keeps_its_secrets_apart(team_site: Site, clock: MovedClock) -> None:
    """State, nonce and verifier differ, and none stands in the cookie."""
    flow: Flow = begin_flow(team_site.store, next_page="/runs?a=b", at=clock())
    assert flow.next == "/runs?a=b"
    assert len({flow.state, flow.nonce, flow.verifier}) == 3
    assert all(secret not in flow.cookie for secret in (flow.state, flow.nonce, flow.verifier))
    assert read_flow(team_site.store, flow.cookie, state=flow.state, at=clock() + timedelta(minutes=1)) == flow
