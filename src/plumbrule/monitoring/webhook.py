"""Alerts to a webhook: signed, timed and numbered, tried a few times, and not to a private address unless allowed.

The receiver computes HMAC-SHA256 with the shared secret over the timestamp, a full stop and the body, compares it with
the signature, refuses timestamps that are too old, and takes each delivery once.
"""

import hashlib
import hmac
import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import orjson

from plumbrule.codec import to_json
from plumbrule.engines import run_to_end
from plumbrule.errors import EvaluationError, UsageError
from plumbrule.hashing import sha256_of
from plumbrule.http.endpoint import Endpoint
from plumbrule.http.retry import Clock, Patience
from plumbrule.http.transport_errors import TransportError
from plumbrule.monitoring.monitoring_report import AnyAlert

TIMESTAMP = "x-plumbrule-timestamp"
SIGNATURE = "x-plumbrule-signature"
DELIVERY = "x-plumbrule-delivery"
FORM = "v1="
VERSION = 1

_CALLS = 4
_SHORTEST_SECRET = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """What is posted: alerts under one id, so that a receiver can take them once."""

    version: int
    event: str
    delivery: str
    ledger_id: str | None
    alerts: tuple[AnyAlert, ...]


class Webhook:
    """One receiver of alerts; the secret is read from the environment and is neither sent nor kept."""

    def __init__(self, url: str, *, secret_env: str, allow_private: bool = False, timeout_s: float = 10.0) -> None:
        self._endpoint = Endpoint(url, allow_private=allow_private, name="--webhook")
        if url.lower().startswith("http:") and not allow_private and not self._endpoint.loopback:
            raise UsageError(
                f"--webhook: alerts would travel to {self._endpoint.host} in the clear; use https, or --allow-private"
            )
        self.host = self._endpoint.host
        self.name = sha256_of(["webhook", url])[:16]  # an address may hold a secret: it is known by this
        self._secret = _read_secret(secret_env)
        self._patience = Patience(deadline_s=3 * timeout_s, call_timeout_s=timeout_s, calls=_CALLS)

    def post(self, alerts: Sequence[AnyAlert], *, ledger_id: str | None) -> str:
        """Post the alerts in one delivery and return its id; the same alerts again have the same id."""
        delivery = sha256_of([ledger_id, [alert.id for alert in alerts]])[:32]
        body = Delivery(version=VERSION, event="alerts", delivery=delivery, ledger_id=ledger_id, alerts=tuple(alerts))
        try:
            run_to_end(self._post(orjson.dumps(to_json(body)), delivery))
        except TransportError as error:
            raise EvaluationError(
                f"--webhook: {error}: the alerts were not taken; the next call posts them again"
            ) from None
        return delivery

    async def _post(self, content: bytes, delivery: str) -> None:
        async def send(timeout_s: float) -> None:
            # signed again for each attempt: a receiver may refuse a timestamp that is too old
            timestamp = str(int(datetime.now(UTC).timestamp()))
            headers = {
                TIMESTAMP: timestamp,
                SIGNATURE: sign(self._secret, timestamp, content),
                DELIVERY: delivery,
            }
            await self._endpoint.deliver(content, headers=headers, timeout_s=timeout_s)

        try:
            await Clock(self._patience).call(send, lambda _: None)
        finally:
            await self._endpoint.aclose()


def sign(secret: bytes, timestamp: str, content: bytes) -> str:
    """Return the signature of a delivery: HMAC-SHA256 over the timestamp, a full stop and the body, in hexadecimal."""
    return FORM + hmac.new(secret, f"{timestamp}.".encode() + content, hashlib.sha256).hexdigest()


def _read_secret(name: str) -> bytes:
    secret = os.environ.get(name, "").strip()
    if not secret:
        raise UsageError(f"the environment variable {name} is not set: it holds the secret that signs the webhook")
    if len(secret) < _SHORTEST_SECRET:
        raise UsageError(f"the environment variable {name} holds fewer than {_SHORTEST_SECRET} characters: take more")
    return secret.encode("utf-8", "surrogateescape")
