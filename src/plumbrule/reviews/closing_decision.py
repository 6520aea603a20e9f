"""The end of a campaign: closed once, in the chain, and decided from the records that it had then."""

from dataclasses import dataclass
from datetime import datetime

from plumbrule.codec import to_json
from plumbrule.errors import UsageError
from plumbrule.ledger import Ledger
from plumbrule.ledger.acceptance import SUBJECT as ACCEPTED
from plumbrule.reviews.campaigns.campaign import Campaign
from plumbrule.reviews.campaigns.campaign_decision import CampaignDecision, decide, missing_parts, shared_roles
from plumbrule.reviews.campaigns.campaign_store import (
    check_counts,
    earlier_campaigns,
    kept_decision,
    load_campaign,
    name_versions,
    newer_versions,
)
from plumbrule.reviews.model_change import compare_answers
from plumbrule.reviews.review_entries import Closure


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosingForecast:
    """What is known of a decision before its campaign is closed; nothing that depends on a rating, which are blind."""

    campaign: str
    items: int
    ratings: int
    records: int  # the same, with adjudications and revisions
    unrated: tuple[str, ...]  # items without a rating: with one of these there is no release
    unfinished: tuple[str, ...]  # the others that lack a rating or wait for an adjudicator
    missing: tuple[str, ...]  # what the trigger asks for and is not there: a release needs a second signature
    revised: tuple[str, ...]  # items with a record that was revised after others' ratings became visible
    roles: tuple[str, ...]  # who would have several roles, were this person to close it
    closed: bool  # it is closed, and only its decision is missing

    @property
    def left(self) -> int:
        """How many items are not done."""
        return len(self.unrated) + len(self.unfinished)


def forecast_closing(campaign: Campaign, *, author: str | None = None) -> ClosingForecast:
    """Return what closing a campaign now would meet, by ``author`` where it is known who would."""
    left = campaign.unfinished()
    return ClosingForecast(
        campaign=campaign.name,
        items=len(campaign.items),
        ratings=sum(len(item.ratings) for item in campaign.items.values()),
        records=sum(len(rated.revisions) for _, rated in campaign.rated()),
        unrated=tuple(item.trace_id for item in left if not item.ratings),
        unfinished=tuple(item.trace_id for item in left if item.ratings),
        missing=tuple(missing_parts(campaign, left=len(left))),
        revised=tuple(
            item.trace_id for item in campaign.items.values() if any(rated.late for rated in item.ratings.values())
        ),
        roles=tuple(remark.removeprefix("roles: ") for remark in shared_roles(campaign, closes=author)),
        closed=campaign.closed is not None,
    )


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
    paired = compare_answers(ledger, campaign, people=True)
    name_versions(ledger, campaign)
    decision = decide(
        campaign,
        paired=paired,
        newer_versions=newer_versions(ledger, campaign),
        earlier=earlier_campaigns(
            ledger,
            {key: item.content for key, item in campaign.items.items()},
            campaign.plan.same_items or (),
        ),
        accepted=_accepted(ledger),
    )
    ledger.append("decision", f"campaigns/{name}", to_json(decision), author, at=at)
    return decision
