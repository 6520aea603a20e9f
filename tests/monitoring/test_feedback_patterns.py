"""Patterns in what was reviewed: counted, grouped, with the remedy of the rubric."""

import pytest

from plumbrule.codec import to_json
from plumbrule.monitoring.feedback_patterns import By, Feedback, Observation, Pattern, find_patterns
from plumbrule.rubrics import load_scorecard
from plumbrule.stats.mean_intervals import clopper_pearson

LOADED = load_scorecard()
RUBRIC = LOADED.rubric
KEYS = [dimension.key for dimension in RUBRIC.dimensions]


def seen(trace_id: str, *levels: int | None, **groups: str) -> Observation:
    """Return what was reviewed; levels left out are Strong."""
    by: dict[By, tuple[str, ...]] = {name: tuple(value.split()) for name, value in groups.items()}  # type: ignore[misc]
    return Observation(trace_id=trace_id, scores=dict(zip(KEYS, [*levels, 4, 4, 4, 4, 4, 4], strict=False)), groups=by)


def pattern(found: Feedback, key: str) -> Pattern:
    """Return one pattern."""
    [each] = [each for each in found.patterns if each.key == key]
    return each


def test_the_three_patterns_with_their_remedies() -> None:
    """R18: retrieval, grounding and refusal issues, each with what mends it, the most frequent first."""
    found = find_patterns([seen("a", 4, 4, 4, 4, 1), seen("b", 4, 2), seen("c", 4, 4, 4, 4, 2), seen("d")], LOADED)
    told = [(each.key, each.remedy, each.traces, each.total) for each in found.patterns]
    assert told == [
        ("refusal_issues", "Update taxonomy or thresholds", ("a", "c"), 4),
        ("retrieval_issues", "Tune retrieval or expand corpus", ("b",), 4),
        ("grounding_issues", "Adjust prompts or thresholds", (), 4),
    ]


def test_the_share_has_an_interval() -> None:
    """The exact one, of those that the pattern is about."""
    found = pattern(find_patterns([seen("a", 4, 2), seen("b"), seen("c", 4, None)], LOADED), "retrieval_issues")
    shown = to_json(found)
    interval = clopper_pearson(1, 2)
    assert interval is not None
    assert (shown["count"], shown["total"], shown["share"], shown["interval_95"]) == (1, 2, 0.5, list(interval))


def test_nothing_has_no_share() -> None:
    """A pattern about nothing has no share and no interval."""
    for observations in ([], [seen("a", 4, None)]):
        found = pattern(find_patterns(observations, LOADED), "retrieval_issues")
        assert (found.count, found.share, found.interval_95) == (0, None, None)


def test_where_a_pattern_gathers() -> None:
    """By code, category, source and model; several sources count each, and only groups that show it are there."""
    bad = [seen(f"b{number}", 4, 4, 2, source="S1 S2 S1", model="m1") for number in range(4)]
    good = [seen(f"g{number}", source="S2", model="m1", category="fees") for number in range(12)]
    found = pattern(find_patterns(bad + good, LOADED), "grounding_issues")
    told = [(each.by, each.name, len(each.traces), each.total, each.stands_out) for each in found.groups]
    assert told == [("source", "S1", 4, 4, True), ("source", "S2", 4, 16, False), ("model", "m1", 4, 16, False)]


def test_many_groups_are_allowed_for() -> None:
    """Two of two in one of twenty sources is what chance shows somewhere; six of six is not."""
    good = [seen(f"g{number}", source=f"S{number % 20}") for number in range(80)]
    chance = [seen(f"b{number}", 4, 4, 2, source="S1" if number < 3 else f"S{number}") for number in range(8)]
    found = pattern(find_patterns(good + chance, LOADED), "grounding_issues")
    assert [group.name for group in found.groups if group.stands_out] == []
    bad = [seen(f"c{number}", 4, 4, 2, source="S99") for number in range(6)]
    found = pattern(find_patterns(good + chance + bad, LOADED), "grounding_issues")
    assert [group.name for group in found.groups if group.stands_out] == ["S99"]


def test_groups_too_small_to_stand_out_cost_nothing() -> None:
    """A hundred sources with one interaction each could not show anything, and do not hide the one that does."""
    good = [seen(f"g{number}", source=f"S{number}") for number in range(100)]
    bad = [seen(f"b{number}", 4, 4, 2, source="fees") for number in range(4)]
    found = pattern(find_patterns(good + bad, LOADED), "grounding_issues")
    assert [(group.name, group.stands_out) for group in found.groups] == [("fees", True)]
    assert found.groups[0].p_value_adjusted == pytest.approx(found.groups[0].p_value)


def test_an_interaction_counts_once() -> None:
    """Reviewed in two campaigns, it is one interaction."""
    found = pattern(find_patterns([seen("a", 4, 2), seen("a", 4, 2), seen("b")], LOADED), "retrieval_issues")
    assert (found.traces, found.total) == (("a",), 2)


@pytest.mark.parametrize(("key", "remedies"), [("compliance_alignment", 0), ("retrieval_relevance", 1)])
def test_every_dimension_is_counted(key: str, remedies: int) -> None:
    """Those without a pattern of their own have no remedy, and are told all the same."""
    found = find_patterns([seen("a", 2, 2, 2, 2, 2, 1), seen("b")], LOADED)
    [each] = [each for each in found.dimensions if each.dimension == key]
    assert (each.traces, each.total, len(each.remedies)) == (("a",), 2, remedies)
