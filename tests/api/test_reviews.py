"""A record never changes: it gains revisions with author, time and reason."""

import pytest
from tests.api.conftest import AT, card, later

from plumbrule.api.reviews import keep_record, stored_records
from plumbrule.errors import InputError
from plumbrule.ledger import Ledger
from plumbrule.rubrics import Loaded, ScorecardRubric, load_scorecard
from plumbrule.scorecards.records import EvaluationRecord, read_record

RUBRIC = load_scorecard().rubric


def record(*levels: object, **fields: object) -> EvaluationRecord:
    """Return a complete record outside of a campaign."""
    who = {"evaluator": "Ada", "trigger": "incident", "query": "Fee?", **fields}
    return read_record(card("t-1", *levels, **who), RUBRIC)


def test_a_record_is_kept_whole(ledger: Ledger) -> None:
    """Every field of the template; the id and the date are given by the ledger, the decision is computed."""
    keep_record(ledger, record(3), at=AT)
    [kept] = stored_records(ledger)
    shown = kept.to_dict()
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
    history = kept.to_dict()["history"]
    assert [each["reason"] for each in history] == [None, "misread the passage"]
    assert history[0]["scores"]["grounding_integrity"] == "Adequate"
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
