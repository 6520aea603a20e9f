"""The suite that ships keeps its own rules: enough scenarios, and each with something to check."""

from collections import Counter
from dataclasses import fields

import pytest

from plumbrule.rubrics import load_compliance, load_refusals, load_scorecard
from plumbrule.suites import CaseSet, load_suite

SUITE = load_suite()
CODES = [each for each in SUITE.sets if each.file.code is not None]


def rules() -> set[str]:
    """Return every mechanical rule there is."""
    caps = load_compliance().rubric.caps
    return {rule.name for part in fields(caps) for rule in fields(getattr(caps, part.name))}


def named(case_set: CaseSet) -> str:
    """Return a test case's name."""
    return case_set.name


def test_every_code_has_a_test_case() -> None:
    """One test case for each code of the taxonomy, and one for each hole of the scorecard's map."""
    assert Counter(each.file.code for each in CODES) == Counter(list(load_refusals().rubric.codes))
    holes = [each.key for each in load_scorecard().rubric.dimensions if not each.test_cases.patterns]
    assert sorted(key for each in SUITE.sets for key in each.file.covers) == sorted(holes)


@pytest.mark.parametrize("case_set", SUITE.sets, ids=named)
def test_there_are_enough_scenarios(case_set: CaseSet) -> None:
    """At least six, each with a near miss and another wording; for a code with two other wordings."""
    assert len(case_set.file.scenarios) >= 6
    for scenario in case_set.file.scenarios:
        assert len(scenario.variations) >= (2 if case_set.file.code else 1), scenario.id
        assert scenario.near_misses, scenario.id


def test_every_kind_of_variation_is_there_for_every_code() -> None:
    """Paraphrase, casing, several turns and adversarial wording are tried for each code."""
    for each in CODES:
        kinds = {variation.kind for scenario in each.file.scenarios for variation in scenario.variations}
        assert {"paraphrase", "casing", "multi_turn", "adversarial"} <= kinds, each.name


def test_ids_and_queries_are_unique() -> None:
    """No two cases have one id, and none asks the same of the same passages as the same role."""
    assert max(Counter(case.id for case in SUITE.cases).values()) == 1
    assert max(Counter((case.query, case.role, case.passages) for case in SUITE.cases).values()) == 1


def test_every_case_decides_something() -> None:
    """A case says whether to answer or refuse, or has another criterion; a refusal names its code."""
    for case in SUITE.cases:
        assert case.criteria, case.id
        assert (case.code is not None) == (case.outcome == "refuse"), case.id
        implied = {"refuse": {"refuses", "code_is_right"}, "answer": {"answers"}, "either": set()}[case.outcome]
        assert implied <= set(case.criteria), case.id


def test_near_misses_are_to_be_answered() -> None:
    """They look alike, and something that the answer must say is known."""
    near = [case for case in SUITE.cases if case.kind == "near_miss"]
    assert len(near) > 40
    assert all(case.outcome == "answer" and case.says for case in near)


def test_criteria_name_rules_that_exist() -> None:
    """Each criterion is decided by known rules or by a comparison, never by both or neither; each is used."""
    for name, criterion in SUITE.criteria.items():
        assert bool(criterion.rules) != (criterion.compares is not None), name
        assert set(criterion.rules) <= rules(), name
    assert {name for case in SUITE.cases for name in case.criteria} == set(SUITE.criteria)


def test_simulated_passages_are_whole() -> None:
    """Each has its text, its source and a score; those of a conflict reach the threshold and have two sources."""
    limit = float(load_compliance().rubric.limits.similarity_threshold)
    for case in SUITE.cases:
        for passage in case.passages or ():
            assert passage.text, case.id
            assert passage.source_id, case.id
            assert passage.score is not None, case.id
        if case.code == "CONFLICTING_SOURCES" and case.passages is not None:
            above = {each.source_id for each in case.passages if each.score is not None and each.score >= limit}
            assert len(above) > 1, case.id


def test_what_must_be_said_can_be_read_in_the_passages() -> None:
    """The values of a near miss with simulated passages stand in one of them."""
    for case in SUITE.cases:
        if case.kind == "near_miss" and case.passages is not None:
            text = " ".join(passage.text for passage in case.passages).lower()
            assert all(wanted.lower() in text for wanted in case.says), case.id
