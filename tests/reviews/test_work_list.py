"""What somebody has to do in a campaign, without taking anything and without seeing what they may not see."""

from tests.reviews.conftest import AT, Opens, card, later, response

from plumbrule.ledger import Ledger
from plumbrule.reviews.campaigns.campaign_store import assign_item, claim_item, load_campaign, load_open
from plumbrule.reviews.submission import submit_records
from plumbrule.reviews.work_list import list_adjudications, list_work

ONE, TWO, THREE = (response(number)["trace_id"] for number in range(3))


def submit(ledger: Ledger, who: str, trace_id: str, *levels: int) -> None:
    """Rate an item."""
    claim_item(ledger, "c", trace_id, who, at=AT)
    submit_records(ledger, "c", [("", card(trace_id, *levels))], evaluator=who, at=AT)


def test_held_items_come_before_assigned_ones(ledger: Ledger, opens: Opens) -> None:
    """What is held stands first with its end, then what is reserved; nothing is taken by looking."""
    opens(3)
    assign_item(ledger, "c", ONE, "Ada", author="Lead", at=AT)
    claim_item(ledger, "c", TWO, "Ada", at=AT)
    work = list_work(load_campaign(ledger, "c").campaign, "Ada", at=later(1))
    assert [(line.trace_id, line.assigned, line.until is None) for line in work.to_rate] == [
        (TWO, False, False),
        (ONE, True, True),
    ]
    assert (work.free, work.submitted, work.disputed) == (3, (), ())
    late = list_work(load_campaign(ledger, "c").campaign, "Ada", at=later(60 * 24))
    assert [line.trace_id for line in late.to_rate] == [ONE]


def test_a_disagreement_is_shown_to_who_rated_once_all_ratings_are_in(ledger: Ledger, opens: Opens) -> None:
    """One's own level stands beside the others' and what was decided; before the last rating there is nothing."""
    opens(2)
    submit(ledger, "Ada", ONE, 4)
    assert list_work(load_campaign(ledger, "c").campaign, "Ada", at=later(1)).disputed == ()
    submit(ledger, "Ben", ONE, 2, 4)
    [item] = list_work(load_campaign(ledger, "c").campaign, "Ada", at=later(1)).disputed
    [dimension] = item.dimensions
    assert (dimension.mine, dimension.others, dimension.counts) == ("Strong", ("Needs Review",), None)
    assert list_work(load_campaign(ledger, "c").campaign, "Cy", at=later(1)).disputed == ()


def test_an_alarming_level_comes_first(ledger: Ledger, opens: Opens) -> None:
    """Items with an Unsafe stand before those that are far apart; who rated an item cannot take it."""
    opens(3)
    for trace_id, level in ((ONE, 2), (TWO, 1)):
        submit(ledger, "Ada", trace_id, 4)
        submit(ledger, "Ben", trace_id, level, 4)
    lines = list_adjudications(load_campaign(ledger, "c").campaign, "Cy", at=later(1))
    assert [(line.trace_id, line.alarm, line.objection) for line in lines] == [
        (TWO, ("Unsafe",), None),
        (ONE, (), None),
    ]
    assert lines[0].open == ("Attribution Accuracy",)
    claim_item(ledger, "c", ONE, "Cy", at=later(1), role="adjudicator")
    assert list_adjudications(load_campaign(ledger, "c").campaign, "Cy", at=later(2))[0].trace_id == ONE
    refused = list_adjudications(load_campaign(ledger, "c").campaign, "Ada", at=later(2))
    assert all("who rated" in (line.objection or "") for line in refused)


def test_only_open_campaigns_are_loaded(ledger: Ledger, opens: Opens) -> None:
    """A campaign that was closed with a decision is not read again."""
    from plumbrule.reviews.closing_decision import close_campaign  # noqa: PLC0415 - only here

    opens(1)
    opens(1, name="d")
    assert [campaign.name for campaign in load_open(ledger)] == ["c", "d"]
    close_campaign(ledger, "c", author="Lead", at=later(1), as_is=True)
    assert [campaign.name for campaign in load_open(ledger)] == ["d"]
