"""The outcomes of campaigns: the latest decision of each trigger, and how far people agreed lately."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from plumbrule.interactions.contract_findings import FindingLog
from plumbrule.interactions.trace import read_trace
from plumbrule.ledger import Ledger
from plumbrule.outcomes import Outcome
from plumbrule.reviews.campaigns.campaign_agreement import CampaignAgreement, measure_agreement
from plumbrule.reviews.campaigns.campaign_list import CampaignOutline, outline_campaigns
from plumbrule.reviews.campaigns.campaign_store import load_campaign
from plumbrule.reviews.interaction_archive import find_versions
from plumbrule.rubrics.scorecard_rubric import Recommendation

_LOOKED_AT = 60  # the latest closed campaigns: how people agreed long ago says nothing of today


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignOutcome:
    """The decision of the latest closed campaign of a trigger."""

    campaign: str
    trigger: str
    models: tuple[str, ...]  # that gave the answers, by their traces; none where no trace names one
    outcome: Outcome
    recommendation: Recommendation
    why: str
    items: int
    overall: float | None
    closed_at: str | None
    closed_by: str | None


def latest_outcomes(ledger: Ledger, outlines: Sequence[CampaignOutline]) -> tuple[CampaignOutcome, ...]:
    """Return the decision of the latest closed campaign of each trigger, the latest first.

    ``outlines`` are those of ``outline_campaigns``.
    """
    latest: dict[str, CampaignOutline] = {}
    for outline in outlines:  # the newest first
        if outline.state == "closed":
            latest.setdefault(outline.trigger, outline)
    outcomes = [
        CampaignOutcome(
            campaign=line.campaign,
            trigger=line.trigger,
            models=_models(ledger, line.campaign),
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


def _models(ledger: Ledger, name: str) -> tuple[str, ...]:
    """Return the models that gave the answers of a campaign, the one with the most answers first."""
    items = load_campaign(ledger, name).campaign.items.values()
    traces = [found.meant.kept.trace for found in find_versions(ledger, [item.wanted for item in items]).values()]
    named = (read_trace(trace, FindingLog(name)).model_id for trace in traces if trace is not None)
    counted = Counter(model for model in named if model is not None)
    return tuple(sorted(counted, key=lambda model: (-counted[model], model)))


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
