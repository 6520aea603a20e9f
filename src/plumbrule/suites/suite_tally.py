"""What a suite's cases come to, test case by test case, and which dimensions they cover."""

from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Literal

from plumbrule.rubrics import ScorecardRubric
from plumbrule.stats.intervals import Interval, wilson
from plumbrule.suites import CaseSet, Suite
from plumbrule.suites.case_results import CaseResult

CoveredBy = Literal["map", "suite"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseCounts:
    """How many cases there are and what they came to; an errored one is no pass."""

    cases: int
    passed: int
    failed: int
    errored: int

    @property
    def interval(self) -> Interval | None:
        """The 95% Wilson interval of the share that passed, of all cases."""
        return wilson(self.passed, self.cases)

    def to_dict(self) -> dict[str, Any]:
        """Return the counts as they are written to JSON."""
        interval = self.interval
        return {
            "cases": self.cases,
            "passed": self.passed,
            "failed": self.failed,
            "errored": self.errored,
            "interval": None if interval is None else [interval.low, interval.high],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class SetTally:
    """What one test case came to: its cases, its near misses apart, and its criteria one by one."""

    name: str
    code: str | None
    cases: CaseCounts
    near_misses: CaseCounts
    over_refused: int
    criteria: dict[str, dict[str, int]]

    def to_dict(self) -> dict[str, Any]:
        """Return the tally as it is written to JSON."""
        near = {**self.near_misses.to_dict(), "over_refused": self.over_refused}
        return {
            "test_case": self.name,
            "code": self.code,
            **self.cases.to_dict(),
            "near_misses": near,
            "criteria": self.criteria,
        }


def count_cases(results: Iterable[CaseResult]) -> CaseCounts:
    """Return the counts of some cases."""
    outcomes = [result.outcome for result in results]
    return CaseCounts(
        cases=len(outcomes),
        passed=outcomes.count("passed"),
        failed=outcomes.count("failed"),
        errored=outcomes.count("errored"),
    )


def tally_set(case_set: CaseSet, results: Iterable[CaseResult]) -> SetTally:
    """Return what the cases of one test case came to."""
    own = [result for result in results if result.case.set_name == case_set.name]
    near = [result for result in own if result.case.kind == "near_miss"]
    criteria: dict[str, dict[str, int]] = {}
    for result in own:
        for each in result.criteria:
            counts = criteria.setdefault(each.name, {"met": 0, "failed": 0, "not_checked": 0})
            counts[each.outcome] += 1
    return SetTally(
        name=case_set.name,
        code=case_set.file.code,
        cases=count_cases(result for result in own if result.case.kind != "near_miss"),
        near_misses=count_cases(near),
        over_refused=sum(result.over_refused for result in near),
        criteria=criteria,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class DimensionCoverage:
    """The test cases of one dimension, each by the scorecard's map or by the suite that fills a hole of it."""

    key: str
    title: str
    text: str | None  # the map's own words
    test_cases: dict[str, CoveredBy]
    cases: int

    @property
    def hole(self) -> bool:
        """Whether the map names no test case."""
        return "map" not in self.test_cases.values()

    def to_dict(self) -> dict[str, Any]:
        """Return the coverage as it is written to JSON."""
        return {
            "dimension": self.key,
            "map": self.text,
            "hole": self.hole,
            "test_cases": dict(self.test_cases),
            "cases": self.cases,
        }


def cover(suite: Suite, scorecard: ScorecardRubric) -> list[DimensionCoverage]:
    """Return which test cases each dimension has, by the map of the scorecard rubric and by the suite itself."""
    covered = []
    for dimension in scorecard.dimensions:
        test_cases: dict[str, CoveredBy] = {}
        for each in suite.sets:
            if any(fnmatchcase(each.name, pattern) for pattern in dimension.test_cases.patterns):
                test_cases[each.name] = "map"
            elif dimension.key in each.file.covers:
                test_cases[each.name] = "suite"
        covered.append(
            DimensionCoverage(
                key=dimension.key,
                title=dimension.title,
                text=dimension.test_cases.text,
                test_cases=test_cases,
                cases=sum(len(each.cases) for each in suite.sets if each.name in test_cases),
            )
        )
    return covered
