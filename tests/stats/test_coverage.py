"""A small part of ``python -m bench.coverage``: intervals hold, and tests give few false alarms."""

from dataclasses import replace

import pytest
from bench.coverage import Case, Coverage, Rate, _at_most, cases, cover, measure, rates

QUICK = {
    "share 0.95": 200,
    "mean, 0.95 and one in 20 is 0": 200,
    "share 0.95, 5 a document, ICC 0.3": 100,
    "share 0.88, 3 repeats that differ by 0.02": 100,
    "reweighted share, rare events, 3 strata": 100,
    "95th percentile, 5% missing": 100,
    "share 0.85 by people, judge 90% right, of 500": 100,
}
QUICK_RATES = {
    "compare --fail-on worse: identical, n = 30, 1 repeats": 30,
    "drift: alarm in 52 weeks, nothing changed, near the ceiling, 10 a week": 40,
    "groups: any of 20 alike stands out, Holm": 40,
    "always-valid: misses at any of 20 looks, share 0.95": 20,
}
CASES = [case for case in cases(resampled=False) if case.name in QUICK and case.samples < 200]
RATES = [rate for rate in rates() if rate.name in QUICK_RATES]


def test_the_names_are_those_of_the_bench() -> None:
    """A case that was renamed is not left out silently."""
    assert {case.name for case in CASES} == set(QUICK)
    assert {rate.name for rate in RATES} == set(QUICK_RATES)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.name}, n = {case.samples}")
def test_the_interval_covers(case: Case) -> None:
    """At least 93%, with false conclusive passes under 2.5%, as far as so few trials can tell."""
    assert cover(case, QUICK[case.name]).holds


@pytest.mark.parametrize("rate", RATES, ids=lambda rate: rate.name)
def test_the_rate_is_kept(rate: Rate) -> None:
    """At most 5% false alarms, as far as so few trials can tell."""
    trials = QUICK_RATES[rate.name]
    assert _at_most(measure(rate, trials), rate.most, trials)


def test_a_bad_interval_is_found() -> None:
    """The check can fail: an interval that always lies above the truth."""
    bad = Case(name="bad", samples=1, truth=0.5, draw=lambda _: (0.6, 0.7))
    found = cover(bad, 100)
    assert (found.covers, found.too_high) == (0.0, 1.0)
    assert not found.holds


def test_a_false_pass_lies_on_the_better_side() -> None:
    """A latency that is called lower than it is passes falsely; a pass rate that is called lower does not."""
    often = Coverage(covers=0.96, too_high=0.0, too_low=0.04, width=0.2, trials=10_000, less_is_better=False)
    assert often.holds
    assert not replace(often, less_is_better=True).holds
    bad = Case(name="low", samples=1, truth=0.5, draw=lambda _: (0.3, 0.4), less_is_better=True)
    assert cover(bad, 100).less_is_better
