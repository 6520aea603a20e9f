"""Agreement equals the reference implementations and values worked by hand."""

import json
import math
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score
from sklearn.metrics import confusion_matrix as reference_matrix
from statsmodels.stats.inter_rater import cohens_kappa

from plumbrule.errors import InputError
from plumbrule.stats.rater_agreement import (
    AlphaEstimate,
    Row,
    alpha_over_items,
    confusion_matrix,
    gwet_ac1,
    quadratic_kappa,
    tabulate,
)

BY_IRRCAC = json.loads(
    (Path(__file__).parent.parent / "data" / "references" / "ac1.json").read_text(encoding="utf-8")
)  # the script beside it made them
LEVELS = [1, 2, 3, 4]
level = st.sampled_from(LEVELS)
tables = st.integers(2, 4).flatmap(
    lambda raters: st.lists(st.lists(st.none() | level, min_size=raters, max_size=raters), min_size=1, max_size=20)
)

# Krippendorff's own example (Computing Krippendorff's Alpha-Reliability): four observers, twelve units.
KRIPPENDORFF: list[list[int | None]] = [
    [1, 1, None, 1],
    [2, 2, 3, 2],
    [3, 3, 3, 3],
    [3, 3, 3, 3],
    [2, 2, 2, 2],
    [1, 2, 3, 4],
    [4, 4, 4, 4],
    [1, 1, 2, 1],
    [2, 2, 2, 2],
    [None, 5, 5, 5],
    [None, None, 1, 1],
    [None, None, 3, None],
]


def alpha_estimate(rows: Sequence[Row], levels: list[int], *, seed: int, resamples: int) -> AlphaEstimate:
    """Return alpha over items with one row each."""
    return alpha_over_items([[row] for row in rows], levels, seed=seed, resamples=resamples)


def krippendorff_alpha(rows: list[list[int | None]], levels: list[int]) -> float | None:
    """Return alpha alone, without the interval of a bootstrap."""
    return alpha_estimate(rows, levels, seed=0, resamples=0).value


def test_krippendorffs_own_example() -> None:
    """The published ordinal alpha is 0.815."""
    assert krippendorff_alpha(KRIPPENDORFF, [1, 2, 3, 4, 5]) == pytest.approx(0.815, abs=5e-4)


@given(tables)
def test_alpha_equals_the_reference(rows: list[list[int | None]]) -> None:
    """As the krippendorff package has it, ratings missing or not; where that has none, neither have we."""
    data = np.array([[np.nan if value is None else float(value) for value in row] for row in rows]).T
    reference: float | None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it divides 0 by 0 where there is no variation
        try:
            reference = float(krippendorff.alpha(data, level_of_measurement="ordinal", value_domain=LEVELS))
        except ValueError:
            reference = None
    found = krippendorff_alpha(rows, LEVELS)
    if reference is None or math.isnan(reference):
        assert found is None
    else:
        assert found == pytest.approx(reference, abs=1e-9)


def test_alpha_worked_by_hand() -> None:
    """Pairs (1,1), (2,2), (1,2): 3 ones and 3 twos; with two levels in use the distance cancels.

    Observed: 2 of 6 pairable values disagree, 2/6. Expected: 2 * 3 * 3 / (6 * 5) = 18/30. 1 - (1/3)/(3/5) = 4/9.
    """
    assert krippendorff_alpha([[1, 1], [2, 2], [1, 2]], LEVELS) == pytest.approx(4 / 9, abs=1e-12)


def test_the_interval_is_seeded() -> None:
    """The same seed gives the same interval, and it holds the figure."""
    rows = KRIPPENDORFF * 3
    first = alpha_estimate(rows, [1, 2, 3, 4, 5], seed=7, resamples=400)
    assert first == alpha_estimate(rows, [1, 2, 3, 4, 5], seed=7, resamples=400)
    assert first != alpha_estimate(rows, [1, 2, 3, 4, 5], seed=8, resamples=400)
    assert first.value is not None
    assert first.interval is not None
    assert first.interval.low < first.value < first.interval.high <= 1
    assert (first.pairable, first.undefined) == (33, 0)


def test_the_bootstrap_is_that_of_the_things_rated() -> None:
    """The interval agrees with a bootstrap of the reference package, to what 2,000 resamples can tell."""
    rows = [row[:2] for row in KRIPPENDORFF if None not in row[:2]] * 4
    found = alpha_estimate(rows, [1, 2, 3, 4, 5], seed=1, resamples=2_000)
    data = np.array(rows, dtype=float)
    generator = np.random.default_rng(5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        alphas = [
            krippendorff.alpha(
                data[generator.integers(0, len(data), len(data))].T,
                level_of_measurement="ordinal",
                value_domain=[1, 2, 3, 4, 5],
            )
            for _ in range(2_000)
        ]
    assert found.interval == pytest.approx(tuple(np.nanpercentile(alphas, [2.5, 97.5])), abs=0.02)


def test_alpha_of_nothing() -> None:
    """Nothing rated twice, or no variation at all: there is no alpha, and no interval."""
    for rows in ([], [[1, None]], [[4, 4], [4, 4]]):
        estimate = alpha_estimate(rows, LEVELS, seed=1, resamples=50)
        assert (estimate.value, estimate.interval) == (None, None)
    assert 0 < alpha_estimate([[4, 4], [1, 1], [1, 1]], LEVELS, seed=1, resamples=50).undefined < 50


def ac1_by_definition(rows: list[list[int | None]]) -> float | None:
    """Gwet's AC1 (2008), straight from its definition by pairs of raters."""
    pairs, prevalence, rated = [], dict.fromkeys(LEVELS, 0.0), 0
    for row in rows:
        given = [value for value in row if value is not None]
        if given:
            rated += 1
            for value in given:
                prevalence[value] += 1 / len(given)
        agree = [a == b for i, a in enumerate(given) for j, b in enumerate(given) if i != j]
        if agree:
            pairs.append(sum(agree) / len(agree))
    if not pairs:
        return None
    observed = sum(pairs) / len(pairs)
    chance = sum(share / rated * (1 - share / rated) for share in prevalence.values()) / 3
    return (observed - chance) / (1 - chance)


@given(tables)
def test_ac1_equals_its_definition(rows: list[list[int | None]]) -> None:
    """Counted by pairs of raters, one thing at a time."""
    expected = ac1_by_definition(rows)
    assert gwet_ac1(rows, LEVELS) == (None if expected is None else pytest.approx(expected, abs=1e-12))


@pytest.mark.parametrize("case", BY_IRRCAC)
def test_ac1_equals_the_reference(case: dict[str, Any]) -> None:
    """As irrCAC has it, for two to four raters, ratings missing or not, even or skewed; its own example comes first."""
    assert gwet_ac1(case["rows"], case["levels"]) == pytest.approx(case["ac1"], abs=1e-11)


def test_the_published_ac1() -> None:
    """Gwet's four raters, whose AC1 he prints as 0.775, are Krippendorff's."""
    assert BY_IRRCAC[0]["rows"] == KRIPPENDORFF
    assert gwet_ac1(KRIPPENDORFF, [1, 2, 3, 4, 5]) == pytest.approx(0.77544, abs=5e-6)


def test_ac1_worked_by_hand() -> None:
    """Two raters, two levels, 118 + 2 agreed of 125 with 5 + 0 apart: the paradox that AC1 was made for.

    pa = 120/125; pi(1) = (123 + 118) / 250 = 0.964; pe = 2 * 0.964 * 0.036; (0.96 - pe) / (1 - pe) = 0.957.
    """
    rows = [[1, 1]] * 118 + [[1, 2]] * 5 + [[2, 2]] * 2
    chance = 2 * 0.964 * 0.036
    assert gwet_ac1(rows, [1, 2]) == pytest.approx((0.96 - chance) / (1 - chance), abs=1e-12)


def test_skewed_ratings() -> None:
    """With 96% raw agreement on a skewed set kappa is about -0.02 and AC1 about 0.96."""
    agreed: list[int | None] = [4, 4]
    rows: list[list[int | None]] = [*([agreed] * 48), [4, 3], [3, 4]]
    kappa = quadratic_kappa([(row[0], row[1]) for row in rows], LEVELS)
    assert kappa == pytest.approx(-0.02, abs=0.005)
    assert gwet_ac1(rows, LEVELS) == pytest.approx(0.96, abs=0.005)


def test_ac1_of_nothing() -> None:
    """Nothing rated twice: none. All alike: 1."""
    assert gwet_ac1([[1, None]], LEVELS) is None
    assert gwet_ac1([], LEVELS) is None
    assert gwet_ac1([[4, 4], [4, 4]], LEVELS) == 1.0


@given(st.lists(st.tuples(st.none() | level, st.none() | level), max_size=30))
def test_kappa_equals_the_reference(pairs: list[tuple[Any, Any]]) -> None:
    """As scikit-learn has it over the pairs that both rated; where it is not a number, None."""
    both = [pair for pair in pairs if None not in pair]
    found = quadratic_kappa(pairs, LEVELS)
    if not both:
        assert found is None
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it divides 0 by 0 where there is no variation
        reference = cohen_kappa_score(*zip(*both, strict=True), labels=LEVELS, weights="quadratic")
    if math.isnan(reference):
        assert found is None
    else:
        assert found == pytest.approx(reference, abs=1e-9)


def test_kappa_equals_another_reference() -> None:
    """As statsmodels has it from the table of counts."""
    pairs = [(1, 1), (1, 2), (2, 2), (2, 4), (3, 3), (3, 3), (4, 3), (4, 4), (4, 4), (1, 4)]
    expected = cohens_kappa(np.array(confusion_matrix(pairs, LEVELS)), wt="quadratic").kappa
    assert quadratic_kappa(pairs, LEVELS) == pytest.approx(expected, abs=1e-12)


def test_kappa_worked_by_hand() -> None:
    """(1,2), (2,2), (4,4): observed 1; rows 1,1,0,1 and columns 0,2,0,1 give 2*1 + 9 + 4 + 2*4 = 23; 1 - 3/23."""
    assert quadratic_kappa([(1, 2), (2, 2), (4, 4), (None, 1)], LEVELS) == pytest.approx(1 - 3 / 23, abs=1e-12)


@given(st.lists(st.tuples(level, level), min_size=1, max_size=30))
def test_confusion_equals_the_reference(pairs: list[tuple[int, int]]) -> None:
    """As scikit-learn counts it, with every label in its place whether it was given or not."""
    expected = reference_matrix(*zip(*pairs, strict=True), labels=LEVELS).tolist()
    assert confusion_matrix(pairs, LEVELS) == expected


def test_confusion() -> None:
    """Rows are the first of each pair, columns the second; what is no label is an error."""
    assert confusion_matrix([("a", "b"), ("a", "b"), ("b", "b")], ["a", "b"]) == [[0, 2], [0, 1]]
    with pytest.raises(InputError, match="'c' is not among 'a', 'b'"):
        confusion_matrix([("a", "c")], ["a", "b"])


def test_tabulate() -> None:
    """Things and raters in the order of their names; what was not rated is None."""
    ratings = [("t2", "Ben", 1), ("t1", "Ada", 4), ("t2", "Ada", 3)]
    assert tabulate(ratings) == [[4, None], [3, 1]]


def test_a_rating_twice() -> None:
    """One rater has one rating of a thing."""
    with pytest.raises(InputError, match="'Ada' rated 't1' twice"):
        tabulate([("t1", "Ada", 4), ("t1", "Ada", 4)])


def test_a_rating_that_is_no_level() -> None:
    """It is named; it is not counted as a level of its own."""
    for function in (krippendorff_alpha, gwet_ac1):
        with pytest.raises(InputError, match="5 is no level; the levels are 1, 2, 3, 4"):
            function([[5, 4]], LEVELS)
