"""What the ledger keeps of reviews is read back by its type; what cannot be read is named by sequence and key."""

from dataclasses import replace
from typing import Any

import pytest
from tests.reviews.conftest import AT, Opens, card

from plumbrule.errors import InputError
from plumbrule.hashing import canonical_json
from plumbrule.ledger import Entry, Ledger
from plumbrule.reviews.campaigns.campaign_store import claim_item, load_campaign
from plumbrule.reviews.evaluation_record import read_record
from plumbrule.reviews.interaction_archive import read_interaction
from plumbrule.reviews.record_store import keep_record, stored_records
from plumbrule.reviews.review_entries import (
    CampaignPlan,
    ClaimMade,
    RecordEntry,
    UnknownEvent,
    read_event,
    read_rubric_entry,
)
from plumbrule.rubrics import load_scorecard

CLAIM = {"event": "claimed", "evaluator": "Ada", "role": "evaluator", "until": "2026-01-31T10:00:00Z", "trace_id": "t"}


def entry(kind: str, body: object) -> Entry:
    """Return an entry with this body."""
    hashes = {"body_sha256": "", "previous_sha256": "", "entry_sha256": ""}
    text, at = canonical_json(body).decode(), "2026-01-31T09:30:00.000000Z"
    return Entry(sequence=7, kind=kind, subject="x", author="A", recorded_at_utc=at, body=text, **hashes)


def test_each_event_has_its_type(ledger: Ledger, opens: Opens) -> None:
    """What is appended is read back with its type, in the order of the chain."""
    campaign = opens(1)
    [item] = campaign.items.values()
    claim_item(ledger, "c", item.trace_id, "Ada", at=AT)
    bodies = [read_event(found).body for kind in ("campaign", "claim") for found in ledger.entries(kind=kind)]
    assert [type(body) for body in bodies] == [CampaignPlan, ClaimMade]
    assert bodies[0] == campaign.plan


def test_an_event_that_nobody_knows_is_void(ledger: Ledger, opens: Opens) -> None:
    """A ledger that a later version wrote to can still be read; what is not understood does not count."""
    opens(1)
    assert read_event(entry("campaign", {"event": "paused"})).body == UnknownEvent(event="paused")
    appended = ledger.append("campaign", "campaigns/c", {"event": "paused"}, "Lead", at=AT)
    assert load_campaign(ledger, "c").campaign.void == {appended.sequence: "nobody knows what 'paused' means"}


@pytest.mark.parametrize(
    ("kind", "body", "message"),
    [
        ("claim", {**CLAIM, "until": "soon"}, "'until' cannot be read"),
        ("claim", {**CLAIM, "role": "boss"}, "'role' cannot be read"),
        ("claim", {**CLAIM, "version": 2}, "'version' is 2"),
        ("campaign", {"event": "closed"}, "'as_is' cannot be read"),
        ("record", {"record": {"scores": {}}}, "'decision' cannot be read"),
    ],
)
def test_a_body_that_cannot_be_read(kind: str, body: dict[str, Any], message: str) -> None:
    """The error names the entry and the key."""
    with pytest.raises(InputError, match=rf"ledger entry 7 \({kind} x\): {message}"):
        read_event(entry(kind, body))


def test_a_kept_rubric_has_the_hash_that_it_was_kept_by(ledger: Ledger) -> None:
    """What was decided by it is never attributed to another, and one that cannot be read is named."""
    own = load_scorecard(overrides={"version": "mine", "claims.minutes": 5})
    given = card("t-1", evaluator="Ada", trigger="incident", query="Fee?")
    keep_record(ledger, read_record(given, own.rubric), at=AT, rubric=own)
    [kept] = ledger.entries(kind="rubric")
    assert read_rubric_entry(kept) == own
    assert stored_records(ledger)[0].rubric.stamp() == own.stamp()
    content = {key: value for key, value in kept.value["content"].items() if key != "levels"}
    with pytest.raises(InputError, match=r"ledger entry 7 \(rubric x\): 'content.levels' cannot be read"):
        read_rubric_entry(entry("rubric", {**kept.value, "content": content}))


def test_entries_of_older_versions_read(ledger: Ledger, opens: Opens) -> None:
    """A plan without its draw, a decision without reasons and a pre-score without support are read without them."""
    campaign = opens(1)
    [opened] = ledger.entries(kind="campaign")
    plan = {key: value for key, value in opened.value.items() if key != "draw"}
    for item in plan["items"]:
        del item["paired_by"]
    assert read_event(entry("campaign", plan)).body == replace(campaign.plan, draw=None)
    given = card("t-1", 3, evaluator="Ada", trigger="incident", query="Fee?")
    body = keep_record(ledger, read_record(given, load_scorecard().rubric), at=AT).value
    del body["decision"]["reasons"]
    old = read_event(entry("record", body)).body
    assert isinstance(old, RecordEntry)
    assert (old.record.evaluator, old.decision.recommendation, old.decision.reasons) == ("Ada", "Pass with notes", ())
    [kept] = ledger.entries(kind="interaction")
    interaction = kept.value
    del interaction["prescore"]["support"]
    prescore = read_interaction(entry("interaction", interaction)).prescore
    assert prescore is not None
    assert prescore.support is None
