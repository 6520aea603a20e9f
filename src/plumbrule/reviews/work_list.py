"""What one person has to do in a campaign: items to rate, records they submitted, and what waits for an adjudicator.

Nothing here takes an item, and nothing here shows a rating that ``Campaign.visible`` does not show.
"""

from dataclasses import dataclass
from datetime import datetime

from plumbrule.ledger.entry import utc_text
from plumbrule.reviews.adjudication import Reason, Settlement
from plumbrule.reviews.campaigns.campaign import Campaign
from plumbrule.reviews.items import Claim, Item, Rated, Status
from plumbrule.reviews.levels import level_name
from plumbrule.reviews.queue import Waiting, waiting_for_others
from plumbrule.reviews.record_decision import decide
from plumbrule.rubrics.scorecard_rubric import Recommendation

_MOST_SUBMITTED = 50  # of a campaign that are listed


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemToRate:
    """An item that somebody holds, or that is reserved for them."""

    trace_id: str
    query: str
    stratum: str | None
    assigned: bool
    until: str | None  # when their claim ends; None where they hold none


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmittedItem:
    """An item that somebody rated, with the result of their record."""

    trace_id: str
    query: str
    at: str
    overall: float
    recommendation: Recommendation
    revision: int
    status: Status


@dataclass(frozen=True, slots=True, kw_only=True)
class DisputedDimension:
    """A dimension on which the evaluators of an item disagree too far."""

    title: str
    mine: str
    others: tuple[str, ...]
    counts: str | None  # the level that an adjudicator decided on; None where it waits for one


@dataclass(frozen=True, slots=True, kw_only=True)
class DisputedItem:
    """An item that somebody rated and on which another evaluator disagrees."""

    trace_id: str
    query: str
    dimensions: tuple[DisputedDimension, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkList:
    """What one person has to do, and did, in one open campaign."""

    campaign: str
    trigger: str
    depth: str
    items: int
    claim_minutes: int
    to_rate: tuple[ItemToRate, ...]  # held first, then reserved
    free: int  # items that they may take, with those that they hold
    submitted: tuple[SubmittedItem, ...]  # the newest of them, the newest first
    submitted_count: int
    disputed: tuple[DisputedItem, ...]
    waiting: Waiting


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemToAdjudicate:
    """An item on which the evaluators disagree."""

    campaign: str
    trace_id: str
    query: str
    open: tuple[str, ...]  # the titles of the dimensions to decide
    reasons: tuple[Reason, ...]
    alarm: tuple[str, ...]  # the levels given that always need an adjudicator
    until: str | None  # when the claim of the person who asked ends
    objection: str | None  # why they cannot take it


def list_work(campaign: Campaign, person: str, *, at: datetime) -> WorkList:
    """Return what somebody has to do as an evaluator."""
    key = campaign.key_of(person)
    items = list(campaign.items.values())
    to_rate = [_to_rate(item, key, at) for item in items if _is_mine_to_rate(item, key, at)]
    rated = sorted(
        ((item, item.ratings[key]) for item in items if key in item.ratings),
        key=lambda pair: pair[1].revisions[-1].sequence,
        reverse=True,
    )
    disputed = (_disputed(campaign, item, mine, at) for item, mine in rated)
    return WorkList(
        campaign=campaign.name,
        trigger=campaign.plan.trigger,
        depth=campaign.plan.depth,
        items=len(items),
        claim_minutes=campaign.plan.claim_minutes,
        to_rate=tuple(sorted(to_rate, key=lambda line: (line.until is None, line.until or ""))),
        free=sum(campaign.objection_to_claim(item, person, at) is None for item in items),
        submitted=tuple(_submitted(campaign, item, mine, at) for item, mine in rated[:_MOST_SUBMITTED]),
        submitted_count=len(rated),
        disputed=tuple(line for line in disputed if line is not None),
        waiting=waiting_for_others(campaign, person, at=at),
    )


def list_adjudications(campaign: Campaign, person: str, *, at: datetime) -> tuple[ItemToAdjudicate, ...]:
    """Return the items that wait for an adjudicator: held ones, then those with an alarming level, then the others."""
    lines = []
    for item in campaign.items.values():
        settled = campaign.settlement(item) if campaign.full(item) and campaign.closed is None else None
        if settled is not None and settled.open:
            lines.append(_to_adjudicate(campaign, item, settled, person, at))
    return tuple(sorted(lines, key=lambda line: (line.until is None, not line.alarm)))


def _is_mine_to_rate(item: Item, key: str, at: datetime) -> bool:
    return key not in item.ratings and (key in item.assigned or key in item.holders(at))


def _to_rate(item: Item, key: str, at: datetime) -> ItemToRate:
    return ItemToRate(
        trace_id=item.trace_id,
        query=item.query,
        stratum=item.stratum,
        assigned=key in item.assigned,
        until=_until(item.holders(at).get(key)),
    )


def _submitted(campaign: Campaign, item: Item, mine: Rated, at: datetime) -> SubmittedItem:
    decision = decide(mine.record.scores, campaign.loaded)
    return SubmittedItem(
        trace_id=item.trace_id,
        query=item.query,
        at=utc_text(mine.revisions[-1].at),
        overall=float(decision.overall),
        recommendation=decision.recommendation,
        revision=len(mine.revisions) - 1,
        status=campaign.status(item, at),
    )


def _disputed(campaign: Campaign, item: Item, mine: Rated, at: datetime) -> DisputedItem | None:
    """Return where others disagree with somebody's rating of an item; None where they do not."""
    visible = campaign.visible(item, mine.record.evaluator, at)
    settled = campaign.settlement(item) if campaign.full(item) and visible else None
    if settled is None:
        return None
    rubric = campaign.loaded.rubric
    others = [rated for rated in item.ratings.values() if rated.person != mine.person]
    titles = {dimension.key: dimension.title for dimension in rubric.dimensions}
    dimensions = tuple(
        DisputedDimension(
            title=titles[each.dimension],
            mine=level_name(mine.record.scores[each.dimension], rubric),
            others=tuple(level_name(rated.record.scores[each.dimension], rubric) for rated in others),
            counts=level_name(each.counts, rubric) if each.adjudicated else None,
        )
        for each in settled.dimensions
        if each.reasons
    )
    return DisputedItem(trace_id=item.trace_id, query=item.query, dimensions=dimensions) if dimensions else None


def _to_adjudicate(campaign: Campaign, item: Item, settled: Settlement, person: str, at: datetime) -> ItemToAdjudicate:
    rubric = campaign.loaded.rubric
    titles = {dimension.key: dimension.title for dimension in rubric.dimensions}
    waiting = [each for each in settled.dimensions if each.open]
    reasons = dict.fromkeys(reason for each in waiting for reason in each.reasons)
    given = {score for each in waiting for score in (*each.given, *each.revised)}
    alarming = rubric.scores_of(rubric.adjudication.any_at)
    holder = item.adjudicator(at)
    return ItemToAdjudicate(
        campaign=campaign.name,
        trace_id=item.trace_id,
        query=item.query,
        open=tuple(titles[key] for key in settled.open),
        reasons=tuple(reasons),
        alarm=tuple(level.name for level in rubric.levels if level.score in given & alarming),
        until=_until(holder) if holder is not None and holder.person == campaign.key_of(person) else None,
        objection=campaign.objection_to_claim(item, person, at, "adjudicator"),
    )


def _until(claim: Claim | None) -> str | None:
    return None if claim is None else utc_text(claim.until)
