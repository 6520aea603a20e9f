"""Not Applicable is for refusals: on an item that was answered every dimension has a level."""

from pathlib import Path
from typing import Any

import orjson
import pytest
from tests.reviews.conftest import AT, card, later, response

from plumbrule.codec import to_json
from plumbrule.errors import InputError
from plumbrule.interactions.formats.contract import contract_of
from plumbrule.interactions.interaction import Interaction, interaction_from
from plumbrule.ledger import Draft, Ledger
from plumbrule.reviews.campaigns.campaign_store import claim_item, load_campaign, load_item, open_campaign
from plumbrule.reviews.closing_decision import close_campaign
from plumbrule.reviews.interaction_archive import is_refusal, keep_interactions
from plumbrule.reviews.sample_draw import Request, draw
from plumbrule.reviews.sheets import rating_form, sheet_of
from plumbrule.reviews.submission import adjudicate_item, keep_adhoc, submit_records
from plumbrule.rubrics import Loaded, ScorecardRubric, load_compliance, load_refusals, load_scorecard

ANSWERED, REFUSED = (response(number)["trace_id"] for number in (0, 1))
SAID = "Not Applicable is for refusals, and this one was answered: give"
REFUSAL: dict[str, Any] = {
    "answer": None,
    "citations": [],
    "contexts": [],
    "grounding_status": "REFUSED",
    "refusal": {"code": "NO_ELIGIBLE_DOCS", "reason": "nothing was found"},
}
WORDED: dict[str, Any] = {"citations": [], "grounding_status": None}
CITED = response(1)["citations"]


@pytest.fixture
def campaign(ledger: Ledger, tmp_path: Path, loaded: Loaded[ScorecardRubric]) -> None:
    """Open a campaign on an answer and a refusal."""
    path = tmp_path / "two.jsonl"
    path.write_bytes(orjson.dumps(response(0)) + b"\n" + orjson.dumps(response(1, **REFUSAL)))
    drawn = draw(Request(trigger="pre-deployment", path=str(path), claims=False), loaded)
    open_campaign(ledger, drawn, loaded, name="c", author="Lead", at=AT)


def read(**changes: Any) -> Interaction:
    """Return an interaction."""
    return interaction_from(response(1, **changes), contract_of(load_compliance(), load_refusals()))


def submit(ledger: Ledger, trace_id: str, evaluator: str, *levels: object, **options: Any) -> None:
    """Rate an item, or revise it."""
    if "reason" not in options:
        claim_item(ledger, "c", trace_id, evaluator, at=later(1))
    submit_records(ledger, "c", [("", card(trace_id, *levels))], evaluator=evaluator, at=later(2), **options)


@pytest.mark.usefixtures("campaign")
@pytest.mark.parametrize("place", range(4))
def test_an_answered_item_needs_every_level(ledger: Ledger, place: int) -> None:
    """Attribution, Retrieval, Grounding and Completeness alike, when it is rated and when it is revised."""
    levels: list[object] = [4, 4, 4, 4, 4, 4]
    submit(ledger, ANSWERED, "Ada", *levels)
    levels[place] = None
    with pytest.raises(InputError, match=SAID):
        submit(ledger, ANSWERED, "Ben", *levels)
    with pytest.raises(InputError, match=SAID):
        submit(ledger, ANSWERED, "Ada", *levels, reason="again")
    submit(ledger, REFUSED, "Ada", *levels)
    assert load_item(ledger, "c", REFUSED)[1].ratings["ada"].record.scores[list(card("t")["scores"])[place]] is None


@pytest.mark.usefixtures("campaign")
def test_an_adjudicator_gives_a_level_as_well(ledger: Ledger) -> None:
    """So that what is settled on an answered item is always a level."""
    submit(ledger, ANSWERED, "Ada", 4, 4, 1, 4)
    submit(ledger, ANSWERED, "Ben", 4)
    decision = {"trace_id": ANSWERED, "notes": "seen", "scores": {"grounding_integrity": None}}
    with pytest.raises(InputError, match=SAID):
        adjudicate_item(ledger, "c", decision, "Cy", at=later(3))
    adjudicate_item(ledger, "c", {**decision, "scores": {"grounding_integrity": 3}}, "Cy", at=later(3))
    found, item = load_item(ledger, "c", ANSWERED)
    settled = found.settlement(item)
    assert settled is not None
    assert None not in settled.scores.values()


@pytest.mark.usefixtures("campaign")
def test_a_record_that_was_appended_all_the_same_does_not_count(ledger: Ledger) -> None:
    """The chain itself says which items were answered: no way round the command helps."""
    submit(ledger, ANSWERED, "Ada", 4)
    claim_item(ledger, "c", ANSWERED, "Ben", at=later(1))
    *_, made = ledger.entries(kind="record")
    record = {**made.value["record"], "evaluator": "Ben"}
    body = {**made.value, "record": {**record, "scores": {**record["scores"], "grounding_integrity": "Not Applicable"}}}
    subject = made.subject.replace("/Ada", "/Ben")
    [entry] = ledger.append_many([Draft(kind="record", subject=subject, body=body, author="Ben", at=later(2))])
    assert SAID in load_campaign(ledger, "c").campaign.void[entry.sequence]


@pytest.mark.usefixtures("campaign")
def test_the_sheet_offers_it_only_where_it_is_allowed(ledger: Ledger) -> None:
    """On a refusal for four dimensions, on an answer for none."""
    offered = {}
    for trace_id in (ANSWERED, REFUSED):
        found, item = load_item(ledger, "c", trace_id)
        sheet = sheet_of(ledger, found, item, "Ada", at=AT)
        offered[sheet.answered] = sum(dimension.may_be_not_applicable for dimension in sheet.dimensions)
        form = rating_form(ledger, found, item, "Ada", at=AT)
        assert (form.not_applicable in {form.proposed(each) for each in form.dimensions}) is not sheet.answered
    assert offered == {True: 0, False: 4}


def test_records_outside_of_campaigns(ledger: Ledger) -> None:
    """The same holds for them."""
    keep_interactions(ledger, [read(trace_id="a"), read(trace_id="r", **REFUSAL)], author="Lead", at=AT)
    about = {"trigger": "incident", "query": "Fee?", "evaluator": "Ada"}
    with pytest.raises(InputError, match=SAID):
        keep_adhoc(ledger, [("", card("a", None, None, None, None, 4, 4, **about))], at=AT)
    assert len(keep_adhoc(ledger, [("", card("r", None, None, None, None, 4, 4, **about))], at=AT).records) == 1


@pytest.mark.parametrize(
    ("changes", "refusal"),
    [
        ({}, False),
        (REFUSAL, True),
        ({**WORDED, "answer": "I cannot find this in the documents."}, True),  # by its wording
        ({**WORDED, "answer": "I cannot find it in the documents. Please ask the desk, or try another word."}, True),
        ({**WORDED, "answer": "I could not find the fee of wire 1, as the documents do not mention it."}, True),
        ({**WORDED, "answer": "I cannot find words good enough for this desk: the fee is $5."}, False),
        ({**WORDED, "answer": "I cannot find a better desk, the fee is five dollars."}, False),
        ({**WORDED, "answer": "I cannot provide legal advice. However, the desk waives the fee for members."}, False),
        ({**WORDED, "answer": "I cannot determine the whole fee, but members pay nothing."}, False),
        ({**WORDED, "answer": "I cannot find this in the documents. The desk waives the fee for members."}, False),
        ({"answer": "I cannot find this in the documents.", "citations": []}, False),  # FULLY_GROUNDED: it answers
        ({**WORDED, "answer": "I cannot find this in the documents [1].", "citations": CITED}, False),
        ({"answer": "", "citations": []}, False),  # a failure, and no refusal
        ({"grounding_status": "REFUSED"}, False),  # a cited answer, whatever its status says
        ({"answer": "Ask the desk.", "citations": [], "grounding_status": "REFUSED"}, True),
    ],
)
def test_what_is_a_refusal(*, changes: dict[str, Any], refusal: bool) -> None:
    """Declared, or by its words where nothing is answered; what cites sources or says it is grounded is an answer."""
    assert is_refusal(read(**changes)) is refusal


def test_a_scorecard_may_allow_it_anywhere(ledger: Ledger) -> None:
    """It is the rubric's to say."""
    keep_interactions(ledger, [read(trace_id="a")], author="Lead", at=AT)
    own = load_scorecard(overrides={"not_applicable.allowed_on": "any", "version": "mine"})
    given = card("a", None, 4, trigger="incident", query="Fee?", evaluator="Ada")
    assert len(keep_adhoc(ledger, [("", given)], at=AT, rubric=own).records) == 1


@pytest.mark.usefixtures("campaign")
def test_an_older_campaign(ledger: Ledger) -> None:
    """What it has stays readable and counts, with a remark in the decision; a new record is checked."""
    plan = to_json(load_campaign(ledger, "c").campaign.plan)
    for planned in plan["items"]:
        del planned["interaction"], planned["answered"]
    ledger.append("campaign", "campaigns/old", plan, "Lead", at=AT)
    submit(ledger, ANSWERED, "Ada", 4)
    *_, made = ledger.entries(kind="record")
    record = {
        **made.value["record"],
        "scores": {**made.value["record"]["scores"], "grounding_integrity": "Not Applicable"},
    }
    body = {**made.value, "campaign": "old", "record": record}
    del body["interaction"]
    claim_item(ledger, "old", ANSWERED, "Ada", at=later(1))
    subject = made.subject.replace("records/c/", "records/old/")
    [entry] = ledger.append_many([Draft(kind="record", subject=subject, body=body, author="Ada", at=later(2))])
    campaign = load_campaign(ledger, "old").campaign
    assert entry.sequence not in campaign.void
    claim_item(ledger, "old", ANSWERED, "Ben", at=later(1))
    with pytest.raises(InputError, match=SAID):
        submit_records(ledger, "old", [("", card(ANSWERED, None, 4))], evaluator="Ben", at=later(2))
    decision = close_campaign(ledger, "old", author="Lead", at=later(3), as_is=True)
    assert any(
        f"Not Applicable, which is for refusals, on answered items: 1: {ANSWERED}" in remark
        for remark in decision.remarks
    )
