"""The campaigns a page at a time: the open ones first, each with progress or decision."""

import pytest
from tests.reviews.conftest import AT, Opens, card, later

from plumbrule.ledger import Ledger
from plumbrule.reviews.campaigns.campaign_list import list_campaigns, outline_campaigns, outlines_stamp
from plumbrule.reviews.campaigns.campaign_store import claim_item
from plumbrule.reviews.closing_decision import close_campaign
from plumbrule.reviews.submission import submit_records


@pytest.fixture
def three(ledger: Ledger, opens: Opens) -> None:
    """Open three campaigns: one closed, two open, of which one has a claim."""
    opens(2, name="first")
    opens(1, name="second", trigger="monitoring")
    opens(2, name="third")
    claim_item(ledger, "third", "00000000-0000-4000-8000-000000000000", "Ada", at=AT)
    close_campaign(ledger, "first", author="Gus", at=later(5), as_is=True)


@pytest.mark.usefixtures("three")
def test_open_ones_stand_first_and_the_newest_of_both(ledger: Ledger) -> None:
    """An open one has progress and claims, a closed one its decision."""
    listed = list_campaigns(ledger, at=later(1))
    assert [line.campaign for line in listed.lines] == ["third", "second", "first"]
    assert (listed.states, listed.triggers) == ({"open": 2, "closed": 1}, {"monitoring": 1, "pre-deployment": 2})
    third, _, first = listed.lines
    assert third.progress is not None
    assert (third.progress.ratings_wanted, third.held, third.held_until) == (4, 1, "2026-01-31T11:30:00.000000Z")
    assert first.decision is not None
    assert (first.decision.outcome, first.progress, first.items) == ("NO RELEASE", None, 2)
    assert list_campaigns(ledger, at=later(1000)).lines[0].held == 0  # the claim has ended


@pytest.mark.usefixtures("three")
def test_filters_and_pages(ledger: Ledger) -> None:
    """What was asked for is counted over all pages."""
    assert [line.campaign for line in list_campaigns(ledger, state="closed", at=AT).lines] == ["first"]
    page = list_campaigns(ledger, trigger="pre-deployment", start=1, most=1, at=AT)
    assert ([line.campaign for line in page.lines], page.found) == (["first"], 2)
    assert list_campaigns(ledger, trigger="nothing", at=AT).found == 0


def test_a_closing_that_does_not_count_closes_nothing(ledger: Ledger, opens: Opens) -> None:
    """Somebody closed while an item was open: the entry stands, and the campaign is open still."""
    opens(1)
    ledger.append("campaign", "campaigns/c", {"event": "closed", "as_is": False}, "Gus", at=AT)
    [line] = list_campaigns(ledger, at=AT).lines
    assert (line.state, line.decision) == ("open", None)
    for who in ("Ada", "Ben"):
        claim_item(ledger, "c", "00000000-0000-4000-8000-000000000000", who, at=AT)
        submit_records(ledger, "c", [("", card("00000000-0000-4000-8000-000000000000"))], evaluator=who, at=AT)
    close_campaign(ledger, "c", author="Gus", at=later(1))
    [line] = list_campaigns(ledger, at=later(2)).lines
    assert line.decision is not None
    assert (line.state, line.decision.outcome) == ("closed", "RELEASE")


@pytest.mark.usefixtures("three")
def test_outlines_hold_until_a_campaign_changes(ledger: Ledger) -> None:
    """Claims and ratings leave them as they are, and the list made of them is the same; a closing makes them old."""
    outlines, stamp = outline_campaigns(ledger), outlines_stamp(ledger)
    claim_item(ledger, "third", "00000000-0000-4000-8000-000000000001", "Ben", at=AT)
    assert (outline_campaigns(ledger), outlines_stamp(ledger)) == (outlines, stamp)
    listed = list_campaigns(ledger, at=later(1), outlines=outlines)
    assert (listed, listed.lines[0].held) == (list_campaigns(ledger, at=later(1)), 2)
    close_campaign(ledger, "third", author="Gus", at=later(6), as_is=True)
    assert outlines_stamp(ledger) != stamp
    assert [outline.state for outline in outline_campaigns(ledger)] == ["open", "closed", "closed"]
