"""Several ratings of one interaction settled: where they disagree too far, an adjudicator who made none decides."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from plumbrule.codec import optional_key
from plumbrule.errors import InputError
from plumbrule.person_names import person_key
from plumbrule.reviews.levels import Scores, level_name, read_scores
from plumbrule.rubrics import ScorecardRubric

Reason = Literal["far_apart", "level", "applicability"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rating:
    """One evaluator's levels, given before seeing the others'; ``late`` are those of revisions made after that."""

    evaluator: str
    scores: Scores
    late: tuple[Scores, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DimensionResult:
    """One dimension of a settlement, as JSON has it: the levels by their names."""

    given: tuple[str, ...]
    reasons: tuple[Reason, ...]
    adjudicated: bool
    counts: str
    revised: tuple[str, ...] | None = optional_key()  # where somebody changed a level after seeing the others'


@dataclass(frozen=True, slots=True, kw_only=True)
class SettlementResult:
    """A settlement, as JSON has it."""

    evaluators: tuple[str, ...]
    adjudicator: str | None
    open: tuple[str, ...]
    dimensions: dict[str, DimensionResult]


@dataclass(frozen=True, slots=True, kw_only=True)
class SettledDimension:
    """One dimension: every level given, why it needs an adjudicator if it does, and the level that counts."""

    dimension: str
    given: tuple[int | None, ...]  # blind, in the order of the ratings
    revised: tuple[int | None, ...]  # after the last revision, in the same order
    reasons: tuple[Reason, ...]
    adjudicated: bool
    counts: int | None

    @property
    def open(self) -> bool:
        """Whether an adjudicator must still decide; until then the lower level counts."""
        return bool(self.reasons) and not self.adjudicated


@dataclass(frozen=True, slots=True, kw_only=True)
class Settlement:
    """The levels that count for one interaction, and how its ratings led to them."""

    evaluators: tuple[str, ...]
    adjudicator: str | None
    dimensions: tuple[SettledDimension, ...]

    @property
    def scores(self) -> dict[str, int | None]:
        """The levels that count now."""
        return {settled.dimension: settled.counts for settled in self.dimensions}

    @property
    def open(self) -> tuple[str, ...]:
        """The dimensions that wait for an adjudicator."""
        return tuple(settled.dimension for settled in self.dimensions if settled.open)

    def result(self, rubric: ScorecardRubric) -> SettlementResult:
        """Return the settlement for JSON."""
        return SettlementResult(
            evaluators=self.evaluators,
            adjudicator=self.adjudicator,
            open=self.open,
            dimensions={
                settled.dimension: DimensionResult(
                    given=tuple(level_name(score, rubric) for score in settled.given),
                    reasons=settled.reasons,
                    adjudicated=settled.adjudicated,
                    counts=level_name(settled.counts, rubric),
                    revised=None
                    if settled.revised == settled.given
                    else tuple(level_name(score, rubric) for score in settled.revised),
                )
                for settled in self.dimensions
            },
        )


def settle(
    ratings: Sequence[Rating],
    rubric: ScorecardRubric,
    adjudication: Rating | None = None,
    *,
    key_of: Callable[[str], str] = person_key,
) -> Settlement:
    """Return the levels that count for one interaction; ``key_of`` tells by their names who is the same person.

    A dimension goes to an adjudicator where two levels lie as far apart as the rubric says, where any is at a level
    that it names, or where some say that the dimension does not apply and others rate it. The adjudicator's level
    counts for those dimensions only; for the others, and until there is an adjudicator, the lowest level given counts.

    The blind levels decide that. A revision made after seeing the others' levels can send one more dimension to the
    adjudicator, and lower the level that counts; it takes no dimension back, and raises no level.
    """
    if not ratings:
        raise InputError("there is no rating to settle")
    _check_people(ratings, adjudication, key_of)
    given = [[read_scores(scores, rubric) for scores in (rating.scores, *rating.late)] for rating in ratings]
    decided = None if adjudication is None else read_scores(adjudication.scores, rubric)
    return Settlement(
        evaluators=tuple(rating.evaluator for rating in ratings),
        adjudicator=None if adjudication is None else adjudication.evaluator,
        dimensions=tuple(
            _settled(dimension.key, [[scores[dimension.key] for scores in each] for each in given], decided, rubric)
            for dimension in rubric.dimensions
        ),
    )


def _settled(
    key: str, given: list[list[int | None]], decided: dict[str, int | None] | None, rubric: ScorecardRubric
) -> SettledDimension:
    """Settle one dimension; ``given`` has for each rating the blind level and those of the revisions after it."""
    blind = [levels[0] for levels in given]
    lowered = [levels[0] if len(levels) == 1 else _lowest(levels) for levels in given]
    again = [] if lowered == blind else _reasons(lowered, rubric)
    reasons = tuple(dict.fromkeys([*_reasons(blind, rubric), *again]))
    adjudicated = bool(reasons) and decided is not None
    lowest = _lowest(lowered)
    return SettledDimension(
        dimension=key,
        given=tuple(blind),
        revised=tuple(levels[-1] for levels in given),
        reasons=reasons,
        adjudicated=adjudicated,
        counts=decided[key] if adjudicated and decided is not None else lowest,
    )


def _lowest(levels: Iterable[int | None]) -> int | None:
    """Return the lowest level, None where there is none: a level counts more than that a dimension does not apply."""
    return min((score for score in levels if score is not None), default=None)


def _reasons(given: list[int | None], rubric: ScorecardRubric) -> list[Reason]:
    order = [level.score for level in rubric.levels]
    places = [order.index(score) for score in given if score is not None]
    reasons: list[Reason] = []
    if places and max(places) - min(places) >= rubric.adjudication.levels_apart:
        reasons.append("far_apart")
    if not rubric.scores_of(rubric.adjudication.any_at).isdisjoint(given):
        reasons.append("level")
    if places and None in given:
        reasons.append("applicability")
    return reasons


def _check_people(ratings: Sequence[Rating], adjudication: Rating | None, key_of: Callable[[str], str]) -> None:
    seen: set[str] = set()
    for rating in ratings:
        if not key_of(rating.evaluator):
            raise InputError("a rating has no evaluator; name who made it")
        if key_of(rating.evaluator) in seen:
            raise InputError(f"'{rating.evaluator}' rated twice; a change is a new revision of the one rating")
        seen.add(key_of(rating.evaluator))
    if adjudication is not None and key_of(adjudication.evaluator) in seen:
        raise InputError(f"'{adjudication.evaluator}' rated this interaction; somebody else must adjudicate")
