"""The end of a campaign: closed once, in the chain, and decided from what stood then and from nothing else."""

from datetime import datetime
from typing import Any, get_args

from plumbrule.errors import UsageError
from plumbrule.ledger import Ledger
from plumbrule.reviews.campaign import Campaign
from plumbrule.reviews.campaign_store import check_counts, load_campaign
from plumbrule.reviews.card_decision import NOTED, Decision, decide
from plumbrule.reviews.items import Item
from plumbrule.reviews.levels import named_scores
from plumbrule.reviews.model_change import compare_answers
from plumbrule.reviews.release_decision import ReleaseMode, decide_release


def close_campaign(
    ledger: Ledger,
    name: str,
    *,
    author: str,
    at: datetime,
    mode: ReleaseMode = "any_record",
    as_is: bool = False,
) -> dict[str, Any]:
    """Close a campaign and return the decision on the deployment, with its reasons.

    While items are open it is refused, unless it is closed ``as_is``, which is recorded. A campaign that was closed
    without its decision, because the process ended in between, gets it now.
    """
    if mode not in get_args(ReleaseMode):
        raise UsageError(f"there is no mode '{mode}' of a release; there are: {', '.join(get_args(ReleaseMode))}")
    campaign = load_campaign(ledger, name).campaign
    if campaign.closed is None:
        left = campaign.unfinished()
        if left and not as_is:
            raise UsageError(
                f"{name}: {len(left)} of {len(campaign.items)} items are still open, such as "
                f"'{left[0].trace_id[:60]}'; rate and adjudicate them, or close with --as-is"
            )
        body = {"event": "closed", "as_is": as_is, "mode": mode, "open": [item.trace_id for item in left]}
        entry = ledger.append("campaign", f"campaigns/{name}", body, author, at=at)
        campaign = load_campaign(ledger, name).campaign
        check_counts(campaign, entry)
    elif kept_decision(ledger, name) is not None:
        raise UsageError(f"{name}: is closed already; 'plumbrule review progress' shows its decision")
    decision = {**decide_campaign(campaign), "paired": compare_answers(ledger, campaign, people=True)}
    ledger.append("decision", f"campaigns/{name}", decision, author, at=at)
    return decision


def kept_decision(ledger: Ledger, name: str) -> dict[str, Any] | None:
    """Return the decision of a closed campaign, as it was made."""
    found = list(ledger.entries(kind="decision", subject=f"campaigns/{name}"))
    return found[0].value if found else None


def decide_campaign(campaign: Campaign) -> dict[str, Any]:
    """Return what the cards of a campaign decide as they stand: each item's by what its evaluators come to."""
    rubric = campaign.loaded.rubric
    cards = [(item, card) for item in campaign.items.values() if (card := _card(campaign, item)) is not None]
    closing = dict(campaign.closed.body) if campaign.closed is not None else {}
    release = decide_release([card for _, card in cards], campaign.loaded, closing.get("mode", "any_record"))
    low = rubric.scores_of(rubric.note_required_at)
    left = campaign.unfinished()
    unrated = [item for item in left if not item.ratings]
    unfinished = [item for item in left if item.ratings]
    remarks = list(campaign.plan["remarks"])
    if left:
        remarks.append(
            f"closed as is: {len(unrated)} items have no rating, {len(unfinished)} lack one or wait for an adjudicator"
        )
    decided = release.to_dict()
    if left and release.recommendation == "Pass":  # one who should have looked did not: that needs a note
        decided["recommendation"] = NOTED
    if unrated:  # what nobody looked at cannot pass
        decided |= {"release": False, "recommendation": "Fail"}
        decided["reasons"] = [*decided["reasons"], f"{len(unrated)} of {len(campaign.items)} items have no rating"]
    elif left and decided["recommendation"] == NOTED:
        said = f"{len(left)} of {len(campaign.items)} items lack a rating or wait for an adjudicator"
        decided["reasons"] = [*decided["reasons"], said]
    return {
        "campaign": campaign.name,
        "trigger": campaign.plan["trigger"],
        **decided,
        "as_is": closing.get("as_is", False),
        "items": len(campaign.items),
        "unrated": [item.trace_id for item in unrated],
        "unfinished": [item.trace_id for item in unfinished],
        "remarks": remarks,
        "cards": [
            {
                "record": number,
                "trace_id": item.trace_id,
                "scores": named_scores(card.scores, rubric),
                "overall": float(card.overall),
                "recommendation": card.recommendation,
                "blockers": [blocker.rule for blocker in card.blockers],
                "low": [key for key, score in card.scores.items() if score in low],
                "evaluators": [rated.record.evaluator for rated in item.ratings.values()],
                "adjudicator": None if item.adjudication is None else item.adjudication.record.evaluator,
            }
            for number, (item, card) in enumerate(cards, 1)
        ],
        "rubric": campaign.loaded.stamp(),
    }


def _card(campaign: Campaign, item: Item) -> Decision | None:
    settled = campaign.settlement(item)
    return None if settled is None else decide(settled.scores, campaign.loaded)
