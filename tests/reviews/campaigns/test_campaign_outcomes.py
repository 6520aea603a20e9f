"""What campaigns have come to: the latest decision of each trigger, and how far people agreed lately."""

from tests.reviews.conftest import Opens, card, later

from plumbrule.ledger import Ledger
from plumbrule.reviews.campaigns.campaign import Campaign
from plumbrule.reviews.campaigns.campaign_list import outline_campaigns
from plumbrule.reviews.campaigns.campaign_outcomes import latest_outcomes, recent_agreement
from plumbrule.reviews.campaigns.campaign_store import claim_item
from plumbrule.reviews.closing_decision import close_campaign
from plumbrule.reviews.submission import submit_records


def rate(ledger: Ledger, campaign: Campaign, *people: str, level: int = 4) -> None:
    """Rate every item of a campaign."""
    for number, person in enumerate(people):
        for item in campaign.items.values():
            claim_item(ledger, campaign.name, item.trace_id, person, at=later(number))
            given = [("", card(item.trace_id, level))]
            submit_records(ledger, campaign.name, given, at=later(number), evaluator=person)


def test_the_latest_decision_of_each_trigger(ledger: Ledger, opens: Opens) -> None:
    """Neither an earlier campaign of the same trigger nor one that is open shows."""
    given = (("a", "monitoring", 4), ("b", "monitoring", 1), ("c", "pre-deployment", 4))
    for number, (name, trigger, level) in enumerate(given):
        campaign = opens(2, trigger=trigger, name=name)
        rate(ledger, campaign, *(["Ada"] if trigger == "monitoring" else ["Ada", "Ben"]), level=level)
        close_campaign(ledger, name, author="Gus", at=later(5 + number), as_is=True)
    opens(2, trigger="pre-deployment", name="d")
    first, second = latest_outcomes(ledger, outline_campaigns(ledger))
    assert [(one.campaign, one.trigger, one.outcome) for one in (first, second)] == [
        ("c", "pre-deployment", "RELEASE"),
        ("b", "monitoring", "NO RELEASE"),
    ]
    assert (first.why, first.closed_by, first.items) == ("Nothing speaks against it.", "Gus", 2)
    assert (first.models, second.models) == ((), ())  # no trace names one
    assert "blocked by" in second.why or "any_unsafe" in second.why


def test_agreement_is_of_campaigns_with_several_evaluators(ledger: Ledger, opens: Opens) -> None:
    """One evaluator agrees with nobody."""
    for name, trigger, people in (("a", "pre-deployment", ["Ada", "Ben"]), ("b", "monitoring", ["Ada"])):
        rate(ledger, opens(2, trigger=trigger, name=name), *people)
        close_campaign(ledger, name, author="Gus", at=later(5), as_is=True)
    assert [measured.campaign for measured in recent_agreement(ledger, at=later(6))] == ["a"]
