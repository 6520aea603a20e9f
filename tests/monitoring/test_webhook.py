"""A delivery as its receiver sees it: one signature, one number, fresh, and from nobody else."""

from dataclasses import replace

import pytest
from tests.servers.scripted import ScriptedServer, Step

from plumbrule.errors import EvaluationError, UsageError
from plumbrule.monitoring.monitoring_report import DriftAlert
from plumbrule.monitoring.webhook import Webhook, sign

ALERT = DriftAlert(
    id="a1", week="2026-W02", figure="unsafe_share", kind="drift", title="Unsafe", alert=5.0, value=6.0, rubric={}
)


@pytest.fixture(autouse=True)
def secret(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set the secret."""
    monkeypatch.setenv("ALERT_SECRET", "correct-horse-battery-staple")


def test_the_signature_is_the_documented_one() -> None:
    """HMAC-SHA256 over timestamp, full stop and body: a vector that any other tool gives, too."""
    # printf '1767600000.{}' | openssl dgst -sha256 -hmac correct-horse-battery-staple
    found = sign(b"correct-horse-battery-staple", "1767600000", b"{}")
    assert found == "v1=a7f28b82f4ec234a6a5b969d4dddeb9884c83a4dec19af9ec4c01bc30091fca5"


@pytest.mark.parametrize(
    ("timestamp", "content"), [("1767600001", b"{}"), ("1767600000", b"{ }"), ("17676000001", b"{}")]
)
def test_another_time_or_body_has_another_signature(timestamp: str, content: bytes) -> None:
    """So an old delivery cannot be sent again under a new time."""
    assert sign(b"s" * 16, timestamp, content) != sign(b"s" * 16, "1767600000", b"{}")


def test_the_same_alerts_have_the_same_number() -> None:
    """A receiver that remembers the number takes them once; other alerts have another."""
    with ScriptedServer([Step(status=200, body=b"thanks", content_type="text/plain")]) as server:
        webhook = Webhook(f"http://localhost:{server.port}/", secret_env="ALERT_SECRET")  # noqa: S106 - a name
        first, again = (webhook.post([ALERT], ledger_id="l") for _ in range(2))
        other = webhook.post([ALERT, replace(ALERT, id="a2")], ledger_id="l")
    assert first == again != other
    assert [request.json["delivery"] for request in server.requests] == [first, again, other]


def test_retry_after_is_bounded() -> None:
    """A receiver that asks to wait longer than the whole delivery may take is not waited for."""
    with ScriptedServer([Step(status=429, headers={"retry-after": "3600"}, body=b"")]) as server:
        webhook = Webhook(f"http://127.0.0.1:{server.port}/", secret_env="ALERT_SECRET", timeout_s=60)  # noqa: S106 - a name
        with pytest.raises(EvaluationError, match="status 429"):
            webhook.post([ALERT], ledger_id=None)
    assert len(server.requests) == 1


def test_attempts_are_bounded() -> None:
    """After four attempts the delivery is given up."""
    with ScriptedServer([Step(reset=True)]) as server:
        webhook = Webhook(f"http://127.0.0.1:{server.port}/", secret_env="ALERT_SECRET", timeout_s=60)  # noqa: S106 - a name
        with pytest.raises(EvaluationError, match="the next call posts them again"):
            webhook.post([ALERT], ledger_id=None)
    assert len(server.requests) == 4


def test_a_private_address_can_be_allowed() -> None:
    """By whoever runs the command, and by nobody else."""
    with pytest.raises(UsageError, match="private address"):
        Webhook("http://10.1.2.3/", secret_env="ALERT_SECRET")  # noqa: S106 - a name
    assert Webhook("http://10.1.2.3/", secret_env="ALERT_SECRET", allow_private=True).host == "10.1.2.3"  # noqa: S106 - a name
