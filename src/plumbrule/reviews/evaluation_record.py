"""The evaluation record: one evaluator's ratings of one interaction, with every field of the template."""

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Annotated, Any, get_args
from uuid import UUID

from pydantic import BaseModel, BeforeValidator, ConfigDict, StringConstraints, ValidationError
from pydantic_core import ErrorDetails

from plumbrule.codec import optional_key
from plumbrule.errors import InputError
from plumbrule.names import nearest
from plumbrule.reviews.levels import Scores, named_scores, read_scores
from plumbrule.reviews.record_decision import Blocker, Decision, DecisionResult
from plumbrule.rubrics import PolicyDifference, ScorecardRubric
from plumbrule.rubrics.scorecard_rubric import Recommendation

# What the record shows but nobody writes: it is computed from the scores.
COMPUTED = (
    "overall",
    "overall_score",
    "band",
    "action",
    "blockers",
    "recommendation",
    "reasons",
    "not_applicable",
    "remarks",
    "rubric",
)

_NEEDED = ("trigger", "evaluator", "query", "trace_id")


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenRecord:
    """What a person writes into a record, as JSON has it: the levels by their names."""

    evaluation_id: str | None = None
    date: str | None = None
    evaluator: str | None = None
    trigger: str | None = None
    query: str | None = None
    trace_id: str | None = None
    scores: Mapping[str, str]
    notes: str = ""
    accepted: tuple[str, ...] | None = optional_key()  # the dimensions whose level was taken over from a proposal


@dataclass(frozen=True, slots=True, kw_only=True)
class FilledRecord(WrittenRecord):
    """The whole template: what was written, then what is computed from it."""

    overall_score: float
    band: str
    action: str
    blockers: tuple[Blocker, ...]
    recommendation: Recommendation
    reasons: tuple[str, ...]
    not_applicable: tuple[str, ...]
    remarks: tuple[str, ...]
    rubric: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class DecidedRecord:
    """The decision on a record, with the ids that the record has and the dimensions that still need a note."""

    evaluation_id: str | None = optional_key()
    trace_id: str | None = optional_key()
    overall: float
    band: str
    action: str
    blockers: tuple[Blocker, ...]
    recommendation: Recommendation
    reasons: tuple[str, ...]
    not_applicable: tuple[str, ...]
    remarks: tuple[str, ...]
    rubric: Mapping[str, str]
    note_needed: tuple[str, ...]  # the dimensions whose rating needs a note before the record can be kept
    policy: tuple[PolicyDifference, ...] | None = optional_key()  # how the rubric differs from the one that ships


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationRecord:
    """One record; the ledger adds the id and the date where the evaluator gave none."""

    scores: Scores
    trigger: str | None = None
    evaluator: str | None = None
    query: str | None = None
    trace_id: str | None = None
    notes: str = ""
    evaluation_id: str | None = None
    date: dt.date | None = None
    interaction: str | None = None  # the hash of the version that it is about
    accepted: tuple[str, ...] = ()  # the dimensions whose level was taken over from a proposal

    def written(self, rubric: ScorecardRubric) -> WrittenRecord:
        """Return the record for JSON; ``record_of`` reads it back to the same record."""
        return WrittenRecord(**self._texts(rubric))

    def filled_in(self, decision: Decision, rubric: ScorecardRubric) -> FilledRecord:
        """Return the whole template, with the decision."""
        computed = _fields(decision.result())
        return FilledRecord(**self._texts(rubric), overall_score=computed.pop("overall"), **computed)

    def decided(self, decision: Decision, *, note_needed: tuple[str, ...] = ()) -> DecidedRecord:
        """Return the decision with the ids of this record."""
        return DecidedRecord(
            evaluation_id=self.evaluation_id,
            trace_id=self.trace_id,
            **_fields(decision.result()),
            note_needed=note_needed,
        )

    def _texts(self, rubric: ScorecardRubric) -> dict[str, Any]:
        return {
            "evaluation_id": self.evaluation_id,
            "date": None if self.date is None else self.date.isoformat(),
            "evaluator": self.evaluator,
            "trigger": self.trigger,
            "query": self.query,
            "trace_id": self.trace_id,
            "scores": named_scores(self.scores, rubric),
            "notes": self.notes,
            "accepted": self.accepted or None,
        }


def count_recommendations(decided: Iterable[DecidedRecord]) -> dict[Recommendation, int]:
    """Return how many records have each recommendation, the best first."""
    counts = Counter(record.recommendation for record in decided)
    return {recommendation: counts[recommendation] for recommendation in get_args(Recommendation)}


def record_of(written: WrittenRecord, rubric: ScorecardRubric) -> EvaluationRecord:
    """Return a record from what was written into it, by the rubric that it was rated with."""
    return read_record(_fields(written), rubric, complete=False)


def read_record(given: object, rubric: ScorecardRubric, *, complete: bool = True) -> EvaluationRecord:
    """Return the record that ``given`` states; an error names the field.

    A complete record says who rated what on which occasion, and has a note where a rating needs one. Otherwise only
    the scores must be there, which is enough to decide.
    """
    if not isinstance(given, Mapping):
        raise InputError("a record must be a JSON object with the key 'scores'")
    for name in COMPUTED:
        if name in given:
            raise InputError(f"'{name}' is computed from the scores; leave it out")
    try:
        checked = _Given.model_validate(dict(given))
    except ValidationError as error:
        raise InputError(_worded(error.errors()[0])) from None
    triggers = [trigger.key for trigger in rubric.triggers]
    if checked.trigger is not None and checked.trigger not in triggers:
        hint = nearest(checked.trigger, triggers) or f"; there are {', '.join(triggers)}"
        raise InputError(f"'trigger': there is no trigger {checked.trigger[:40]!r}{hint}")
    record = EvaluationRecord(
        scores=read_scores(checked.scores, rubric),
        trigger=checked.trigger,
        evaluator=checked.evaluator,
        query=checked.query,
        trace_id=checked.trace_id,
        notes=checked.notes or "",
        evaluation_id=None if checked.evaluation_id is None else str(checked.evaluation_id),
        date=checked.date,
        interaction=checked.interaction,
        accepted=tuple(checked.accepted or ()),
    )
    _check_accepted(record)
    if complete:
        _check_complete(record, rubric)
    return record


def _check_accepted(record: EvaluationRecord) -> None:
    unknown = [key for key in record.accepted if key not in record.scores]
    if unknown:
        raise InputError(f"'accepted': there is no dimension {unknown[0][:40]!r}")


def asking_for_a_note(record: EvaluationRecord, rubric: ScorecardRubric) -> tuple[str, ...]:
    """Return the dimensions whose rating needs a note that the record does not have."""
    if record.notes.strip():
        return ()
    levels = rubric.scores_of(rubric.note_required_at)
    return tuple(key for key, score in record.scores.items() if score in levels)


def _check_complete(record: EvaluationRecord, rubric: ScorecardRubric) -> None:
    for name in _NEEDED:
        if getattr(record, name) is None:
            raise InputError(f"'{name}' is missing")
    asking = asking_for_a_note(record, rubric)
    if asking:
        levels = " or ".join(rubric.note_required_at)
        raise InputError(f"'notes' is missing: a rating at {levels} needs a note, as that of {', '.join(asking)} does")


def _fields(result: DecisionResult | WrittenRecord) -> dict[str, Any]:
    return {name: getattr(result, name) for name in _FIELD_NAMES[type(result)]}


_FIELD_NAMES = {kind: tuple(field.name for field in fields(kind)) for kind in (DecisionResult, WrittenRecord)}


def _day(value: object) -> object:
    if isinstance(value, str):
        try:
            day = dt.date.fromisoformat(value)
        except ValueError:
            day = None
        if day is None or day.isoformat() != value:  # ISO has other forms, too
            raise ValueError("must be a date as YYYY-MM-DD")
        return day
    return value


def _uuid(value: object) -> object:
    if isinstance(value, str):
        try:
            return UUID(value)
        except ValueError:
            raise ValueError("must be a UUID") from None
    return value


_Text = Annotated[str, StringConstraints(pattern=r"\S")]


class _Given(BaseModel):
    """What a file or a form may say of a record."""

    model_config = ConfigDict(extra="forbid", strict=True)

    evaluation_id: Annotated[UUID | None, BeforeValidator(_uuid)] = None
    date: Annotated[dt.date | None, BeforeValidator(_day)] = None
    evaluator: _Text | None = None
    trigger: _Text | None = None
    query: _Text | None = None
    trace_id: _Text | None = None
    interaction: _Text | None = None
    scores: Any
    notes: str | None = None
    accepted: list[str] | tuple[str, ...] | None = None


def _worded(problem: ErrorDetails) -> str:
    name = str(problem["loc"][0])
    match problem["type"]:
        case "extra_forbidden":
            fields = list(_Given.model_fields)
            hint = nearest(name, fields) or f"; the fields are {', '.join(fields)}"
            return f"unknown field '{name[:40]}'{hint}"
        case "missing":
            return f"'{name}' is missing"
        case "string_pattern_mismatch":
            return f"'{name}' is empty"
    message = problem["msg"].removeprefix("Value error, ").replace("Input should be", "must be")
    return f"'{name}': {message.replace('a valid string', 'text')}"
