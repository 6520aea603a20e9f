"""The pytest plugin: a fixture that checks answers, tests over a dataset with a pass rate, a section of the report.

It is loaded into every pytest session of an environment that has Plumbrule, so that it imports nothing of the package
before a test uses it. Workers of pytest-xdist hand what they found to the controller with their reports; only the
controller decides on pass rates and writes to a ledger.
"""

from collections.abc import Collection, Generator, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from plumbrule.api.assertions import Contexts
    from plumbrule.api.results import ScoredSample
    from plumbrule.rubrics import Outcome
    from plumbrule.suites.checked_answers import CheckedAnswer, CheckedTask, PassRate, RateLimit, SessionSummary
    from plumbrule.verdicts import Verdict

_MARKER = (
    "plumbrule(dataset, *, map=None, repeats=1, min_pass_rate=None, decide_on='point'): run the test for each sample "
    "of a dataset, which it takes as 'sample'; with min_pass_rate their pass rate decides, else each of them"
)
_ATTRIBUTE = "plumbrule"  # of a report: what travels from a worker to the controller
_LONGEST_ID = 60
_OPTIONS = {"dataset", "map", "repeats", "min_pass_rate", "decide_on"}
_answers_key = pytest.StashKey[list[Any]]()


class Checker:
    """The fixture ``plumbrule``: scores answers and asserts on them; each is counted in the report of the session."""

    def __init__(self, item: pytest.Item) -> None:
        self._item = item

    def score(self, **fields: Any) -> "Verdict":  # noqa: ANN401 - as those of plumbrule.score
        """Return the verdict on one answer, as ``plumbrule.score`` does."""
        return self._score(fields).verdict

    def assert_grounded(
        self,
        answer: str | None,
        contexts: "Contexts",
        question: str | None = None,
        **fields: Any,  # noqa: ANN401
    ) -> "Verdict":
        """Assert that the contexts support an answer, as ``plumbrule.assert_grounded`` does."""
        __tracebackhide__ = True
        from plumbrule.api.assertions import check_grounded  # noqa: PLC0415 - only where it is used

        given = {"answer": answer, "contexts": contexts, "question": question, "rubric": "recommended"}
        scored = self._score({**given, **fields})
        check_grounded(scored)
        return scored.verdict

    def assert_verdict(
        self,
        answer: str | None,
        contexts: "Contexts" = None,
        question: str | None = None,
        *,
        verdict: "Outcome | Collection[Outcome]" = "PASS",
        **fields: Any,  # noqa: ANN401 - as those of plumbrule.score
    ) -> "Verdict":
        """Assert that an answer gets a verdict, as ``plumbrule.assert_verdict`` does."""
        __tracebackhide__ = True
        from plumbrule.api.assertions import check_verdict  # noqa: PLC0415 - only where it is used

        scored = self._score({"answer": answer, "contexts": contexts, "question": question, **fields})
        check_verdict(scored, verdict)
        return scored.verdict

    def _score(self, fields: Mapping[str, Any]) -> "ScoredSample":
        from plumbrule.api.scoring import score_sample  # noqa: PLC0415 - only where it is used
        from plumbrule.errors import PlumbruleError  # noqa: PLC0415 - the same
        from plumbrule.suites.checked_answers import CheckedAnswer, checked_answer  # noqa: PLC0415 - the same

        found = self._item.stash.setdefault(_answers_key, [])
        try:
            scored = score_sample(**fields)
        except PlumbruleError as error:
            found.append(CheckedAnswer(test=self._item.nodeid, outcome=None, error=str(error)))
            raise
        whole = self._item.config.getoption("plumbrule_ledger") is not None
        found.append(checked_answer(self._item.nodeid, scored.sample, scored.verdict, whole=whole))
        return scored


@pytest.fixture
def plumbrule(request: pytest.FixtureRequest) -> Checker:
    """Score answers and assert on them: ``plumbrule.assert_grounded(answer, contexts, question=...)``."""
    return Checker(request.node)


@pytest.fixture
def plumbrule_repeat(request: pytest.FixtureRequest) -> int:
    """Return the number of the repeat, from 0, of a test over a dataset."""
    repeat: int = getattr(request, "param", 0)
    return repeat


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("plumbrule", "answers of a grounded assistant")
    group.addoption(
        "--plumbrule-ledger",
        metavar="ADDRESS",
        default=None,
        help="keep the answers that tests check, with their verdicts, in this ledger, such as sqlite:///ledger.db",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker, and gather reports on the controller or where there are no workers."""
    config.addinivalue_line("markers", _MARKER)
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Gatherer(config), "plumbrule-gatherer")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make one test of each sample in each repeat."""
    marker = metafunc.definition.get_closest_marker("plumbrule")
    if marker is None:
        return
    from plumbrule.errors import PlumbruleError  # noqa: PLC0415 - only where it is used
    from plumbrule.samples import DatasetFile  # noqa: PLC0415 - the same

    name = metafunc.definition.nodeid
    if "sample" not in metafunc.fixturenames:
        raise _refusal(f"{name}: a test over a dataset takes each sample as the argument 'sample'")
    dataset, repeats = _dataset_of(marker, metafunc.definition.path.parent, name), marker.kwargs.get("repeats", 1)
    if isinstance(repeats, bool) or not isinstance(repeats, int) or repeats < 1:
        raise _refusal(f"{name}: repeats must be a whole number of 1 or more, not {repeats!r:.40}")
    try:
        _limit_of(marker)
        samples = list(DatasetFile(dataset, marker.kwargs.get("map") or {}).open(answered=False))
    except PlumbruleError as error:
        raise _refusal(f"{name}: {error}") from None
    metafunc.parametrize("sample", [pytest.param(sample, id=sample.id[:_LONGEST_ID]) for sample in samples])
    if repeats > 1:
        if "plumbrule_repeat" not in metafunc.fixturenames:
            metafunc.fixturenames.append("plumbrule_repeat")
        metafunc.parametrize("plumbrule_repeat", range(repeats), indirect=True, ids=lambda repeat: f"repeat{repeat}")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Put what a test found into its report; a failure that a pass rate allows for does not fail the test."""
    report = yield
    marker = item.get_closest_marker("plumbrule")
    if (marker is None and _answers_key not in item.stash) or call.when == "teardown":
        return report
    if call.when == "setup" and not report.failed:
        return report
    from plumbrule.codec import to_json  # noqa: PLC0415 - only where it is used

    task = None if marker is None or report.skipped else _task(item, call, report, _limit_of(marker))
    answers = _answers(item, task)
    found = {"answers": to_json(answers), "task": to_json(task), "location": list(item.location)}
    setattr(report, _ATTRIBUTE, found)
    if task is not None and task.outcome == "failed" and task.limit.min_pass_rate is not None:
        report.outcome = "skipped"
        report.wasxfail = "counts in the pass rate"
    return report


class Gatherer:
    """Gathers what all tests found, decides on pass rates, writes to the ledger once, and reports."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._answers: list[CheckedAnswer] = []
        self._tasks: list[CheckedTask] = []
        self._locations: dict[str, tuple[str, int | None, str]] = {}
        self._summary: SessionSummary | None = None
        self._kept = ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take what a test found, in this process or on a worker."""
        found = getattr(report, _ATTRIBUTE, None)
        if found is None:
            return
        from plumbrule.codec import from_json  # noqa: PLC0415 - only where it is used
        from plumbrule.suites.checked_answers import CheckedAnswer, CheckedTask  # noqa: PLC0415 - the same

        self._answers += from_json(tuple[CheckedAnswer, ...], found["answers"], where=report.nodeid)
        if found["task"] is not None:
            task = from_json(CheckedTask, found["task"], where=report.nodeid)
            self._tasks.append(task)
            path, line, _ = found["location"]
            self._locations[task.test] = path, line, f"{task.test.rpartition('::')[2]}[pass rate]"

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        """Decide once every test is done: a pass rate that is missed is a test that failed."""
        result = yield
        if self._answers or self._tasks:
            from plumbrule.suites.checked_answers import summarise_session  # noqa: PLC0415 - only where it is used

            self._summary = summarise_session(self._answers, self._tasks)
            limited = [rate for rate in self._summary.pass_rates if rate.limit.min_pass_rate is not None]
            session.testscollected += len(limited)
            for rate in limited:
                self._report(rate)
            self._keep(self._summary)
        return result

    def pytest_terminal_summary(self, terminalreporter: "pytest.TerminalReporter") -> None:
        """Print what was found: the counts beside the mean, and each pass rate with its interval."""
        if self._summary is None:
            return
        terminalreporter.section("plumbrule")
        for line in _summary_lines(self._summary):
            terminalreporter.line(line)
        if self._kept:
            terminalreporter.line(self._kept)

    def _report(self, rate: "PassRate") -> None:
        """Report a pass rate as a test of its own, so that the exit code, JUnit XML and every other plugin see it."""
        nodeid, location = f"{rate.test}[pass rate]", self._locations[rate.test]
        told = [rate.in_words(), *(f"\n{failure}" for failure in rate.failures)]
        more = rate.attempted - rate.passed - len(rate.failures)
        if more > 0:
            told.append(f"\nand {more} more")
        hook = self._config.hook
        hook.pytest_runtest_logstart(nodeid=nodeid, location=location)
        for when in ("setup", "call", "teardown"):
            failed = when == "call" and not rate.held
            report = pytest.TestReport(
                nodeid=nodeid,
                location=location,
                keywords={},
                outcome="failed" if failed else "passed",
                longrepr="\n".join(told) if failed else None,
                when=when,
            )
            hook.pytest_runtest_logreport(report=report)
        hook.pytest_runtest_logfinish(nodeid=nodeid, location=location)

    def _keep(self, summary: "SessionSummary") -> None:
        address = self._config.getoption("plumbrule_ledger")
        if address is None:
            return
        from plumbrule.api.ledger_access import now, opened  # noqa: PLC0415 - only where it is used
        from plumbrule.errors import PlumbruleError  # noqa: PLC0415 - the same
        from plumbrule.suites.checked_answers import keep_session  # noqa: PLC0415 - the same

        try:
            with opened(address, make=now()) as ledger:
                subject = keep_session(ledger, summary, self._answers, self._tasks, now())
                self._kept = f"kept as {subject} in {ledger.name}"
        except PlumbruleError as error:
            raise pytest.UsageError(f"--plumbrule-ledger: {error}") from None


def _task(
    item: pytest.Item, call: pytest.CallInfo[None], report: pytest.TestReport, limit: "RateLimit"
) -> "CheckedTask":
    """Return what became of one sample in one repeat: only an assertion is a failure, all else is an error."""
    from plumbrule.suites.checked_answers import CheckedTask, short_message  # noqa: PLC0415 - only where it is used

    parameters = item.callspec.params  # type: ignore[attr-defined]  # a function with parameters
    raised = None if call.excinfo is None else call.excinfo.value
    failed = call.when == "call" and isinstance(raised, AssertionError | pytest.fail.Exception)
    message = f"{raised}" if failed else f"{type(raised).__name__}: {raised}"
    return CheckedTask(
        test=f"{item.parent.nodeid}::{item.originalname}",  # type: ignore[union-attr,attr-defined]  # the same
        sample=parameters["sample"].id,
        repeat=parameters.get("plumbrule_repeat", 0),
        outcome="passed" if report.passed else "failed" if failed else "errored",
        limit=limit,
        message="" if raised is None else short_message(message),
    )


def _answers(item: pytest.Item, task: "CheckedTask | None") -> "list[CheckedAnswer]":
    """Return the answers of a test; a task that ended in an error without one has one that could not be scored."""
    from plumbrule.suites.checked_answers import CheckedAnswer  # noqa: PLC0415 - only where it is used

    found: list[CheckedAnswer] = item.stash.get(_answers_key, [])
    if task is not None and task.outcome == "errored" and all(answer.outcome is not None for answer in found):
        return [*found, CheckedAnswer(test=item.nodeid, outcome=None, error=task.message)]
    return found


def _dataset_of(marker: pytest.Mark, folder: Path, name: str) -> Path:
    """Return the dataset that a marker names; a relative path is that from the folder of the test."""
    unknown = sorted(marker.kwargs.keys() - _OPTIONS)
    if unknown:
        raise _refusal(f"{name}: the marker plumbrule has no '{unknown[0]}'; it has {', '.join(sorted(_OPTIONS))}")
    dataset = marker.args[0] if marker.args else marker.kwargs.get("dataset")
    if not isinstance(dataset, str | Path):
        raise _refusal(f"{name}: the marker plumbrule needs a dataset, such as dataset='answers.jsonl'")
    return folder / dataset


def _limit_of(marker: pytest.Mark) -> "RateLimit":
    from plumbrule.suites.checked_answers import read_limit  # noqa: PLC0415 - only where it is used

    return read_limit(marker.kwargs.get("min_pass_rate"), marker.kwargs.get("decide_on", "point"))


def _summary_lines(summary: "SessionSummary") -> Iterator[str]:
    mean = "none" if summary.hallucination_mean is None else f"{summary.hallucination_mean:.3f}"
    verdicts = ", ".join(f"{count} {outcome}" for outcome, count in summary.verdicts.items())
    yield (
        f"answers: attempted {summary.attempted}, scored {summary.scored}, errored {summary.errored}, "
        f"refused {summary.refused}; {verdicts}; mean hallucination {mean}"
    )
    for rate in summary.pass_rates:
        yield f"{rate.test}: {rate.in_words()}"


def _refusal(message: str) -> pytest.Collector.CollectError:
    return pytest.Collector.CollectError(message)
