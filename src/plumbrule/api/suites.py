"""The test suite for Python callers."""

from collections.abc import Callable, Sequence
from pathlib import Path

from plumbrule.codec import json_line
from plumbrule.files import written_whole
from plumbrule.rubrics import load_scorecard
from plumbrule.suites import Suite, load_suite, suite_run
from plumbrule.suites.suite_run import SuiteOutcome
from plumbrule.suites.suite_tally import SuiteCoverage, cover


def run_suite(
    candidate: str,
    *,
    codes: Sequence[str] = (),
    output: Path | None = None,
    timeout_s: float = 60.0,
    concurrency: int = 4,
    api_key_env: str | None = None,
    allow_private: bool = False,
    watch: Callable[[int, int], None] = lambda _done, _total: None,
) -> SuiteOutcome:
    """Ask a candidate every case of the suite, or of some refusal codes or test cases, and judge the responses.

    ``output`` gets every case as a line of JSON. ``watch`` is called with the number of cases done and of all cases.
    """
    outcome = suite_run.run_suite(
        candidate,
        suite=load_suite().only(codes),
        timeout_s=timeout_s,
        concurrency=concurrency,
        api_key_env=api_key_env,
        allow_private=allow_private,
        watch=watch,
    )
    if output is not None:
        with written_whole(output) as file:
            for result in outcome.results:
                file.write(json_line(result.record()))
    return outcome


def suite_coverage(suite: Suite | None = None) -> SuiteCoverage:
    """Return which test cases each dimension of the scorecard has."""
    return cover(suite if suite is not None else load_suite(), load_scorecard().rubric)
