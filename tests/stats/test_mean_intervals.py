"""Intervals that decide do not collapse near the edges, and allow for clusters and repeats."""

import math
from fractions import Fraction
from random import Random

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm
from statsmodels.stats.proportion import proportion_confint

from plumbrule.stats.mean_intervals import (
    MeanEstimate,
    Measurement,
    _between_repeats,
    clopper_pearson,
    effective_size,
    mean_estimate,
    measured_mean,
    share_estimate,
)

scores = st.lists(st.integers(0, 20).map(lambda number: Fraction(number, 20)), min_size=1, max_size=40)


@given(st.integers(0, 300), st.integers(1, 300))
def test_shares_have_the_exact_interval(successes: int, total: int) -> None:
    """That of Clopper and Pearson, by statsmodels."""
    successes = min(successes, total)
    found = share_estimate(successes, total)
    assert found is not None
    assert found.value == Fraction(successes, total)
    assert found.interval == pytest.approx(proportion_confint(successes, total, method="beta"), abs=1e-9)


@given(scores.filter(lambda values: not {0, 1}.issuperset(values)))
def test_means_are_students_t_with_two_pseudo_samples(values: list[Fraction]) -> None:
    """By scipy: t of the samples with 0 and 1 among them, moved outwards by Johnson's shift, cut to the scale."""
    found = mean_estimate(values)
    assert found is not None
    more = [*map(float, values), 0.0, 1.0]
    size, square = len(more), np.var(more, ddof=1)
    reach = scipy_stats.t.interval(0.95, size - 1, loc=0, scale=scipy_stats.sem(more))[1]
    quantile = scipy_stats.t.ppf(0.975, size - 1)
    shift = scipy_stats.moment(more, 3) / (6 * square * size) * (1 + 2 * quantile**2)
    mean = float(np.mean([float(value) for value in values]))
    low = min(mean, np.mean(more)) + min(0, shift) - reach
    high = max(mean, np.mean(more)) + max(0, shift) + reach
    expected = max(0, low), min(1, high)
    assert found.interval == pytest.approx(expected, abs=1e-9)
    assert found.value == sum(values, Fraction()) / len(values)
    assert found.spread == pytest.approx(math.sqrt(square / size * len(values)), abs=1e-9)


def test_alike_scores_do_not_collapse() -> None:
    """Ten scores of 0.90 and one of 0.91 gave 0.899 to 0.903."""
    found = mean_estimate([Fraction(90, 100)] * 10 + [Fraction(91, 100)])
    assert found is not None
    assert found.interval.low < 0.7
    assert found.interval.high > 0.95


@given(scores)
def test_the_interval_holds_the_mean(values: list[Fraction]) -> None:
    """Though its centre is drawn towards the middle of the scale."""
    found = mean_estimate(values)
    assert found is not None
    assert 0 <= found.interval.low <= found.value <= found.interval.high <= 1


def test_nothing() -> None:
    """No value, no interval."""
    assert mean_estimate([]) is None
    assert share_estimate(0, 0) is None
    assert clopper_pearson(0, 0) is None


@given(st.lists(st.lists(st.integers(1, 19), min_size=4, max_size=4), min_size=2, max_size=12))
def test_clusters_are_the_robust_error_of_the_reference(documents: list[list[int]]) -> None:
    """By statsmodels: the cluster-robust standard error of a constant, over the data with two pseudo-clusters."""
    measured = [
        Measurement(value=value / 20, sample=(number, place), cluster=number)
        for number, values in enumerate(documents)
        for place, value in enumerate(values)
    ]
    found = measured_mean(measured)
    more = [[value / 20 for value in values] for values in documents] + [[0.0] * 4, [1.0] * 4]
    data = np.array(more).ravel()
    fit = sm.OLS(data, np.ones(len(data))).fit(
        cov_type="cluster", cov_kwds={"groups": np.repeat(np.arange(len(more)), 4)}
    )
    assert found is not None
    assert found.clusters == len(documents)
    assert found.spread == pytest.approx(fit.bse[0] * math.sqrt(len(measured)), abs=1e-9)
    reach = scipy_stats.t.ppf(0.975, len(more) - 1) * fit.bse[0]
    moves = [math.fsum(values) - 4 * data.mean() for values in more]
    shift = sum(move**3 for move in moves) / len(data) ** 3 / (6 * fit.bse[0] ** 2)
    shift *= 1 + 2 * scipy_stats.t.ppf(0.975, len(more) - 1) ** 2
    low = max(0.0, min(float(found.value), data.mean()) + min(0.0, shift) - reach)
    assert found.interval.low == pytest.approx(low, abs=1e-8)


def test_samples_of_their_own_are_no_clusters() -> None:
    """A cluster for each sample changes nothing."""
    values = [Fraction(number % 5, 4) for number in range(17)]
    alone = [Measurement(value=value, sample=place) for place, value in enumerate(values)]
    named = [Measurement(value=value, sample=place, cluster=f"d{place}") for place, value in enumerate(values)]
    assert measured_mean(alone) == measured_mean(named) == mean_estimate(values)


@given(st.lists(st.lists(st.integers(0, 20), min_size=3, max_size=3), min_size=2, max_size=10))
def test_repeats_add_their_mean_square(rows: list[list[int]]) -> None:
    """By statsmodels: that of the repeats in a two-way analysis of variance, over the number of values."""
    measured = [
        Measurement(value=value / 20, sample=sample, repeat=repeat)
        for sample, values in enumerate(rows)
        for repeat, value in enumerate(values)
    ]
    frame = pd.DataFrame([(each.value, each.sample, each.repeat) for each in measured], columns=["x", "s", "r"])
    table = anova_lm(ols("x ~ C(s) + C(r)", frame).fit()) if frame.x.nunique() > 1 else None
    expected = 0.0 if table is None else table.loc["C(r)", "mean_sq"] / len(measured)
    assert _between_repeats(measured) == pytest.approx(expected, abs=1e-9)


def test_repeats_narrow_the_interval() -> None:
    """Samples that pass by chance are better known after five repeats; where repeats are copies, they add nothing."""
    random = Random(3)  # noqa: S311 - no secret
    drawn = [[int(random.random() < 0.88) for _ in range(5)] for _ in range(100)]
    widths = [width(measured_mean(of_repeats(drawn, repeats))) for repeats in (1, 5)]
    assert widths[1] < 0.75 * widths[0]
    copies = [[values[0]] * 5 for values in drawn]
    assert width(measured_mean(of_repeats(copies, 5))) >= 0.95 * widths[0]


def test_repeats_that_differ_widen_it() -> None:
    """Three repeats with 95, 85 and 75 of 100 are no 300 samples."""
    rows = [[int(place < 95), int(place < 85), int(place < 75)] for place in range(100)]
    found = measured_mean(of_repeats(rows, 3))
    assert found is not None
    assert (found.repeats, found.samples, found.method) == (3, 100, "korn_graubard")
    assert width(found) > 0.3


def test_documents_and_repeats_together() -> None:
    """The documents are the clusters, whatever the repeats."""
    measured = [
        Measurement(value=Fraction(int(document % 4 > 0)), sample=(document, place), repeat=repeat, cluster=document)
        for document in range(20)
        for place in range(5)
        for repeat in range(3)
    ]
    found = measured_mean(measured)
    assert found is not None
    assert (found.clusters, found.samples, found.repeats, found.value) == (20, 100, 3, Fraction(3, 4))
    assert effective_size(measured) < 25  # each document is all or nothing
    assert width(found) > 0.35


def test_the_effective_size_is_at_most_the_number() -> None:
    """Independent samples are worth themselves; clusters that balance out are worth no more than that."""
    alone = [Measurement(value=place % 2, sample=place) for place in range(30)]
    paired = [Measurement(value=place % 2, sample=place, cluster=place // 2) for place in range(30)]
    assert effective_size(alone) == 30
    assert effective_size(paired) <= 30


def of_repeats(rows: list[list[int]], repeats: int) -> list[Measurement]:
    """Return the first repeats of each sample."""
    return [
        Measurement(value=value, sample=sample, repeat=repeat)
        for sample, values in enumerate(rows)
        for repeat, value in enumerate(values[:repeats])
    ]


def width(found: MeanEstimate | None) -> float:
    """Return how wide an interval is."""
    assert found is not None
    return found.interval.high - found.interval.low
