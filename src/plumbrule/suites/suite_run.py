"""A run of the test suite: a candidate is asked every case, and its responses are judged."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import orjson

from plumbrule.engines import run_to_end
from plumbrule.http.endpoint import Endpoint
from plumbrule.http.retry import Patience
from plumbrule.http.throttle import Throttle
from plumbrule.interactions.corpus import read_corpus
from plumbrule.interactions.formats.contract import contract_of
from plumbrule.prescores.prescorer import prescorer
from plumbrule.rubrics import load_compliance, load_refusals
from plumbrule.runs.candidate import Answered, Candidate
from plumbrule.runs.candidates.function_process import CandidateProcess
from plumbrule.runs.candidates.http_candidate import HttpCandidate, HttpExchange
from plumbrule.runs.candidates.python_candidate import PythonCandidate
from plumbrule.suites import Case, Suite, corpus_path, load_suite
from plumbrule.suites.case_results import CaseResult, interaction_of, judge_case, sample_of, suite_request
from plumbrule.suites.suite_tally import CriterionCounts, SuiteSummary, count_cases, count_criteria, tally_set

_CALLS_WITHIN_DEADLINE = 4  # how many calls of full length the deadline of one case leaves room for
_SCHEMES = ("http://", "https://")

Watch = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteOutcome:
    """The results of a candidate on the suite, case by case."""

    candidate: str
    suite: Suite
    results: tuple[CaseResult, ...]
    rubrics: tuple[dict[str, str], ...]

    @property
    def criteria(self) -> dict[str, CriterionCounts]:
        """The counts of each criterion over all cases, in the suite's order."""
        counts = count_criteria(self.results)
        return {name: counts[name] for name in self.suite.criteria if name in counts}

    def summary(self) -> SuiteSummary:
        """Return the tallies of all cases together, near misses among them, and of each test case."""
        return SuiteSummary(
            candidate=self.candidate,
            counts=count_cases(self.results),
            test_cases=tuple(tally_set(case_set, self.results) for case_set in self.suite.sets),
            suite=self.suite.stamp(),
            rubrics=self.rubrics,
        )


def run_suite(
    candidate: str,
    *,
    suite: Suite | None = None,
    timeout_s: float = 60.0,
    concurrency: int = 4,
    api_key_env: str | None = None,
    allow_private: bool = False,
    folder: Path | None = None,
    watch: Watch = lambda _done, _total: None,
) -> SuiteOutcome:
    """Ask ``candidate``, an http address or ``module:function``, every case of the suite, and judge the responses.

    A case whose candidate fails or passes ``timeout_s`` is errored; the others go on. ``folder`` is where a module is
    looked for; ``watch`` is called with the number of cases that are done.
    """
    suite = suite if suite is not None else load_suite()
    responses: dict[str, object] = {}
    heard = responses.__setitem__
    opened: Candidate
    if candidate.startswith(_SCHEMES):
        endpoint = Endpoint(candidate, api_key_env=api_key_env, allow_private=allow_private, name="--candidate")
        patience = Patience(call_timeout_s=timeout_s, deadline_s=_CALLS_WITHIN_DEADLINE * timeout_s)
        opened = HttpCandidate(
            endpoint,
            patience=patience,
            throttle=Throttle(concurrency),
            speaking=HttpExchange(request=suite_request),
            heard=heard,
        )
    else:
        process = CandidateProcess(candidate, folder or Path.cwd())
        process.start()
        opened = PythonCandidate(process, timeout_s=timeout_s, threads=concurrency, heard=heard)
    answers = run_to_end(_ask(suite.cases, opened, concurrency, watch))
    compliance, refusals = load_compliance(), load_refusals()
    contract = contract_of(compliance, refusals)
    results: dict[str, CaseResult] = {}
    readable: list[tuple[Case, Mapping[str, object]]] = []
    for case, answered in zip(suite.cases, answers, strict=True):
        content = _plain(responses.get(sample_of(case).id))
        if answered.error is None and not answered.sample.timed_out and content is not None:
            readable.append((case, content))
        else:
            results[case.id] = _errored(case, answered, timeout_s)
    interactions = [
        interaction_of(case, response, contract=contract, taxonomy=refusals.rubric, corpus=read_corpus(corpus_path()))
        for case, response in readable
    ]
    scorer = prescorer(compliance, refusals)
    for (case, response), prescore in zip(readable, scorer.prescore_many(interactions), strict=True):
        results[case.id] = judge_case(case, prescore, suite.criteria, response)
    return SuiteOutcome(
        candidate=candidate,
        suite=suite,
        results=tuple(results[case.id] for case in suite.cases),
        rubrics=(compliance.stamp(), refusals.stamp()),
    )


async def _ask(cases: tuple[Case, ...], candidate: Candidate, concurrency: int, watch: Watch) -> list[Answered]:
    """Ask every case, so many at a time; the answers come in the order of the cases."""
    places = asyncio.Semaphore(concurrency)
    done = 0

    async def ask(case: Case) -> Answered:
        nonlocal done
        async with places:
            answered = await candidate.answer(sample_of(case), 0)
        done += 1
        watch(done, len(cases))
        return answered

    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(ask(case)) for case in cases]
    except BaseExceptionGroup as several:
        raise several.exceptions[0] from None  # a mistake in how the candidate is named: every case would fail alike
    finally:
        await candidate.aclose()
    return [task.result() for task in tasks]


def _plain(heard: object) -> dict[str, object] | None:
    """Return a response as JSON has it, so that it can be kept; None for what is no response, or is not JSON."""
    content = {"answer": heard} if isinstance(heard, str) else heard
    if not isinstance(content, Mapping):
        return None
    try:
        plain: dict[str, object] = orjson.loads(orjson.dumps(dict(content)))
    except (TypeError, ValueError):
        return None
    return plain


def _errored(case: Case, answered: Answered, timeout_s: float) -> CaseResult:
    error, detail = answered.error, answered.error_detail
    if error is None and answered.sample.timed_out:
        error, detail = "timed_out", f"no whole answer within {timeout_s:g} s"
    if error is None:
        error, detail = "malformed", "the response cannot be written as JSON"
    return CaseResult(case=case, outcome="errored", error=error, error_detail=detail)
