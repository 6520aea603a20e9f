"""Paired differences agree with the reference implementations, and chance alone is never called a difference."""

import math
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats as reference
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.descriptivestats import sign_test as reference_sign_test

from plumbrule.stats.intervals import Interval
from plumbrule.stats.paired_tests import (
    LEAST_THAT_DIFFER,
    Tally,
    _bonett_price,
    mean_gap,
    mean_gap_p_value,
    non_inferiority,
    percentile_bets,
    percentile_gap,
    percentile_moves,
    repeated_percentile_gap,
    sign_test,
    spread_of,
    tally,
)

ONE = Fraction(1)
P95 = Fraction(95, 100)

differences = st.lists(st.fractions(-1, 1, max_denominator=40), min_size=2, max_size=40)
flips = st.lists(st.sampled_from([-1, 0, 1]).map(Fraction), min_size=2, max_size=60)
amounts = st.lists(st.fractions(-9000, 9000, max_denominator=4), min_size=2, max_size=40)


def fractions(*values: float | str) -> list[Fraction]:
    """Return the values as exact fractions."""
    return [Fraction(str(value)) for value in values]


def percentile_gap_p_value(first: list[Any], second: list[Any], share: Fraction) -> float | None:
    """Return the p-value of the paired quantile test of samples that were measured once."""
    return mean_gap_p_value(percentile_moves([[each] for each in first], [[each] for each in second], share), bound=ONE)


def latencies(seed: int, total: int, slower: int = 0) -> list[Fraction | None]:
    """Return latencies with a long tail, always the same."""
    draw = Random(seed)  # noqa: S311 - no secret
    return [Fraction(round(draw.lognormvariate(7, 0.6)) + slower) for _ in range(total)]


@given(st.integers(0, 60), st.integers(0, 60))
def test_the_sign_test_is_exact(above: int, below: int) -> None:
    """McNemar's exact test is scipy's two-sided binomial test of the flips; of no flips the chance is 1."""
    expected = reference.binomtest(above, above + below).pvalue if above + below else 1
    assert float(sign_test(above, below)) == pytest.approx(expected, rel=1e-9)


@given(st.integers(0, 60), st.integers(0, 60), st.integers(0, 5))
def test_the_sign_test_equals_others(above: int, below: int, level: int) -> None:
    """Statsmodels' exact McNemar test of the table, and its sign test of the differences, those at 0 left out."""
    assume(above + below > 0)
    table = [[level, above], [below, level]]
    found = float(sign_test(above, below))
    assert found == pytest.approx(mcnemar(table, exact=True).pvalue, rel=1e-9)
    assert found == pytest.approx(reference_sign_test([1] * above + [-1] * below + [0] * level)[1], rel=1e-9)


def test_known_chances() -> None:
    """Five heads of five are not rare enough, six of six are: 2/32 and 2/64."""
    assert sign_test(5, 0) == Fraction(1, 16)
    assert sign_test(0, 6) == Fraction(1, 32)
    assert sign_test(0, 5) > Fraction(5, 100) >= sign_test(0, LEAST_THAT_DIFFER)
    assert sign_test(0, 0) == sign_test(3, 3) == 1


def test_signs_are_counted() -> None:
    """Above, below and at 0."""
    assert tally(fractions("0.5", 0, "-0.25", "0.125")) == Tally(above=2, below=1, level=1)


def test_a_known_interval() -> None:
    """Student's t of -1, 0, 1, 1, 2, 3, 1, 1: mean 1, deviation 1.195229, 2.364624 * 1.195229 / sqrt(8) = 0.999236."""
    gap = mean_gap(fractions(-1, 0, 1, 1, 2, 3, 1, 1))
    assert gap.mean == 1
    assert gap.method == "student_t"
    assert gap.interval == pytest.approx((0.000764, 1.999236), abs=1e-6)


@given(amounts)
def test_the_interval_is_that_of_the_paired_t_test(values: list[Fraction]) -> None:
    """Where six pairs or more differ, it is scipy's."""
    gap = mean_gap(values)
    if gap.method != "student_t" or sum(value != 0 for value in values) < LEAST_THAT_DIFFER:
        return
    floats = [float(value) for value in values]
    expected = reference.ttest_rel(floats, [0.0] * len(floats)).confidence_interval(0.95)
    assert gap.interval == pytest.approx((expected.low, expected.high), rel=1e-6, abs=1e-6)


def test_a_known_interval_of_flips() -> None:
    """Bonett and Price: 4 gains and 1 loss of 10 are 3/12, give or take 1.959964 * sqrt((7/12 - 9/144) / 12)."""
    gap = mean_gap(fractions(1, 1, 1, 1, -1, 0, 0, 0, 0, 0), bound=ONE)
    assert (gap.mean, gap.method) == (Fraction(3, 10), "bonett_price")
    assert gap.interval == pytest.approx((-0.158326, 0.658326), abs=1e-6)


def test_a_published_interval_of_flips() -> None:
    """Response before and after consolidation (Cavo, 2012): 6 gains and 16 losses of 161.

    Fagerland, Lydersen and Laake print Bonett and Price's interval as -0.1195 to -0.0032, and McNemar's exact chance as
    0.052479: that does not reject, so the interval is made to hold 0.
    """
    values = fractions(*[1] * 6, *[-1] * 16, *[0] * 139)
    published = _bonett_price(Fraction(-10, 161), Fraction(22, 161), 161, ONE)
    assert published == pytest.approx((-0.1195, -0.0032), abs=5e-5)
    assert float(sign_test(6, 16)) == pytest.approx(0.052479, abs=5e-7)
    assert mean_gap(values, bound=ONE).interval == Interval(published.low, 0.0)


@given(flips)
def test_flips_are_clear_only_where_mcnemar_says_so(values: list[Fraction]) -> None:
    """The interval never excludes 0 where the exact test does not reject."""
    gap, counts = mean_gap(values, bound=ONE), tally(values)
    assert gap.interval is not None
    if not gap.interval.low <= 0 <= gap.interval.high:
        assert sign_test(counts.above, counts.below) <= Fraction(5, 100)


def test_values_that_are_all_alike_are_not_certain() -> None:
    """Nothing but 0 seen leaves room for what was not; without a bound, six that agree speak for themselves."""
    assert mean_gap([Fraction()] * 56, bound=ONE).interval == pytest.approx((-0.047790, 0.047790), abs=1e-6)
    assert mean_gap([Fraction(100)] * 6).interval == Interval(100.0, 100.0)
    few = mean_gap([Fraction(100)] * 5)
    assert (few.interval, few.method, few.settles_at) == (None, "sign_test", 6)


def test_few_that_differ_are_chance() -> None:
    """Four gains among 56 pairs: Student's t alone would call that clear, no exact test does."""
    values = [ONE] * 4 + [Fraction()] * 52
    assert reference.ttest_1samp([float(value) for value in values], 0).pvalue < 0.05
    gap = mean_gap(values, bound=Fraction(2))
    assert gap.interval is not None
    assert gap.interval.low == 0
    assert gap.settles_at == 84  # as many more as bring six that differ


def test_too_few_pairs() -> None:
    """Nothing has no mean; one pair has a difference and no interval."""
    assert (mean_gap([]).mean, mean_gap([]).interval) == (None, None)
    assert (mean_gap([ONE]).mean, mean_gap([ONE]).interval, mean_gap([ONE]).settles_at) == (ONE, None, None)


@given(differences | flips)
def test_turned_round_everything_is_mirrored(values: list[Fraction]) -> None:
    """The other way about, mean and interval change their sign and nothing else."""
    gap, mirrored = mean_gap(values, bound=ONE), mean_gap([-value for value in values], bound=ONE)
    assert gap.mean is not None
    assert gap.interval is not None
    assert mirrored.mean == -gap.mean
    assert mirrored.interval == Interval(-gap.interval.high, -gap.interval.low)
    assert (mirrored.method, mirrored.settles_at) == (gap.method, gap.settles_at)


@given(differences | flips)
def test_the_interval_holds_the_mean_and_keeps_the_bound(values: list[Fraction]) -> None:
    """No end passes the largest difference there can be, and the mean lies between, or nearer to 0 for flips."""
    gap = mean_gap(values, bound=ONE)
    assert gap.mean is not None
    assert gap.interval is not None
    assert -1 <= gap.interval.low <= gap.interval.high <= 1
    if gap.method == "student_t":
        assert gap.interval.low - 1e-12 <= float(gap.mean) <= gap.interval.high + 1e-12


def test_how_many_pairs_settle_a_mean() -> None:
    """Pairs like these, repeated up to the number named, exclude 0; half of them do not."""
    seen = fractions("0.5", "-0.4", "0.3", "-0.2", "0.4", "0.1", "-0.3")
    needed = mean_gap(seen, bound=ONE).settles_at
    assert needed is not None
    enough = mean_gap(seen * math.ceil(needed / len(seen)), bound=ONE).interval
    half = mean_gap(seen * (needed // len(seen) // 2), bound=ONE).interval
    assert enough is not None
    assert half is not None
    assert enough.low > 0 >= half.low


def test_how_many_pairs_settle_flips() -> None:
    """Three gains and one loss of 20: about as many as scale up to a clear McNemar's test; 0 is never settled."""
    seen = [ONE] * 3 + [-ONE] + [Fraction()] * 16
    needed = mean_gap(seen, bound=ONE).settles_at
    assert needed is not None
    scale = math.ceil(needed / 20)
    assert sign_test(3 * scale, scale) <= Fraction(5, 100) < sign_test(3 * (scale // 2), scale // 2)
    level = [ONE, -ONE, Fraction()]
    assert mean_gap(level, bound=ONE).settles_at is None


def test_a_percentile_by_bootstrap() -> None:
    """The interval of the paired bootstrap is scipy's, but for the draws; it is the same each time."""
    first, second = latencies(1, 300), latencies(2, 300, slower=400)
    found = percentile_gap(first, second, P95)
    assert found == percentile_gap(first, second, P95)

    def gap(before: Any, after: Any, axis: int) -> Any:
        high = (np.quantile(values, 0.95, axis=axis, method="inverted_cdf") for values in (after, before))
        return np.subtract(*high)

    floats = [np.array([float(value or 0) for value in values]) for values in (first, second)]
    expected = reference.bootstrap(
        floats, gap, paired=True, n_resamples=4_000, method="percentile", rng=np.random.default_rng(5)
    ).confidence_interval
    assert found == pytest.approx((expected.low, expected.high), abs=150)
    assert expected.high - expected.low > 600


def test_a_percentile_of_a_few_cannot_be_bounded() -> None:
    """As for one run: the 95th percentile of 72 is open above, that of 73 is not."""
    assert percentile_gap(latencies(1, 72), latencies(2, 72), P95) == (None, None)
    assert None not in percentile_gap(latencies(1, 73), latencies(2, 73), P95)
    assert percentile_gap([], [], P95) == (None, None)


def test_unknown_values_are_the_greatest() -> None:
    """Where the second run's highest are unknown it is slower without limit; where both runs' are, nothing is known."""
    known, unknown = latencies(1, 100), [*latencies(1, 80), *([None] * 20)]
    low, high = percentile_gap(known, unknown, P95)
    assert (low, high) == (None, None)
    few = [None, *latencies(1, 100)[1:]]
    low, high = percentile_gap(known, few, P95)
    assert low == 0.0
    assert percentile_gap(unknown, unknown, P95) == (None, None)


@pytest.mark.parametrize("seed", range(5))
def test_percentiles_turned_round_are_mirrored(seed: int) -> None:
    """The same pairs are drawn the other way about; a run against itself differs by nothing."""
    first, second = latencies(seed, 120), latencies(seed + 10, 120)
    low, high = percentile_gap(first, second, P95)
    assert low is not None
    assert high is not None
    assert percentile_gap(second, first, P95) == (-high, -low)
    assert percentile_gap(first, first, P95) == (0.0, 0.0)


@given(differences)
def test_the_p_value_of_a_mean_is_the_paired_t_test(values: list[Fraction]) -> None:
    """By scipy; never below what the pairs that differ allow, and exact where it is all or nothing."""
    found = mean_gap_p_value(values, bound=ONE)
    floats = [float(value) for value in values]
    signs = tally(values)
    if len(set(values)) == 1 or all(abs(value) in {0, 1} for value in values):
        count = signs.above + signs.below
        expected = reference.binomtest(signs.above, count).pvalue if count else 1.0
    else:
        assume(np.std(floats) > 1e-6)
        least = min(1.0, 2 * 0.5 ** (signs.above + signs.below))
        expected = max(reference.ttest_1samp(floats, 0).pvalue, least)
    assert found == pytest.approx(expected, abs=1e-9)
    assert mean_gap_p_value(values[:1]) is None


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), min_size=2, max_size=80))
def test_the_p_value_of_a_percentile_is_mcnemars(pairs: list[tuple[int, int]]) -> None:
    """By statsmodels, of the pairs with one value alone above the percentile of all, which numpy finds.

    Where nothing is above it, the values at it count.
    """
    first, second = ([Fraction(value) for value in column] for column in zip(*pairs, strict=True))
    limit = np.quantile(np.array(pairs).ravel(), 0.95, method="inverted_cdf")
    if limit == np.max(pairs):
        limit -= 1
    beyond = [(one > limit, other > limit) for one, other in pairs]
    table = [[beyond.count((a, b)) for b in (True, False)] for a in (True, False)]
    expected = mcnemar(table, exact=True).pvalue if table[0][1] + table[1][0] else 1.0
    assert percentile_gap_p_value(first, second, P95) == pytest.approx(expected, abs=1e-9)


def test_a_percentile_with_missing_values() -> None:
    """Missing is slower than all; where the same are missing in both there is no difference."""
    fast = [Fraction(place) for place in range(100)]
    slow: list[Fraction | None] = [None if place >= 85 else value for place, value in enumerate(fast)]
    found = percentile_gap_p_value(fast, slow, P95)
    assert found is not None
    assert found < 0.01
    assert percentile_gap_p_value(slow, slow, P95) == 1
    assert percentile_gap_p_value([], [], P95) is None


@pytest.mark.parametrize(
    ("low", "high", "higher", "expected"),
    [
        (-0.01, 0.02, True, "non-inferior"),
        (-0.03, 0.02, True, "inconclusive"),
        (-0.09, -0.03, True, "inferior"),
        (-0.02, 0.01, False, "non-inferior"),
        (0.03, 0.09, False, "inferior"),
        (None, 0.01, False, "non-inferior"),
        (None, 0.01, True, "inconclusive"),
        (None, None, True, "inconclusive"),
    ],
)
def test_non_inferiority(low: float | None, high: float | None, higher: bool, expected: str) -> None:  # noqa: FBT001
    """Worse by less than the margin of 0.02, for certain; an open end leaves its side open."""
    assert non_inferiority(low, high, margin=0.02, higher_is_better=higher) == expected


def test_tied_percentiles_are_told_apart() -> None:
    """A third of the second values is at the largest of all: none is above it, and they count all the same."""
    fast, slow = [Fraction(1)] * 90, [Fraction(9) if place % 3 else Fraction(1) for place in range(90)]
    found = percentile_gap_p_value(fast, slow, P95)
    assert found is not None
    assert found < 1e-9


def test_repeats_of_one_value_are_as_one() -> None:
    """With one value each it is the interval of pairs; the same value twice changes neither percentile nor test."""
    first, second = latencies(1, 120), latencies(2, 120, slower=400)
    once = [[value] for value in first], [[value] for value in second]
    twice = [[value, value] for value in first], [[value, value] for value in second]
    assert repeated_percentile_gap(*once, P95) == percentile_gap(first, second, P95)
    low, high = percentile_gap(first, second, P95)
    assert repeated_percentile_gap(*twice, P95) == pytest.approx((low, high), abs=250)
    assert percentile_moves(*twice, P95) == percentile_moves(*once, P95)
    assert mean_gap_p_value(percentile_moves(*twice, P95), bound=ONE) == percentile_gap_p_value(first, second, P95)


def test_a_sample_may_be_measured_in_one_run_alone() -> None:
    """It counts for that run's percentile, and not for the test; nothing at all bounds nothing."""
    first = [[Fraction(place)] for place in range(100)]
    second: list[list[Fraction | None]] = [[] if place == 5 else [Fraction(place)] for place in range(100)]
    assert len(percentile_moves(first, second, P95)) == 99
    low, high = repeated_percentile_gap(first, second, P95)
    assert low is not None
    assert high is not None
    assert low <= 0 <= high
    assert repeated_percentile_gap(first, [[] for _ in range(100)], P95) == (None, None)


@pytest.mark.parametrize("clusters", [10, 20, 50])
@pytest.mark.parametrize("shared", [0.0, 0.3, 0.8])
def test_clustered_differences_raise_no_false_alarms(clusters: int, shared: float) -> None:
    """Neither run is better, and whole documents change together: at most one interval in twenty excludes 0."""
    random, runs, excluded, rejected = Random(4), 300, 0, 0  # noqa: S311 - no secret
    for _ in range(runs):
        differences, groups = [], []
        for cluster in range(clusters):
            together, move = random.random() < shared, random.choice([-1, 0, 0, 1])
            for _ in range(8):
                alone = (random.random() < 0.9) - (random.random() < 0.9)
                differences.append(Fraction(move if together else alone))
                groups.append(cluster)
        interval = mean_gap(differences, bound=Fraction(1), clusters=groups).interval
        p_value = mean_gap_p_value(differences, bound=Fraction(1), clusters=groups)
        assert interval is not None
        assert p_value is not None
        excluded += not interval.low <= 0 <= interval.high
        rejected += p_value < 0.05
    assert excluded <= 0.08 * runs  # 5%, and what chance adds in so few simulated runs
    assert rejected <= 0.08 * runs


def test_clustered_differences_that_are_clear() -> None:
    """Eight in ten of forty documents lose: by their number it is clear; one document says nothing of the others."""
    differences = [Fraction(-1 if number // 5 % 5 else 0) for number in range(200)]
    groups = [number // 5 for number in range(200)]
    gap = mean_gap(differences, bound=Fraction(1), clusters=groups)
    assert (gap.mean, gap.method) == (Fraction(-4, 5), "clustered_t")
    assert gap.interval is not None
    assert gap.interval.high < -0.5
    alone = mean_gap(differences, bound=Fraction(1)).interval
    assert alone is not None
    assert gap.interval.high > alone.high
    one = mean_gap(differences, bound=Fraction(1), clusters=["a"] * 200)
    assert (one.interval, mean_gap_p_value(differences, clusters=["a"] * 200)) == (None, None)
    assert spread_of(differences, bound=Fraction(1), clusters=groups) == pytest.approx(0.95, abs=0.15)


def test_a_bet_on_a_percentile_knows_only_what_came_before() -> None:
    """Later samples change no earlier move; a cluster is one of the samples; None is above all others."""
    first: list[list[Fraction | None]] = [[Fraction(number)] for number in range(40)]
    second: list[list[Fraction | None]] = [[Fraction(number + 5)] for number in range(40)]
    own = [*range(40)]
    moves = percentile_bets(first, second, Fraction(95, 100), clusters=own)
    assert len(moves) == 39
    assert percentile_bets(first[:20], second[:20], Fraction(95, 100), clusters=own[:20]) == moves[:19]
    assert sum(moves) > 0
    assert sum(percentile_bets(second, first, Fraction(95, 100), clusters=own)) == -sum(moves)
    pairs = [number // 2 for number in range(40)]
    assert len(percentile_bets(first, second, Fraction(95, 100), clusters=pairs)) == 19
    unknown: list[list[Fraction | None]] = [*second[:-1], [None]]
    assert percentile_bets([*first[:-1], [Fraction(0)]], unknown, Fraction(95, 100), clusters=own)[-1] == 1
