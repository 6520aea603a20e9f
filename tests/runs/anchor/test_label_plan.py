"""How many samples and labels a decision needs, before a run."""

from functools import partial
from random import Random

import pytest

from plumbrule.errors import UsageError
from plumbrule.runs.anchor.label_plan import PlannedSize, plan_labels
from plumbrule.stats.mean_intervals import clopper_pearson
from plumbrule.stats.prediction_powered import prediction_powered_mean
from plumbrule.stats.sample_sizes import mean_power_samples, share_power_samples


def test_a_judge_alone_can_be_confidently_wrong() -> None:
    """A rate of 0.92 looks like 0.836 to a judge that is right nine times in ten: below the limit, with any samples."""
    judge = plan_labels(rate=0.92, limit=0.85, sensitivity=0.9, specificity=0.9).judge
    assert judge is not None
    assert judge.shows == pytest.approx(0.836)
    assert judge.bias == pytest.approx(-0.084)
    assert judge.misleads
    good = plan_labels(rate=0.92, limit=0.85, sensitivity=0.99, specificity=0.9).judge
    assert good is not None
    assert not good.misleads


def test_labels_and_samples_trade_off() -> None:
    """More judged samples need fewer labels, down to what the judge cannot tell."""
    plan = plan_labels(rate=0.92, limit=0.85, sensitivity=0.95, specificity=0.95)
    labels = [size.labels for size in plan.sizes]
    assert None not in labels
    assert labels == sorted(labels, key=lambda count: -(count or 0))
    assert labels[0] is not None
    assert labels[0] <= plan.labels_alone
    assert (plan.power, plan.margin) == (0.8, None)


def test_the_counts_are_those_of_the_intervals_that_decide() -> None:
    """The exact interval of a share for a judge that is always right, the guarded one for labels."""
    plan = plan_labels(rate=0.9, limit=0.8)
    assert plan.samples_by_judge == share_power_samples(0.9, 0.8)
    assert plan.labels_alone == pytest.approx(mean_power_samples(0.9, 0.3, 0.8, skewness=-0.8 / 0.3), abs=3)
    margin = plan_labels(rate=0.9, margin=0.05)
    labels = prediction_powered_mean([(number % 10 > 0, 0) for number in range(margin.labels_alone)], [])
    assert labels is not None
    assert labels.value - labels.interval.low == pytest.approx(0.05, abs=0.002)
    exact = clopper_pearson(0.9 * margin.samples_by_judge, margin.samples_by_judge)
    assert exact is not None
    assert 0.9 - exact.low == pytest.approx(0.05, abs=0.001)
    assert (plan.judge, plan.sizes, plan.asked) == (None, (), None)


@pytest.mark.parametrize(("rate", "right", "samples"), [(0.92, 0.9, 500), (0.78, 0.9, 500), (0.92, 0.97, 400)])
def test_the_advised_labels_have_the_power(rate: float, right: float, samples: int) -> None:
    """Simulated: at least three times in four, where 80% is promised."""
    asked = plan_labels(rate=rate, limit=0.85, sensitivity=right, specificity=right, samples=samples).asked
    assert asked is not None
    assert asked.labels is not None
    random, settled = Random(2), 0  # noqa: S311 - no secret
    for _ in range(150):
        truths = [random.random() < rate for _ in range(samples)]
        judged = [truth == (random.random() < right) for truth in truths]
        pairs = list(zip(truths[: asked.labels], judged[: asked.labels], strict=True))
        found = prediction_powered_mean(pairs, judged[asked.labels :])
        assert found is not None
        settled += not found.interval.low <= 0.85 <= found.interval.high
    assert settled >= 0.72 * 150


def test_samples_or_labels_that_are_given() -> None:
    """The plan says how many of the other, or that they are too few."""
    plan = partial(plan_labels, rate=0.9, margin=0.05, sensitivity=0.95, specificity=0.8)
    asked = plan(labels=150).asked
    assert asked is not None
    assert (asked.labels, plan(samples=asked.samples).asked) == (150, asked)
    assert plan(labels=20).asked is None
    assert plan(samples=50).asked == PlannedSize(samples=50, labels=None)
    assert plan(labels=500).asked == PlannedSize(samples=500, labels=500)


@pytest.mark.parametrize("rate", [0.86, 0.9, 0.95, 0.99])
@pytest.mark.parametrize("right", [0.6, 0.9, 1.0])
def test_a_plan_never_asks_for_more_labels_than_samples(rate: float, right: float) -> None:
    """However many samples there are, each has one label at most."""
    for samples in (10, 60, 200, 1_000):
        plan = plan_labels(rate=rate, limit=0.85, sensitivity=right, specificity=right, samples=samples)
        for size in (plan.asked, *plan.sizes):
            assert size is not None
            assert size.labels is None or size.labels <= size.samples


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"rate": 0.9}, "give a limit or a margin"),
        ({"rate": 0.9, "limit": 0.8, "margin": 0.1}, "give a limit or a margin"),
        ({"rate": 0.9, "limit": 0.9}, "the rate is expected at its limit"),
        ({"rate": 1.0, "limit": 0.9}, "what never varies needs no plan"),
        ({"rate": 0.9, "limit": 1.5}, "limit must be between 0 and 1, not 1.5"),
        ({"rate": 0.9, "margin": 0.0}, "the margin must be between 0 and 1"),
        ({"rate": 0.9, "limit": 0.8, "sensitivity": 0.9}, "give both sensitivity and specificity"),
        ({"rate": 0.9, "limit": 0.8, "samples": 5, "labels": 5}, "give samples or labels"),
    ],
)
def test_what_cannot_be_planned(given: dict[str, float], complaint: str) -> None:
    """One line says what is wrong."""
    with pytest.raises(UsageError, match=complaint):
        plan_labels(**given)  # type: ignore[arg-type]  # whole numbers where they belong
