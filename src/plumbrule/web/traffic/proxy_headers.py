"""Where a request comes from, behind a reverse proxy: told by its headers, and believed only from known addresses."""

import ipaddress
from collections.abc import Sequence

from starlette.types import ASGIApp, Receive, Scope, Send

from plumbrule.errors import UsageError

Network = ipaddress.IPv4Network | ipaddress.IPv6Network

_FOR, _PROTO, _HOST = b"x-forwarded-for", b"x-forwarded-proto", b"x-forwarded-host"


def read_network(text: str) -> Network:
    """Return the addresses that a proxy may have, such as 10.0.0.0/8."""
    try:
        return ipaddress.ip_network(text)
    except ValueError:
        raise UsageError(f"'{text[:60]}' is no address or network, such as 10.0.0.5 or 10.0.0.0/8") from None


class ProxyHeaders:
    """Puts the browser's address, scheme and host in place of the proxy's; others' headers of this kind are dropped."""

    def __init__(self, app: ASGIApp, *, proxies: Sequence[Network]) -> None:
        self._app = app
        self._proxies = tuple(proxies)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass one request on."""
        if scope["type"] in {"http", "websocket"}:
            self._correct(scope)
        await self._app(scope, receive, send)

    def _correct(self, scope: Scope) -> None:
        told = {_FOR: "", _PROTO: "", _HOST: ""}
        kept = []
        for name, value in scope["headers"]:
            if name in told:  # more than one header is one list
                told[name] = f"{told[name]},{value.decode('latin-1')}" if told[name] else value.decode("latin-1")
            else:
                kept.append((name, value))
        scope["headers"] = kept
        client = scope.get("client")
        if client is None or not self._is_proxy(client[0]):
            return
        proto, host = (_last(told[name]) for name in (_PROTO, _HOST))
        if proto in {"http", "https"}:
            scope["scheme"] = proto
        if host:
            scope["headers"] = [(name, value) for name, value in kept if name != b"host"]
            scope["headers"].append((b"host", host.encode("latin-1")))
        hops = [hop.strip() for hop in told[_FOR].split(",")]
        strangers = [hop for hop in hops if hop and not self._is_proxy(hop)]
        if strangers:  # the last one was seen by a proxy of ours; what stands before may be invented
            scope["client"] = (strangers[-1], 0)

    def _is_proxy(self, address: str) -> bool:
        try:
            ip = ipaddress.ip_address(address)
        except ValueError:
            return False
        return any(ip in network for network in self._proxies)


def _last(told: str) -> str:
    return told.rpartition(",")[2].strip()
