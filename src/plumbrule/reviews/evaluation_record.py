"""The evaluation record: one evaluator's card on one interaction, with every field of the template."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any
from uuid import UUID

from pydantic import BaseModel, BeforeValidator, ConfigDict, StringConstraints, ValidationError
from pydantic_core import ErrorDetails

from plumbrule.errors import InputError
from plumbrule.names import nearest
from plumbrule.reviews.card_decision import Decision
from plumbrule.reviews.levels import Scores, named_scores, read_scores
from plumbrule.rubrics import ScorecardRubric

# What the record shows but nobody writes: it follows from the scores.
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
class EvaluationRecord:
    """One card; the id and the date are given by whoever keeps it, where the evaluator did not."""

    scores: Scores
    trigger: str | None = None
    evaluator: str | None = None
    query: str | None = None
    trace_id: str | None = None
    notes: str = ""
    evaluation_id: str | None = None
    date: dt.date | None = None

    def to_dict(self, rubric: ScorecardRubric) -> dict[str, Any]:
        """Return what was written into the record, as JSON; it reads back to the same record."""
        return {
            "evaluation_id": self.evaluation_id,
            "date": None if self.date is None else self.date.isoformat(),
            "evaluator": self.evaluator,
            "trigger": self.trigger,
            "query": self.query,
            "trace_id": self.trace_id,
            "scores": named_scores(self.scores, rubric),
            "notes": self.notes,
        }


def filled_in(record: EvaluationRecord, decision: Decision, rubric: ScorecardRubric) -> dict[str, Any]:
    """Return the whole template: what was written, then what follows from it."""
    computed = decision.to_dict()
    return {**record.to_dict(rubric), "overall_score": computed.pop("overall"), **computed}


def read_record(given: object, rubric: ScorecardRubric, *, complete: bool = True) -> EvaluationRecord:
    """Return the record that ``given`` states; an error names the field.

    A complete record says who rated what on which occasion, and has a note where a rating asks for one. Otherwise
    only the scores must be there: enough to compute what they come to.
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
    )
    if complete:
        _check_complete(record, rubric)
    return record


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
    scores: Any
    notes: str | None = None


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
