"""One item to be read: records are shown to those who may see them, and to nobody else."""

from tests.reviews.conftest import AT, Opens, card, later, response

from plumbrule.ledger import Ledger
from plumbrule.reviews.campaigns.campaign_store import claim_item
from plumbrule.reviews.closing_decision import close_campaign
from plumbrule.reviews.item_report import report_item
from plumbrule.reviews.submission import submit_records

ONE = response(0)["trace_id"]


def test_records_are_seen_by_who_may(ledger: Ledger, opens: Opens) -> None:
    """Before one's own record is in nothing is shown; afterwards all of it with the levels that count; then to all."""
    opens(1)
    for who, levels in (("Ada", (4,)), ("Ben", (4, 3))):
        blind = report_item(ledger, "c", ONE, who, at=AT)
        assert (blind.records, blind.settlement, blind.decision, blind.revisable) == ((), None, None, None)
        claim_item(ledger, "c", ONE, who, at=AT)
        submit_records(ledger, "c", [("", card(ONE, *levels))], evaluator=who, at=AT)
    seen = report_item(ledger, "c", ONE, "Ada", at=later(1))
    assert [record.evaluator for record in seen.records] == ["Ada", "Ben"]
    assert (seen.named, seen.revisable, seen.status) == (True, "evaluator", "done")
    assert seen.settlement is not None
    assert seen.settlement.dimensions["grounding_integrity"].counts == "Adequate"
    assert seen.decision is not None
    assert report_item(ledger, "c", ONE, "", at=later(1)).records == ()
    close_campaign(ledger, "c", author="Lead", at=later(2))
    closed = report_item(ledger, "c", ONE[:12], "", at=later(3))
    assert (len(closed.records), closed.named, closed.revisable) == (2, True, None)
