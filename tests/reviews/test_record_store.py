"""A record never changes: it gains revisions with author, time and reason."""

from typing import Any

import pytest
from tests.reviews.conftest import AT, card, later

from plumbrule.codec import to_json
from plumbrule.errors import InputError
from plumbrule.ledger import Ledger
from plumbrule.reviews.evaluation_record import EvaluationRecord, read_record
from plumbrule.reviews.record_store import keep_record, stored_records
from plumbrule.reviews.submission import keep_adhoc
from plumbrule.rubrics import Loaded, ScorecardRubric, load_scorecard

RUBRIC = load_scorecard().rubric


def record(*levels: object, **fields: object) -> EvaluationRecord:
    """Return a complete record outside of a campaign."""
    who = {"evaluator": "Ada", "trigger": "incident", "query": "Fee?", **fields}
    return read_record(card("t-1", *levels, **who), RUBRIC)


def test_a_record_is_kept_whole(ledger: Ledger) -> None:
    """Every field of the template; the id and the date are given by the ledger, the decision is computed."""
    keep_record(ledger, record(3), at=AT)
    [kept] = stored_records(ledger)
    shown = to_json(kept.exported())
    assert shown["date"] == "2026-01-31"
    assert (shown["evaluator"], shown["trigger"], shown["query"]) == ("Ada", "incident", "Fee?")
    assert (shown["overall_score"], shown["recommendation"], shown["notes"]) == (3.0, "Pass with notes", "seen")
    assert len(shown["evaluation_id"]) == 36
    assert (kept.campaign, kept.role, kept.revision) == (None, "evaluator", 0)


def test_a_revision_is_a_new_entry(ledger: Ledger) -> None:
    """The last counts, the id stays, and the old one can be read."""
    first = keep_record(ledger, record(3), at=AT)
    keep_record(ledger, record(4), reason="misread the passage", at=later(5))
    [kept] = stored_records(ledger)
    assert (kept.revision, float(kept.decision.overall)) == (1, 4.0)
    history = kept.exported().history
    assert [revision.reason for revision in history] == [None, "misread the passage"]
    assert history[0].scores["grounding_integrity"] == "Adequate"
    assert ledger.entry(first.sequence) == first
    assert kept.record.evaluation_id == first.value["record"]["evaluation_id"]


def test_rating_twice_is_refused(ledger: Ledger) -> None:
    """A second rating needs a reason, and a revision needs a first rating."""
    with pytest.raises(InputError, match="has not rated 't-1' yet"):
        keep_record(ledger, record(), reason="why", at=AT)
    keep_record(ledger, record(), at=AT)
    with pytest.raises(InputError, match="rated 't-1' already"):
        keep_record(ledger, record(2), at=AT)
    with pytest.raises(InputError, match="needs a reason"):
        keep_record(ledger, record(2), reason=" ", at=AT)
    assert len(list(ledger.entries(kind="record"))) == 1


def test_names_outside_of_campaigns(ledger: Ledger) -> None:
    """A second record under another writing of the name is refused; one that an older version kept still counts."""
    first = keep_record(ledger, record(4), at=AT)
    with pytest.raises(InputError, match="rated 't-1' already"):
        keep_record(ledger, record(2, evaluator="\u0410da."), at=AT)
    keep_record(ledger, record(3, evaluator="ADA."), reason="again", at=AT)
    assert [(kept.record.evaluator, kept.revision) for kept in stored_records(ledger)] == [("ADA.", 1)]
    older = {**first.value, "record": {**first.value["record"], "evaluator": "Ada!"}}
    ledger.append("record", f"{first.subject}!", older, "Ada!", at=AT)
    assert [kept.record.evaluator for kept in stored_records(ledger)] == ["ADA.", "Ada!"]


def test_a_note_is_needed(ledger: Ledger) -> None:
    """A rating at Needs Review or below without one is not kept, whoever asks."""
    bare = read_record(card("t", 2, notes="", evaluator="Ada"), RUBRIC, complete=False)
    with pytest.raises(InputError, match="needs a note"):
        keep_record(ledger, bare, at=AT)


def test_another_rubric_is_kept_with_its_records(ledger: Ledger, loaded: Loaded[ScorecardRubric]) -> None:
    """What was decided by a rubric of one's own is read back by the same one."""
    own = load_scorecard(overrides={"recommendation.pass_at_least": 4, "version": "mine"})
    keep_record(ledger, record(4, 4, 4, 4, 4, 3), at=AT, rubric=own)
    keep_record(ledger, record(4, 4, 4, 4, 4, 3, evaluator="Ben"), at=AT, rubric=loaded)
    found = {kept.record.evaluator: kept for kept in stored_records(ledger)}
    assert found["Ada"].decision.recommendation == "Pass with notes"
    assert found["Ada"].rubric == own
    assert found["Ben"].decision.recommendation == "Pass"


def adhoc(trace_id: str, who: str, *levels: object) -> dict[str, Any]:
    """Return a whole record outside of any campaign."""
    return {**card(trace_id, *levels), "trigger": "monitoring", "query": "Fee?", "evaluator": who}


def test_several_records_outside_of_campaigns_are_kept_together(ledger: Ledger) -> None:
    """All or none: one that cannot be kept keeps the others out, whatever is wrong with it."""
    good = [("a:1", adhoc("t1", "Ada")), ("a:2", adhoc("t2", "Ada"))]
    twice = ("a:3", adhoc("t1", " ada "))
    empty = ("a:3", {**adhoc("t3", "Ada", 1), "notes": ""})
    for bad, said in ((twice, "a:3: rates what a:1 rates already"), (empty, "a:3: 'notes' is missing")):
        with pytest.raises(InputError, match=said):
            keep_adhoc(ledger, [*good, bad], at=AT)
    assert stored_records(ledger) == []
    assert [kept.record.trace_id for kept in keep_adhoc(ledger, good, at=AT).records] == ["t1", "t2"]
    with pytest.raises(InputError, match="a:2: 'ADA' rated 't2' already"):
        keep_adhoc(ledger, [("a:1", adhoc("t9", "Ada")), ("a:2", adhoc("t2", "ADA"))], at=AT)
    assert [kept.record.trace_id for kept in stored_records(ledger)] == ["t1", "t2"]
    assert len(list(ledger.entries(kind="rubric"))) == 1
