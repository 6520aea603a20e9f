"""Proposals are seen before rating only where the campaign says so, and a record tells which were taken over."""

import pytest
from tests.reviews.conftest import AT, KEYS, Opens, card, later, response

from plumbrule.codec import to_json
from plumbrule.errors import InputError
from plumbrule.ledger import Ledger
from plumbrule.reviews.campaigns.campaign_store import ReleaseTerms, claim_item, load_campaign, load_item
from plumbrule.reviews.sheets import rating_form
from plumbrule.reviews.submission import submit_records

ONE = response(0)["trace_id"]
SHOWN = ReleaseTerms(show_proposals=True)


@pytest.mark.parametrize("terms", [None, SHOWN])
def test_proposals_are_hidden_until_one_rated_or_shown(
    ledger: Ledger, opens: Opens, terms: ReleaseTerms | None
) -> None:
    """Whoever rated sees them in any case."""
    opens(1, terms=terms)
    assert ("proposals" in to_json(load_campaign(ledger, "c").campaign.plan)) == (terms is SHOWN)
    claim_item(ledger, "c", ONE, "Ada", at=AT)
    assert rating_form(ledger, *load_item(ledger, "c", ONE), "Ada", at=AT).proposals_shown == (terms is SHOWN)
    submit_records(ledger, "c", [("", card(ONE))], evaluator="Ada", at=AT)
    assert rating_form(ledger, *load_item(ledger, "c", ONE), "Ada", at=AT).proposals_shown


def test_an_accepted_proposal_is_kept_as_such(ledger: Ledger, opens: Opens) -> None:
    """It must be at the level that was proposed; the record has it for good, and a revision has it no more."""
    opens(1, terms=SHOWN)
    claim_item(ledger, "c", ONE, "Ada", at=AT)
    form = rating_form(ledger, *load_item(ledger, "c", ONE), "Ada", at=AT)
    proposed = {each.key: level for each in form.dimensions if (level := form.proposed(each)) is not None}
    key, level = next(iter(proposed.items()))
    given = card(ONE)
    other = next(each.name for each in form.dimensions[0].levels if each.name != level)
    for wrong, message in (({key: other}, "is not at the level that is proposed"), ({}, "no dimension")):
        accepted = [key] if wrong else ["speed"]
        record = {**given, "scores": {**given["scores"], **wrong}, "accepted": accepted}
        with pytest.raises(InputError, match=message):
            submit_records(ledger, "c", [("", record)], evaluator="Ada", at=AT)
    record = {**given, "scores": {**given["scores"], key: level}, "accepted": [key]}
    [kept] = submit_records(ledger, "c", [("", record)], evaluator="Ada", at=AT).records
    assert kept.record.accepted == (key,)
    assert to_json(kept.exported())["accepted"] == [key]
    change = {"trace_id": ONE, "scores": {KEYS[-1]: 3}}
    [revised] = submit_records(ledger, "c", [("", change)], evaluator="Ada", at=later(1), reason="again").records
    assert "accepted" not in to_json(revised.exported())


def test_nothing_is_accepted_where_nothing_was_shown(ledger: Ledger, opens: Opens) -> None:
    """A record of a blind campaign cannot say that it took a proposal over."""
    opens(1)
    claim_item(ledger, "c", ONE, "Ada", at=AT)
    with pytest.raises(InputError, match="shows no proposals"):
        submit_records(ledger, "c", [("", {**card(ONE), "accepted": [KEYS[0]]})], evaluator="Ada", at=AT)
