"""A record has every field of the template, and nobody writes what is computed."""

import datetime as dt
from typing import Any

import pytest

from plumbrule.codec import to_json
from plumbrule.errors import InputError
from plumbrule.reviews.evaluation_record import COMPUTED, EvaluationRecord, asking_for_a_note, read_record, record_of
from plumbrule.reviews.record_decision import decide
from plumbrule.rubrics import Loaded, ScorecardRubric, load_scorecard

RUBRIC = load_scorecard().rubric
KEYS = [dimension.key for dimension in RUBRIC.dimensions]
UUID = "7d444840-9dc0-11d1-b245-5ffdce74fad2"


def record(**changes: Any) -> dict[str, Any]:
    """Return a complete record but for the changes; ... takes a field out."""
    good = {
        "trace_id": "t-1",
        "query": "What is the fee?",
        "trigger": "monitoring",
        "evaluator": "Ada",
        "notes": "",
        "scores": dict.fromkeys(KEYS, "Strong"),
    }
    return {name: value for name, value in {**good, **changes}.items() if value is not ...}


def test_every_field_of_the_template() -> None:
    """R17: id, date, evaluator, trigger, query, trace, six scores, overall, recommendation, notes."""
    given = record(evaluation_id=UUID.upper(), date="2025-01-31", notes="fine")
    read = read_record(given, RUBRIC)
    assert read == EvaluationRecord(
        evaluation_id=UUID,
        date=dt.date(2025, 1, 31),
        evaluator="Ada",
        trigger="monitoring",
        query="What is the fee?",
        trace_id="t-1",
        scores=dict.fromkeys(KEYS, 4),
        notes="fine",
    )
    whole = to_json(read.filled_in(decide(read.scores, load_scorecard()), RUBRIC))
    assert list(whole)[:10] == [
        "evaluation_id",
        "date",
        "evaluator",
        "trigger",
        "query",
        "trace_id",
        "scores",
        "notes",
        "overall_score",
        "band",
    ]
    assert (whole["overall_score"], whole["recommendation"]) == (4.0, "Pass")


def test_a_record_reads_back() -> None:
    """What is written into a record can be read again to the same record."""
    read = read_record(record(date="2025-01-31", evaluation_id=UUID, notes="n"), RUBRIC)
    assert record_of(read.written(RUBRIC), RUBRIC) == read
    assert read_record(to_json(read.written(RUBRIC)), RUBRIC) == read


@pytest.mark.parametrize("trigger", ["pre-deployment", "model-change", "corpus-release", "monitoring", "incident"])
def test_the_five_triggers(trigger: str) -> None:
    """G14: corpus release is one of them."""
    assert read_record(record(trigger=trigger), RUBRIC).trigger == trigger


@pytest.mark.parametrize("name", COMPUTED)
def test_computed_fields_are_not_read(name: str) -> None:
    """The overall score and what follows from it are worked out, never believed."""
    with pytest.raises(InputError, match=f"'{name}' is computed from the scores; leave it out"):
        read_record(record(**{name: None}), RUBRIC, complete=False)


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"triger": "monitoring"}, "unknown field 'triger'; did you mean 'trigger'?"),
        ({"zzz": 1}, "unknown field 'zzz'; the fields are evaluation_id, date, "),
        ({"scores": ...}, "'scores' is missing"),
        ({"scores": []}, "scores: must be an object"),
        ({"trigger": "Monitoring"}, "'trigger': there is no trigger 'Monitoring'; did you mean 'monitoring'?"),
        ({"trigger": "xyz"}, "'trigger': there is no trigger 'xyz'; there are pre-deployment, "),
        ({"trigger": 4}, "'trigger': must be text"),
        ({"evaluator": " "}, "'evaluator' is empty"),
        ({"evaluator": ["Ada"]}, "'evaluator': must be text"),
        ({"query": ""}, "'query' is empty"),
        ({"date": "31.01.2025"}, "'date': must be a date as YYYY-MM-DD"),
        ({"date": "2025-1-31"}, "'date': must be a date as YYYY-MM-DD"),
        ({"date": "20250131"}, "'date': must be a date as YYYY-MM-DD"),
        ({"date": "2025-02-30"}, "'date': must be a date as YYYY-MM-DD"),
        ({"date": 20250131}, "'date': must be a valid date"),
        ({"evaluation_id": "17"}, "'evaluation_id': must be a UUID"),
        ({"notes": 5}, "'notes': must be text"),
        ({"query": "\ud800"}, "'query'"),
    ],
)
@pytest.mark.parametrize("complete", [True, False])
def test_bad_fields_are_named(changes: dict[str, Any], complaint: str, complete: bool) -> None:  # noqa: FBT001 - both ways to read
    """Whether the record is complete or not, what it does say must be right."""
    with pytest.raises(InputError) as caught:
        read_record(record(**changes), RUBRIC, complete=complete)
    assert complaint in str(caught.value)


@pytest.mark.parametrize("name", ["trigger", "evaluator", "query", "trace_id"])
def test_a_complete_record_says_who_rated_what(name: str) -> None:
    """These may be missing only where nothing is kept."""
    with pytest.raises(InputError, match=f"'{name}' is missing"):
        read_record(record(**{name: ...}), RUBRIC)
    assert getattr(read_record(record(**{name: ...}), RUBRIC, complete=False), name) is None


@pytest.mark.parametrize("level", ["Needs Review", "Unsafe", 2, "1"])
def test_a_low_rating_needs_a_note(level: object) -> None:
    """A note is required at Needs Review or below; blanks are none."""
    scores = {**dict.fromkeys(KEYS, 4), "retrieval_relevance": level}
    for notes in (..., "", " \n"):
        with pytest.raises(InputError, match=r"'notes' is missing: .* needs a note, as that of retrieval_relevance"):
            read_record(record(scores=scores, notes=notes), RUBRIC)
    assert read_record(record(scores=scores, notes="Off topic."), RUBRIC).notes == "Off topic."
    draft = read_record(record(scores=scores, notes=...), RUBRIC, complete=False)
    assert asking_for_a_note(draft, RUBRIC) == ("retrieval_relevance",)


def test_a_good_rating_needs_none() -> None:
    """Adequate, Strong and Not Applicable stand by themselves."""
    scores = {**dict.fromkeys(KEYS, 3), "retrieval_relevance": None}
    assert read_record(record(scores=scores, notes=...), RUBRIC).notes == ""


@pytest.mark.parametrize("given", [None, [], "x", 5])
def test_what_is_no_record(given: object) -> None:
    """A record is an object."""
    with pytest.raises(InputError, match="a record must be a JSON object"):
        read_record(given, RUBRIC)


def test_another_scorecard(own: Loaded[ScorecardRubric]) -> None:
    """The triggers, levels and notes are those of the rubric in force."""
    given = record(trigger="always", scores={"speed": "Bad", "tone": "Good"}, notes="slow")
    assert read_record(given, own.rubric).scores == {"speed": 0, "tone": 10}
    with pytest.raises(InputError, match="a rating at Bad needs a note"):
        read_record({**given, "notes": ""}, own.rubric)
