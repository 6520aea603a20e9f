"""Refusal precision and recall are on should against did; the codes are a figure of their own."""

from fractions import Fraction

import pytest

from plumbrule.errors import InputError
from plumbrule.monitoring.refusal_counts import ANSWERED, NO_CODE, RefusalFacts, count_refusals
from plumbrule.rubrics import load_scorecard
from plumbrule.stats.mean_intervals import clopper_pearson

RUBRIC = load_scorecard().rubric


KNOWN = {"yes": True, "no": False, "?": None}


def facts(should: str, did: str, expected: str | None = None, code: str | None = None) -> RefusalFacts:
    """Return what is known of one interaction."""
    return RefusalFacts(should_refuse=KNOWN[should], did_refuse=KNOWN[did], expected_code=expected, code=code)


ALL = [
    facts("yes", "yes", "NO_ELIGIBLE_DOCS", "NO_ELIGIBLE_DOCS"),
    facts("yes", "yes", "NO_ELIGIBLE_DOCS", "POLICY_BLOCKED"),
    facts("yes", "yes", "AMBIGUOUS_QUERY", None),
    facts("yes", "yes"),
    facts("yes", "no", "CONFLICTING_SOURCES"),
    facts("no", "yes", None, "POLICY_BLOCKED"),
    facts("no", "no"),
    facts("?", "yes", None, "POLICY_BLOCKED"),
    facts("yes", "?"),
]


def test_counts() -> None:
    """G16: a refusal with the wrong code is a correct refusal all the same; what nobody judged is counted apart."""
    found = count_refusals(ALL, RUBRIC)
    assert (found.correct, found.unneeded, found.missing, found.unknown) == (4, 1, 1, 2)


def test_the_accuracy_of_the_code() -> None:
    """Over correct refusals whose right code is known; a missing code is a wrong one."""
    found = count_refusals(ALL, RUBRIC)
    assert found.code_accuracy == Fraction(1, 3)
    assert found.code_accuracy_interval == clopper_pearson(1, 3)


def test_the_confusion_matrix() -> None:
    """Rows are what was expected, columns what was given, answers among them."""
    found = count_refusals(ALL, RUBRIC)
    assert found.labels == (*(code.key for code in RUBRIC.refusal_codes), ANSWERED, NO_CODE)
    cells = {
        (found.labels[i], found.labels[j]): count
        for i, row in enumerate(found.codes)
        for j, count in enumerate(row)
        if count
    }
    assert cells == {
        ("NO_ELIGIBLE_DOCS", "NO_ELIGIBLE_DOCS"): 1,
        ("NO_ELIGIBLE_DOCS", "POLICY_BLOCKED"): 1,
        ("AMBIGUOUS_QUERY", NO_CODE): 1,
        ("CONFLICTING_SOURCES", ANSWERED): 1,
        (ANSWERED, "POLICY_BLOCKED"): 1,
        (ANSWERED, ANSWERED): 1,
    }
    assert found.result().confusion.labels == found.labels


def test_nothing_is_null() -> None:
    """G16: a zero denominator is null, never 0 or 100%."""
    shown = count_refusals([], RUBRIC).result()
    assert (shown.code_accuracy, shown.code_accuracy_interval_95, shown.code_total) == (None, None, 0)


@pytest.mark.parametrize("side", ["expected", "code"])
def test_an_unknown_code(side: str) -> None:
    """A typo is named with the nearest code."""
    bad = facts("yes", "yes", **{side: "NO_ELIGIBLE_DOC"})
    with pytest.raises(InputError, match="no refusal code 'NO_ELIGIBLE_DOC'; did you mean 'NO_ELIGIBLE_DOCS'"):
        count_refusals([bad], RUBRIC)
    with pytest.raises(InputError, match="no refusal code 'x'; there are NO_ELIGIBLE_DOCS, "):
        count_refusals([facts("yes", "yes", **{side: "x"})], RUBRIC)
