"""Campaigns in a ledger: opened by a trigger, claimed, rated, adjudicated, closed."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pytest
from tests.reviews.conftest import AT, Opens, card, later, response

from plumbrule.codec import to_json
from plumbrule.errors import InputError, UsageError
from plumbrule.interactions import authors_of, interaction_from
from plumbrule.interactions.formats.contract import contract_of
from plumbrule.ledger import Ledger
from plumbrule.ledger.acceptance import accept
from plumbrule.reviews.campaigns.campaign_progress import describe_progress
from plumbrule.reviews.campaigns.campaign_store import (
    ReleaseTerms,
    assign_item,
    campaign_names,
    claim_item,
    claim_next,
    claim_of,
    find_campaign,
    kept_decision,
    load_campaign,
    load_item,
    load_items,
    open_campaign,
    release_item,
)
from plumbrule.reviews.closing_decision import close_campaign
from plumbrule.reviews.evaluation_record import read_record
from plumbrule.reviews.interaction_archive import find_interaction
from plumbrule.reviews.queue import waiting_for_others
from plumbrule.reviews.record_store import keep_record, stored_records
from plumbrule.reviews.review_entries import Closure, Role
from plumbrule.reviews.sample_draw import Request, draw
from plumbrule.reviews.submission import adjudicate_item, keep_adhoc, submit_records
from plumbrule.rubrics import Loaded, ScorecardRubric, load_compliance, load_refusals, load_scorecard

ONE, TWO = (response(number)["trace_id"] for number in (0, 1))


def rate(ledger: Ledger, trace_id: str, evaluator: str, *levels: object) -> None:
    """Claim and rate one item."""
    claim_item(ledger, "c", trace_id, evaluator, at=later(1))
    submit_records(ledger, "c", [("", card(trace_id, *levels))], evaluator=evaluator, at=later(2))


def test_opening_keeps_plan_rubric_and_interactions(ledger: Ledger, opens: Opens) -> None:
    """The plan is the trigger's; what is reviewed stands in the ledger with its pre-score."""
    campaign = opens(3)
    plan = campaign.plan
    assert (plan.trigger, plan.evaluators, plan.scope) == ("pre-deployment", 2, "Full test suite")
    assert plan.manifest.drawn == 3
    assert len(plan.in_view) == 6
    stored = find_interaction(ledger, ONE)
    assert stored is not None
    assert stored.prescore is not None
    assert {item.trace_id for item in plan.items} == {response(number)["trace_id"] for number in range(3)}


def test_names_of_campaigns(ledger: Ledger, opens: Opens) -> None:
    """A name is unique and plain; the start of one will do; last is the last."""
    opens(1, name="week-5")
    for name in ("week-5", "adhoc", "last", "a/b", ""):
        with pytest.raises(UsageError, match=r"no name for a campaign|already"):
            opens(1, name=name)
    opens(1, name="week-6")
    assert find_campaign(ledger).campaign.name == "week-6"
    assert find_campaign(ledger, "week-5").campaign.name == "week-5"
    with pytest.raises(UsageError, match="2 campaigns begin with"):
        find_campaign(ledger, "week")
    with pytest.raises(UsageError, match="there is no campaign 'x'"):
        find_campaign(ledger, "x")


def test_the_queue(ledger: Ledger, opens: Opens) -> None:
    """Each evaluator gets what is free for him: what he holds first, then what is kept for him, nothing twice."""
    opens(2)
    assign_item(ledger, "c", TWO, "Ben", author="Lead", at=AT)
    found = claim_next(ledger, "c", "ben ", at=AT)
    assert found is not None
    assert found[0].trace_id == TWO
    again = claim_next(ledger, "c", "BEN", at=later(1))
    assert again is not None
    assert again[0].trace_id == TWO
    order = []
    for name in ("Ada", "Cy", "Di", "Eve"):
        taken = claim_next(ledger, "c", name, at=AT)
        order.append(None if taken is None else taken[0].trace_id)
    assert sorted(filter(None, order)) == [ONE, ONE, TWO]
    assert order[3] is None  # two places for each of two items


def test_an_assigned_place_is_kept(ledger: Ledger, opens: Opens) -> None:
    """Others do not get it; it can be given back; there are no more places than evaluators."""
    opens(1, trigger="monitoring", size=1)
    assign_item(ledger, "c", ONE, "Ben", author="Lead", at=AT)
    assert claim_next(ledger, "c", "Ada", at=AT) is None
    with pytest.raises(UsageError, match="every place of"):
        assign_item(ledger, "c", ONE, "Ada", author="Lead", at=AT)
    claim_item(ledger, "c", ONE, "Ben", at=AT)
    release_item(ledger, "c", ONE, "Ben", at=AT)
    assert claim_next(ledger, "c", "Ada", at=AT) is not None
    with pytest.raises(UsageError, match="there is no claim"):
        release_item(ledger, "c", ONE, "Ben", at=AT)


def test_a_claim_ends(ledger: Ledger, opens: Opens) -> None:
    """After its time the place is free, and who held it must claim again; until then it is nobody else's."""
    opens(1, trigger="monitoring", size=1)
    _, claim = claim_item(ledger, "c", ONE, "Ada", at=AT)
    assert claim.until == later(120)
    with pytest.raises(UsageError, match="is taken by others"):
        claim_item(ledger, "c", ONE, "Ben", at=later(119))
    with pytest.raises(InputError, match=r"ended at 2026-01-31 11:30: claim again"):
        submit_records(ledger, "c", [("", card(ONE))], evaluator="Ada", at=later(120))
    claim_item(ledger, "c", ONE, "Ben", at=later(121))
    with pytest.raises(InputError, match="holds no claim"):
        submit_records(ledger, "c", [("", card(ONE))], evaluator="Ada", at=later(122))
    submit_records(ledger, "c", [("", card(ONE))], evaluator="Ben", at=later(122))
    assert [kept.record.evaluator for kept in stored_records(ledger)] == ["Ben"]


@pytest.mark.parametrize(
    ("given", "evaluator", "said"),
    [
        (card("nobody"), "Ada", "'nobody' is no item of c"),
        ({"scores": {}}, "Ada", "'trace_id' is missing"),
        ([], "Ada", "a record must be a JSON object"),
        (card(TWO), "Ada", "'Ada' holds no claim on"),
        (card(ONE, evaluator="Ben"), "Ada", "'evaluator' is 'Ben', and this is submitted as 'Ada'"),
        (card(ONE), "Ben", "'Ben' holds no claim on"),
        (card(ONE), None, "'evaluator' is missing"),
        (card(ONE, query="Fee?"), "Ada", "'query' is not that of the item"),
        (card(ONE, trigger="incident"), "Ada", "'trigger' is not that of the item"),
        (card(ONE, 2, notes=""), "Ada", "'notes' is missing"),
        (card(ONE, 5), "Ada", "5 is no level"),
        (card(ONE, overall=4), "Ada", "'overall' is computed"),
    ],
)
def test_what_is_no_record_of_the_claimant(
    ledger: Ledger, opens: Opens, given: object, evaluator: str | None, said: str
) -> None:
    """An error names the place and the reason, and nothing is kept of the whole file."""
    opens(2)
    claim_item(ledger, "c", ONE, "Ada", at=AT)
    with pytest.raises(InputError, match=f"in.jsonl:2: .*{said}"):
        submit_records(
            ledger,
            "c",
            [("in.jsonl:1", card(ONE, evaluator="Ada")), ("in.jsonl:2", given)][-1:],
            evaluator=evaluator,
            at=AT,
        )
    assert stored_records(ledger) == []
    submit_records(ledger, "c", [("", card(ONE, evaluator="Ada"))], at=AT)
    assert len(stored_records(ledger)) == 1


def test_all_records_of_a_file_or_none(ledger: Ledger, opens: Opens) -> None:
    """The second rating of one item in one file is refused, and the first is not kept either."""
    opens(2)
    claim_item(ledger, "c", ONE, "Ada", at=AT)
    with pytest.raises(InputError, match=r"b: 'Ada' rated .* already"):
        submit_records(ledger, "c", [("a", card(ONE)), ("b", card(ONE))], evaluator="Ada", at=AT)
    assert stored_records(ledger) == []


def test_nobody_rates_twice(ledger: Ledger, opens: Opens) -> None:
    """Not the same item again, whatever the case of the name; a change is a revision with a reason."""
    opens(1)
    rate(ledger, ONE, "Ada", 3)
    with pytest.raises(UsageError, match=r"rated .* already"):
        claim_item(ledger, "c", ONE, "ADA", at=later(3))
    with pytest.raises(InputError, match=r"rated .* already"):
        submit_records(ledger, "c", [("", card(ONE))], evaluator="Ada", at=later(3))
    changed = {"trace_id": ONE, "scores": {"grounding_integrity": 4}}
    submitted = submit_records(ledger, "c", [("", changed)], evaluator="ada", reason="looked again", at=later(3))
    [kept] = submitted.records
    assert (kept.revision, kept.record.scores["grounding_integrity"], kept.record.scores["retrieval_relevance"]) == (
        1,
        4,
        3,
    )
    with pytest.raises(InputError, match="nothing to revise"):
        submit_records(ledger, "c", [("", card(ONE))], evaluator="Ben", reason="why", at=later(3))


def test_an_entry_that_comes_too_late_does_not_count(
    ledger: Ledger, opens: Opens, loaded: Loaded[ScorecardRubric]
) -> None:
    """A record without a claim stands in the ledger, but nowhere else: the order of the chain decides."""
    opens(1)
    given = card(ONE, evaluator="Eve", trigger="pre-deployment", query=response(0)["query"])
    entry = keep_record(ledger, read_record(given, loaded.rubric), campaign="c", at=AT)
    assert stored_records(ledger) == []
    assert "holds no claim" in load_campaign(ledger, "c").campaign.void[entry.sequence]


def test_adjudication(ledger: Ledger, opens: Opens) -> None:
    """Two levels apart, or any Unsafe, goes to somebody who rated neither; his level counts there and nowhere else."""
    opens(1)
    rate(ledger, ONE, "Ada", 4, 4, 4, 4, 4, 4)
    with pytest.raises(UsageError, match="does not wait for an adjudicator"):
        claim_item(ledger, "c", ONE, "Cy", role="adjudicator", at=later(3))
    rate(ledger, ONE, "Ben", 2, 4, 3, 4, 4, 4)
    with pytest.raises(UsageError, match="1 of 1 items are still open"):
        close_campaign(ledger, "c", author="Lead", at=later(3))
    with pytest.raises(UsageError, match="somebody else must"):
        adjudicate_item(ledger, "c", card(ONE), "Ada", at=later(3))
    claim_item(ledger, "c", ONE, "Di", role="adjudicator", at=later(3))
    with pytest.raises(UsageError, match="somebody else is adjudicating"):
        adjudicate_item(ledger, "c", card(ONE), "Cy", at=later(4))
    given = {"trace_id": ONE, "scores": {"attribution_accuracy": 3}, "notes": "the excerpt is short"}
    kept = adjudicate_item(ledger, "c", given, "Cy", at=later(200))  # Di's time is over
    assert (kept.role, kept.record.evaluator) == ("adjudicator", "Cy")
    with pytest.raises(InputError, match="adjudicated: the adjudicator's levels count"):
        submit_records(ledger, "c", [("", card(ONE))], evaluator="Ben", reason="why", at=later(201))
    decision = close_campaign(ledger, "c", author="Lead", at=later(202))
    [counted] = decision.cards
    assert counted.scores["attribution_accuracy"] == "Adequate"
    assert counted.scores["grounding_integrity"] == "Adequate"  # the lower of two that are one apart
    assert (counted.evaluators, counted.adjudicator) == (("Ada", "Ben"), "Cy")
    assert decision.release is True


def test_closing_decides(ledger: Ledger, opens: Opens) -> None:
    """Any record's blocker blocks; run_mean may be chosen for the rules that are not about Unsafe; it is kept once."""
    opens(2, trigger="model-change")
    rate(ledger, ONE, "Ada")
    rate(ledger, TWO, "Ada", 2, 4)
    decision = close_campaign(ledger, "c", author="Lead", at=later(9))
    assert (decision.release, decision.mode, decision.recommendation) == (False, "any_record", "Fail")
    [number] = [item.record for item in decision.cards if item.trace_id == TWO]
    assert decision.reasons == (f"attribution_below_adequate: attribution_accuracy (record {number})",)
    assert kept_decision(ledger, "c") == decision
    with pytest.raises(UsageError, match="is closed already"):
        close_campaign(ledger, "c", author="Lead", at=later(9))
    with pytest.raises(UsageError, match="c is closed"):
        claim_item(ledger, "c", ONE, "Ben", at=later(9))
    with pytest.raises(InputError, match="c is closed: its decision stands"):
        submit_records(ledger, "c", [("", card(ONE))], evaluator="Ada", reason="why", at=later(9))


def test_closing_by_means(ledger: Ledger, opens: Opens) -> None:
    """The mode is fixed with the opening, and recorded with the closing, too."""
    with pytest.raises(UsageError, match="there is no mode 'best'"):
        opens(2, trigger="model-change", terms=ReleaseTerms(mode="best"))  # type: ignore[arg-type]
    opens(2, trigger="model-change", terms=ReleaseTerms(mode="run_mean"))
    rate(ledger, ONE, "Ada")
    rate(ledger, TWO, "Ada", 2, 4)
    decision = close_campaign(ledger, "c", author="Lead", at=later(9))
    assert (decision.release, decision.mode, decision.reasons) == (True, "run_mean", ())
    closing = [entry.value for entry in ledger.entries(kind="campaign") if entry.value["event"] == "closed"]
    assert [body["mode"] for body in closing] == ["run_mean"]


def test_closing_as_it_is(ledger: Ledger, opens: Opens) -> None:
    """Open items are named, the lower level counts where nobody adjudicated, and it is recorded."""
    opens(3)
    rate(ledger, ONE, "Ada", 4)
    rate(ledger, ONE, "Ben", 1)
    rate(ledger, TWO, "Ben", 4)
    decision = close_campaign(ledger, "c", author="Lead", at=later(9), as_is=True)
    assert decision.as_is is True
    assert decision.unrated == (response(2)["trace_id"],)
    assert sorted(decision.unfinished) == [ONE, TWO]
    assert decision.release is False
    assert "any_unsafe" in decision.reasons[0]
    assert decision.remarks == (
        "closed as is: 1 items have no rating, 2 lack one or wait for an adjudicator",
        "roles: Lead opened it and closed it",
    )


def test_what_nobody_rated_does_not_release(ledger: Ledger, opens: Opens) -> None:
    """However good the rest is; where only a second rating is missing, it is at best Pass with notes."""
    for name, unrated in (("some", True), ("all", False)):
        opens(2, name=name)
        for trace_id in (ONE,) if unrated else (ONE, TWO):
            claim_item(ledger, name, trace_id, "Ada", at=AT)
            submit_records(ledger, name, [("", card(trace_id))], evaluator="Ada", at=AT)
        decision = close_campaign(ledger, name, author="Lead", at=later(9), as_is=True, second="Max")
        if unrated:
            assert (decision.release, decision.recommendation) == (False, "Fail")
            assert decision.reasons == ("1 of 2 items have no rating",)
        else:
            assert (decision.release, decision.recommendation) == (True, "Pass with notes")
            assert decision.reasons == (
                "2 of 2 items lack a rating or wait for an adjudicator",
                "signed by Lead and Max",
            )


def test_a_decision_that_was_cut_off_is_made_up_for(ledger: Ledger, opens: Opens) -> None:
    """A process that died between the closing and its decision loses nothing: the next one decides the same."""
    opens(1, trigger="model-change")
    rate(ledger, ONE, "Ada")
    body = {"event": "closed", "as_is": False, "mode": "any_record", "open": []}
    ledger.append("campaign", "campaigns/c", body, "Lead", at=later(5))
    assert kept_decision(ledger, "c") is None
    assert close_campaign(ledger, "c", author="Lead", at=later(9)).release is True


def test_a_closing_that_comes_too_early_is_void(ledger: Ledger, opens: Opens) -> None:
    """Appended while items were open, it closes nothing."""
    opens(1, trigger="model-change")
    body = {"event": "closed", "as_is": False, "mode": "any_record", "open": []}
    entry = ledger.append("campaign", "campaigns/c", body, "Lead", at=AT)
    campaign = load_campaign(ledger, "c").campaign
    assert campaign.closed is None
    assert campaign.void[entry.sequence] == "1 of 1 items are still open"


def test_a_name_opened_twice_at_once(ledger: Ledger, opens: Opens) -> None:
    """The first in the chain has it."""
    campaign = opens(1)
    entry = ledger.append("campaign", "campaigns/c", to_json(replace(campaign.plan, evaluators=9)), "Other", at=AT)
    campaign = load_campaign(ledger, "c").campaign
    assert campaign.evaluators == 2
    assert "already" in campaign.void[entry.sequence]


def test_fewer_evaluators_than_the_trigger_asks_for(
    ledger: Ledger, loaded: Loaded[ScorecardRubric], tmp_path: Path
) -> None:
    """More may be asked for, fewer not."""
    path = tmp_path / "in.jsonl"
    path.write_bytes(orjson.dumps(response(0)))
    drawn = draw(Request(trigger="pre-deployment", path=str(path), claims=False), loaded)
    with pytest.raises(UsageError, match="takes 2 evaluators or more"):
        open_campaign(ledger, drawn, loaded, author="Lead", at=AT, evaluators=1)
    opened = open_campaign(ledger, drawn, loaded, author="Lead", at=AT, evaluators=3)
    assert opened.evaluators == 3
    assert sum((opened.plan.weeks or {}).values()) == drawn.read  # all of them have a week, drawn or not


def test_a_lapsed_claim_is_found_again(ledger: Ledger, opens: Opens) -> None:
    """Where every place seems to be held, more than are tried one by one, the whole campaign tells what is free."""
    count = 25
    opens(count, trigger="monitoring")
    for item in load_campaign(ledger, "c").campaign.items.values():
        claim_item(ledger, "c", item.trace_id, "Ada", at=AT)
    assert claim_next(ledger, "c", "Ben", at=later(1)) is None
    last = list(load_campaign(ledger, "c").campaign.items.values())[-1]
    release_item(ledger, "c", last.trace_id, "Ada", at=later(2))
    taken = claim_next(ledger, "c", "Ben", at=later(3))
    assert taken is not None
    assert (taken[0].trace_id, taken[1].evaluator) == (last.trace_id, "Ben")
    again = claim_next(ledger, "c", "Ada", at=later(500))  # hers have ended: she gets one again
    assert again is not None
    assert again[1].until > later(500)


def test_some_items_are_read_as_in_the_whole(ledger: Ledger, opens: Opens) -> None:
    """An item read alone stands as it does in the whole campaign, before and after the closing."""
    opens(3)
    rate(ledger, ONE, "Ada", 4)
    rate(ledger, ONE, "Ben", 1)
    rate(ledger, TWO, "Ada", 3)
    for closes in (True, False):
        whole = load_campaign(ledger, "c").campaign
        for trace_id in (ONE, TWO):
            assert load_items(ledger, "c", [trace_id]).campaign.item(trace_id) == whole.item(trace_id)
        if closes:
            close_campaign(ledger, "c", author="Lead", at=later(9), as_is=True)
    assert load_items(ledger, "c", []).campaign.closed is not None


def test_a_weaker_policy_is_accepted_or_refused(ledger: Ledger, opens: Opens) -> None:
    """A rubric without blockers opens nothing, unless somebody accepts it; then progress and decision say so."""
    weak = load_scorecard(None, {"blockers": []})
    with pytest.raises(UsageError, match="weaker than the one that ships: blocker any_unsafe"):
        opens(2, trigger="model-change", rubric=weak)
    assert campaign_names(ledger) == []
    opens(2, trigger="model-change", rubric=weak, terms=ReleaseTerms(accept_weaker_policy=True))
    for trace_id in (ONE, TWO):
        rate(ledger, trace_id, "Ada")
    assert describe_progress(load_campaign(ledger, "c").campaign, at=later(3)).policy
    decision = close_campaign(ledger, "c", author="Gus", at=later(9))
    assert [(each.effect, each.text.split(" (")[0]) for each in decision.policy] == [
        ("weaker", "blocker any_unsafe"),
        ("weaker", "blocker attribution_below_adequate"),
        ("weaker", "blocker grounding_below_adequate"),
        ("weaker", "blocker several_needs_review"),
    ]
    assert decision.rubric["version"].startswith("2+set.")
    assert kept_decision(ledger, "c") == decision


def test_part_of_the_scope_needs_two_signatures(ledger: Ledger, opens: Opens) -> None:
    """One of four before a deployment releases only where a second person signs, and never as a plain Pass."""
    for name, second in (("alone", None), ("both", "Max")):
        [item] = opens(4, name=name, size=1).items.values()
        for evaluator in ("Ada", "Ben"):
            claim_item(ledger, name, item.trace_id, evaluator, at=AT)
            submit_records(ledger, name, [("", card(item.trace_id))], evaluator=evaluator, at=AT)
        decision = close_campaign(ledger, name, author="Gus", at=later(9), second=second)
        told = "1 of 4 interactions in scope were reviewed, and pre-deployment asks for all"
        if second is None:
            assert (decision.outcome, decision.recommendation) == ("NO RELEASE", "Fail")
            needed = "a release on less than was asked for needs a second signature (close --second NAME)"
            assert decision.reasons == (told, needed)
        else:
            assert (decision.outcome, decision.recommendation) == ("RELEASE", "Pass with notes")
            assert decision.reasons == (told, "signed by Gus and Max")
            closing = [entry.value for entry in ledger.entries(kind="campaign", subject=f"campaigns/{name}")][-1]
            assert closing["second"] == "Max"


def test_a_ledger_that_was_accepted_as_it_was(ledger: Ledger, opens: Opens) -> None:
    """Whoever put an older copy in its place, and vouched for it, stands in every decision after that."""
    opens(1, trigger="model-change")
    rate(ledger, ONE, "Ada")
    accept(ledger, "Gus", at=later(3))
    decision = close_campaign(ledger, "c", author="Lead", at=later(9))
    [remark] = [remark for remark in decision.remarks if remark.startswith("checkpoint: ")]
    assert "the ledger was accepted as it was, and entries may be gone: Gus at entry" in remark


def test_a_decision_before_the_closing_does_not_count(ledger: Ledger, opens: Opens) -> None:
    """One that was appended while the campaign was open is not shown in the place of its own."""
    for name in ("good", "bad"):
        opens(1, trigger="model-change", name=name)
    for name, level in (("good", 4), ("bad", 2)):
        claim_item(ledger, name, ONE, "Ada", at=AT)
        submit_records(ledger, name, [("", card(ONE, level))], evaluator="Ada", at=AT)
    good = close_campaign(ledger, "good", author="Gus", at=later(9))
    ledger.append("decision", "campaigns/bad", to_json(replace(good, campaign="bad")), "Gus", at=later(9))
    assert kept_decision(ledger, "bad") is None
    bad = close_campaign(ledger, "bad", author="Gus", at=later(10))
    assert (good.outcome, bad.outcome) == ("RELEASE", "NO RELEASE")
    assert kept_decision(ledger, "bad") == bad


def test_the_same_answers_under_other_trace_ids(
    ledger: Ledger, opens: Opens, tmp_path: Path, loaded: Loaded[ScorecardRubric]
) -> None:
    """A second campaign names the first all the same, and says where one answer stands for several."""
    opens(2)
    path = tmp_path / "again.jsonl"
    renamed = [response(0, trace_id=f"again-{number}") for number in range(3)]
    path.write_bytes(b"\n".join(map(orjson.dumps, renamed)))
    drawn = draw(Request(trigger="model-change", path=str(path), claims=False), loaded)
    campaign = open_campaign(ledger, drawn, loaded, name="again", author="Lead", at=AT)
    assert campaign.plan.same_items == ("c",)
    assert "same_answers: 2 of 3 repeat another's question and answer" in campaign.plan.remarks
    assert "same_items: 3 of 3 were in the campaign c before: still open" in campaign.plan.remarks
    drawn = draw(Request(trigger="model-change", path=str(path), claims=False, size=1), loaded)
    third = open_campaign(ledger, drawn, loaded, name="third", author="Lead", at=AT)
    assert [remark for remark in third.plan.remarks if remark.startswith("same_items")] == [
        "same_items: 1 of 1 were in the campaign c before: still open",
        "same_items: 1 of 1 were in the campaign again before: still open",
    ]
    for item in campaign.items.values():
        claim_item(ledger, "again", item.trace_id, "Ada", at=later(1))
        submit_records(ledger, "again", [("", card(item.trace_id))], evaluator="Ada", at=later(2))
    decision = close_campaign(ledger, "again", author="Lead", at=later(9))
    assert [other.campaign for other in decision.earlier] == ["c"]
    assert "same_answers: 2 of 3 repeat another's question and answer" in decision.remarks


def test_fewer_than_the_trigger_draws_need_two_signatures(ledger: Ledger, opens: Opens) -> None:
    """Weekly monitoring draws 50, or all where there are fewer: one of four is less than was asked for."""
    for count, size, outcome in ((4, 1, "NO RELEASE"), (1, None, "RELEASE")):
        name = f"of-{count}"
        [item] = opens(count, trigger="monitoring", name=name, size=size).items.values()
        claim_item(ledger, name, item.trace_id, "Ada", at=AT)
        submit_records(ledger, name, [("", card(item.trace_id))], evaluator="Ada", at=AT)
        decision = close_campaign(ledger, name, author="Gus", at=later(9))
        assert decision.outcome == outcome
        told = "1 of 4 interactions in scope were reviewed, and monitoring asks for 50"
        assert (told in decision.reasons) is (outcome == "NO RELEASE")


@pytest.mark.parametrize("week", [None, "2026-W05"])
def test_what_is_not_read_is_part_of_the_scope(
    ledger: Ledger, tmp_path: Path, loaded: Loaded[ScorecardRubric], week: str | None
) -> None:
    """A broken line or another week is not reviewed; before a deployment all of it is asked for."""
    path = tmp_path / "some.jsonl"
    other = response(1, timestamp="2026-02-26T10:00:00Z")
    path.write_bytes(b"\n".join([orjson.dumps(response(0)), orjson.dumps(other), b"{broken"]))
    drawn = draw(Request(trigger="pre-deployment", path=str(path), claims=False, week=week), loaded)
    plan = open_campaign(ledger, drawn, loaded, name="c", author="Fay", at=AT).plan
    assert (len(plan.items), plan.in_scope) == (1 if week else 2, 3)


def test_the_second_is_another_person(ledger: Ledger, opens: Opens) -> None:
    """However the name is written; an entry that says otherwise closes nothing."""
    opens(1, trigger="model-change")
    rate(ledger, ONE, "Ada")
    for same in ("gus", "Gus.", "G\u03c5s", " "):
        with pytest.raises(UsageError, match="--second must be another person than 'Gus'"):
            close_campaign(ledger, "c", author="Gus", at=later(9), second=same)
    body = to_json(Closure(as_is=True, second="GUS"))
    entry = ledger.append("campaign", "campaigns/c", body, "Gus", at=later(9))
    campaign = load_campaign(ledger, "c").campaign
    assert campaign.closed is None
    assert "must be another person's" in campaign.void[entry.sequence]


def test_look_alike_names_are_one_person(ledger: Ledger, opens: Opens) -> None:
    """Who rated an item neither rates nor adjudicates it under another writing of the name."""
    opens(1)
    rate(ledger, ONE, "Ada", 4)
    for same in ("ADA", "Ada.", "\u0410da", "Ad\u0430"):
        with pytest.raises(UsageError, match=r"rated '.*' already"):
            claim_item(ledger, "c", ONE, same, at=later(3))
    rate(ledger, ONE, "Ben", 1)
    with pytest.raises(UsageError, match=r"who rated '.*' does not adjudicate it"):
        claim_item(ledger, "c", ONE, "\u0410da", at=later(3), role="adjudicator")


def test_an_older_campaign_keeps_the_names_of_its_time(ledger: Ledger, opens: Opens) -> None:
    """Two ratings that counted then count now, and the decision says that the names would be one person's today."""
    plan = to_json(opens(1).plan)
    body = {key: value for key, value in plan.items() if key not in {"names", "mode", "decide_on", "in_scope"}}
    ledger.append("campaign", "campaigns/old", body, "Lead", at=AT)
    for name in ("Ada", "Ada."):
        claim_item(ledger, "old", ONE, name, at=later(1))
        submit_records(ledger, "old", [("", card(ONE))], evaluator=name, at=later(2))
    decision = close_campaign(ledger, "old", author="Gus", at=later(9))
    assert (decision.outcome, decision.cards[0].evaluators) == ("RELEASE", ("Ada", "Ada."))
    told = "names: 'Ada' and 'Ada.' would be one person today; when this campaign was opened they were not"
    assert told in decision.remarks


def test_an_older_campaign_is_decided_by_its_closure(ledger: Ledger, opens: Opens) -> None:
    """Its mode was chosen at the close; a campaign with a mode of its own keeps that, whatever its closure says."""
    plan = to_json(opens(2, trigger="model-change").plan)
    older = {key: value for key, value in plan.items() if key != "mode"}
    for name, body, mode in (("old", older, "run_mean"), ("new", plan, "any_record")):
        ledger.append("campaign", f"campaigns/{name}", body, "Lead", at=AT)
        for trace_id, level in ((ONE, 4), (TWO, 2)):
            claim_item(ledger, name, trace_id, "Ada", at=later(1))
            submit_records(ledger, name, [("", card(trace_id, level, 4))], evaluator="Ada", at=later(2))
        ledger.append("campaign", f"campaigns/{name}", to_json(Closure(as_is=False, mode="run_mean")), "Lead", at=AT)
        decision = close_campaign(ledger, name, author="Lead", at=later(9))
        assert (decision.mode, decision.release) == (mode, mode == "run_mean")


def test_who_holds_several_roles_is_told(ledger: Ledger, opens: Opens) -> None:
    """Opener, evaluator, adjudicator, closer and second may be fewer people than roles."""
    opens(1)
    rate(ledger, ONE, "lead", 4)
    rate(ledger, ONE, "Ben", 1)
    adjudicate_item(ledger, "c", card(ONE), "Cy", at=later(3))
    decision = close_campaign(ledger, "c", author="LEAD", at=later(9), second="Cy")
    assert [remark for remark in decision.remarks if remark.startswith("roles:")] == [
        "roles: Lead opened it, rated and closed it",
        "roles: Cy adjudicated and signed second",
    ]
    assert decision.closed_by == "LEAD"


def test_the_author_of_an_answer_does_not_review_it(ledger: Ledger, opens: Opens) -> None:
    """Neither by a claim, a reserved place, a record, an adjudication, nor outside of the campaign."""
    opens(2, author="Ada")
    assert claim_next(ledger, "c", "ADA.", at=AT) is None
    roles: tuple[Role, ...] = ("evaluator", "adjudicator")
    for role in roles:
        with pytest.raises(UsageError, match="'Ada' is the author of the answer"):
            claim_item(ledger, "c", ONE, "Ada", at=AT, role=role)
    with pytest.raises(UsageError, match="is the author of the answer"):
        assign_item(ledger, "c", ONE, "Ada", author="Lead", at=AT)
    with pytest.raises(InputError, match="is the author of the answer"):
        submit_records(ledger, "c", [("", card(ONE))], evaluator="Ada", at=AT)
    stated = card(ONE, trigger="incident", query="Fee?", evaluator="Ada")
    with pytest.raises(InputError, match="is the author of the answer"):
        keep_adhoc(ledger, [("", stated)], at=AT)
    waiting = waiting_for_others(load_campaign(ledger, "c").campaign, "Ada", at=AT)
    assert (waiting.items, waiting.written) == (2, 2)
    rate(ledger, ONE, "Ben")


@pytest.mark.parametrize(
    "named",
    [
        {"author": "Ada"},
        {"author": ["Ben", "Ada"]},
        {"metadata": {"author": "Ada"}},
        {"trace": {"trace_id": response(0)["trace_id"], "input": {"query": "?"}, "author": "Ada"}},
    ],
)
def test_where_an_interaction_names_its_author(named: dict[str, Any]) -> None:
    """In the response, its metadata or its trace; one or several."""
    contract = contract_of(load_compliance(), load_refusals())
    assert "Ada" in authors_of(interaction_from(response(0, **named), contract))
    assert authors_of(interaction_from(response(0), contract)) == ()


def test_a_second_campaign_names_the_first(ledger: Ledger, opens: Opens) -> None:
    """With its outcome, when it is opened and when it is closed."""
    opens(2, trigger="model-change")
    for trace_id in (ONE, TWO):
        rate(ledger, trace_id, "Ada", 2)
    again = opens(3, trigger="model-change", name="again")
    assert again.plan.same_items == ("c",)
    assert "same_items: 2 of 3 were in the campaign c before: still open" in again.plan.remarks
    close_campaign(ledger, "c", author="Gus", at=later(5))
    third = opens(1, trigger="model-change", name="third")
    assert "same_items: 1 of 1 were in the campaign c before: NO RELEASE, Fail" in third.plan.remarks
    claim_item(ledger, "third", ONE, "Ada", at=AT)
    submit_records(ledger, "third", [("", card(ONE))], evaluator="Ada", at=AT)
    decision = close_campaign(ledger, "third", author="Gus", at=later(9))
    assert [(each.campaign, each.items, each.outcome) for each in decision.earlier] == [
        ("c", 1, "NO RELEASE"),
        ("again", 1, None),
    ]
    assert sum(remark.startswith("same_items: 1 of 1 were in the campaign c") for remark in decision.remarks) == 1


def test_the_bound_is_fixed_with_the_opening(ledger: Ledger, opens: Opens) -> None:
    """By the option or by the rubric; one perfect record is inconclusive."""
    opens(1, trigger="model-change", terms=ReleaseTerms(decide_on="bound"))
    rate(ledger, ONE, "Ada")
    decision = close_campaign(ledger, "c", author="Gus", at=later(9))
    assert (decision.outcome, decision.release, decision.decide_on) == ("INCONCLUSIVE", False, "bound")
    assert decision.headline.startswith("INCONCLUSIVE: 1 item, and the interval of the average overall score")
    by_rubric = opens(1, trigger="model-change", name="own", rubric=load_scorecard(None, {"decide_on": "bound"}))
    assert by_rubric.plan.decide_on == "bound"


def test_who_rated_an_item_elsewhere_does_not_adjudicate_it(ledger: Ledger, opens: Opens) -> None:
    """Nobody raises an Unsafe that they gave themselves: outside of campaigns, in another one, under any writing."""
    opens(1, name="first")
    campaign = opens(1, name="second")
    [trace_id] = [item.trace_id for item in campaign.items.values()]
    for name, evaluator, level in (("first", "Ada", 1), ("second", "Cy", 4), ("second", "Dora", 1)):
        claim_item(ledger, name, trace_id, evaluator, at=later(1))
        submit_records(ledger, name, [("", card(trace_id, level))], evaluator=evaluator, at=later(2))
    about = {"trigger": "incident", "query": "Fee?", "evaluator": "Ben"}
    keep_adhoc(ledger, [("", card(trace_id, 1, **about))], at=later(3))
    entries = sum(1 for _ in ledger.entries())
    for evaluator, where in (("Ada", "in first"), ("\u0410da.", "in first"), ("Ben", "outside of campaigns")):
        with pytest.raises(UsageError, match=f"{where}: somebody else must adjudicate it"):
            claim_item(ledger, "second", trace_id, evaluator, at=later(4), role="adjudicator")
        with pytest.raises(UsageError, match=f"{where}: somebody else must adjudicate it"):
            adjudicate_item(ledger, "second", card(trace_id, 4), evaluator, at=later(4))
        assert claim_next(ledger, "second", evaluator, at=later(4), role="adjudicator") is None
    assert sum(1 for _ in ledger.entries()) == entries
    adjudicate_item(ledger, "second", card(trace_id, 4), "Eva", at=later(5))


def test_an_adjudication_that_was_appended_all_the_same_does_not_count(ledger: Ledger, opens: Opens) -> None:
    """The chain itself says who rated what, and when: a rating that comes later takes nothing back."""
    [trace_id] = [item.trace_id for item in opens(1).items.values()]
    rate(ledger, trace_id, "Ada", 1)
    rate(ledger, trace_id, "Cy", 4)
    about = {"trigger": "incident", "query": "Fee?"}
    keep_adhoc(ledger, [("", card(trace_id, 1, evaluator="Ben", **about))], at=later(3))
    campaign, item = load_item(ledger, "c", trace_id)
    for adjudicator in ("Ben", "Eva"):
        body = claim_of(campaign, item, adjudicator, "adjudicator", at=later(4))
        subject = f"campaigns/c/{trace_id}"
        entry = ledger.append("claim", subject, to_json(body), adjudicator, at=later(4))
        assert (entry.sequence in load_campaign(ledger, "c").campaign.void) is (adjudicator == "Ben")
    adjudicate_item(ledger, "c", card(trace_id, 4), "Eva", at=later(5))
    keep_adhoc(ledger, [("", card(trace_id, 4, evaluator="Eva", **about))], at=later(6))
    found, item = load_item(ledger, "c", trace_id)
    assert found.status(item, later(7)) == "done"
