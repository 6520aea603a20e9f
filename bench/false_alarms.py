"""Simulated runs and reviews in which nothing changed, given to the product's own functions, which should not alarm.

Each function draws one history and tells whether the product calls it out. ``python -m bench.coverage`` counts them.
"""

import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from random import Random

from plumbrule.monitoring.feedback_patterns import Observation, find_patterns
from plumbrule.monitoring.weekly_figures import Figure, Reviewed, monitor
from plumbrule.reviews.record_decision import decide
from plumbrule.rubrics import load_benchmark, load_scorecard
from plumbrule.runs.comparison import compare
from plumbrule.runs.gate_estimates import SampleDesign
from plumbrule.runs.sample_results import SampleResult
from plumbrule.stats.intervals import Interval
from plumbrule.support.calibration import Curve, logistic
from plumbrule.support.calibration_fit import Judged, fit

BENCHMARK = load_benchmark().rubric
SCORECARD = load_scorecard()
WATCHED = SCORECARD.rubric.dimensions[0].key  # a dimension whose average is watched
DRIFTS = f"{WATCHED}_average"
# the one figure that is simulated: the others would take the time of it
DRIFT_ALONE = replace(
    SCORECARD,
    rubric=replace(SCORECARD.rubric, figures=tuple(rule for rule in SCORECARD.rubric.figures if rule.key == DRIFTS)),
)
MONDAY = dt.date(2025, 1, 6)
PERFECT = Curve(knots=((-4.0, -4.0), (4.0, 4.0)), tail_slope=1.0)


def worse_of_identical(random: Random, *, samples: int, repeats: int = 1) -> bool:
    """Compare two runs of one candidate that stands near every limit: whether ``--fail-on worse`` exits with 1."""
    eases = [random.betavariate(6, 0.8) for _ in range(samples)]
    first, second = _run(random, eases, repeats), _run(random, eases, repeats)
    return bool(compare(first, second, BENCHMARK).regressions)


def worse_at_a_look(random: Random, *, looks: int, samples: int) -> bool:
    """Compare two runs of one candidate each time the dataset has grown: whether any of these looks is clearly worse.

    The comparison is sequential.
    """
    eases = [random.betavariate(6, 0.8) for _ in range(looks * samples)]
    first, second = _run(random, eases, 1), _run(random, eases, 1)
    design = SampleDesign(order=[answer.sample_id for answer in first], sequential=True)
    return any(
        compare(first[:count], second[:count], BENCHMARK, design=design).regressions
        for count in range(samples, len(eases) + 1, samples)
    )


def worse_is_found(random: Random, *, samples: int, repeats: int = 1) -> bool:
    """Compare a run with one that answers one question in six wrongly that the first got right."""
    eases = [random.betavariate(6, 0.8) for _ in range(samples)]
    first, second = _run(random, eases, repeats), _run(random, [5 / 6 * ease for ease in eases], repeats)
    return bool(compare(first, second, BENCHMARK).regressions)


def _run(random: Random, eases: Sequence[float], repeats: int) -> list[SampleResult]:
    return [_answer(random, number, repeat, ease) for number, ease in enumerate(eases) for repeat in range(repeats)]


def _answer(random: Random, number: int, repeat: int, ease: float) -> SampleResult:
    good = random.random() < ease
    faithful = good or random.random() < 0.6
    return SampleResult(
        sample_id=f"q{number}",
        repeat=repeat,
        accuracy_score=random.choice((1, 2, 2)) if good else 0,
        faithfulness_score=None if random.random() < 0.01 else random.choice((1, 2)) if faithful else 0,
        # the 95th percentile is near 10,000 ms, and one latency in a hundred is not known
        latency_e2e_ms=None if random.random() < 0.01 else round(2_800 * random.lognormvariate(0.3 * ease, 0.6), 1),
        input_tokens=1_500,
        output_tokens=round(300 * random.lognormvariate(0, 0.5)),
    )


def drift_alarm(random: Random, *, value: Callable[[Random], float], size: int, drop: float = 0.0) -> bool:
    """Review so many interactions a week, for a year or until 20 weeks after a drop: whether the figure drifts.

    Values between 0 and 1 become levels 1 to 4, and what is between two levels is drawn.
    """
    reviews = []
    for week in range(32 if drop else 52):
        for _ in range(size):
            place = 3 * max(0.0, value(random) - (drop if week >= 12 else 0.0))
            level = 1 + int(place) + (random.random() < place - int(place))
            reviews.append(_review(level, week=week))
    return any(point.alarm for point in monitor(reviews, DRIFT_ALONE).drift[DRIFTS])


def group_stands_out(random: Random, *, groups: int = 20) -> bool:
    """Review interactions of groups that are all alike, every pattern as likely in each: whether one stands out."""
    observations = []
    for number in range(groups):
        for place in range(random.choice((5, 10, 20, 40, 80))):
            scores: dict[str, int | None] = {
                dimension.key: 2 if random.random() < 0.1 else 4 for dimension in SCORECARD.rubric.dimensions
            }
            name = f"{number} {place}"
            observations.append(Observation(trace_id=name, scores=scores, groups={"source": (f"S{number}",)}))
    found = find_patterns(observations, SCORECARD)
    return any(group.stands_out for pattern in found.patterns for group in pattern.groups)


def refit_preferred(random: Random, *, labels: int = 200) -> bool:
    """Draw labels from a perfect calibration: whether ``support calibrate`` calls the new curve better."""
    places = [random.uniform(-2, 2) for _ in range(labels)]
    judged = [Judged(str(number), place, random.random() < logistic(place)) for number, place in enumerate(places)]
    return fit(judged, PERFECT, PERFECT).log_loss.better == "second"


def watched_mean(random: Random, *, cards: int, shares: Sequence[float]) -> Interval:
    """Review one week whose levels 4, 3, 2 and 1 have these shares, and return the interval of the average."""
    levels = random.choices((4, 3, 2, 1), weights=shares, k=cards)
    return _interval(_week([_review(level) for level in levels], DRIFTS))


def watched_share(
    random: Random, *, sizes: Sequence[int], shares: Sequence[float], population: Sequence[int]
) -> Interval:
    """Review one week's stratified draw, and return the weighed interval of the share with an Unsafe level."""
    reviews = [
        _review(1 if random.random() < share else 4, stratum=str(number))
        for number, (size, share) in enumerate(zip(sizes, shares, strict=True))
        for _ in range(size)
    ]
    populations = {"draw": {str(number): count for number, count in enumerate(population)}}
    return _interval(_week(reviews, "unsafe_share", populations))


def _review(level: int, *, week: int = 0, stratum: str | None = None) -> Reviewed:
    scores: dict[str, int | None] = {dimension.key: 4 for dimension in SCORECARD.rubric.dimensions}
    scores[WATCHED] = level
    return Reviewed(
        date=MONDAY + dt.timedelta(weeks=week),
        scores=scores,
        overall=Fraction(4) if level == 4 else decide(scores, SCORECARD).overall,
        draw=None if stratum is None else "draw",
        stratum=stratum,
    )


def _week(reviews: Sequence[Reviewed], key: str, populations: dict[str, dict[str, int]] | None = None) -> Figure:
    [week] = monitor(reviews, SCORECARD, populations=populations).weeks
    return next(figure for figure in week.figures if figure.key == key)


def _interval(figure: Figure) -> Interval:
    estimate = figure.reweighted or figure.raw
    assert estimate.interval is not None  # noqa: S101 - there are reviews
    return estimate.interval
