"""The pytest plugin in projects of their own: checks, datasets with a pass rate, workers, the ledger, and its cost."""

import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from plumbrule import open_ledger
from plumbrule.suites.checked_answers import read_session

pytest_plugins = ["pytester"]
EXAMPLE = Path(__file__).parents[1] / "examples" / "pytest"
QUICK = 'overrides={"hallucination.anchors": ["number"]}'  # no parser is needed
ROWS = "".join(f'{{"id": "q{number}", "question": "What is the fee?"}}\n' for number in range(4))


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    """Return an empty project with a dataset; nothing but what it asks for is in its sessions."""
    pytester.makeini("[pytest]\naddopts = -p no:randomly --strict-markers\nfilterwarnings = error\n")
    pytester.makefile(".jsonl", rows=ROWS)
    return pytester


def test_a_failure_shows_the_text_with_its_evidence(project: pytest.Pytester) -> None:
    """The value that no context has, and what the context says instead, without a traceback into the package."""
    project.makepyfile(f"""
        def test_fee(plumbrule):
            plumbrule.assert_grounded("The fee is $30.", ["The fee is $25."], question="What is the fee?", {QUICK})
        def test_verdict(plumbrule):
            plumbrule.assert_verdict("The fee is $30.", ["The fee is $25."], verdict=("PASS", "WARN"), {QUICK})
    """)
    result = project.runpytest_inprocess()
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(
        [
            "*AssertionError: the contexts do not support the answer",
            "*FAIL: hallucination 1.00 > 0.10*",
            "*answer: The fee is $30.",
            "*not supported: '$30' (the context says otherwise)",
            "*context 0: '*$25*",
            "*AssertionError: the verdict is FAIL, not PASS or WARN",
            "*= plumbrule =*",
            "answers: attempted 2, scored 2, errored 0, refused 0; 0 PASS, 0 WARN, 2 FAIL; mean hallucination 1.000",
        ]
    )
    result.stdout.no_fnmatch_line("*assertions.py*")


DATASET = f"""
    import pytest

    @pytest.mark.plumbrule(dataset="rows.jsonl", repeats=3, min_pass_rate=LIMIT, decide_on="DECIDE")
    def test_answers(sample, plumbrule, plumbrule_repeat):
        wrong = (sample.id, plumbrule_repeat) == ("q1", 2)
        answer = "The fee is $30." if wrong else "The fee is $25."
        plumbrule.assert_grounded(answer, ["The fee is $25."], question=sample.question, {QUICK})
"""


@pytest.mark.parametrize(
    ("limit", "decide_on", "kept"), [("0.9", "point", True), ("0.95", "point", False), ("0.9", "bound", False)]
)
def test_a_pass_rate_decides(project: pytest.Pytester, limit: str, decide_on: str, kept: bool) -> None:  # noqa: FBT001
    """A sample that fails is allowed for; the rate, or under bound its whole interval, is a test of its own."""
    project.makepyfile(DATASET.replace("LIMIT", limit).replace("DECIDE", decide_on))
    result = project.runpytest_inprocess("--junitxml=out.xml")
    result.assert_outcomes(passed=11 + kept, xfailed=1, failed=not kept)
    assert result.ret == (0 if kept else 1)
    result.stdout.fnmatch_lines(
        [
            "test_*::test_answers: pass rate 0.917 (11 of 12, 4 samples x 3 repeats, errored 0), 95% interval *",
            *([] if kept else ["FAILED *::test_answers[[]pass rate]*"]),
        ]
    )
    if not kept:
        result.stdout.fnmatch_lines(["q1, repeat 2: the contexts do not support the answer", "*not supported: '$30'*"])
    cases = {case.get("name"): case for case in ET.parse(project.path / "out.xml").iter("testcase")}  # noqa: S314 - our own
    assert (cases["test_answers[pass rate]"].find("failure") is None) == kept


def test_without_a_rate_every_sample_must_pass(project: pytest.Pytester) -> None:
    """Then each is a test like any other."""
    project.makepyfile(DATASET.replace("LIMIT", "None").replace("DECIDE", "point"))
    project.runpytest_inprocess().assert_outcomes(passed=11, failed=1)


def test_an_error_is_never_allowed_for(project: pytest.Pytester) -> None:
    """A test that breaks fails however low the rate is, and counts as errored beside the mean."""
    project.makepyfile(f"""
        import pytest

        @pytest.mark.plumbrule(dataset="rows.jsonl", min_pass_rate=0.1)
        def test_answers(sample, plumbrule):
            if sample.id == "q0":
                raise RuntimeError("the assistant is down")
            if sample.id == "q1":
                plumbrule.score(answer=3)
            plumbrule.assert_grounded("The fee is $25.", ["The fee is $25."], {QUICK})
    """)
    result = project.runpytest_inprocess()
    result.assert_outcomes(passed=3, failed=2)
    result.stdout.fnmatch_lines(
        ["answers: attempted 4, scored 2, errored 2, *", "*pass rate 0.500 (2 of 4, 4 samples, errored 2)*"]
    )


@pytest.mark.parametrize(
    ("marker", "argument", "reason"),
    [
        ('dataset="none.jsonl"', "sample", "*none.jsonl*"),
        ('dataset="rows.jsonl"', "tmp_path", "*takes each sample as the argument 'sample'*"),
        ("", "sample", "*needs a dataset*"),
        ('"rows.jsonl", repeats=0', "sample", "*repeats must be a whole number of 1 or more, not 0*"),
        ('"rows.jsonl", min_pass_rate=90', "sample", "*min_pass_rate must be a number from 0 to 1, not 90*"),
        ('"rows.jsonl", decide_on="luck"', "sample", "*decide_on must be 'point' or 'bound', not 'luck'*"),
        ('"rows.jsonl", min_passrate=0.9', "sample", "*the marker plumbrule has no 'min_passrate'*"),
    ],
)
def test_a_mistake_is_told_in_one_line(project: pytest.Pytester, marker: str, argument: str, reason: str) -> None:
    """At collection, without a traceback."""
    project.makepyfile(
        f"import pytest\n@pytest.mark.plumbrule({marker})\ndef test_answers({argument}):\n    assert False\n"
    )
    result = project.runpytest_inprocess()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([reason])
    result.stdout.no_fnmatch_line("*Traceback*")


def test_the_example_runs_with_workers_and_is_kept_once(pytester: pytest.Pytester) -> None:
    """Workers hand what they found to the controller, which writes it to the ledger at once."""
    shutil.copytree(EXAMPLE, pytester.path, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    plain = pytester.runpytest_inprocess("-p", "no:randomly")
    spread = pytester.runpytest_subprocess("-n", "2", "--plumbrule-ledger", "sqlite:///ledger.db")
    for result in (plain, spread):
        result.assert_outcomes(passed=15, xfailed=1)
        result.stdout.fnmatch_lines(
            [
                "answers: attempted 14, scored 14, errored 0, refused 1; *",
                "test_assistant.py::test_every_answer_is_grounded: pass rate 0.917 (11 of 12, *: kept",
            ]
        )
    with open_ledger(f"sqlite:///{pytester.path}/ledger.db") as ledger:
        entries = list(ledger.entries(kind="test"))
        assert len(entries) == 1 + 14 + 12
        summary, answers = read_session(ledger, entries[0].subject)
        assert ledger.verify().whole
    assert (summary.attempted, summary.pass_rates[0].passed) == (14, 11)
    [failed] = [answer for answer in answers if answer.outcome == "FAIL"]
    assert failed.text is not None
    assert failed.text.answer == "The daily limit is $9,000 for each account."
    assert failed.text.verdict.hallucination.anchors_unsupported > 0


def test_a_ledger_that_cannot_be_written_fails_the_session(project: pytest.Pytester) -> None:
    """What was asked to be kept is not lost in silence."""
    project.makepyfile(f"def test_fee(plumbrule):\n    plumbrule.score(answer='A.', {QUICK})\n")
    result = project.runpytest_inprocess("--plumbrule-ledger", "sqlite:///rows.jsonl/ledger.db")
    assert result.ret != 0
    result.stderr.fnmatch_lines(["*--plumbrule-ledger: *"])


def test_a_project_that_does_not_use_it_pays_nothing(pytester: pytest.Pytester) -> None:
    """Only the light top of the package is imported, and the report has no section of it."""
    pytester.makepyfile("def test_one():\n    assert True\n")
    pytester.makeconftest("""
        import sys
        def pytest_unconfigure():
            loaded = sorted(name for name in sys.modules if name.split(".")[0] == "plumbrule")
            print("loaded:", " ".join(loaded))
    """)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q"], cwd=pytester.path, check=True, capture_output=True, text=True
    )
    assert "loaded: plumbrule plumbrule._version plumbrule.pytest_plugin\n" in done.stdout
    assert "= plumbrule =" not in done.stdout
