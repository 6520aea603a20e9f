"""A model change beside the earlier model: pairs by question or id, by pre-scores and by people's cards."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import orjson
import pytest
from tests.reviews.conftest import AT, Opens, card, later, response

from plumbrule.ledger import Ledger
from plumbrule.reviews.campaigns.campaign_store import claim_item, kept_decision, load_campaign, open_campaign
from plumbrule.reviews.closing_decision import close_campaign
from plumbrule.reviews.model_change import FigureResult, ModelChange, PairedComparison, compare_answers
from plumbrule.reviews.sample_draw import Request, draw
from plumbrule.reviews.sheets import Sheet, sheet_of
from plumbrule.reviews.submission import keep_adhoc, submit_records
from plumbrule.rubrics import Loaded, ScorecardRubric

Change = Callable[..., None]


def old(number: int, **changes: Any) -> dict[str, Any]:
    """Return the earlier model's answer to the question of that number."""
    return response(number, **{"trace_id": f"old-{number}", "id": f"old-{number}", **changes})


@pytest.fixture
def change(ledger: Ledger, tmp_path: Path, loaded: Loaded[ScorecardRubric]) -> Change:
    """Return a function that opens a model change, with the earlier answers that are given."""

    def open_one(new: list[dict[str, Any]], earlier: list[dict[str, Any]] | None = None) -> None:
        paths = {}
        for name, answers in (("new", new), ("old", earlier)):
            if answers is not None:
                paths[name] = tmp_path / f"{name}.jsonl"
                paths[name].write_bytes(b"\n".join(map(orjson.dumps, answers)))
        request = Request(
            trigger="model-change",
            path=str(paths["new"]),
            earlier=str(paths["old"]) if "old" in paths else None,
            claims=False,
        )
        open_campaign(ledger, draw(request, loaded), loaded, name="m", author="Lead", at=AT)

    return open_one


def rate(ledger: Ledger, name: str, trace_id: str, who: str, *levels: object, at: datetime = AT) -> None:
    """Claim and rate an item."""
    claim_item(ledger, name, trace_id, who, at=at)
    submit_records(ledger, name, [("", card(trace_id, *levels))], evaluator=who, at=at)


def rate_earlier(ledger: Ledger, number: int, *levels: object, who: str = "Ada") -> None:
    """Rate an earlier answer outside of any campaign."""
    about = {"trigger": "monitoring", "query": "Fee?", "evaluator": who}
    keep_adhoc(ledger, [("", {**card(f"old-{number}", *levels), **about})], at=AT)


def closed(ledger: Ledger) -> ModelChange:
    """Close the campaign and return what stands of the pairs."""
    decision = close_campaign(ledger, "m", author="Lead", at=later(9), as_is=True)
    assert kept_decision(ledger, "m") == decision
    assert decision.paired is not None
    return decision.paired


def figures(compared: PairedComparison | None) -> dict[str, FigureResult]:
    """Return the figures by key."""
    assert compared is not None
    return {figure.key: figure for figure in compared.figures}


def test_people_beside_people(ledger: Ledger, change: Change) -> None:
    """Each card against the last card on the earlier answer; by whom does not matter."""
    change([response(number) for number in range(3)], [old(number) for number in range(3)])
    for number in range(3):
        rate_earlier(ledger, number, 3, 4)
        rate(ledger, "m", response(number)["trace_id"], "Ben", 4)
    paired = closed(ledger)
    assert (paired.items, paired.paired, paired.unpaired) == (3, 3, ())
    assert paired.paired_by == {"question": 3, "id": 0}
    people = figures(paired.people)
    attribution = people["attribution_accuracy"]
    assert (attribution.pairs, attribution.difference, attribution.better) == (3, 1.0, 3)
    assert attribution.sign_test_p == 0.25
    assert people["overall"].difference == 0.25  # attribution weighs a quarter
    assert people["compliance_alignment"].equal == 3
    assert {pair.people for pair in paired.pairs} == {people["overall"].difference}


def test_nothing_is_dropped_silently(ledger: Ledger, change: Change) -> None:
    """No pair, no card on one side, a card that its open campaign withholds: each is counted."""
    change([response(number) for number in range(4)], [old(number) for number in range(3)])
    for number in (0, 1, 3):
        rate(ledger, "m", response(number)["trace_id"], "Ben", 4)
    rate_earlier(ledger, 0, 4)
    rate_earlier(ledger, 2, 4)
    paired = closed(ledger)
    assert paired.unpaired == (response(3)["trace_id"],)
    assert paired.people is not None
    assert paired.prescores is not None
    assert paired.people.pairs == 1
    assert paired.people.left_out == {"new_missing": 1, "earlier_missing": 1, "other_rubric": 0, "withheld": 0}
    assert paired.prescores.pairs == 3


def test_a_card_of_an_open_campaign_is_withheld(
    ledger: Ledger, change: Change, loaded: Loaded[ScorecardRubric], tmp_path: Path
) -> None:
    """Until that campaign is closed its evaluators rate blind; then its card counts."""
    path = tmp_path / "before.jsonl"
    path.write_bytes(orjson.dumps(old(0)))
    drawn = draw(Request(trigger="monitoring", path=str(path), claims=False), loaded)
    open_campaign(ledger, drawn, loaded, name="before", author="Lead", at=AT)
    rate(ledger, "before", "old-0", "Cy", 3)
    change([response(0)], [old(0)])
    rate(ledger, "m", response(0)["trace_id"], "Ben", 4)
    campaign = load_campaign(ledger, "m").campaign
    open_yet = compare_answers(ledger, campaign, people=True)
    assert open_yet is not None
    assert open_yet.people is not None
    assert open_yet.people.left_out["withheld"] == 1
    close_campaign(ledger, "before", author="Lead", at=later(1))
    assert figures(closed(ledger).people)["overall"].difference == 1.0


def test_pre_scores_alone_tell_no_rating(ledger: Ledger, change: Change) -> None:
    """While the campaign is open the comparison is by pre-scores, and the levels of people are not in it."""
    wrong = "The fee of wire 0 is $99 [1]."
    change([response(0)], [old(0, answer=wrong)])
    rate(ledger, "m", response(0)["trace_id"], "Ben", 2)
    found = compare_answers(ledger, load_campaign(ledger, "m").campaign, people=False)
    assert found is not None
    assert found.people is None
    assert [pair.people for pair in found.pairs] == [None]
    assert figures(found.prescores)["grounding_integrity"].better == 1


def test_by_id_where_the_question_was_worded_anew(ledger: Ledger, change: Change) -> None:
    """The question goes first, in any case and spacing; then the same id."""
    new = [response(0, id="a"), response(1, id="b")]
    change(new, [old(0, query="  what is THE fee of wire 0?"), old(1, id="b", query="How much is wire 1?")])
    for each in new:
        rate(ledger, "m", each["trace_id"], "Ben", 4)
    paired = closed(ledger)
    assert paired.paired_by == {"question": 1, "id": 1}
    assert {pair.earlier: pair.paired_by for pair in paired.pairs} == {"old-0": "question", "old-1": "id"}


def test_each_earlier_answer_is_in_one_pair(ledger: Ledger, change: Change) -> None:
    """Two new answers to one question do not both count against the same earlier one."""
    new = [response(0), response(1, query=response(0)["query"])]
    change(new, [old(0)])
    for each in new:
        rate(ledger, "m", each["trace_id"], "Ben", 4)
    paired = closed(ledger)
    assert (paired.paired, len(paired.unpaired)) == (1, 1)


def test_without_earlier_answers(ledger: Ledger, change: Change) -> None:
    """A model change that was opened without them says that nothing is paired."""
    change([response(0)])
    rate(ledger, "m", response(0)["trace_id"], "Ben", 4)
    paired = closed(ledger)
    assert (paired.paired, paired.unpaired) == (0, (response(0)["trace_id"],))
    assert paired.people is not None
    assert paired.people.pairs == 0


def test_other_triggers_have_no_pairs(ledger: Ledger, opens: Opens) -> None:
    """Only a change of model asks how the new one stands to the one before."""
    opens(1, trigger="monitoring")
    decision = close_campaign(ledger, "c", author="Lead", at=later(9), as_is=True)
    assert decision.paired is None


def test_the_sheet_shows_both(ledger: Ledger, change: Change) -> None:
    """The earlier answer's proposals while the campaign is open; how the pair came out once it is closed."""
    change([response(0)], [old(0)])
    trace_id = response(0)["trace_id"]
    rate_earlier(ledger, 0, 3)
    rate(ledger, "m", trace_id, "Ben", 4)

    def sheet() -> Sheet:
        campaign = load_campaign(ledger, "m").campaign
        return sheet_of(ledger, campaign, next(iter(campaign.items.values())), "Zoe", at=later(1))

    before = sheet()
    assert before.earlier is not None
    assert before.earlier.prescore is not None
    assert before.prescore is not None
    assert before.earlier.prescore.scores.keys() == before.prescore.scores.keys()
    assert (before.paired_by, before.pair) == ("question", None)
    closed(ledger)
    pair = sheet().pair
    assert pair is not None
    assert (pair.earlier, pair.people) == ("old-0", 1.0)
