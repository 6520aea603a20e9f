"""Alerts are kept as they are written, and read back from the ledger by one reader."""

import datetime as dt
from fractions import Fraction

import pytest
from tests.reviews.conftest import AT

from plumbrule.codec import to_json
from plumbrule.errors import InputError
from plumbrule.ledger import Ledger
from plumbrule.monitoring.alerts import alerts_of, keep_alerts, read_alert, read_posted_note
from plumbrule.monitoring.monitoring_report import AnyAlert, DriftAlert, ThresholdAlert
from plumbrule.monitoring.weekly_figures import Reviewed, monitor
from plumbrule.rubrics import load_scorecard

LOADED = load_scorecard()
KEYS = [dimension.key for dimension in LOADED.rubric.dimensions]


@pytest.fixture
def alerts() -> tuple[AnyAlert, ...]:
    """Return alerts of both kinds: five good weeks, then five with worse and worse records."""
    reviews = [
        Reviewed(
            date=dt.date(2025, 1, 6) + dt.timedelta(weeks=week),
            scores=dict.fromkeys(KEYS, 4 if week < 5 else 2),
            overall=Fraction(4 if week < 5 else 2),
        )
        for week in range(10)
        for _ in range(10)
    ]
    return alerts_of(monitor(reviews, LOADED), LOADED)


def test_alerts_come_back_as_they_were(ledger: Ledger, alerts: tuple[AnyAlert, ...]) -> None:
    """A threshold alert has all of its figure, a drift alert the sum; each is kept once."""
    assert {type(alert) for alert in alerts} == {ThresholdAlert, DriftAlert}
    assert keep_alerts(ledger, alerts, at=AT) == list(alerts)
    assert keep_alerts(ledger, alerts, at=AT) == []
    entries = list(ledger.entries(kind="alert"))
    assert [read_alert(entry) for entry in entries] == list(alerts)
    assert [entry.value for entry in entries] == [to_json(alert) for alert in alerts]
    assert [entry.subject for entry in entries] == [alert.subject for alert in alerts]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"week": "2026-W02"}, "entry 1, monitor/2026-W02/x: 'kind' cannot be read"),
        ({"kind": "drift", "id": "a", "week": "2026-W02"}, "entry 1, monitor/2026-W02/x: 'figure' cannot be read"),
    ],
)
def test_an_alert_that_cannot_be_read(ledger: Ledger, body: object, message: str) -> None:
    """The error names the entry and the key."""
    entry = ledger.append("alert", "monitor/2026-W02/x", body, "Ana", at=AT)
    with pytest.raises(InputError, match=message):
        read_alert(entry)


def test_a_note_that_cannot_be_read(ledger: Ledger) -> None:
    """The error names the entry and the key."""
    entry = ledger.append("note", "monitor/2026-W02/x", {"event": "posted", "delivery": "d"}, "Ana", at=AT)
    with pytest.raises(InputError, match="entry 1, monitor/2026-W02/x: 'webhook' cannot be read"):
        read_posted_note(entry)
