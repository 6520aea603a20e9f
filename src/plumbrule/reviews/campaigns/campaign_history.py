"""Who did what when in a campaign, and the entries of the ledger that prove how it began and ended."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from plumbrule.ledger import Entry, Ledger
from plumbrule.ledger.entry import utc_text
from plumbrule.reviews.campaigns.campaign import Campaign
from plumbrule.reviews.campaigns.campaign_store import Standing, decision_entry
from plumbrule.reviews.review_entries import Assignment, Disclosure, read_event

Deed = Literal["opened", "assigned", "shown", "rated", "revised", "adjudicated", "closed", "signed", "decided"]


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryLine:
    """What one person did, how often, and when: the first time and the last."""

    person: str
    deed: Deed
    count: int
    first: str
    last: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """An entry of the ledger, by its place and its hash."""

    what: Literal["opened", "closed", "decided", "checkpoint"]
    by: str
    at: str
    sequence: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignHistory:
    """Who did what, in the order in which it began; and what proves it."""

    lines: tuple[HistoryLine, ...]
    proofs: tuple[Proof, ...]
    ledger_id: str


_Done = tuple[str, Deed, datetime]


def describe_history(ledger: Ledger, standing: Standing) -> CampaignHistory:
    """Return the history of a campaign; who rated and when, never how."""
    campaign = standing.campaign
    decided = decision_entry(ledger, campaign)
    deeds = list(_deeds(campaign, standing.entries))
    if decided is not None:
        deeds.append((decided.author, "decided", datetime.fromisoformat(decided.recorded_at_utc)))
    grouped: dict[tuple[str, Deed], list[datetime]] = {}
    names: dict[str, str] = {}
    for person, deed, at in deeds:
        names.setdefault(campaign.key_of(person), person)
        grouped.setdefault((campaign.key_of(person), deed), []).append(at)
    lines = [
        HistoryLine(
            person=names[key], deed=deed, count=len(times), first=utc_text(min(times)), last=utc_text(max(times))
        )
        for (key, deed), times in grouped.items()
    ]
    return CampaignHistory(
        lines=tuple(sorted(lines, key=lambda line: line.first)),
        proofs=tuple(_proofs(ledger, standing, decided)),
        ledger_id=ledger.ledger_id,
    )


def _deeds(campaign: Campaign, entries: Iterable[Entry]) -> Iterator[_Done]:
    if campaign.opened is not None:
        yield campaign.opened.author, "opened", campaign.opened.at
    for entry in entries:
        if entry.kind != "campaign" or entry.sequence in campaign.void:
            continue
        event = read_event(entry)
        if isinstance(event.body, Assignment):
            yield event.author, "assigned", event.at
        elif isinstance(event.body, Disclosure):
            yield event.body.evaluator, "shown", event.at
    for role, rated in campaign.rated():
        person = rated.first.evaluator or rated.person
        yield person, "adjudicated" if role == "adjudicator" else "rated", rated.revisions[0].at
        for revision in rated.revisions[1:]:
            yield person, "revised", revision.at
    if campaign.closed is not None:
        yield campaign.closed.author, "closed", campaign.closed.at
        if campaign.closure is not None and campaign.closure.second is not None:
            yield campaign.closure.second, "signed", campaign.closed.at


def _proofs(ledger: Ledger, standing: Standing, decided: Entry | None) -> Iterator[Proof]:
    by_sequence = {entry.sequence: entry for entry in standing.entries}
    campaign = standing.campaign
    if campaign.opened is not None:
        yield _proof("opened", by_sequence[campaign.opened.sequence])
    if campaign.closed is not None:
        yield _proof("closed", by_sequence[campaign.closed.sequence])
    if decided is not None:
        yield _proof("decided", decided)
    last = ledger.checkpoint()
    yield Proof(what="checkpoint", by="", at=last.recorded_at_utc, sequence=last.sequence, sha256=last.entry_sha256)


def _proof(what: Literal["opened", "closed", "decided"], entry: Entry) -> Proof:
    return Proof(
        what=what, by=entry.author, at=entry.recorded_at_utc, sequence=entry.sequence, sha256=entry.entry_sha256
    )
