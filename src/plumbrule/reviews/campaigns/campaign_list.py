"""The campaigns of a ledger, a page at a time: the open ones with their progress, the closed ones with their decision.

A ledger may hold hundreds of campaigns with thousands of records, so only those on the page are read whole.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

from plumbrule.ledger import Entry, Ledger
from plumbrule.ledger.entry import utc_text
from plumbrule.reviews.campaigns.campaign import Campaign
from plumbrule.reviews.campaigns.campaign_decision import CampaignDecision
from plumbrule.reviews.campaigns.campaign_progress import CampaignProgress, describe_progress
from plumbrule.reviews.campaigns.campaign_store import load_campaign
from plumbrule.reviews.review_entries import read_entry

CampaignState = Literal["open", "closed"]
CAMPAIGN_STATES: tuple[CampaignState, ...] = get_args(CampaignState)


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignLine:
    """One campaign; ``progress`` is of an open one, ``decision`` of a closed one."""

    campaign: str
    trigger: str
    state: CampaignState
    opened_at: str
    opened_by: str
    week: str | None
    items: int
    progress: CampaignProgress | None
    held: int  # places that somebody holds now
    held_until: str | None  # when the first of them falls free
    decision: CampaignDecision | None
    closed_at: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignList:
    """A page of the campaigns that were asked for, and how many there are of each."""

    lines: tuple[CampaignLine, ...]
    found: int  # that were asked for, on all pages
    states: Mapping[CampaignState, int]  # of all campaigns
    triggers: Mapping[str, int]  # the same


@dataclass(frozen=True, slots=True, kw_only=True)
class _ManifestHead:
    drawn: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _PlanHead:
    """The keys of a plan by which campaigns are listed, which are read for every one of them."""

    trigger: str
    week: str | None
    manifest: _ManifestHead


@dataclass(frozen=True, slots=True, kw_only=True)
class _Outline:
    name: str
    plan: _PlanHead
    opened: Entry
    closed: bool
    decided: Entry | None  # of a closed one, unless the process ended before it decided


def list_campaigns(
    ledger: Ledger,
    *,
    state: CampaignState | None = None,
    trigger: str | None = None,
    start: int = 0,
    most: int = 50,
    at: datetime,
) -> CampaignList:
    """Return the campaigns from ``start`` on, at most so many: the open ones first, of both the newest first."""
    outlines = sorted(_outlines(ledger), key=lambda outline: (outline.closed, -outline.opened.sequence))
    wanted = [
        outline
        for outline in outlines
        if (state is None or state == _state(closed=outline.closed)) and trigger in (None, outline.plan.trigger)
    ]
    triggers: dict[str, int] = {}
    for outline in outlines:
        triggers[outline.plan.trigger] = triggers.get(outline.plan.trigger, 0) + 1
    closed = sum(outline.closed for outline in outlines)
    return CampaignList(
        lines=tuple(_line(ledger, outline, at) for outline in wanted[start : start + most]),
        found=len(wanted),
        states={"open": len(outlines) - closed, "closed": closed},
        triggers=dict(sorted(triggers.items())),
    )


def _outlines(ledger: Ledger) -> list[_Outline]:
    opened: dict[str, Entry] = {}
    closed: dict[str, int] = {}  # by an entry that may not count
    for entry in ledger.entries(kind="campaign"):
        name, event = entry.subject.split("/")[1], entry.value.get("event")
        if event == "opened":
            opened.setdefault(name, entry)
        elif event == "closed":
            closed.setdefault(name, entry.sequence)
    decided: dict[str, Entry] = {}
    for entry in ledger.entries(kind="decision", run="campaigns"):
        name = entry.subject.split("/")[1]
        if name in closed and entry.sequence > closed[name]:
            decided.setdefault(name, entry)
    return [
        _Outline(
            name=name,
            plan=read_entry(_PlanHead, entry),
            opened=entry,
            # a decision follows a closing that counts; without one the campaign itself knows
            closed=name in decided or (name in closed and load_campaign(ledger, name).campaign.closed is not None),
            decided=decided.get(name),
        )
        for name, entry in opened.items()
    ]


def _state(*, closed: bool) -> CampaignState:
    return "closed" if closed else "open"


def _line(ledger: Ledger, outline: _Outline, at: datetime) -> CampaignLine:
    campaign = None if outline.closed else load_campaign(ledger, outline.name).campaign
    held = [] if campaign is None else _held(campaign, at)
    decided = outline.decided
    return CampaignLine(
        campaign=outline.name,
        trigger=outline.plan.trigger,
        state=_state(closed=outline.closed),
        opened_at=outline.opened.recorded_at_utc,
        opened_by=outline.opened.author,
        week=outline.plan.week,
        items=outline.plan.manifest.drawn,
        progress=None if campaign is None else describe_progress(campaign, at=at),
        held=len(held),
        held_until=utc_text(min(held)) if held else None,
        decision=None if decided is None else read_entry(CampaignDecision, decided),
        closed_at=None if decided is None else decided.recorded_at_utc,
    )


def _held(campaign: Campaign, at: datetime) -> list[datetime]:
    """Return when each claim ends that is valid now."""
    claims = [claim.until for item in campaign.items.values() for claim in item.holders(at).values()]
    adjudicators = [claim.until for item in campaign.items.values() if (claim := item.adjudicator(at)) is not None]
    return claims + adjudicators
