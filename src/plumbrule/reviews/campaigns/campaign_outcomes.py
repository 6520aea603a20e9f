"""The outcomes of campaigns: the latest decision of each trigger, and how far people agreed lately."""

from dataclasses import dataclass
from datetime import datetime

from plumbrule.ledger import Ledger
from plumbrule.outcomes import Outcome
from plumbrule.reviews.campaigns.campaign_agreement import CampaignAgreement, measure_agreement
from plumbrule.reviews.campaigns.campaign_list import list_campaigns
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


def latest_outcomes(ledger: Ledger, *, at: datetime) -> tuple[CampaignOutcome, ...]:
    """Return the decision of the latest closed campaign of each trigger, the latest first."""
    triggers = list_campaigns(ledger, most=0, at=at).triggers
    latest = [
        line
        for trigger in triggers
        for line in list_campaigns(ledger, state="closed", trigger=trigger, most=1, at=at).lines
    ]
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
        for line in latest
        if (decision := line.decision) is not None
    ]
    return tuple(sorted(outcomes, key=lambda outcome: outcome.closed_at or "", reverse=True))


def recent_agreement(ledger: Ledger, *, at: datetime, most: int = 3) -> tuple[CampaignAgreement, ...]:
    """Return how far people agree in the latest closed campaigns in which several rated an item, the latest first."""
    measured: list[CampaignAgreement] = []
    for line in list_campaigns(ledger, state="closed", most=_LOOKED_AT, at=at).lines:
        cards = () if line.decision is None else line.decision.cards
        if any(len(card.evaluators) > 1 for card in cards):
            measured.append(measure_agreement(ledger, load_campaign(ledger, line.campaign).campaign, at=at))
        if len(measured) == most:
            break
    return tuple(measured)
