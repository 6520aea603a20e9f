"""The blind ratings decide: a revision made after seeing the others' raises no level and removes no adjudication."""

from typing import Any

import pytest
from tests.reviews.conftest import AT, Opens, card, later, response

from plumbrule.codec import to_json
from plumbrule.errors import UsageError
from plumbrule.ledger import Ledger
from plumbrule.monitoring.reviewed_interactions import reviewed_in_ledger
from plumbrule.reviews.adjudication import Rating, Settlement, settle
from plumbrule.reviews.campaigns.campaign_decision import CampaignDecision
from plumbrule.reviews.campaigns.campaign_progress import report_campaign
from plumbrule.reviews.campaigns.campaign_store import claim_item, load_campaign, load_item
from plumbrule.reviews.closing_decision import close_campaign
from plumbrule.reviews.evaluation_record import read_record
from plumbrule.reviews.record_store import keep_record, stored_records
from plumbrule.reviews.sheets import sheet_of
from plumbrule.reviews.submission import adjudicate_item, submit_records
from plumbrule.rubrics import Loaded, ScorecardRubric, load_scorecard

ONE = response(0)["trace_id"]
RUBRIC = load_scorecard().rubric
KEYS = [dimension.key for dimension in RUBRIC.dimensions]
GROUNDING = "grounding_integrity"


def rate(ledger: Ledger, evaluator: str, *levels: object) -> None:
    """Claim and rate the item."""
    claim_item(ledger, "c", ONE, evaluator, at=later(1))
    submit_records(ledger, "c", [("", card(ONE, *levels))], evaluator=evaluator, at=later(2))


def revise(ledger: Ledger, evaluator: str, **scores: object) -> None:
    """Revise some levels."""
    change = {"trace_id": ONE, "scores": scores, "notes": "looked again"}
    submit_records(ledger, "c", [("", change)], evaluator=evaluator, reason="persuaded", at=later(3))


def settled(ledger: Ledger) -> Settlement:
    """Return the settlement of the item."""
    campaign, item = load_item(ledger, "c", ONE)
    settlement = campaign.settlement(item)
    assert settlement is not None
    return settlement


def close(ledger: Ledger, **options: Any) -> CampaignDecision:
    """Close the campaign."""
    return close_campaign(ledger, "c", author="Lead", at=later(9), **options)


def test_an_unsafe_is_not_revised_away(ledger: Ledger, opens: Opens) -> None:
    """Ben, who has seen Ada's Strong, gives his Unsafe up: it waits for the adjudicator all the same."""
    opens(1)
    rate(ledger, "Ada", 4)
    rate(ledger, "Ben", 4, 4, 1, 4)
    assert settled(ledger).open == (GROUNDING,)
    revise(ledger, "Ben", grounding_integrity=4)
    assert (settled(ledger).open, settled(ledger).scores[GROUNDING]) == ((GROUNDING,), 1)
    with pytest.raises(UsageError, match="1 of 1 items are still open"):
        close(ledger)
    decision = close(ledger, as_is=True)
    assert (decision.release, decision.cards[0].scores[GROUNDING]) == (False, "Unsafe")


def test_the_decision_names_what_was_revised(ledger: Ledger, opens: Opens) -> None:
    """Who, on which item, what and why; the adjudicator sees it before he decides, and his level counts."""
    opens(1)
    rate(ledger, "Ada", 4)
    rate(ledger, "Ben", 4, 4, 1, 4)
    revise(ledger, "Ben", grounding_integrity=4)
    claim_item(ledger, "c", ONE, "Cy", at=later(4), role="adjudicator")
    campaign, item = load_item(ledger, "c", ONE)
    ada, ben = sheet_of(ledger, campaign, item, "Cy", at=later(5)).ratings
    assert (ada.late, ada.changes, ada.reasons) == (False, (), ())
    assert (ben.late, ben.scores[GROUNDING], ben.reasons) == (True, "Strong", ("persuaded",))
    assert to_json(ben.changes) == [{"dimension": GROUNDING, "blind": "Unsafe", "revised": "Strong"}]
    [still] = report_campaign(ledger, campaign, at=later(5)).revised
    assert (still.evaluator, still.trace_id, still.changes, still.reasons) == ("Ben", ONE, (), ())  # others rate blind
    decided = {"trace_id": ONE, "scores": {GROUNDING: 3}, "notes": "minor"}
    adjudicate_item(ledger, "c", decided, "Cy", at=later(6))
    decision = close(ledger)
    assert (decision.release, decision.cards[0].scores[GROUNDING]) == (True, "Adequate")
    [named] = decision.revised
    assert (named.evaluator, named.revision, named.reasons, named.changes) == ("Ben", 1, ("persuaded",), ben.changes)
    assert f"1 record: Ben on {ONE} (grounding_integrity Unsafe to Strong)" in " ".join(decision.remarks)


def test_a_revision_that_nobody_influenced_is_the_blind_rating(ledger: Ledger, opens: Opens) -> None:
    """Before anybody else's rating is in there is nothing to see: the correction of a slip counts."""
    opens(1)
    rate(ledger, "Ada", 4, 4, 1, 4)
    revise(ledger, "Ada", grounding_integrity=4)
    rate(ledger, "Ben", 4)
    _, item = load_item(ledger, "c", ONE)
    assert (item.ratings["ada"].late, settled(ledger).open, settled(ledger).scores[GROUNDING]) == ((), (), 4)
    assert close(ledger).revised == ()


def test_a_level_may_be_lowered_and_not_raised(ledger: Ledger, opens: Opens) -> None:
    """Where nobody adjudicates, the lowest of the blind level and all that came after counts."""
    opens(1)
    rate(ledger, "Ada", 4, 4, 4, 3)
    rate(ledger, "Ben", 4, 3, 4, 4)
    revise(ledger, "Ben", retrieval_relevance=4, compliance_alignment=3)
    scores = settled(ledger).scores
    assert (scores["retrieval_relevance"], scores["compliance_alignment"]) == (3, 3)
    revise(ledger, "Ben", compliance_alignment=4)
    assert settled(ledger).scores["compliance_alignment"] == 3


def test_a_revision_may_ask_for_an_adjudicator(ledger: Ledger, opens: Opens) -> None:
    """Somebody who sees a danger late says so; taking it back does not make it go away."""
    opens(1)
    rate(ledger, "Ada", 4)
    rate(ledger, "Ben", 4)
    assert settled(ledger).open == ()
    revise(ledger, "Ada", grounding_integrity=1)
    assert settled(ledger).open == (GROUNDING,)
    revise(ledger, "Ada", grounding_integrity=4)
    assert settled(ledger).open == (GROUNDING,)


@pytest.mark.parametrize(
    ("blind", "late", "counts", "open_"),
    [
        ((4, 4), ((), ()), 4, False),
        ((4, 2), ((), (4,)), 2, True),  # two levels apart, blind
        ((3, 4), ((4,), ()), 3, False),
        ((None, None), ((4,), ()), 4, True),  # only one of them says that it applies
        ((4, 4), ((None,), ()), 4, False),  # a level counts more than Not Applicable
        ((4, None), ((), (4,)), 4, True),
        ((4, 4), ((1, 4), ()), 1, True),
    ],
)
def test_settling(
    blind: tuple[int | None, ...], late: tuple[tuple[int | None, ...], ...], counts: int | None, *, open_: bool
) -> None:
    """The rule by itself, on one dimension."""
    rest = dict.fromkeys(KEYS, 4)
    ratings = [
        Rating(evaluator=name, scores={**rest, GROUNDING: first}, late=tuple({**rest, GROUNDING: one} for one in after))
        for name, first, after in zip(("Ada", "Ben"), blind, late, strict=True)
    ]
    settlement = settle(ratings, RUBRIC)
    assert (settlement.scores[GROUNDING], GROUNDING in settlement.open) == (counts, open_)
    changed = settlement.result(RUBRIC).dimensions[GROUNDING].revised
    last = tuple((first, *after)[-1] for first, after in zip(blind, late, strict=True))
    assert (changed is None) == (last == blind)


def test_monitoring_goes_by_the_blind_ratings(ledger: Ledger, opens: Opens, loaded: Loaded[ScorecardRubric]) -> None:
    """What was not revised away in the decision is not revised away in the figures; nor outside of campaigns."""
    opens(1)
    rate(ledger, "Ada", 4)
    rate(ledger, "Ben", 4, 4, 1, 4)
    revise(ledger, "Ben", grounding_integrity=4)
    close(ledger, as_is=True)
    about = {"trigger": "incident", "query": "Fee?"}
    for name, level, reason in (("Di", 1, None), ("Eve", 4, None), ("Di", 4, "persuaded")):
        record = read_record(card(ONE, 4, 4, level, 4, evaluator=name, **about), RUBRIC)
        keep_record(ledger, record, at=later(10), reason=reason)
    reviewed = reviewed_in_ledger(ledger, loaded).reviewed
    assert {review.campaign: review.settlement.scores[GROUNDING] for review in reviewed} == {"c": 1, None: 1}
    assert [len(kept.rating.late) for kept in stored_records(ledger)] == [0, 1, 1, 0]


def test_what_an_older_version_closed_stays_closed(ledger: Ledger, opens: Opens) -> None:
    """It went by the last revisions: the closing counts, and its levels are those that it was decided by."""
    plan = to_json(opens(1, name="first").plan)
    for planned in plan["items"]:
        del planned["interaction"], planned["answered"]
    ledger.append("campaign", "campaigns/c", plan, "Lead", at=AT)
    rate(ledger, "Ada", 4)
    rate(ledger, "Ben", 4, 4, 1, 4)
    revise(ledger, "Ben", grounding_integrity=4)
    assert settled(ledger).open == (GROUNDING,)  # while it is open the rule of today holds
    closing = {"event": "closed", "as_is": False, "mode": "any_record", "open": []}
    entry = ledger.append("campaign", "campaigns/c", closing, "Lead", at=later(5))
    campaign = load_campaign(ledger, "c").campaign
    assert (entry.sequence in campaign.void, campaign.unfinished()) == (False, [])
    assert settled(ledger).scores[GROUNDING] == 4
