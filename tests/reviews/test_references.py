"""The figures of monitoring equal those that the reference packages make of the same cards."""

import datetime as dt
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import confusion_matrix, precision_score, recall_score
from statsmodels.stats.proportion import proportion_confint
from statsmodels.stats.weightstats import DescrStatsW

from plumbrule.monitoring.refusal_counts import ANSWERED, RefusalFacts, count_refusals
from plumbrule.monitoring.weekly_figures import Estimate, Reviewed, Week, monitor
from plumbrule.reviews.record_decision import decide
from plumbrule.rubrics import load_scorecard

LOADED = load_scorecard()
KEYS = [dimension.key for dimension in LOADED.rubric.dimensions]
WEIGHTS = [float(dimension.weight) for dimension in LOADED.rubric.dimensions]
CODES = [code.key for code in LOADED.rubric.refusal_codes]

card = st.tuples(*[st.integers(1, 4)] * len(KEYS))
said = st.tuples(st.booleans(), st.booleans())  # should have refused, did refuse
week_of_cards = st.lists(st.tuples(card, said), min_size=1, max_size=30)


def figures(cards: list[tuple[tuple[int, ...], tuple[bool, bool]]]) -> dict[str, Estimate]:
    """Return the raw figures of a week."""
    reviewed = []
    for levels, (should, did) in cards:
        scores = dict(zip(KEYS, levels, strict=True))
        reviewed.append(
            Reviewed(
                date=dt.date(2025, 1, 6),
                scores=scores,
                overall=decide(scores, LOADED).overall,
                refusal=RefusalFacts(should_refuse=should, did_refuse=did),
            )
        )
    week: Week
    [week] = monitor(reviewed, LOADED).weeks
    return {figure.key: figure.raw for figure in week.figures}


@settings(max_examples=50)
@given(week_of_cards)
def test_shares(cards: list[tuple[tuple[int, ...], tuple[bool, bool]]]) -> None:
    """Precision and recall are scikit-learn's; every share has the exact interval of statsmodels."""
    found = figures(cards)
    should, did = [each[0] for _, each in cards], [each[1] for _, each in cards]
    both = sum(s and d for s, d in zip(should, did, strict=True))
    unsafe = sum(1 in levels for levels, _ in cards)
    for key, count, total, value in (
        ("unsafe_share", unsafe, len(cards), unsafe / len(cards)),
        ("refusal_precision", both, sum(did), precision_score(should, did, zero_division=0)),
        ("refusal_recall", both, sum(should), recall_score(should, did, zero_division=0)),
    ):
        if total == 0:
            assert (found[key].value, found[key].interval) == (None, None)
        else:
            assert found[key].value == Fraction(count, total)
            assert count / total == pytest.approx(value, abs=1e-12)
            expected = proportion_confint(count, total, method="beta")
            assert found[key].interval == pytest.approx(expected, abs=1e-9)


@settings(max_examples=50)
@given(week_of_cards)
def test_means(cards: list[tuple[tuple[int, ...], tuple[bool, bool]]]) -> None:
    """Means of levels and of overall scores; their interval holds Student's t of statsmodels with two pseudo-values.

    The skewness moves its ends outwards only; levels at the ends of the scale alone have the exact interval of a share.
    """
    found = figures(cards)
    overall = [sum(w * level for w, level in zip(WEIGHTS, levels, strict=True)) / sum(WEIGHTS) for levels, _ in cards]
    for key, values in (
        ("average_overall_score", overall),
        ("attribution_accuracy_average", [levels[KEYS.index("attribution_accuracy")] for levels, _ in cards]),
        ("grounding_integrity_average", [levels[KEYS.index("grounding_integrity")] for levels, _ in cards]),
    ):
        described, estimate = DescrStatsW([round(value, 9) for value in values]), found[key]
        assert estimate.value is not None
        assert float(estimate.value) == pytest.approx(described.mean, abs=1e-9)
        assert estimate.interval is not None
        if all(value in {1, 4} for value in values):
            low, high = proportion_confint(sum(value == 4 for value in values), len(values), method="beta")
            assert estimate.interval == pytest.approx((1 + 3 * low, 1 + 3 * high), abs=1e-6)
        else:
            low, high = DescrStatsW([*values, 1, 4]).tconfint_mean(0.05)
            assert estimate.interval.low <= max(1, low) + 1e-6
            assert estimate.interval.high >= min(4, high) - 1e-6


@given(st.lists(st.tuples(st.sampled_from([*CODES, None]), st.sampled_from([*CODES, None])), min_size=1, max_size=30))
def test_codes(pairs: list[tuple[str | None, str | None]]) -> None:
    """The confusion matrix by code is scikit-learn's, and the accuracy of the code its diagonal over the refusals."""
    found = count_refusals(
        [
            RefusalFacts(
                should_refuse=expected is not None,
                did_refuse=given is not None,
                expected_code=expected,
                code=given,
            )
            for expected, given in pairs
        ],
        LOADED.rubric,
    )
    named = [[each or ANSWERED for each in side] for side in zip(*pairs, strict=True)]
    expected = confusion_matrix(*named, labels=list(found.labels)).tolist()
    assert [list(row) for row in found.codes] == expected
    refused = [(e, g) for e, g in pairs if e is not None and g is not None]
    assert (found.code_right, found.code_total) == (sum(e == g for e, g in refused), len(refused))
    if refused:
        exact = proportion_confint(found.code_right, found.code_total, method="beta")
        assert found.code_accuracy_interval == pytest.approx(exact, abs=1e-9)
