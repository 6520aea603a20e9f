"""The campaigns of a ledger, a page at a time: the open ones with their progress, the closed ones with their decision.

A ledger may hold hundreds of campaigns with thousands of records, so only the open ones on the page are read whole.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Literal, get_args

from plumbrule.ledger import Entry, Ledger
from plumbrule.ledger.entry import utc_text
from plumbrule.outcomes import Outcome
from plumbrule.reviews.campaigns.campaign import Campaign
from plumbrule.reviews.campaigns.campaign_decision import CampaignDecision
from plumbrule.reviews.campaigns.campaign_progress import CampaignProgress, describe_progress
from plumbrule.reviews.campaigns.campaign_store import load_campaign
from plumbrule.reviews.release_decision import OverallEstimate
from plumbrule.reviews.review_entries import read_entry
from plumbrule.rubrics.scorecard_rubric import Recommendation

_ROOM = "campaigns"  # where the decisions of campaigns are
CampaignState = Literal["open", "closed"]
CAMPAIGN_STATES: tuple[CampaignState, ...] = get_args(CampaignState)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedDecision:
    """The decision of a closed campaign, without its items."""

    outcome: Outcome
    recommendation: Recommendation
    reasons: tuple[str, ...]
    items: int
    failing: int  # of the items
    overall: float | None
    estimate: OverallEstimate | None
    closed_by: str | None
    shared: bool  # several people rated an item


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignOutline:
    """One campaign as it was opened and decided, whatever was rated since; ``decision`` is of a closed one."""

    campaign: str
    trigger: str
    state: CampaignState
    opened_at: str
    opened_by: str
    week: str | None
    items: int
    decision: ListedDecision | None  # None as well where the process ended before it decided
    closed_at: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignLine(CampaignOutline):
    """One campaign as it is now; ``progress`` is of an open one."""

    progress: CampaignProgress | None
    held: int  # places that somebody holds now
    held_until: str | None  # when the first of them falls free


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


def list_campaigns(
    ledger: Ledger,
    *,
    state: CampaignState | None = None,
    trigger: str | None = None,
    start: int = 0,
    most: int = 50,
    at: datetime,
    outlines: Sequence[CampaignOutline] | None = None,
) -> CampaignList:
    """Return the campaigns from ``start`` on, at most so many: the open ones first, of both the newest first.

    ``outlines`` are those of ``outline_campaigns``, for whoever has them already.
    """
    outlines = outline_campaigns(ledger) if outlines is None else outlines
    wanted = [
        outline
        for outline in outlines
        if (state is None or state == outline.state) and trigger in (None, outline.trigger)
    ]
    states = Counter(outline.state for outline in outlines)
    triggers = Counter(outline.trigger for outline in outlines)
    return CampaignList(
        lines=tuple(_line(ledger, outline, at) for outline in wanted[start : start + most]),
        found=len(wanted),
        states={each: states[each] for each in CAMPAIGN_STATES},
        triggers=dict(sorted(triggers.items())),
    )


def outline_campaigns(ledger: Ledger) -> tuple[CampaignOutline, ...]:
    """Return every campaign, the open ones first, of both the newest first; it holds while ``outlines_stamp`` does."""
    opened: dict[str, Entry] = {}
    closed: dict[str, int] = {}  # by an entry that may not count
    for entry in ledger.entries(kind="campaign"):
        name, event = entry.subject.split("/")[1], entry.value.get("event")
        if event == "opened":
            opened.setdefault(name, entry)
        elif event == "closed":
            closed.setdefault(name, entry.sequence)
    decided: dict[str, Entry] = {}
    for entry in ledger.entries(kind="decision", run=_ROOM):
        name = entry.subject.split("/")[1]
        if name in closed and entry.sequence > closed[name]:
            decided.setdefault(name, entry)
    # a decision follows a closing that counts; without one the campaign itself knows
    ended = {
        name
        for name in opened
        if name in decided or (name in closed and load_campaign(ledger, name).campaign.closed is not None)
    }
    ordered = sorted(opened, key=lambda name: (name in ended, -opened[name].sequence))
    return tuple(_outline(name, opened[name], decided.get(name), closed=name in ended) for name in ordered)


def outlines_stamp(ledger: Ledger) -> tuple[tuple[int, str], ...]:
    """Return numbers and hashes of the newest entries of those that the outlines are made from.

    Whether a closing counts depends on what stands before it alone, so ratings and claims are none of these.
    """
    return ledger.newest("campaign"), ledger.newest("decision", run=_ROOM)


def _outline(name: str, opened: Entry, decided: Entry | None, *, closed: bool) -> CampaignOutline:
    plan = read_entry(_PlanHead, opened)
    return CampaignOutline(
        campaign=name,
        trigger=plan.trigger,
        state="closed" if closed else "open",
        opened_at=opened.recorded_at_utc,
        opened_by=opened.author,
        week=plan.week,
        items=plan.manifest.drawn,
        decision=None if decided is None else _listed(read_entry(CampaignDecision, decided)),
        closed_at=None if decided is None else decided.recorded_at_utc,
    )


def _listed(decision: CampaignDecision) -> ListedDecision:
    return ListedDecision(
        outcome=decision.outcome,
        recommendation=decision.recommendation,
        reasons=decision.reasons,
        items=decision.items,
        failing=sum(card.recommendation == "Fail" for card in decision.cards),
        overall=decision.overall,
        estimate=decision.estimate,
        closed_by=decision.closed_by,
        shared=any(len(card.evaluators) > 1 for card in decision.cards),
    )


def _line(ledger: Ledger, outline: CampaignOutline, at: datetime) -> CampaignLine:
    campaign = None if outline.state == "closed" else load_campaign(ledger, outline.campaign).campaign
    held = [] if campaign is None else _held(campaign, at)
    return CampaignLine(
        **{field.name: getattr(outline, field.name) for field in fields(outline)},
        progress=None if campaign is None else describe_progress(campaign, at=at),
        held=len(held),
        held_until=utc_text(min(held)) if held else None,
    )


def _held(campaign: Campaign, at: datetime) -> list[datetime]:
    """Return when each claim ends that is valid now."""
    claims = [claim.until for item in campaign.items.values() for claim in item.holders(at).values()]
    adjudicators = [claim.until for item in campaign.items.values() if (claim := item.adjudicator(at)) is not None]
    return claims + adjudicators
