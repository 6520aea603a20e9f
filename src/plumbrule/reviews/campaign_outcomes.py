"""What campaigns have come to: those that are open, and the latest decision of each trigger."""

from dataclasses import dataclass
from datetime import datetime

from plumbrule.ledger import Entry, Ledger
from plumbrule.outcomes import Outcome
from plumbrule.reviews.campaign_agreement import CampaignAgreement, measure_agreement
from plumbrule.reviews.campaign_progress import CampaignProgress, describe_progress
from plumbrule.reviews.campaign_store import campaign_names, kept_decision, load_campaign
from plumbrule.rubrics.scorecard_rubric import Recommendation

_LOOKED_AT = 60  # the latest campaigns: one of an older trigger says nothing of today


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
    closed_at: str
    closed_by: str | None


def unfinished_campaigns(ledger: Ledger, *, at: datetime) -> tuple[CampaignProgress, ...]:
    """Return how far the campaigns are that are not closed, the latest first; those with a decision are not read."""
    decided = {subject for subject, _ in ledger.outlines(kind="decision", run="campaigns")}
    loaded = (
        load_campaign(ledger, name).campaign
        for name in reversed(campaign_names(ledger))
        if f"campaigns/{name}" not in decided
    )
    return tuple(describe_progress(campaign, at=at) for campaign in loaded if campaign.closed is None)


def recent_agreement(ledger: Ledger, *, at: datetime, most: int = 3) -> tuple[CampaignAgreement, ...]:
    """Return how far people agree in the latest closed campaigns in which several rated an item, the latest first."""
    measured: list[CampaignAgreement] = []
    for entry in _latest_decisions(ledger):
        cards = entry.value.get("cards") or ()
        if any(len(card.get("evaluators") or ()) > 1 for card in cards):
            name = entry.subject.removeprefix("campaigns/")
            measured.append(measure_agreement(ledger, load_campaign(ledger, name).campaign, at=at))
        if len(measured) == most:
            break
    return tuple(measured)


def latest_outcomes(ledger: Ledger) -> tuple[CampaignOutcome, ...]:
    """Return the decision of the latest closed campaign of each trigger, the latest first."""
    outcomes: dict[str, CampaignOutcome] = {}
    for entry in _latest_decisions(ledger):
        if entry.value.get("trigger") in outcomes:
            continue
        decision = kept_decision(ledger, entry.subject.removeprefix("campaigns/"))
        if decision is None:
            continue
        outcomes[decision.trigger] = CampaignOutcome(
            campaign=decision.campaign,
            trigger=decision.trigger,
            outcome=decision.outcome,
            recommendation=decision.recommendation,
            why="; ".join(decision.reasons) or "Nothing speaks against it.",
            items=decision.items,
            overall=decision.overall,
            closed_at=entry.recorded_at_utc,
            closed_by=decision.closed_by,
        )
    return tuple(outcomes.values())


def _latest_decisions(ledger: Ledger) -> list[Entry]:
    """Return the decisions of the latest campaigns, the latest first."""
    subjects = list(dict.fromkeys(subject for subject, _ in ledger.outlines(kind="decision", run="campaigns")))
    last = ledger.last_entries("decision", subjects[-_LOOKED_AT:])
    return sorted(last.values(), key=lambda entry: entry.sequence, reverse=True)
