"""Sign-in at an OpenID Connect provider: authorization code with PKCE, state and nonce; the ID token is verified.

Nothing is kept between the two halves of a sign-in: state, nonce and verifier are derived from a cookie that only the
browser has and a secret that only the store has.
"""

import asyncio
import base64
import hashlib
import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import quote, urlencode

from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from plumbrule.errors import InputError, UsageError
from plumbrule.http import Endpoint, TransportError, check_base_url
from plumbrule.web.access.accounts import Account, Accounts
from plumbrule.web.access.roles import Role
from plumbrule.web.web_store import Store

SCOPES = "openid profile email"
TIME_TO_SIGN_IN = timedelta(minutes=10)
_ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "Ed25519", "EdDSA"]
_KEY_TYPES = {"RSA", "EC", "OKP"}
_TIMEOUT_S = 10.0
_LEEWAY_S = 60
_LONGEST_COOKIE = 3000


class OpenIdError(InputError):
    """A sign-in at the provider that did not succeed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenIdProvider:
    """The provider that people sign in at, and what its claims mean here."""

    issuer: str
    client_id: str
    client_secret: str | None = field(default=None, repr=False)
    title: str = "single sign-on"  # what the button says
    name_claim: str = "name"
    role_claim: str | None = None  # None: roles are given here, by an administrator
    roles: Mapping[str, tuple[Role, ...]] = field(default_factory=dict)  # by a value of that claim
    allow_private: bool = False

    def __post_init__(self) -> None:
        address = check_base_url(self.issuer, allow_private=self.allow_private, secret=False, name="issuer")
        if self.issuer.startswith("http:") and not address.loopback and not self.allow_private:
            raise UsageError(f"issuer: sign-ins at {address.host} would travel in the clear; use https")

    @property
    def author(self) -> str:
        """Who the ledger names for what is changed by the provider's claims."""
        return f"OpenID Connect ({self.issuer})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Whom the provider signed in."""

    key: str  # the provider and the person's id there
    name: str
    roles: frozenset[Role] | None  # None: the provider does not say


@dataclass(frozen=True, slots=True, kw_only=True)
class Flow:
    """One sign-in on its way, as its cookie tells."""

    cookie: str
    next: str
    state: str
    nonce: str
    verifier: str


def begin_flow(store: Store, *, next_page: str, at: datetime) -> Flow:
    """Return a new sign-in."""
    text = base64.urlsafe_b64encode(next_page.encode("utf-8", "surrogatepass")[:1000]).decode()
    return _flow(store, f"{int(at.timestamp())}.{secrets.token_hex(32)}.{text}")


def read_flow(store: Store, cookie: str, *, state: str, at: datetime) -> Flow:
    """Return the sign-in that a browser comes back from; its state must be the one that it left with."""
    try:
        flow = _flow(store, cookie[:_LONGEST_COOKIE])
        begun = int(cookie.partition(".")[0])
    except ValueError:
        raise OpenIdError("this sign-in was not begun in this browser: sign in again") from None
    if not hmac.compare_digest(flow.state.encode(), state.encode("utf-8", "surrogatepass")):
        raise OpenIdError("this sign-in was not begun in this browser: sign in again")
    if not 0 <= at.timestamp() - begun <= TIME_TO_SIGN_IN.total_seconds():
        raise OpenIdError("this sign-in took too long: sign in again")
    return flow


def provider_address(provider: OpenIdProvider, flow: Flow, *, callback: str) -> str:
    """Return where the browser goes to sign in."""
    challenge = base64.urlsafe_b64encode(hashlib.sha256(flow.verifier.encode()).digest()).rstrip(b"=").decode()
    metadata = _ask(provider, _read_metadata(provider))
    fields = {
        "response_type": "code",
        "client_id": provider.client_id,
        "redirect_uri": callback,
        "scope": SCOPES,
        "state": flow.state,
        "nonce": flow.nonce,
        "code_challenge": challenge,
        "code_challenge_method": "S256",
    }
    address = _address(metadata, "authorization_endpoint")
    return f"{address}{'&' if '?' in address else '?'}{urlencode(fields)}"


def find_identity(provider: OpenIdProvider, flow: Flow, *, code: str, callback: str, at: datetime) -> Identity:
    """Return whom a code stands for: it is exchanged for an ID token, which the provider's keys must have signed."""
    content, keys = _ask(provider, _exchange(provider, flow, code=code, callback=callback))
    token = content.get("id_token")
    if not isinstance(token, str):
        raise OpenIdError("the provider sent no ID token")
    claims = _verified(provider, token, keys, nonce=flow.nonce, at=at)
    name = claims.get(provider.name_claim)
    if not isinstance(name, str) or not name.strip():
        raise OpenIdError(f"the provider does not say who you are: its ID token has no claim '{provider.name_claim}'")
    return Identity(key=f"{provider.issuer} {claims['sub']}", name=name, roles=_roles(provider, claims))


def account_of(accounts: Accounts, provider: OpenIdProvider, identity: Identity, *, at: datetime) -> Account:
    """Return the account of somebody whom the provider signed in; it is made at first, and its roles follow."""
    account = accounts.find_identity(identity.key)
    if account is None:
        return accounts.add(
            identity.name, roles=identity.roles or (), identity=identity.key, author=provider.author, at=at
        )
    if account.disabled:
        raise OpenIdError("your account is disabled: ask an administrator")
    if identity.roles is not None:
        account = accounts.set_roles(account.name, identity.roles, author=provider.author, at=at)
    return account


def _flow(store: Store, cookie: str) -> Flow:
    key = store.secret("openid")
    text = base64.urlsafe_b64decode(cookie.split(".")[2] if cookie.count(".") == 2 else "!")

    def derive(use: str) -> str:
        return hmac.new(key, f"{use}\n{cookie}".encode(), hashlib.sha256).hexdigest()

    return Flow(
        cookie=cookie,
        next=text.decode("utf-8", "replace"),
        state=derive("state"),
        nonce=derive("nonce"),
        verifier=derive("verifier"),
    )


def _ask(provider: OpenIdProvider, question: Any) -> Any:  # noqa: ANN401 - a coroutine and its result
    try:
        return asyncio.run(question)
    except TransportError as error:
        raise OpenIdError(f"the provider cannot be asked now: {error}") from None
    except UsageError as error:
        raise OpenIdError(f"the provider {provider.issuer} cannot be used: {error}") from None


async def _get(provider: OpenIdProvider, address: str) -> Mapping[str, Any]:
    endpoint = Endpoint(address, allow_private=provider.allow_private, name="issuer")
    try:
        answer = await endpoint.post(None, {}, key_header=("", ""), headers={}, timeout_s=_TIMEOUT_S, method="GET")
    finally:
        await endpoint.aclose()
    return answer.content


async def _read_metadata(provider: OpenIdProvider) -> Mapping[str, Any]:
    metadata = await _get(provider, f"{provider.issuer.rstrip('/')}/.well-known/openid-configuration")
    if metadata.get("issuer") != provider.issuer:
        raise OpenIdError("the provider calls itself by another name than the configuration does: see issuer")
    return metadata


async def _exchange(
    provider: OpenIdProvider, flow: Flow, *, code: str, callback: str
) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    metadata = await _read_metadata(provider)
    fields = {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": callback,
        "code_verifier": flow.verifier,
    }
    authorization = None
    methods = metadata.get("token_endpoint_auth_methods_supported", ["client_secret_basic"])
    if provider.client_secret is None:
        fields["client_id"] = provider.client_id
    elif isinstance(methods, list) and "client_secret_basic" in methods:
        pair = f"{quote(provider.client_id, safe='')}:{quote(provider.client_secret, safe='')}"
        authorization = f"Basic {base64.b64encode(pair.encode()).decode()}"
    else:
        fields |= {"client_id": provider.client_id, "client_secret": provider.client_secret}
    endpoint = Endpoint(_address(metadata, "token_endpoint"), allow_private=provider.allow_private, name="issuer")
    try:
        answer = await endpoint.post_form(fields, authorization=authorization, timeout_s=_TIMEOUT_S)
    finally:
        await endpoint.aclose()
    return answer.content, await _get(provider, _address(metadata, "jwks_uri"))


def _address(metadata: Mapping[str, Any], name: str) -> str:
    address = metadata.get(name)
    if not isinstance(address, str):
        raise OpenIdError(f"the provider does not name its {name}")
    return address


def _verified(
    provider: OpenIdProvider, token: str, keys: Mapping[str, Any], *, nonce: str, at: datetime
) -> Mapping[str, Any]:
    """Return the claims of an ID token that was made by the provider, for us, for this sign-in, and is not over."""
    listed = keys.get("keys")
    usable = [
        key
        for key in (listed if isinstance(listed, list) else [])
        if isinstance(key, dict) and key.get("kty") in _KEY_TYPES and key.get("use", "sig") == "sig"
    ]
    registry = jwt.JWTClaimsRegistry(
        now=int(at.timestamp()),
        leeway=_LEEWAY_S,
        iss={"essential": True, "value": provider.issuer},
        aud={"essential": True, "value": provider.client_id},
        exp={"essential": True},
        iat={"essential": True},
        sub={"essential": True},
        nonce={"essential": True, "value": nonce},
    )
    try:
        claims = jwt.decode(token, KeySet.import_key_set({"keys": usable}), algorithms=_ALGORITHMS).claims
        registry.validate(claims)
    except (JoseError, ValueError, TypeError, KeyError) as error:
        raise OpenIdError(f"the provider's ID token cannot be accepted ({type(error).__name__})") from None
    if claims.get("azp", provider.client_id) != provider.client_id:
        raise OpenIdError("the provider's ID token is for somebody else")
    return claims


def _roles(provider: OpenIdProvider, claims: Mapping[str, Any]) -> frozenset[Role] | None:
    if provider.role_claim is None:
        return None
    value = claims.get(provider.role_claim)
    values = value if isinstance(value, list) else [value]
    roles = frozenset(role for each in values if isinstance(each, str) for role in provider.roles.get(each, ()))
    if not roles:
        raise OpenIdError("you have no role here: ask whoever looks after the provider's groups")
    return roles
