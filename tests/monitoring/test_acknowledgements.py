"""Acknowledgements are kept in the ledger under their alert, and read back by one reader; the last one counts."""

import pytest
from tests.reviews.conftest import AT, later

from plumbrule.errors import InputError, UsageError
from plumbrule.ledger import Ledger
from plumbrule.monitoring.acknowledgements import OvertakenError, acknowledge, acknowledgements_of, read_acknowledgement
from plumbrule.monitoring.alerts import find_alert
from plumbrule.monitoring.monitoring_report import DriftAlert, alert_id

ALERT = DriftAlert(
    id=alert_id("2026-W05", "overall drift"),
    week="2026-W05",
    figure="overall drift",
    kind="drift",
    title="Overall: drift",
    alert=5.0,
    value=6.5,
    rubric={"name": "scorecard", "version": "2", "sha256": "0" * 64},
)


def test_an_acknowledgement_keeps_its_alert(ledger: Ledger) -> None:
    """An alert that only the figures raise is kept with it; who, when and what come back as they were."""
    said = acknowledge(ledger, ALERT, owner=" Ada ", remedy="New prompt", author="Robin", at=AT)
    assert (said.owner, said.remedy, said.author, said.alert) == ("Ada", "New prompt", "Robin", ALERT.id)
    assert find_alert(ledger, ALERT.id) == ALERT
    assert acknowledgements_of(ledger, [ALERT]) == (said,)
    [entry] = ledger.entries(kind="acknowledgement")
    assert (entry.subject, entry.value) == (
        ALERT.subject,
        {"alert": ALERT.id, "owner": "Ada", "remedy": "New prompt"},
    )


def test_the_last_one_counts_and_nobody_overwrites_what_they_have_not_read(ledger: Ledger) -> None:
    """A second one is a new entry; one made on an older page is refused and keeps nothing."""
    first = acknowledge(ledger, ALERT, owner="Ada", remedy="New prompt", author="Robin", at=AT, after=0)
    with pytest.raises(OvertakenError, match="Robin acknowledged this alert"):
        acknowledge(ledger, ALERT, owner="Ben", remedy="Nothing", author="Sam", at=later(1), after=0)
    acknowledge(ledger, ALERT, owner="Ben", remedy="Tune", author="Sam", at=later(2), after=first.sequence)
    assert [said.owner for said in acknowledgements_of(ledger, [ALERT])] == ["Ben"]
    assert len(list(ledger.entries(kind="acknowledgement"))) == 2
    assert len(list(ledger.entries(kind="alert"))) == 1


@pytest.mark.parametrize(
    ("owner", "remedy", "message"),
    [
        ("...", "Tune", "name the owner"),
        ("Ada", "  ", "say what is done"),
        ("A" * 201, "Tune", "the owner of an alert has at most 200 characters, not 201"),
        ("Ada", "x" * 4001, "the remedy of an alert has at most 4,000 characters"),
    ],
)
def test_an_owner_and_a_remedy_are_needed(ledger: Ledger, owner: str, remedy: str, message: str) -> None:
    """Nothing is kept without both, nor at any length."""
    with pytest.raises(UsageError, match=message):
        acknowledge(ledger, ALERT, owner=owner, remedy=remedy, author="Robin", at=AT)
    assert not list(ledger.entries(kind="acknowledgement"))


def test_one_that_cannot_be_read(ledger: Ledger) -> None:
    """The error names the entry and the key."""
    entry = ledger.append("acknowledgement", ALERT.subject, {"alert": ALERT.id, "owner": "Ada"}, "Ana", at=AT)
    with pytest.raises(InputError, match="entry 1, monitor/2026-W05/overall drift: 'remedy' cannot be read"):
        read_acknowledgement(entry)
