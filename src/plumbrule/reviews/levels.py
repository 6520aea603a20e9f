"""Reads the ratings of one record: every dimension once, each at a level of the rubric or not applicable."""

from collections.abc import Mapping

from plumbrule.errors import InputError
from plumbrule.names import nearest
from plumbrule.rubrics import ScorecardRubric
from plumbrule.terminal import shortened

# The score of each dimension, in the rubric's order; None where it does not apply.
Scores = Mapping[str, int | None]

_SHOWN = 40


def read_scores(given: object, rubric: ScorecardRubric) -> dict[str, int | None]:
    """Return the score of each dimension; an error names the dimension that is unknown, missing or not at a level.

    A level is its name, its digit as number or text, or, where the rubric allows it, null or "Not Applicable".
    """
    if not isinstance(given, Mapping):
        raise InputError("scores: must be an object with a level for each dimension")
    known = [dimension.key for dimension in rubric.dimensions]
    for key in given:
        if key not in known:
            raise InputError(
                f"scores: there is no dimension {_shown(key)}{nearest(key, known) or f'; there are {_listed(known)}'}"
            )
    for key in known:
        if key not in given:
            raise InputError(f"scores: '{key}' is missing; a record rates every dimension")
    return {
        dimension.key: _read_level(
            given[dimension.key], dimension.key, rubric, excusable=dimension.may_be_not_applicable
        )
        for dimension in rubric.dimensions
    }


def objection_to_levels(scores: Scores, rubric: ScorecardRubric, *, answered: bool) -> str | None:
    """Return why these levels cannot be given, None if they can: where there is an answer every dimension applies."""
    excused = [key for key, score in scores.items() if score is None]
    if not answered or not excused or rubric.not_applicable.allowed_on == "any":
        return None
    name = rubric.not_applicable.name
    return f"scores.{excused[0]}: {name} is for refusals, and this one was answered: give {_listed(excused)} a level"


def level_name(score: int | None, rubric: ScorecardRubric) -> str:
    """Return the name of a score's level, or that of not applicable."""
    if score is None:
        return rubric.not_applicable.name
    return next(level.name for level in rubric.levels if level.score == score)


def named_scores(scores: Scores, rubric: ScorecardRubric) -> dict[str, str]:
    """Return the ratings by the names of their levels, as a record has them."""
    return {key: level_name(score, rubric) for key, score in scores.items()}


def _read_level(given: object, key: str, rubric: ScorecardRubric, *, excusable: bool) -> int | None:
    if given is None or given == rubric.not_applicable.name:
        if not excusable:
            raise InputError(f"scores.{key}: always applies; give it a level")
        return None
    for level in rubric.levels:
        if given in (level.name, str(level.score)) or (type(given) is int and given == level.score):
            return level.score
    names = [level.name for level in rubric.levels]
    levels = _listed([f"{level.name} ({level.score})" for level in rubric.levels])
    raise InputError(f"scores.{key}: {_shown(given)} is no level{nearest(given, names)} (the levels are {levels})")


def _shown(value: object) -> str:
    text = repr(value)
    return shortened(text, _SHOWN)


def _listed(names: list[str]) -> str:
    return ", ".join(names)
