"""The outcomes of campaigns: the latest decision of each trigger, and how far people agreed lately."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from plumbrule.ledger import Ledger
from plumbrule.outcomes import Outcome
from plumbrule.reviews.campaigns.campaign_agreement import CampaignAgreement, measure_agreement
from plumbrule.reviews.campaigns.campaign_list import CampaignOutline, outline_campaigns
from plumbrule.reviews.campaigns.campaign_store import load_campaign
from plumbrule.rubrics.scorecard_rubric import Recommendation

_LOOKED_AT = 60  # the latest closed campaigns: how people agreed long ago says nothing of today


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignOutcome:
    """The decision of the latest closed campaign of a trigger."""

    campaign: str
    trigger: str
    outcome: Outcome
    recommendation: Recommendation
    why: str
    items: int
    overall: float | None
    closed_at: str | None
    closed_by: str | None


def latest_outcomes(outlines: Sequence[CampaignOutline]) -> tuple[CampaignOutcome, ...]:
    """Return the decision of the latest closed campaign of each trigger, the latest first."""
    latest: dict[str, CampaignOutline] = {}
    for outline in outlines:  # the newest first
        if outline.state == "closed":
            latest.setdefault(outline.trigger, outline)
    outcomes = [
        CampaignOutcome(
            campaign=line.campaign,
            trigger=line.trigger,
            outcome=decision.outcome,
            recommendation=decision.recommendation,
            why="; ".join(decision.reasons) or "Nothing speaks against it.",
            items=decision.items,
            overall=decision.overall,
            closed_at=line.closed_at,
            closed_by=decision.closed_by,
        )
        for line in sorted(latest.values(), key=lambda line: line.trigger)
        if (decision := line.decision) is not None
    ]
    return tuple(sorted(outcomes, key=lambda outcome: outcome.closed_at or "", reverse=True))


def recent_agreement(ledger: Ledger, *, at: datetime, most: int = 3) -> tuple[CampaignAgreement, ...]:
    """Return how far people agree in the latest closed campaigns in which several rated an item, the latest first."""
    measured: list[CampaignAgreement] = []
    closed = [outline for outline in outline_campaigns(ledger) if outline.state == "closed"]
    for line in closed[:_LOOKED_AT]:
        if line.decision is not None and line.decision.shared:
            measured.append(measure_agreement(ledger, load_campaign(ledger, line.campaign).campaign, at=at))
        if len(measured) == most:
            break
    return tuple(measured)
