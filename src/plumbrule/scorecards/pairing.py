"""An earlier model's cards and the new one's on the same questions, compared pair by pair."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from plumbrule.rubrics import ScorecardRubric
from plumbrule.stats.paired import Gap, Tally, mean_gap, sign_test, tally
from plumbrule.stats.spread import mean_of

OVERALL = "overall"

Verdict = Literal["better", "worse", "no clear difference"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One answer's levels, and what they come to; None where there is no level, or no overall score."""

    levels: Mapping[str, int | None]
    overall: Fraction | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedFigure:
    """A dimension, or the overall score, over all pairs: new less earlier, and whether chance could have done it.

    ``left_out`` of the pairs have no level on one side, as where the dimension does not apply to a refusal.
    """

    key: str
    pairs: int
    left_out: int
    earlier: Fraction | None
    new: Fraction | None
    gap: Gap
    signs: Tally

    @property
    def verdict(self) -> Verdict:
        """How the new model stands to the earlier one; clear only where the interval excludes 0."""
        interval = self.gap.interval
        if interval is None or interval.low <= 0 <= interval.high:
            return "no clear difference"
        return "better" if interval.low > 0 else "worse"

    def to_dict(self) -> dict[str, Any]:
        """Return the figure as JSON holds it."""
        interval = self.gap.interval
        return {
            "key": self.key,
            "pairs": self.pairs,
            "left_out": self.left_out,
            "earlier": _number(self.earlier),
            "new": _number(self.new),
            "difference": _number(self.gap.mean),
            "interval_95": None if interval is None else list(interval),
            "method": self.gap.method,
            "better": self.signs.above,
            "worse": self.signs.below,
            "equal": self.signs.level,
            "sign_test_p": float(sign_test(self.signs.above, self.signs.below)),
            "verdict": self.verdict,
        }


def compare_sides(pairs: Sequence[tuple[Side, Side]], rubric: ScorecardRubric) -> list[PairedFigure]:
    """Return the overall score and every dimension of the pairs, each an earlier side and a new one."""
    scores = [level.score for level in rubric.levels]
    bound = Fraction(max(scores) - min(scores))
    figures = [_figure(OVERALL, [(first.overall, second.overall) for first, second in pairs], bound)]
    for dimension in rubric.dimensions:
        levels = [tuple(side.levels.get(dimension.key) for side in pair) for pair in pairs]
        known = [(_exact(first), _exact(second)) for first, second in levels]
        figures.append(_figure(dimension.key, known, bound))
    return figures


def _figure(key: str, pairs: Sequence[tuple[Fraction | None, Fraction | None]], bound: Fraction) -> PairedFigure:
    known = [(first, second) for first, second in pairs if first is not None and second is not None]
    differences = [second - first for first, second in known]
    return PairedFigure(
        key=key,
        pairs=len(known),
        left_out=len(pairs) - len(known),
        earlier=mean_of([first for first, _ in known]),
        new=mean_of([second for _, second in known]),
        gap=mean_gap(differences, bound=bound),
        signs=tally(differences),
    )


def _exact(level: int | None) -> Fraction | None:
    return None if level is None else Fraction(level)


def _number(value: Fraction | None) -> float | None:
    return None if value is None else float(value)
