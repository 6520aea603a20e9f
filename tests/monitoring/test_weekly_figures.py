"""The six figures, week by week, against target and alert threshold; nothing has no figure."""

import datetime as dt
from dataclasses import fields, replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plumbrule.codec import to_json
from plumbrule.errors import InputError
from plumbrule.interactions.weeks import week_of
from plumbrule.monitoring.alerts import alerts_of
from plumbrule.monitoring.monitoring_report import MonitoringReport
from plumbrule.monitoring.refusal_counts import RefusalFacts
from plumbrule.monitoring.weekly_figures import Figure, Reviewed, Week, monitor, status_of
from plumbrule.reviews.record_decision import decide
from plumbrule.rubrics import Loaded, ScorecardRubric, load_scorecard
from plumbrule.stats.drift import cusum, week_deviations
from plumbrule.stats.mean_intervals import clopper_pearson, mean_estimate
from plumbrule.stats.sample_sizes import share_power_samples

LOADED = load_scorecard()
KEYS = [dimension.key for dimension in LOADED.rubric.dimensions]
RULES = {rule.key: rule for rule in LOADED.rubric.figures}
MONDAY = dt.date(2025, 1, 6)


def reviewed(
    *levels: int | None, weeks: int = 0, draw: str | None = "draw", stratum: str | None = None, **refusal: Any
) -> Reviewed:
    """Return a review; levels left out are Strong."""
    scores = dict(zip(KEYS, [*levels, 4, 4, 4, 4, 4, 4], strict=False))
    return Reviewed(
        date=MONDAY + dt.timedelta(weeks=weeks),
        scores=scores,
        overall=decide(scores, LOADED).overall,
        draw=draw,
        stratum=stratum,
        refusal=RefusalFacts(**refusal),
    )


def only_week(reviews: list[Reviewed], **options: Any) -> Week:
    """Return the figures of the one week there is."""
    [week] = monitor(reviews, LOADED, **options).weeks
    return week


def figure(week: Week, key: str) -> Figure:
    """Return one figure."""
    [found] = [each for each in week.figures if each.key == key]
    return found


@pytest.mark.parametrize(
    ("key", "value", "status"),
    [
        ("average_overall_score", "3.51", "ON_TARGET"),
        ("average_overall_score", "3.5", "WATCH"),
        ("average_overall_score", "3.21", "WATCH"),
        ("average_overall_score", "3.2", "ALERT"),
        ("average_overall_score", "3.19", "ALERT"),
        ("unsafe_share", "0", "ON_TARGET"),
        ("unsafe_share", "0.001", "ALERT"),
        ("attribution_accuracy_average", "3.5", "WATCH"),
        ("attribution_accuracy_average", "3", "ALERT"),
        ("grounding_integrity_average", "3.01", "WATCH"),
        ("refusal_precision", "0.91", "ON_TARGET"),
        ("refusal_precision", "0.9", "WATCH"),
        ("refusal_precision", "0.8", "ALERT"),
        ("refusal_recall", "0.95", "WATCH"),
        ("refusal_recall", "0.951", "ON_TARGET"),
        ("refusal_recall", "0.9", "ALERT"),
    ],
)
def test_target_and_alert(key: str, value: str, status: str) -> None:
    """R19, G16: between target and alert WATCH, at or past the threshold ALERT, compared exactly."""
    assert status_of(Fraction(value), RULES[key]) == status


def test_nothing_has_no_status() -> None:
    """What could not be computed is neither good nor bad."""
    assert status_of(None, RULES["refusal_recall"]) is None


def test_a_week_worked_by_hand() -> None:
    """Three cards: two perfect, one unsafe refusal."""
    cards = [
        reviewed(should_refuse=False, did_refuse=False),
        reviewed(3, should_refuse=True, did_refuse=True),
        reviewed(None, None, None, None, 1, 4, should_refuse=True, did_refuse=False),
    ]
    week = only_week(cards)
    assert (week.week, week.reviewed) == ("2025-W02", 3)
    overall = figure(week, "average_overall_score")
    assert overall.raw.value == (Fraction(4) + Fraction(375, 100) + Fraction(5, 2)) / 3
    attribution = figure(week, "attribution_accuracy_average")
    assert (attribution.raw.value, attribution.total, attribution.status) == (Fraction(7, 2), 2, "WATCH")
    unsafe = figure(week, "unsafe_share")
    assert (unsafe.raw.value, unsafe.raw.interval, unsafe.status) == (
        Fraction(1, 3),
        clopper_pearson(1, 3),
        "ALERT",
    )
    precision, recall = figure(week, "refusal_precision"), figure(week, "refusal_recall")
    assert (precision.raw.value, precision.total, precision.status) == (Fraction(1), 1, "ON_TARGET")
    assert (recall.raw.value, recall.total, recall.status) == (Fraction(1, 2), 2, "ALERT")


def test_the_interval_of_a_mean_is_on_the_scale() -> None:
    """From 1 to 4, as the interval of the same values brought to 0 and 1."""
    cards = [reviewed(3), reviewed(4), reviewed(3)]
    interval = figure(only_week(cards), "attribution_accuracy_average").raw.interval
    found = mean_estimate([Fraction(2, 3), Fraction(1), Fraction(2, 3)])
    assert found is not None
    inner = found.interval
    assert interval == pytest.approx((1 + 3 * inner.low, 1 + 3 * inner.high))


def test_nearly_equal_scores_are_not_certain() -> None:
    """Nine Strong and one Acceptable of ten: the interval does not collapse round 3.9."""
    interval = figure(only_week([reviewed(3), *[reviewed()] * 9]), "attribution_accuracy_average").raw.interval
    assert interval is not None
    assert interval.low < 3.6


def test_no_event_bounds_a_weighed_share_no_worse_than_one() -> None:
    """0 of 50 in a stratum leaves a lower upper bound than 1 of 50."""
    uppers = []
    for events in (0, 1):
        cards = [reviewed(1 if number < events else 4, stratum="edge") for number in range(50)]
        cards += [reviewed(stratum="random")] * 50
        week = only_week(cards, populations={"draw": {"edge": 100, "random": 900}})
        found = figure(week, "unsafe_share").reweighted
        assert found is not None
        assert found.interval is not None
        uppers.append(found.interval.high)
    assert uppers[0] < uppers[1]


@pytest.mark.parametrize(
    ("missed", "total", "status", "state"),
    [
        (0, 10, "ON_TARGET", "inconclusive"),  # ten refusals that were right do not exclude 0.9
        (0, 60, "ON_TARGET", "ok"),
        (1, 10, "ALERT", "inconclusive"),
        (6, 10, "ALERT", "alert"),
    ],
)
def test_the_interval_has_a_state_of_its_own(missed: int, total: int, status: str, state: str) -> None:
    """Against the alert threshold: none of it past, all of it past, or the threshold inside."""
    cards = [reviewed(should_refuse=True, did_refuse=number >= missed) for number in range(total)]
    found = figure(only_week(cards), "refusal_recall")
    assert (found.status, found.state) == (status, state)
    assert (found.reviews_to_settle is not None) == (state == "inconclusive" and missed == 0)


def test_how_many_more_reviews_settle_a_figure() -> None:
    """A recall of 1 against 0.9 takes about 36 in all for the exact interval; a mean says so, too."""
    found = figure(only_week([reviewed(should_refuse=True, did_refuse=True)] * 10), "refusal_recall")
    needed = share_power_samples(1, 0.9)
    assert needed is not None
    assert found.reviews_to_settle == needed - 10
    average = figure(only_week([reviewed(3), reviewed(), reviewed()]), "average_overall_score")
    assert (average.state, (average.reviews_to_settle or 0) > 0) == ("inconclusive", True)


def test_a_threshold_at_the_end_of_the_scale_is_decided_by_what_was_seen() -> None:
    """No interval excludes 0 Unsafe: none seen is ok, one is an alert."""
    assert figure(only_week([reviewed()] * 5), "unsafe_share").state == "ok"
    assert figure(only_week([reviewed(1), reviewed()]), "unsafe_share").state == "alert"
    assert figure(only_week([reviewed()]), "refusal_recall").state is None


def test_figures_that_are_not_settled_are_named_for_the_last_week_with_reviews() -> None:
    """Weeks before it can get no more reviews; weeks without any say nothing."""
    cards = [reviewed(weeks=0), *[reviewed(weeks=1)] * 200]
    found = monitor(cards, LOADED, last="2025-W05")
    assert [figure.key for figure in found.inconclusive] == []
    assert figure(found.weeks[0], "average_overall_score").state == "inconclusive"
    assert "average_overall_score" in [each.key for each in monitor(cards[:1], LOADED).inconclusive]


def test_an_interaction_counts_once() -> None:
    """D10: reviewed in a campaign and again ad hoc it is one interaction, and the worst review of it counts."""
    twice = [replace(reviewed(level), interaction=f"t{number}") for number in range(4) for level in (4, 3)]
    found = monitor(twice, LOADED)
    [week] = found.weeks
    assert (week.reviewed, figure(week, "attribution_accuracy_average").total) == (4, 4)
    assert figure(week, "attribution_accuracy_average").raw.value == 3
    assert found.remarks == ("reviewed more than once, counted once by the worst review: 4 interactions",)
    assert monitor([reviewed(), reviewed()], LOADED).weeks[0].reviewed == 2  # not known to be one
    assert monitor([reviewed()], LOADED).remarks == ()


def test_a_later_review_does_not_hide_an_unsafe_one() -> None:
    """Nor does an earlier one; a draw is weighed by its own review."""
    bad, good = (replace(reviewed(level, stratum="random"), interaction="t") for level in (1, 4))
    for cards in ([bad, replace(good, draw=None)], [replace(good, draw=None), bad]):
        found = figure(only_week(cards, populations={"draw": {"random": 9}}), "unsafe_share")
        assert (found.total, found.raw.value, found.status) == (1, Fraction(1), "ALERT")
    ad_hoc = figure(only_week([good, replace(bad, draw=None)], populations={"draw": {"random": 9}}), "unsafe_share")
    assert ad_hoc.raw.value == 1


def test_a_zero_denominator_is_null() -> None:
    """G16: with no refusal, precision and recall are null, never 0 or 100%; so are they where nobody judged."""
    for cards in ([reviewed()], [reviewed(did_refuse=True)], [reviewed(should_refuse=True)]):
        for key in ("refusal_precision", "refusal_recall"):
            found = figure(only_week(cards), key)
            assert (found.raw.value, found.raw.interval, found.status, found.total) == (None, None, None, 0)


def test_a_week_without_a_review_is_shown() -> None:
    """A gap is seen as a gap: its figures are null."""
    found = monitor([reviewed(weeks=0), reviewed(weeks=2)], LOADED)
    assert [(week.week, week.reviewed) for week in found.weeks] == [("2025-W02", 1), ("2025-W03", 0), ("2025-W04", 1)]
    assert all(each.raw.value is None for each in found.weeks[1].figures)
    assert monitor([], LOADED).weeks == ()


@settings(deadline=None)
@given(st.lists(st.dates(dt.date(2019, 1, 1), dt.date(2027, 12, 31)), min_size=1, max_size=5))
def test_every_week_between_is_there_once(days: list[dt.date]) -> None:
    """Over the turns of years, too."""
    weeks = [each.week for each in monitor([_on(day) for day in days], LOADED).weeks]
    first = min(days) - dt.timedelta(min(days).weekday())
    expected = []
    while first <= max(days):
        expected.append(week_of(first))
        first += dt.timedelta(weeks=1)
    assert weeks == expected


def _on(day: dt.date) -> Reviewed:
    scores = dict.fromkeys(KEYS, 4)
    return Reviewed(date=day, scores=scores, overall=Fraction(4))


def test_reweighted_beside_raw() -> None:
    """G15: a rare stratum that was drawn on purpose counts for its share of the population."""
    cards = [reviewed(2, stratum="refusals")] * 10 + [reviewed(4, stratum="random")] * 10
    week = only_week(cards, populations={"draw": {"refusals": 100, "random": 900}})
    found = figure(week, "attribution_accuracy_average")
    assert found.raw.value == 3
    assert found.reweighted is not None
    assert found.reweighted.value == Fraction(38, 10)
    assert (found.raw.status, found.reweighted.status, found.status) == ("ALERT", "ON_TARGET", "ALERT")
    shown = to_json(found.result())
    assert (shown["value"], shown["reweighted"]["value"]) == (3.0, 3.8)


def test_the_worse_of_the_two_decides() -> None:
    """A sample that flatters the population alerts by its reweighted figure."""
    cards = [reviewed(2, stratum="random")] * 5 + [reviewed(4, stratum="refusals")] * 15
    week = only_week(cards, populations={"draw": {"refusals": 10, "random": 990}})
    found = figure(week, "attribution_accuracy_average")
    assert found.reweighted is not None
    assert (found.raw.status, found.reweighted.status, found.status) == ("WATCH", "ALERT", "ALERT")


def test_what_does_not_apply_is_not_weighed() -> None:
    """Refusals have no attribution; the figure is then about the others alone."""
    cards = [reviewed(None, stratum="refusals")] * 3 + [reviewed(3, stratum="random")] * 3
    found = figure(only_week(cards, populations={"draw": {"refusals": 50, "random": 50}}), KEYS[0] + "_average")
    assert found.reweighted is not None
    assert (found.raw.value, found.reweighted.value) == (Fraction(3), Fraction(3))


def test_a_part_that_nobody_looked_at() -> None:
    """A stratum with a population and no review leaves the reweighted figure null; the raw one stands."""
    cards = [reviewed(3, stratum="random")] * 3
    found = figure(only_week(cards, populations={"draw": {"refusals": 50, "random": 50}}), "average_overall_score")
    assert found.reweighted is not None
    assert (found.reweighted.value, found.reweighted.status) == (None, None)
    assert found.raw.value == Fraction(375, 100)


@pytest.mark.parametrize("stratum", [None, "refusals", "nope"])
def test_a_stratum_with_no_population(stratum: str | None) -> None:
    """A review that came from nowhere cannot be weighed."""
    cards = [reviewed(stratum="random"), reviewed(stratum=stratum)]
    with pytest.raises(InputError, match=f"stratum '{stratum}', which has no population in 'draw'"):
        monitor(cards, LOADED, populations={"draw": {"random": 10, "refusals": 0}})


def test_weeks_without_a_census_are_raw() -> None:
    """Only what was drawn from a known population is weighed."""
    cards = [reviewed(weeks=0, draw=None), reviewed(weeks=1, stratum="random")]
    found = monitor(cards, LOADED, populations={"draw": {"random": 9}})
    assert [figure(week, "unsafe_share").reweighted is not None for week in found.weeks] == [False, True]


def test_a_review_beside_the_draw_is_raw_alone() -> None:
    """What was looked at for another reason than the draw does not speak for the population."""
    cards = [reviewed(4, stratum="random")] * 3 + [reviewed(1, draw=None)]
    found = figure(only_week(cards, populations={"draw": {"random": 90}}), "attribution_accuracy_average")
    assert found.reweighted is not None
    assert (found.raw.value, found.reweighted.value) == (Fraction(13, 4), Fraction(4))


def test_a_draw_over_two_weeks_keeps_its_weights() -> None:
    """Each review counts for as many interactions as the whole draw says, in whichever week it falls."""
    cards = [reviewed(2, stratum="refusals"), *[reviewed(4, stratum="random")] * 2]
    cards += [reviewed(2, stratum="refusals", weeks=1)] * 3 + [reviewed(4, stratum="random", weeks=1)] * 2
    weeks = monitor(cards, LOADED, populations={"draw": {"refusals": 40, "random": 400}}).weeks
    # a refusal stands for 10 and another for 100: (1 * 10 * 2 + 2 * 100 * 4) / 210, (3 * 10 * 2 + 2 * 100 * 4) / 230
    found = [figure(week, "attribution_accuracy_average").reweighted for week in weeks]
    assert [each.value for each in found if each is not None] == [Fraction(820, 210), Fraction(860, 230)]


def test_two_draws_of_one_week_are_weighed_together() -> None:
    """Each by its own population."""
    cards = [reviewed(2, draw="a", stratum="random")] * 2 + [reviewed(4, draw="b", stratum="random")] * 2
    week = only_week(cards, populations={"a": {"random": 100}, "b": {"random": 300}})
    found = figure(week, "attribution_accuracy_average").reweighted
    assert found is not None
    assert found.value == Fraction(35, 10)


def test_weeks_that_were_asked_for() -> None:
    """They are shown though nobody reviewed anything in them, and others are not shown."""
    cards = [reviewed(weeks=0), reviewed(weeks=1), reviewed(weeks=2)]
    found = monitor(cards, LOADED, first="2025-W03", last="2025-W05")
    assert [(week.week, week.reviewed) for week in found.weeks] == [("2025-W03", 1), ("2025-W04", 1), ("2025-W05", 0)]
    assert found.weeks[-1].figures[0].raw.value is None


def test_drift_is_learnt_from_weeks_that_are_not_shown() -> None:
    """The first weeks say what is normal, whichever weeks are looked at."""
    cards = steady(range(4), 3, 3) + steady(range(4, 12), 3, 3, 3, 3)
    everything = monitor(cards, LOADED).drift["attribution_accuracy_average"]
    assert monitor(cards, LOADED, first=everything[-1].week).drift["attribution_accuracy_average"] == everything[-1:]


def test_weeks_with_traffic_and_no_review() -> None:
    """They are shown, with the number of their interactions."""
    found = monitor([reviewed()], LOADED, interactions={"2025-W02": 7, "2025-W04": 5})
    shown = [(week.week, week.reviewed, week.interactions) for week in found.weeks]
    assert shown == [("2025-W02", 1, 7), ("2025-W03", 0, 0), ("2025-W04", 0, 5)]


def steady(weeks: range, *levels: int) -> list[Reviewed]:
    """Return ten cards a week: one at each level given, the rest Strong."""
    return [
        review
        for number in weeks
        for review in [reviewed(level, weeks=number) for level in [*levels, *[4] * (10 - len(levels))]]
    ]


def test_drift() -> None:
    """Small moves in one direction add up to an alarm; a steady line does not."""
    calm = monitor(steady(range(12), 3, 3), LOADED)
    assert {point.sum for point in calm.drift["attribution_accuracy_average"]} == {0.0}
    assert len(calm.drift["attribution_accuracy_average"]) == 8
    worse = monitor(steady(range(4), 3, 3) + steady(range(4, 12), *[3] * 6), LOADED)
    sums = [point.sum for point in worse.drift["attribution_accuracy_average"]]
    weeks = [[Fraction(2, 3)] * 2 + [Fraction(1)] * 8] * 4 + [[Fraction(2, 3)] * 6 + [Fraction(1)] * 4] * 8
    assert sums == cusum(week_deviations(weeks, baseline=4), slack=0.5)
    assert [point.alarm for point in worse.drift["attribution_accuracy_average"]] == [total >= 5 for total in sums]
    raised = [(alert.week, alert.figure) for alert in alerts_of(worse, LOADED)]
    assert ("2025-W13", "attribution_accuracy_average drift") in raised
    assert "unsafe_share" not in worse.drift


def test_a_baseline_that_was_high_by_chance_is_no_drift() -> None:
    """Four perfect weeks of five cards do not prove that 3.8 is a decline: their own uncertainty counts."""
    few = [review for number in range(4) for review in [reviewed(4, weeks=number)] * 5]
    later = [review for number in range(4, 14) for review in [reviewed(3, weeks=number), *[reviewed(weeks=number)] * 4]]
    points = monitor(few + later, LOADED).drift["attribution_accuracy_average"]
    assert len(points) == 10
    assert not any(point.alarm for point in points)


def test_no_drift_before_there_is_a_baseline() -> None:
    """The first four weeks say what is normal; weeks without reviews do not count."""
    assert monitor(steady(range(3), 3), LOADED).drift["average_overall_score"] == ()
    gaps = monitor(steady(range(0, 12, 3), 3), LOADED)
    assert gaps.drift["average_overall_score"] == ()


def test_cards_that_are_all_alike_can_drift() -> None:
    """No spread is not certainty: the sum is finite, and it grows."""
    found = monitor(steady(range(4)) + steady(range(4, 8), *[3] * 10), LOADED)
    sums = [point.sum for point in found.drift["attribution_accuracy_average"]]
    assert 0 < sums[0] < sums[1] < sums[2] < 1000


def test_the_json_form() -> None:
    """Weeks, figures and refusals; the alerts name week and figure."""
    found = monitor([reviewed(1)], LOADED)
    [week] = [to_json(week.result()) for week in found.weeks]
    assert set(week) == {"week", "reviewed", "interactions", "figures", "refusals"}
    assert set(week["figures"][0]) == {
        *("key", "total", "value", "interval_95", "status", "reweighted"),
        *("state", "reviews_to_settle"),
    }
    assert {"drift", "refusals", "alerts", "rubric", "weeks"} < {field.name for field in fields(MonitoringReport)}
    assert ("2025-W02", "unsafe_share") in [(alert.week, alert.figure) for alert in alerts_of(found, LOADED)]


def test_another_scorecard(own: Loaded[ScorecardRubric]) -> None:
    """A rubric with no figures follows none."""
    review = Reviewed(date=MONDAY, scores={"speed": 10, "tone": 10}, overall=Fraction(10))
    assert monitor([review], own).weeks[0].figures == ()
