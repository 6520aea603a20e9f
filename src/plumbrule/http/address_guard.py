"""Where a provider may be: http or https only, and no address inside the network unless that was allowed."""

import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

from plumbrule.errors import UsageError

# A query is kept in the ledger with every call; these words in one of its names mean that it must not be.
_SECRET_NAME = re.compile(
    r"key|token|secret|passw|pwd|auth|credential|(?:^|[^a-z])(?:sig|signature|code)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """A checked address of a provider."""

    url: str  # without a slash at its end, and without its query
    query: str  # such as api-version=2024-10-21; empty where there is none
    host: str
    loopback: bool
    allow_private: bool

    def admits(self, peer: str) -> bool:
        """Tell whether a connection to this numeric address may be used, whatever the name resolved to."""
        ip = _ip(peer)
        if ip is None:
            return False
        if ip.is_loopback:
            return self.loopback or self.allow_private
        return self.allow_private or ip.is_global


def check_base_url(url: str, *, allow_private: bool, secret: bool, name: str = "base_url") -> Address:
    """Return the address of ``url``, or say why it cannot be used; with ``secret`` a key will be sent there.

    ``name`` is what the user calls the address.
    """
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise UsageError(f"{name} is not an address, such as https://api.openai.com/v1") from None
    if parts.scheme not in {"http", "https"} or not host:
        raise UsageError(f"{name} must begin with http:// or https:// and name a host")
    query = parts.query if not _is_option(name) else ""
    if parts.username is not None or parts.password is not None or parts.query != query or parts.fragment:
        # said without the address: there may be a secret in it
        key = " or a fragment; name a key by api_key_env" if not _is_option(name) else ", a query or a fragment"
        raise UsageError(f"{name} must not hold a user, a password{key}")
    if holds_secret(query):
        raise UsageError(f"{name} must not hold a key in its query: it is kept with every call; use api_key_env")
    ip = _ip(host)
    loopback = host == "localhost" or (ip is not None and ip.is_loopback)
    base = url.partition("?")[0].rstrip("/")
    address = Address(url=base, query=query, host=host, loopback=loopback, allow_private=allow_private)
    if ip is not None and not address.admits(host):
        raise UsageError(f"{name}: {host} is a private address; {allowing(name)} to use it all the same")
    if secret and parts.scheme == "http" and not loopback and not allow_private:
        raise UsageError(f"{name}: a key would travel to {host} in the clear; use https, or {allowing(name)}")
    return address


def holds_secret(query: str) -> bool:
    """Tell whether a query names something that is kept secret, by the words in its names."""
    return any(_SECRET_NAME.search(name) is not None for name, _ in parse_qsl(query, keep_blank_values=True))


def allowing(name: str) -> str:
    """Return how a private address is allowed: by an option where ``name`` is one, else in the configuration."""
    return "give --allow-private" if _is_option(name) else "set allow_private"


def _is_option(name: str) -> bool:
    return name.startswith("--")


def _ip(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        ip = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return None
    if isinstance(ip, ipaddress.IPv6Address):
        return ip.ipv4_mapped or ip.sixtofour or ip
    return ip
