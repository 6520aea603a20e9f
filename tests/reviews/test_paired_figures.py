"""Two models on the same questions: differences pair by pair, with their uncertainty."""

from fractions import Fraction
from random import Random

import pytest

from plumbrule.reviews.model_change import PairedFigure, Side, compare_sides
from plumbrule.rubrics import load_scorecard

RUBRIC = load_scorecard().rubric
KEYS = [dimension.key for dimension in RUBRIC.dimensions]


def side(*levels: int | None, overall: Fraction | None = None) -> Side:
    """Return a side; the last level stands for the rest."""
    given = [*levels, *[levels[-1]] * 6][:6]
    return Side(levels=dict(zip(KEYS, given, strict=True)), overall=overall)


def figure_of(pairs: list[tuple[Side, Side]], key: str) -> PairedFigure:
    """Return one figure of the comparison."""
    return next(figure for figure in compare_sides(pairs, RUBRIC) if figure.key == key)


def test_six_better_two_equal() -> None:
    """By hand: mean 0.75, sd 0.4629, t(7) 2.3646: 0.363 to 1.137; six heads of six tosses, two-sided, is 1/32."""
    pairs = [(side(3), side(4))] * 6 + [(side(3), side(3))] * 2
    shown = figure_of(pairs, KEYS[0]).result()
    assert shown.interval_95 == pytest.approx((0.363, 1.137), abs=0.0005)
    assert {name: getattr(shown, name) for name in ("pairs", "left_out", "earlier", "new", "difference", "method")} == {
        "pairs": 8,
        "left_out": 0,
        "earlier": 3.0,
        "new": 3.75,
        "difference": 0.75,
        "method": "student_t",
    }
    assert (shown.better, shown.worse, shown.equal) == (6, 0, 2)
    assert shown.sign_test_p == 1 / 32


def test_seven_figures_are_tested_together() -> None:
    """One of seven that chance alone would show is not clear; one that stays clear after Holm's correction is."""
    chance = [(side(3), side(4, 3))] * 6 + [(side(3), side(3))] * 2
    shown = figure_of(chance, KEYS[0]).result()
    assert shown.interval_95 is not None
    assert shown.interval_95[0] > 0
    assert shown.p_value is not None
    assert shown.p_value < 0.05
    assert shown.p_value_adjusted == pytest.approx(6 * shown.p_value)  # the overall score has no pair
    assert shown.verdict == "no clear difference"
    clear = [(side(3), side(4, 3))] * 12 + [(side(3), side(3))] * 4
    assert figure_of(clear, KEYS[0]).verdict == "better"
    assert figure_of(clear, KEYS[1]).verdict == "no clear difference"


def test_two_models_that_are_alike_seldom_show_a_clear_difference() -> None:
    """In any of the seven figures, at most once in twenty comparisons."""
    random, runs, alarms = Random(6), 300, 0  # noqa: S311 - no secret

    def drawn() -> Side:
        levels = random.choices((2, 3, 4), (1, 3, 6), k=6)
        return side(*levels, overall=Fraction(sum(levels), 6))

    for _ in range(runs):
        pairs = [(drawn(), drawn()) for _ in range(25)]
        alarms += any(figure.verdict != "no clear difference" for figure in compare_sides(pairs, RUBRIC))
    assert alarms <= 0.08 * runs  # 5%, and what chance adds in so few simulated runs


def test_the_other_way_round_is_worse() -> None:
    """The sign turns, and nothing else."""
    pairs = [(side(4), side(3))] * 12 + [(side(3), side(3))] * 4
    shown = figure_of(pairs, KEYS[0]).result()
    assert (shown.difference, shown.better, shown.worse, shown.verdict) == (-0.75, 0, 12, "worse")


def test_a_level_on_one_side_only_is_left_out_and_counted() -> None:
    """A dimension that does not apply to a refusal has no difference; the other dimensions keep theirs."""
    pairs = [(side(None, 4), side(4)), (side(3), side(4))]
    assert [(f.pairs, f.left_out) for f in compare_sides(pairs, RUBRIC)[1:3]] == [(1, 1), (2, 0)]


def test_the_overall_score_comes_first_and_is_exact() -> None:
    """It is what the records were decided to be, not a mean of the dimensions' differences."""
    pairs = [(side(4, overall=Fraction(1, 3)), side(4, overall=Fraction(2, 3)))]
    found = compare_sides(pairs, RUBRIC)
    assert [figure.key for figure in found] == ["overall", *KEYS]
    assert found[0].gap.mean == Fraction(1, 3)


def test_few_pairs_settle_nothing() -> None:
    """No exact test can reject with five that differ, so no verdict is clear, however alike they are."""
    figure = figure_of([(side(1), side(4))] * 5, KEYS[0])
    assert (figure.gap.mean, figure.verdict) == (Fraction(3), "no clear difference")
    assert figure_of([(side(1), side(4))] * 12, KEYS[0]).verdict == "better"


def test_no_pairs() -> None:
    """Nothing is measured on nothing: null, never 0."""
    shown = figure_of([], "overall").result()
    assert (shown.pairs, shown.difference, shown.interval_95) == (0, None, None)
