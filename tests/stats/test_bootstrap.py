"""Intervals by resampling items."""

import math
from collections.abc import Sequence
from random import Random

import numpy as np
import pytest
from scipy import stats as scipy_stats

from plumbrule.stats.auroc import auroc, auroc_estimate
from plumbrule.stats.bootstrap import BootstrapMethod, at_share, bca_interval, resample_items
from plumbrule.stats.rater_agreement import (
    alpha_over_items,
    kappa_over_items,
    quadratic_kappa,
)
from plumbrule.support.calibration import calibration_error

LEVELS = (1, 2, 3, 4)


def mean(values: Sequence[float]) -> float:
    """Return the mean."""
    return math.fsum(values) / len(values)


def skewed(count: int) -> list[float]:
    """Return values with a long tail."""
    random = Random(8)  # noqa: S311 - no secret
    return [random.lognormvariate(0, 1) for _ in range(count)]


def test_bca_is_that_of_the_reference() -> None:
    """Given scipy's own resamples, the ends are scipy's, up to how it goes between two of them."""
    values = skewed(40)
    theirs = scipy_stats.bootstrap(
        (values,), np.mean, n_resamples=4_000, method="BCa", rng=np.random.default_rng(1), vectorized=True
    )
    ordered = sorted(theirs.bootstrap_distribution.tolist())
    without = [mean(values[:place] + values[place + 1 :]) for place in range(len(values))]
    found = bca_interval(mean(values), ordered, without)
    interval = theirs.confidence_interval
    for ours, other in ((found.low, interval.low), (found.high, interval.high)):
        place = ordered.index(ours)
        assert ordered[place - 1] <= other <= ordered[place + 1]


@pytest.mark.parametrize("method", ["percentile", "bca", "basic"])
def test_it_is_close_to_the_reference(method: BootstrapMethod) -> None:
    """Other resamples, the same interval up to their chance."""
    values = skewed(60)
    found = resample_items(values, mean, seed=3, method=method)
    theirs = scipy_stats.bootstrap(
        (values,), np.mean, n_resamples=9_999, method=method, rng=np.random.default_rng(2), vectorized=True
    ).confidence_interval
    assert found.interval == pytest.approx((theirs.low, theirs.high), abs=0.06 * (theirs.high - theirs.low))
    assert found == resample_items(values, mean, seed=3, method=method)


def test_what_cannot_be_said() -> None:
    """One item shows no spread; where most resamples have no figure, there is no interval."""
    assert resample_items([1.0], mean, seed=1).interval is None
    assert resample_items([], mean, seed=1).value is None
    rare = resample_items([0, 0, 0, 1], lambda drawn: 1.0 if sum(drawn) == 1 else None, seed=1)
    assert rare.interval is None
    assert rare.undefined > 1_000


def test_nearest_rank() -> None:
    """The ends of the order are the ends."""
    assert [at_share([1, 2, 3, 4], share) for share in (0, 0.25, 0.26, 1)] == [1, 1, 2, 4]


def test_rows_of_one_item_stay_together() -> None:
    """Six rows that say the same are one item: the interval is that of one row each, and wider than row by row."""
    random = Random(5)  # noqa: S311 - no secret
    rows = [[random.choice(LEVELS), random.choice(LEVELS)] for _ in range(15)]
    rows += [[level, level] for _ in range(5) for level in LEVELS]
    items = [[row] * 6 for row in rows]
    found = alpha_over_items(items, LEVELS, seed=2)
    row_by_row = alpha_over_items([[row] for item in items for row in item], LEVELS, seed=2)
    assert found.value == row_by_row.value
    assert found.pairable == row_by_row.pairable == 6 * len(rows)
    assert found.interval is not None
    assert row_by_row.interval is not None
    assert found.interval.high - found.interval.low > 2 * (row_by_row.interval.high - row_by_row.interval.low)


def test_kappa_and_area_have_their_own_value() -> None:
    """Resampling gives the interval; the figure stays what it is."""
    random = Random(6)  # noqa: S311 - no secret
    pairs = [(level, min(4, max(1, level + random.choice((-1, 0, 0, 1))))) for level in LEVELS for _ in range(10)]
    kappa = kappa_over_items([[pair] for pair in pairs], LEVELS, seed=1)
    assert kappa.value == quadratic_kappa(pairs, LEVELS)
    assert kappa.interval is not None
    assert kappa.interval.low < (kappa.value or 0) < kappa.interval.high
    labels = [place % 2 == 0 for place in range(60)]
    scores = [random.gauss(float(label), 1) for label in labels]
    area = auroc_estimate(scores, labels, seed=1)
    assert area.value == auroc(scores, labels)
    assert area.interval is not None
    assert 0.5 < area.interval.low < (area.value or 0) < area.interval.high


def test_a_perfect_calibration_may_have_no_error() -> None:
    """Resampled calibration errors are larger than the figure; reflected at it, their interval reaches 0."""
    random = Random(7)  # noqa: S311 - no secret
    labelled = [(chance, random.random() < chance) for chance in (random.random() for _ in range(300))]

    def error(drawn: Sequence[tuple[float, bool]]) -> float:
        return calibration_error([chance for chance, _ in drawn], [label for _, label in drawn])

    plain = resample_items(labelled, error, seed=1, resamples=300)
    reflected = resample_items(labelled, error, seed=1, resamples=300, method="basic")
    assert plain.interval is not None
    assert reflected.interval is not None
    assert plain.interval.low > 0.02
    assert reflected.interval.low < 0.02
