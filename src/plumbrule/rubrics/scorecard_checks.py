"""What the parts of a scorecard rubric owe each other: every name that is used is defined, once, and all adds up."""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from plumbrule.names import nearest
from plumbrule.rubrics.yaml_reader import KeyFault

if TYPE_CHECKING:
    from plumbrule.rubrics.scorecard_rubric import ScorecardRubric


def check_scorecard(rubric: "ScorecardRubric") -> None:
    """Raise a KeyFault that names the key of the first part that does not fit the others."""
    _check_unique(rubric)
    _check_levels(rubric)
    _check_dimensions(rubric)
    _check_limits(rubric)
    _check_blockers(rubric)
    _check_strata(rubric)
    for place, names in _named_dimensions(rubric):
        _check_known(place, names, [dimension.key for dimension in rubric.dimensions], "dimension")
    for place, names in _named_levels(rubric):
        _check_known(place, names, [level.name for level in rubric.levels], "level")


def _check_unique(rubric: "ScorecardRubric") -> None:
    lists: dict[str, list[object]] = {
        "levels": [level.name for level in rubric.levels],
        "levels.score": [level.score for level in rubric.levels],
        "dimensions": [dimension.key for dimension in rubric.dimensions],
        "bands": [band.key for band in rubric.bands],
        "blockers": [blocker.rule for blocker in rubric.blockers],
        "triggers": [trigger.key for trigger in rubric.triggers],
        "traits": [trait.key for trait in rubric.traits],
        "strata": [stratum.key for stratum in rubric.strata],
        "refusal_codes": [code.key for code in rubric.refusal_codes],
        "figures": [figure.key for figure in rubric.figures],
        "feedback": [pattern.key for pattern in rubric.feedback],
        "judged": [judged.score for judged in rubric.judged],
    }
    for place, names in lists.items():
        for name in names:
            if names.count(name) > 1:
                raise KeyFault(place, f"'{name}' stands twice")


def _check_levels(rubric: "ScorecardRubric") -> None:
    scores = [level.score for level in rubric.levels]
    if scores != sorted(scores, reverse=True):
        raise KeyFault("levels", "the best stands first, with the highest score")
    digits = {str(score) for score in scores}
    for level in rubric.levels:
        if level.name in digits or level.name == rubric.not_applicable.name:
            raise KeyFault("levels", f"'{level.name}' would be read as something else; give the level another name")


def _check_dimensions(rubric: "ScorecardRubric") -> None:
    total = sum((dimension.weight for dimension in rubric.dimensions), Fraction())
    if total != 1:
        raise KeyFault("dimensions", f"the weights must sum to 1, and sum to {float(total)}")
    if all(dimension.may_be_not_applicable for dimension in rubric.dimensions):
        raise KeyFault("dimensions", "one of them must always apply; set may_be_not_applicable: false for it")
    names = [level.name for level in rubric.levels]
    for dimension in rubric.dimensions:
        place = f"dimensions.{dimension.key}.descriptors"
        _check_known(place, dimension.descriptors, names, "level")
        missing = [name for name in names if name not in dimension.descriptors]
        if missing:
            raise KeyFault(place, f"there is none for '{missing[0]}'")
    for judged in rubric.judged:
        for name in names:
            if name not in judged.levels:
                raise KeyFault(f"judged.{judged.score}.levels", f"there is none for '{name}'")
    needs = rubric.not_applicable.needs
    excusable = [dimension.key for dimension in rubric.dimensions if dimension.may_be_not_applicable]
    if needs is not None and needs.dimension in excusable:
        raise KeyFault("not_applicable.needs.dimension", f"'{needs.dimension}' may itself be not applicable")


def _check_limits(rubric: "ScorecardRubric") -> None:
    lowest, highest = rubric.levels[-1].score, rubric.levels[0].score
    starts = [band.at_least for band in rubric.bands]
    if starts != sorted(set(starts), reverse=True):
        raise KeyFault("bands", "each must begin below the one before it")
    if starts[-1] != lowest or starts[0] > highest:
        raise KeyFault("bands", f"they must lie on the scale, and the last must begin at the lowest level, {lowest}")
    limits = rubric.recommendation
    if not lowest <= limits.fail_below <= limits.pass_at_least <= highest:
        raise KeyFault("recommendation", f"{lowest} <= fail_below <= pass_at_least <= {highest} must hold")


def _check_blockers(rubric: "ScorecardRubric") -> None:
    worst = rubric.levels[-1].name
    for blocker in rubric.blockers:
        place = f"blockers.{blocker.rule}"
        if blocker.more_than >= len(rubric.dimensions_of(blocker.dimensions)):
            raise KeyFault(f"{place}.more_than", f"{blocker.more_than} can never be passed")
        if blocker.run_mean and set(blocker.levels) == {worst}:
            raise KeyFault(f"{place}.run_mean", f"a rating of '{worst}' is never averaged away; set it to false")


def _check_strata(rubric: "ScorecardRubric") -> None:
    total = sum((stratum.share for stratum in rubric.strata), Fraction())
    if total != 1:
        raise KeyFault("strata", f"the shares must sum to 1, and sum to {float(total)}")
    traits = [trait.key for trait in rubric.traits]
    for stratum in rubric.strata:
        for name in stratum.any_of:
            if name not in traits:
                raise KeyFault(f"strata.{stratum.key}.any_of", f"there is no trait '{name}'{nearest(name, traits)}")
    for stratum in rubric.strata[:-1]:
        if not stratum.any_of:
            raise KeyFault(f"strata.{stratum.key}.any_of", "it takes every interaction, so it must stand last")


def _named_dimensions(rubric: "ScorecardRubric") -> Iterator[tuple[str, Iterable[str]]]:
    if rubric.not_applicable.needs is not None:
        yield "not_applicable.needs.dimension", [rubric.not_applicable.needs.dimension]
    for blocker in rubric.blockers:
        yield f"blockers.{blocker.rule}.dimensions", rubric.dimensions_of(blocker.dimensions)
    for trigger in rubric.triggers:
        yield f"triggers.{trigger.key}.in_view", rubric.dimensions_of(trigger.in_view)
    for figure in rubric.figures:
        if figure.dimension is not None:
            yield f"figures.{figure.key}.dimension", [figure.dimension]
    for pattern in rubric.feedback:
        yield f"feedback.{pattern.key}.dimensions", rubric.dimensions_of(pattern.dimensions)
    for judged in rubric.judged:
        yield f"judged.{judged.score}.dimension", [judged.dimension]


def _named_levels(rubric: "ScorecardRubric") -> Iterator[tuple[str, Iterable[str]]]:
    if rubric.not_applicable.needs is not None:
        yield "not_applicable.needs.at_least", [rubric.not_applicable.needs.at_least]
    yield "note_required_at", rubric.note_required_at
    for blocker in rubric.blockers:
        yield f"blockers.{blocker.rule}.levels", blocker.levels
    yield "recommendation.pass_with_none_at", rubric.recommendation.pass_with_none_at
    yield "adjudication.any_at", rubric.adjudication.any_at
    for figure in rubric.figures:
        yield f"figures.{figure.key}.levels", figure.levels
    for pattern in rubric.feedback:
        yield f"feedback.{pattern.key}.levels", pattern.levels
    for judged in rubric.judged:
        yield f"judged.{judged.score}.levels", judged.levels


def _check_known(place: str, names: Iterable[str], known: list[str], what: str) -> None:
    named = list(names)
    for name in named:
        if name not in known:
            raise KeyFault(place, f"there is no {what} '{name}'{nearest(name, known)}")
        if named.count(name) > 1:
            raise KeyFault(place, f"'{name}' stands twice")
