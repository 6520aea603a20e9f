"""Where a provider may be: http or https only, and no address inside the network unless that was allowed."""

import ipaddress
import socket
import unicodedata
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

from plumbrule.errors import UsageError
from plumbrule.terminal import is_secret_name

_CARRIERS = (  # IPv6 networks whose last 32 bits are the IPv4 address that is reached in the end
    ipaddress.IPv6Network("::/96"),  # IPv4-compatible
    ipaddress.IPv6Network("::ffff:0:0/96"),  # IPv4-mapped
    ipaddress.IPv6Network("::ffff:0:0:0/96"),  # IPv4-translated
    ipaddress.IPv6Network("64:ff9b::/96"),  # NAT64
)
_ANY, _LOOPBACK = ipaddress.IPv6Address("::"), ipaddress.IPv6Address("::1")  # not IPv4-compatible ones
_LOCAL_NAT64 = ipaddress.IPv6Network("64:ff9b:1::/48")  # leads wherever the network's own translator does
_FULL_STOPS = str.maketrans("。．｡", "...")  # resolvers take them for full stops


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
        return self.allow_private or (ip.is_global and not ip.is_multicast and ip not in _LOCAL_NAT64)


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
    plain = _plain_form(host)
    if plain != host:
        raise UsageError(f"{name}: the host is not written plainly; write it as {plain}")
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
    """Tell whether a query names a secret: an address is kept in the ledger with every call."""
    return any(is_secret_name(name) for name, _ in parse_qsl(query, keep_blank_values=True))


def allowing(name: str) -> str:
    """Return how a private address is allowed: by an option where ``name`` is one, else in the configuration."""
    return "give --allow-private" if _is_option(name) else "set allow_private"


def _is_option(name: str) -> bool:
    return name.startswith("--")


def _plain_form(host: str) -> str:
    """Return the host as it should be written: resolvers also read octal, short, full-width and dotted forms."""
    if ":" in host:
        return host
    folded = unicodedata.normalize("NFKC", host).translate(_FULL_STOPS)
    try:
        return socket.inet_ntoa(socket.inet_aton(folded.rstrip(".")))
    except (OSError, ValueError):  # no number in any form
        return folded


def _ip(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Return the address that is reached in the end by this one, where the host is an address."""
    try:
        ip = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return None
    if isinstance(ip, ipaddress.IPv4Address) or ip in {_ANY, _LOOPBACK}:
        return ip
    if any(ip in network for network in _CARRIERS):
        return ipaddress.IPv4Address(int(ip) & 0xFFFF_FFFF)
    return ip.sixtofour or ip
