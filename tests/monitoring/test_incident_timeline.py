"""The timeline of an incident: everything that happened to one interaction, in the order of the ledger."""

from tests.reviews.conftest import AT, Opens, card, later

from plumbrule.api.monitoring import incident
from plumbrule.ledger import Ledger
from plumbrule.monitoring.incident_timeline import timeline_of
from plumbrule.reviews.campaigns.campaign_store import claim_item
from plumbrule.reviews.closing_decision import close_campaign
from plumbrule.reviews.submission import submit_records


def test_everything_in_its_order(ledger: Ledger, opens: Opens) -> None:
    """Kept, drawn, taken, rated, closed: who did it, when, and in which campaign."""
    campaign = opens(1, trigger="monitoring", name="week")
    [item] = campaign.items.values()
    claim_item(ledger, "week", item.trace_id, "Ada", at=later(1))
    submit_records(ledger, "week", [("", card(item.trace_id, 1))], at=later(2), evaluator="Ada")
    close_campaign(ledger, "week", author="Gus", at=later(3), as_is=True)
    happened = timeline_of(incident(item.trace_id, ledger=ledger))
    assert [(each.who, each.what, each.campaign) for each in happened] == [
        ("", "kept in the ledger", None),
        ("Lead", "drawn", "week"),
        ("Ada", "claimed by Ada", "week"),
        ("Ada", "rated: Fail, overall 1", "week"),
        ("Gus", "the campaign was closed: NO RELEASE", "week"),
    ]
    assert [each.at for each in happened] == sorted(each.at for each in happened)
    assert happened[0].at.startswith(AT.strftime("%Y-%m-%dT%H:%M"))
