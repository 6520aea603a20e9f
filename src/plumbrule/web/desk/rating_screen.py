"""The one screen on which an item is rated or adjudicated: what was filled in, and which result it gives so far."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from fastapi import Depends, Request
from starlette.datastructures import FormData

from plumbrule.reviews.levels import Scores
from plumbrule.reviews.record_decision import DecisionSoFar
from plumbrule.reviews.sheets import Lacking, RatingForm, SheetDimension
from plumbrule.web.desk.drafts import LONGEST_TEXT, Draft, DraftKey
from plumbrule.web.views.evidence_links import LinkedTexts, link_texts
from plumbrule.web.visit import Visit
from plumbrule.web.visit_errors import VisitError

NOT_APPLICABLE = "none"  # the value of the field where a dimension does not apply
_LEVEL = "level_"  # what the names of the fields with levels begin with
_MOST_DIGITS = 10


class UnprocessableError(VisitError):
    """A form with a value that its page does not offer."""

    status = 422


async def read_fields(request: Request) -> FormData:
    """Read the fields of a form."""
    return await request.form()


Fields = Annotated[FormData, Depends(read_fields)]


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelChoice:
    """One level that can be chosen for a dimension, and the key that chooses it."""

    press: str
    value: str
    name: str
    disabled: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingScreen:
    """A form with what is filled in."""

    form: RatingForm
    draft: Draft
    texts: LinkedTexts
    earlier: LinkedTexts | None
    so_far: DecisionSoFar
    lacking: Lacking
    minutes_left: int | None  # of the claim
    editable: bool
    revises: bool

    def proposal(self, dimension: SheetDimension) -> str | None:
        """Return the level that is proposed, where it may be shown."""
        return self.form.proposed(dimension) if self.form.proposals_shown else None

    def proposed_value(self, dimension: SheetDimension) -> str | None:
        """Return the value of the field for that level."""
        return proposed_value(self.form, dimension)

    @property
    def may_accept(self) -> bool:
        """Whether proposals can be taken over: they are shown, and nothing was submitted yet."""
        return self.editable and not self.revises and self.form.proposals_shown and self.form.role == "evaluator"

    @property
    def wants(self) -> str | None:
        """Return which text is missing where only a text is."""
        if self.lacking.levels:
            return None
        if self.lacking.note or self.lacking.reason:
            return "notes"
        return "reason" if self.revises and not self.draft.reason.strip() else None

    def choices(self, dimension: SheetDimension) -> list[LevelChoice]:
        """Return the levels of a dimension, the best first, and not applicable."""
        scores = [level.score for level in dimension.levels]
        by_score = all(0 < score < _MOST_DIGITS for score in scores)
        count = len(scores)
        choices = [
            LevelChoice(
                press=str(level.score) if by_score else str(count - place),
                value=str(level.score),
                name=level.name,
                disabled=not self.editable,
            )
            for place, level in enumerate(dimension.levels)
        ]
        excluded = not dimension.may_be_not_applicable or not self.editable
        name = self.form.not_applicable
        return [*choices, LevelChoice(press="0", value=NOT_APPLICABLE, name=name, disabled=excluded)]


def screen_of(
    form: RatingForm, draft: Draft, *, at: datetime, revises: bool = False, whole: bool = False
) -> RatingScreen:
    """Return the screen of a form."""
    scores = scores_of(form, draft)
    sheet = form.sheet
    return RatingScreen(
        form=form,
        draft=draft,
        texts=link_texts(sheet, whole=whole),
        earlier=None if sheet.earlier is None else link_texts(sheet.earlier, prefix="e", whole=whole),
        so_far=form.so_far(scores),
        lacking=form.lacking(scores, draft.notes),
        minutes_left=None if sheet.claimed_until is None else minutes_left(sheet.claimed_until, at),
        editable=form.held or revises,
        revises=revises,
    )


def minutes_left(until: str, at: datetime) -> int:
    """Return the whole minutes until a claim ends."""
    return max(0, int((datetime.fromisoformat(until) - at).total_seconds() // 60))


def scores_of(form: RatingForm, draft: Draft) -> Scores:
    """Return the levels that are filled in; one that the page does not offer is an error."""
    scores: dict[str, int | None] = {}
    for dimension in form.dimensions:
        value = draft.levels.get(dimension.key)
        if value is None and dimension.key in draft.accepted:
            value = proposed_value(form, dimension)
        known = {str(level.score): level.score for level in dimension.levels}
        if value is None:
            continue
        if value != NOT_APPLICABLE and value not in known:
            raise UnprocessableError(f"{dimension.title}: there is no such level.")
        scores[dimension.key] = known.get(value)
    return scores


def proposed_value(form: RatingForm, dimension: SheetDimension) -> str | None:
    """Return the value of the field for the level that is proposed."""
    proposed = form.proposed(dimension) if form.proposals_shown else None
    if proposed is None or proposed == form.not_applicable:
        return None if proposed is None else NOT_APPLICABLE
    return next(str(level.score) for level in dimension.levels if level.name == proposed)


def draft_from(fields: FormData) -> Draft:
    """Return what a form holds."""
    texts = {name: value for name, value in fields.items() if isinstance(value, str)}
    if any(len(value) > LONGEST_TEXT for value in texts.values()):
        raise UnprocessableError(f"A note has at most {LONGEST_TEXT:,} characters.")
    return Draft(
        levels={name.removeprefix(_LEVEL): value for name, value in texts.items() if name.startswith(_LEVEL)},
        notes=texts.get("notes", ""),
        reason=texts.get("reason", ""),
        accepted=tuple(name for name in fields.getlist("accepted") if isinstance(name, str)),
    )


def draft_of_record(form: RatingForm) -> Draft:
    """Return the record that the viewer submitted as a draft, to be revised."""
    own = form.own
    if own is None:
        return Draft()
    return Draft(levels=_values(form, own.scores), notes=own.notes)


def draft_key(visit: Visit, form: RatingForm) -> DraftKey:
    """Return the key of the visitor's draft of a form."""
    sheet = form.sheet
    return DraftKey(
        person=visit.name,
        role=form.role,
        campaign=sheet.campaign,
        trace_id=sheet.trace_id,
        version=sheet.interaction,
    )


def record_from(form: RatingForm, draft: Draft) -> dict[str, object]:
    """Return the record to submit."""
    scores = scores_of(form, draft)
    accepted = [
        dimension.key
        for dimension in form.dimensions
        if dimension.key in draft.accepted
        and draft.levels.get(dimension.key) in (None, proposed_value(form, dimension))
    ]
    record = {"trace_id": form.sheet.trace_id, "scores": dict(scores), "notes": draft.notes.strip()}
    return {**record, **({"accepted": accepted} if accepted else {})}


def _values(form: RatingForm, named: Mapping[str, str]) -> dict[str, str]:
    values = {}
    for dimension in form.dimensions:
        scores = {level.name: str(level.score) for level in dimension.levels}
        values[dimension.key] = scores.get(named[dimension.key], NOT_APPLICABLE)
    return values
