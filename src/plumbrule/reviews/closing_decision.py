"""The end of a campaign: closed once, in the chain, and decided from the records that it had then."""

from datetime import datetime

from plumbrule.codec import to_json
from plumbrule.errors import UsageError
from plumbrule.ledger import Ledger
from plumbrule.ledger.acceptance import SUBJECT as ACCEPTED
from plumbrule.reviews.campaign_decision import CampaignDecision, decide
from plumbrule.reviews.campaign_store import (
    check_counts,
    earlier_campaigns,
    kept_decision,
    load_campaign,
    name_versions,
)
from plumbrule.reviews.model_change import compare_answers
from plumbrule.reviews.review_entries import Closure


def _accepted(ledger: Ledger) -> tuple[str, ...]:
    """Return who accepted the ledger as it was, against its checkpoint: what was there before may be gone."""
    return tuple(
        f"{entry.author} at entry {entry.sequence}, {entry.recorded_at_utc[:10]}"
        for entry in ledger.entries(kind="note", subject=ACCEPTED)
    )


def close_campaign(
    ledger: Ledger,
    name: str,
    *,
    author: str,
    at: datetime,
    as_is: bool = False,
    second: str | None = None,
) -> CampaignDecision:
    """Close a campaign and return the decision on the deployment, with its reasons.

    While items are open it is refused, unless it is closed ``as_is``, which is recorded. A release on fewer ratings or
    items than the trigger asks for needs a ``second`` person, who is recorded, too. A campaign that was closed without
    its decision, because the process ended in between, gets it now.
    """
    campaign = load_campaign(ledger, name).campaign
    if campaign.closed is None:
        left = campaign.unfinished()
        if left and not as_is:
            raise UsageError(
                f"{name}: {len(left)} of {len(campaign.items)} items are still open, such as "
                f"'{left[0].trace_id[:60]}'; rate and adjudicate them, or close with --as-is"
            )
        if second is not None and campaign.key_of(second) in {"", campaign.key_of(author)}:
            raise UsageError(f"--second must be another person than '{author[:60]}', who closes {name}")
        closure = Closure(
            as_is=as_is,
            mode=campaign.plan.mode or "any_record",
            open=tuple(item.trace_id for item in left),
            by_blind_ratings=True,
            second=second,
        )
        entry = ledger.append("campaign", f"campaigns/{name}", to_json(closure), author, at=at)
        campaign = load_campaign(ledger, name).campaign
        check_counts(campaign, entry)
    elif kept_decision(ledger, name) is not None:
        raise UsageError(f"{name}: is closed already; 'plumbrule review progress' shows its decision")
    decision = decide(
        campaign,
        paired=compare_answers(ledger, campaign, people=True),
        newer_versions=name_versions(ledger, campaign),
        earlier=earlier_campaigns(
            ledger,
            campaign.items,
            [item.content for item in campaign.items.values()],
            campaign.plan.same_items or (),
        ),
        accepted=_accepted(ledger),
    )
    ledger.append("decision", f"campaigns/{name}", to_json(decision), author, at=at)
    return decision
