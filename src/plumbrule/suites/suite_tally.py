"""Tallies of a suite's cases, test case by test case; its scenarios in a list; the dimensions that it covers."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal

from plumbrule.codec import fields_of
from plumbrule.rubrics import ScorecardRubric, Stamp
from plumbrule.stats.intervals import Interval
from plumbrule.stats.mean_intervals import clopper_pearson
from plumbrule.suites import CaseSet, Suite
from plumbrule.suites.case_results import CaseResult, sample_of, suite_request
from plumbrule.suites.suite_schema import NearMiss, Outcome, Passages, TraceExpectation, Variation

CoveredBy = Literal["map", "suite"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseCounts:
    """How many cases there are, by outcome; an errored one is no pass."""

    cases: int
    passed: int
    failed: int
    errored: int
    interval: Interval | None  # the exact 95% interval of the share of all cases that passed


@dataclass(frozen=True, slots=True, kw_only=True)
class NearMissCounts(CaseCounts):
    """The counts of near misses, and how many of them were refused."""

    over_refused: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionCounts:
    """How many cases met a criterion, failed it, or could not be checked by it."""

    met: int
    failed: int
    not_checked: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SetTally:
    """The tally of one test case: its cases, its near misses apart, and its criteria one by one."""

    test_case: str
    code: str | None
    cases: int
    passed: int
    failed: int
    errored: int
    interval: Interval | None
    near_misses: NearMissCounts
    criteria: Mapping[str, CriterionCounts]


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteSummary:
    """The tallies of a candidate on the suite."""

    candidate: str
    counts: CaseCounts
    test_cases: tuple[SetTally, ...]
    suite: Stamp
    rubrics: tuple[Stamp, ...]


def count_cases(results: Iterable[CaseResult]) -> CaseCounts:
    """Return the counts of some cases."""
    outcomes = [result.outcome for result in results]
    passed = outcomes.count("passed")
    return CaseCounts(
        cases=len(outcomes),
        passed=passed,
        failed=outcomes.count("failed"),
        errored=outcomes.count("errored"),
        interval=clopper_pearson(passed, len(outcomes)),
    )


def count_criteria(results: Iterable[CaseResult]) -> dict[str, CriterionCounts]:
    """Return the counts of each criterion over some cases, in the order in which the criteria come up."""
    outcomes: dict[str, list[str]] = {}
    for result in results:
        for criterion in result.criteria:
            outcomes.setdefault(criterion.name, []).append(criterion.outcome)
    return {
        name: CriterionCounts(
            met=listed.count("met"), failed=listed.count("failed"), not_checked=listed.count("not_checked")
        )
        for name, listed in outcomes.items()
    }


def tally_set(case_set: CaseSet, results: Iterable[CaseResult]) -> SetTally:
    """Return the tally of one test case."""
    own = [result for result in results if result.case.set_name == case_set.name]
    near = [result for result in own if result.case.kind == "near_miss"]
    over_refused = sum(result.over_refused for result in near)
    return SetTally(
        test_case=case_set.name,
        code=case_set.file.code,
        **fields_of(count_cases(result for result in own if result.case.kind != "near_miss")),
        near_misses=NearMissCounts(**fields_of(count_cases(near)), over_refused=over_refused),
        criteria=count_criteria(own),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioRow:
    """One scenario in the list of a suite."""

    id: str
    test_case: str
    code: str | None
    title: str
    variations: int
    near_misses: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteListing:
    """All scenarios of a suite, and the number of their cases."""

    scenarios: tuple[ScenarioRow, ...]
    cases: int
    suite: Stamp


def list_scenarios(suite: Suite) -> SuiteListing:
    """Return the scenarios of a suite with the numbers of their variations and near misses."""
    return SuiteListing(
        scenarios=tuple(
            ScenarioRow(
                id=scenario.id,
                test_case=case_set.name,
                code=scenario.code or case_set.file.code,
                title=scenario.title,
                variations=len(scenario.variations),
                near_misses=len(scenario.near_misses),
            )
            for case_set in suite.sets
            for scenario in case_set.file.scenarios
        ),
        cases=len(suite.cases),
        suite=suite.stamp(),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseRequest:
    """One case of a scenario with its criteria and its request."""

    id: str
    criteria: tuple[str, ...]
    request: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioDetail:
    """A scenario as it is written in its file, with the code that applies and the requests of its cases."""

    test_case: str
    id: str
    title: str
    tests: str
    query: str
    fails_if: tuple[str, ...]
    code: str | None
    outcome: Outcome | None
    role: str | None
    passages: Passages
    says: tuple[str, ...]
    never_says: tuple[str, ...]
    status: tuple[str, ...]
    criteria: tuple[str, ...]
    trace: TraceExpectation | None
    variations: tuple[Variation, ...]
    near_misses: tuple[NearMiss, ...]
    cases: tuple[CaseRequest, ...]


def describe_scenario(suite: Suite, id_: str) -> ScenarioDetail:
    """Return one scenario with all its cases."""
    case_set, scenario = suite.scenario(id_)
    content = {**fields_of(scenario), "code": scenario.code or case_set.file.code}
    cases = tuple(
        CaseRequest(id=case.id, criteria=case.criteria, request=suite_request(sample_of(case)))
        for case in case_set.cases
        if case.scenario == scenario.id
    )
    return ScenarioDetail(test_case=case_set.name, cases=cases, **content)


@dataclass(frozen=True, slots=True, kw_only=True)
class DimensionCoverage:
    """The test cases of one dimension, each by the scorecard's map or by the suite that fills a hole of it."""

    dimension: str
    map: str | None  # the map's own words
    hole: bool  # whether the map names no test case
    test_cases: Mapping[str, CoveredBy]
    cases: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteCoverage:
    """The test cases of every dimension."""

    dimensions: tuple[DimensionCoverage, ...]
    suite: Stamp


def cover(suite: Suite, scorecard: ScorecardRubric) -> SuiteCoverage:
    """Return which test cases each dimension has, by the map of the scorecard rubric and by the suite itself."""
    covered = []
    for dimension in scorecard.dimensions:
        test_cases: dict[str, CoveredBy] = {}
        for case_set in suite.sets:
            if any(fnmatchcase(case_set.name, pattern) for pattern in dimension.test_cases.patterns):
                test_cases[case_set.name] = "map"
            elif dimension.key in case_set.file.covers:
                test_cases[case_set.name] = "suite"
        covered.append(
            DimensionCoverage(
                dimension=dimension.key,
                map=dimension.test_cases.text,
                hole="map" not in test_cases.values(),
                test_cases=test_cases,
                cases=sum(len(case_set.cases) for case_set in suite.sets if case_set.name in test_cases),
            )
        )
    return SuiteCoverage(dimensions=tuple(covered), suite=suite.stamp())
