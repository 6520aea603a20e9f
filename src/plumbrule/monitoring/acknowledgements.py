"""Acknowledgements: who sees to an alert and what is done about it, kept in the ledger; the last one counts."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from plumbrule.codec import from_json, to_json
from plumbrule.errors import UsageError
from plumbrule.ledger import Entry, Ledger
from plumbrule.monitoring.alerts import keep_alerts
from plumbrule.monitoring.monitoring_report import ROOM, Acknowledgement, AnyAlert
from plumbrule.person_names import person_key

KIND = "acknowledgement"
LONGEST_OWNER = 200
LONGEST_REMEDY = 4000


class OvertakenError(UsageError):
    """Somebody else acknowledged the alert first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AcknowledgementBody:
    """What the ledger keeps of an acknowledgement, under the subject of its alert."""

    alert: str  # its id
    owner: str
    remedy: str


def read_acknowledgement(entry: Entry) -> Acknowledgement:
    """Return the acknowledgement that an entry of the ledger holds."""
    body = from_json(AcknowledgementBody, entry.value, where=f"entry {entry.sequence}, {entry.subject}")
    return Acknowledgement(
        alert=body.alert,
        owner=body.owner,
        remedy=body.remedy,
        author=entry.author,
        recorded_at_utc=entry.recorded_at_utc,
        sequence=entry.sequence,
    )


def acknowledgements_of(ledger: Ledger, alerts: Iterable[AnyAlert]) -> tuple[Acknowledgement, ...]:
    """Return the last acknowledgement of each of these alerts that has any, in the order of the alerts."""
    subjects = [alert.subject for alert in alerts]
    last = ledger.last_entries(KIND, subjects)
    return tuple(read_acknowledgement(last[subject]) for subject in subjects if subject in last)


def acknowledge(
    ledger: Ledger, alert: AnyAlert, *, owner: str, remedy: str, author: str, at: datetime, after: int | None = None
) -> Acknowledgement:
    """Keep who sees to an alert and what is done about it; an alert that is not kept yet is kept as well.

    ``after`` is the number of the acknowledgement that the author has seen, 0 for none: where another one was made
    since, it is refused, so that nobody overwrites what they have not read.
    """
    owner, remedy = owner.strip(), remedy.strip()
    if not person_key(owner):
        raise UsageError("name the owner of the alert: who sees to it")
    if not remedy:
        raise UsageError("say what is done about the alert: its remedy")
    for what, text, most in (("owner", owner, LONGEST_OWNER), ("remedy", remedy, LONGEST_REMEDY)):
        if len(text) > most:
            raise UsageError(f"the {what} of an alert has at most {most:,} characters, not {len(text):,}")
    keep_alerts(ledger, [alert], at=at)
    with ledger.hold(ROOM):
        standing = acknowledgements_of(ledger, [alert])
        if after is not None and standing and standing[0].sequence > after:
            raise OvertakenError(f"{standing[0].author} acknowledged this alert since you opened the page")
        body = AcknowledgementBody(alert=alert.id, owner=owner, remedy=remedy)
        return read_acknowledgement(ledger.append(KIND, alert.subject, to_json(body), author, at=at))
