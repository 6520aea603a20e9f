"""Slows down whoever guesses passwords: each failure after the first few doubles the wait, up to a limit.

Failures are counted by name and by address, in the store, so that every process and the next start count on. An
attempt counts before its password is compared, so that many at once are not free. Whoever signed in before from the
same browser is counted on their own, by a cookie: strangers who fail under a name do not keep its owner out.
"""

import hashlib
import hmac
import ipaddress
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Column, Float, Integer, Table, Text, delete, insert, select, update

from plumbrule.hashing import text_sha256
from plumbrule.person_names import person_key
from plumbrule.web.visit_errors import VisitError
from plumbrule.web.web_store import METADATA, Store

LONGEST_WAIT = timedelta(minutes=15)
FORGOTTEN_AFTER = timedelta(hours=24)
FREE_BY_NAME, FREE_BY_ADDRESS = 5, 20  # failures without a wait
MOST_KEPT = 10_000  # the oldest go first

_attempts = Table(
    "web_sign_in_attempts",
    METADATA,
    Column("key", Text, primary_key=True),
    Column("count", Integer, nullable=False),
    Column("until", Float, nullable=False),
    Column("last", Float, nullable=False, index=True),
)


class ThrottledError(VisitError):
    """Too many attempts to sign in have failed."""

    status = 429

    def __init__(self, wait_s: float) -> None:
        self.wait_s = max(1, round(wait_s))
        words = f"{self.wait_s} seconds" if self.wait_s < 120 else f"{round(self.wait_s / 60)} minutes"
        super().__init__(f"Too many attempts to sign in have failed. Try again in {words}.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """By what an attempt to sign in is counted."""

    owner: str  # the name, or the browser that its owner has used before
    address: str


def attempt_of(store: Store, name: str, *, address: str, device: str) -> Attempt:
    """Return by what an attempt is counted; ``device`` is the cookie of a browser, if it has one."""
    nonce, _, mark = device.partition(".")
    known = bool(nonce) and hmac.compare_digest(mark.encode(), _mark(store, name, nonce).encode())
    owner = f"device {_short(nonce)}" if known else f"name {_short(person_key(name))}"
    return Attempt(owner=owner, address=f"address {_network(address)}")


def device_cookie(store: Store, name: str) -> str:
    """Return the cookie for a browser in which somebody signed in."""
    nonce = secrets.token_hex(16)
    return f"{nonce}.{_mark(store, name, nonce)}"


def begin_attempt(store: Store, attempt: Attempt, *, at: datetime) -> None:
    """Count an attempt, or refuse it where earlier ones failed too often."""
    now = at.timestamp()
    limits = ((attempt.owner, FREE_BY_NAME), (attempt.address, FREE_BY_ADDRESS))
    with store.change() as connection:
        connection.execute(delete(_attempts).where(_attempts.c.last <= now - FORGOTTEN_AFTER.total_seconds()))
        rows = connection.execute(select(_attempts).where(_attempts.c.key.in_([key for key, _ in limits]))).mappings()
        standing = {row["key"]: row for row in rows}
        wait_s = max((row["until"] - now for row in standing.values()), default=0.0)
        if wait_s > 0:
            raise ThrottledError(wait_s)
        for key, free in limits:
            count = standing[key]["count"] + 1 if key in standing else 1
            values = {"count": count, "until": now + _wait_s(count, free), "last": now}
            if key in standing:
                connection.execute(update(_attempts).where(_attempts.c.key == key).values(values))
            else:
                connection.execute(insert(_attempts).values(key=key, **values))
        surplus = select(_attempts.c.key).order_by(_attempts.c.last.desc()).offset(MOST_KEPT)
        connection.execute(delete(_attempts).where(_attempts.c.key.in_(list(connection.execute(surplus).scalars()))))


def end_attempt(store: Store, attempt: Attempt) -> None:
    """Forget the failures of somebody who signed in; of their address, only this attempt was none."""
    with store.change() as connection:
        connection.execute(delete(_attempts).where(_attempts.c.key == attempt.owner))
        by_address = _attempts.c.key == attempt.address
        connection.execute(update(_attempts).where(by_address).values(count=_attempts.c.count - 1, until=0.0))


def _wait_s(count: int, free: int) -> float:
    return 0.0 if count < free else min(2.0 ** min(count - free, 30), LONGEST_WAIT.total_seconds())


def _mark(store: Store, name: str, nonce: str) -> str:
    message = f"{person_key(name)}\n{nonce}".encode()
    return hmac.new(store.secret("device"), message, hashlib.sha256).hexdigest()


def _short(text: str) -> str:
    return text_sha256(text)[:32]


def _network(address: str) -> str:
    """Return an address, or the network that one customer has of IPv6."""
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return "unknown"
    return str(ip) if ip.version == 4 else str(ipaddress.ip_network((ip, 64), strict=False))
