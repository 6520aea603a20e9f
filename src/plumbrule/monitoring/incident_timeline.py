"""What happened to one interaction, in the order of the ledger: kept, drawn, taken, rated, decided, at alert."""

from collections.abc import Iterator
from dataclasses import dataclass

from plumbrule.monitoring.incident_model import Incident


@dataclass(frozen=True, slots=True, kw_only=True)
class Happening:
    """One thing that happened; ``sequence`` is its entry where the incident knows it."""

    at: str
    who: str
    what: str
    campaign: str | None = None
    sequence: int | None = None


def timeline_of(incident: Incident) -> tuple[Happening, ...]:
    """Return everything that happened, the earliest first."""
    happenings = [
        *_versions(incident),
        *_campaigns(incident),
        *_records(incident),
        *_alerts(incident),
    ]
    return tuple(sorted(happenings, key=lambda happening: happening.at))  # of one moment: kept before it was drawn


def _versions(incident: Incident) -> Iterator[Happening]:
    for number, version in enumerate(incident.versions):
        what = "kept in the ledger" if number == 0 else f"kept again, with another content ({version.interaction[:12]})"
        yield Happening(at=version.recorded_at_utc, who="", what=what, sequence=version.sequence)


def _campaigns(incident: Incident) -> Iterator[Happening]:
    for campaign in incident.campaigns:
        name = campaign.campaign
        taken = "drawn" if campaign.taken_as == "item" else "held beside a later model's answer"
        yield Happening(at=campaign.opened_at_utc, who=campaign.opened_by, what=taken, campaign=name)
        for event in campaign.work:
            what = f"{event.body.get('event')} by {event.body.get('evaluator')}"
            if event.body.get("role") == "adjudicator":
                what += " to adjudicate"
            yield Happening(
                at=event.recorded_at_utc, who=event.author, what=what, campaign=name, sequence=event.sequence
            )
        if campaign.closed_at_utc is not None:
            outcome = "" if campaign.decision is None else f": {campaign.decision['outcome']}"
            yield Happening(
                at=campaign.closed_at_utc,
                who=campaign.closed_by or "",
                what=f"the campaign was closed{outcome}",
                campaign=name,
            )


def _records(incident: Incident) -> Iterator[Happening]:
    for history in incident.records:
        verb = "adjudicated" if history.role == "adjudicator" else "rated"
        for revision in history.revisions:
            what = f"{verb}: {revision.decision['recommendation']}, overall {revision.decision['overall']:g}"
            if revision.revision:
                what = f"revised ({revision.reason}), {what}"
            yield Happening(
                at=revision.recorded_at_utc,
                who=history.evaluator or revision.author,
                what=what,
                campaign=history.campaign,
                sequence=revision.sequence,
            )


def _alerts(incident: Incident) -> Iterator[Happening]:
    for alert in incident.alerts:
        what = f"alert on its week: {alert.body.get('title') or alert.body.get('figure')}"
        yield Happening(at=alert.recorded_at_utc, who=alert.author, what=what, sequence=alert.sequence)
