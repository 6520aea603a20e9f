"""``plumbrule suite``: what it prints and writes, and its exit codes."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Run, Write

from plumbrule.suites import load_suite

ROOT = Path(__file__).parents[3]

MODULE = '''
import time

def refuse(query, role=None, passages=None):
    """Refuse everything as unclear, well."""
    return {
        "trace_id": "0d4c2d0e-7d2f-4a53-9f4e-3d3f1f3d9f10", "timestamp": "2026-02-03T04:05:06Z", "query": query,
        "grounding_status": "REFUSED", "answer": None, "citations": [], "metadata": {},
        "refusal": {"code": "AMBIGUOUS_QUERY", "reason": "Unclear.", "user_guidance": "Which one do you mean?"},
    }

def echo(query):
    return query

def fail(query):
    raise RuntimeError("no model")

def refuse_or_fail(query):
    if "limit" in query:
        raise RuntimeError("no model")
    return refuse(query)

def sleep(query):
    time.sleep(30)
'''


@pytest.fixture
def module(write: Write, request: pytest.FixtureRequest) -> Callable[[str], str]:
    """Return a function that names a function of a module in the working folder, under a name of the test's own."""
    name = f"suite_app_{abs(hash(request.node.nodeid))}"
    write(f"{name}.py", MODULE)
    return lambda function: f"{name}:{function}"


def test_a_failing_case_is_exit_code_1_with_its_evidence(run: Run, module: Callable[[str], str]) -> None:
    """What failed stands above the tables: the criterion, what was wrong, and where."""
    done = run("suite", "run", "--candidate", module("refuse"), "--code", "AMBIGUOUS_QUERY")
    assert (done.code, done.err) == (1, "")
    assert "failed aq-which-limit/gift-limit\n" in done.out
    assert "  answers: refused where an answer was expected\n    refusal.code: AMBIGUOUS_QUERY\n" in done.out
    assert "cases 29 · passed 22 · failed 7 · errored 0" in done.out
    [row] = [line for line in done.out.splitlines() if line.startswith("refusal-ambiguous-query ")]
    assert row.split() == ["refusal-ambiguous-query", "22", "22", "0", "0", "0.85–1.00", "7", "0", "7"]


def test_json_gives_the_counts_with_intervals(run: Run, module: Callable[[str], str]) -> None:
    """By test case, near misses apart, criteria one by one, with the hash of the suite."""
    done = run("suite", "run", "--candidate", module("refuse"), "--code", "AMBIGUOUS_QUERY", "--json")
    [summary] = done.records
    [tally] = summary["test_cases"]
    assert (tally["code"], tally["cases"], tally["passed"]) == ("AMBIGUOUS_QUERY", 22, 22)
    assert tally["interval"] == pytest.approx([0.8456, 1.0], abs=1e-4)
    assert (tally["near_misses"]["over_refused"], tally["near_misses"]["passed"]) == (7, 0)
    assert tally["criteria"]["trace_as_expected"] == {"met": 0, "failed": 0, "not_checked": 22}
    assert summary["suite"] == load_suite().stamp()


def test_what_could_not_be_run_is_exit_code_4(run: Run, module: Callable[[str], str]) -> None:
    """Every case is told with its error; a failed case beside it makes the decision negative all the same."""
    done = run("suite", "run", "--candidate", module("fail"), "--code", "POLICY_BLOCKED")
    assert done.code == 4
    assert "errored pb-watch-list\n" in done.out
    assert "  failed: RuntimeError: no model\n" in done.out
    assert run("suite", "run", "--candidate", module("refuse_or_fail"), "--code", "AMBIGUOUS_QUERY").code == 1


def test_a_slow_candidate_is_timed_out(run: Run, module: Callable[[str], str]) -> None:
    """--timeout bounds each answer, --concurrency says how many are asked at once."""
    options = ("--code", "AMBIGUOUS_QUERY", "--timeout", "0.05", "--concurrency", "32", "--json")
    done = run("suite", "run", "--candidate", module("sleep"), *options)
    assert done.code == 4
    assert done.records[0]["counts"]["errored"] == 29


def test_the_file_can_be_pre_scored(run: Run, module: Callable[[str], str], tmp_path: Path) -> None:
    """Each line is an interaction with what was expected, and the result beside it."""
    done = run("suite", "run", "--candidate", module("refuse"), "--code", "AMBIGUOUS_QUERY", "-o", "cases.jsonl")
    assert "cases: cases.jsonl" in done.out
    lines = [json.loads(line) for line in (tmp_path / "cases.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [line["id"] for line in lines] == [case.id for case in load_suite().only(["AMBIGUOUS_QUERY"]).cases]
    assert lines[0]["request"]["query"] == "What is the limit?"
    assert lines[0]["expected"] == {"refuse": True, "refusal_code": "AMBIGUOUS_QUERY"}
    assert lines[0]["criteria"]["asks_back"] == {"outcome": "met", "message": "", "evidence": []}
    scored = run("prescore", "cases.jsonl", "--no-claims", "--json").records
    by_id = {record["id"]: record["scores"]["refusal_appropriateness"] for record in scored}
    assert len(by_id) == 29
    assert by_id["aq-which-limit"] == "Strong"
    assert by_id["aq-which-limit/gift-limit"] == "Adequate"


def test_a_text_is_a_response(run: Run, module: Callable[[str], str]) -> None:
    """A function may return plain text; it then refuses nothing and cites nothing."""
    done = run("suite", "run", "--candidate", module("echo"), "--code", "AMBIGUOUS_QUERY", "--json")
    criteria = done.records[0]["test_cases"][0]["criteria"]
    assert criteria["refuses"]["failed"] == 22
    assert criteria["answers"]["met"] == 7


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--candidate", "nothing"], "'nothing' is not of the form module:function"),
        (["--candidate", "no_such_module_here:f"], "there is no module 'no_such_module_here'"),
        (["--candidate", "http://"], "must begin with http:// or https:// and name a host"),
        (["--candidate", "http://10.0.0.1/"], "--candidate: 10.0.0.1 is a private address; give --allow-private"),
        (["--candidate", "a:b", "--code", "NOPE"], "there is no test case for 'NOPE'"),
        ([], "Missing option '--candidate'"),
        (["--candidate", "a:b", "--timeout", "0"], "--timeout"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(run: Run, options: list[str], said: str) -> None:
    """An option or an address that cannot work is said before anybody is asked."""
    done = run("suite", "run", *options)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert done.err.count("\n") == 1


def test_list_names_every_scenario(run: Run) -> None:
    """With its code, and how many variations and near misses it has."""
    done = run("suite", "list", "--json")
    [content] = done.records
    assert content["cases"] == len(load_suite().cases)
    assert {row["id"] for row in content["scenarios"]} == {case.scenario for case in load_suite().cases}
    shown = run("suite", "list", "--code", "CONFLICTING_SOURCES").out
    assert "cs-holding-period" in shown
    assert "scenarios 7 · cases 29" in shown
    assert "aq-which-limit" not in shown


def test_show_has_all_of_a_scenario(run: Run) -> None:
    """Request, expectation, criteria with their meaning, fail conditions, variations and near misses."""
    shown = run("suite", "show", "cs-gift-limit").out
    for part in ("$100, $150", "escalation true", "One amount is given.", "It goes to a person.", "Employee Handbook",
                 "cs-gift-limit/follow-up", "cs-gift-limit/gift-and-entertainment"):  # fmt: skip
        assert part in shown
    assert "from the corpus: the assistant searches" in run("suite", "show", "aq-which-limit").out
    [content] = run("suite", "show", "cs-gift-limit", "--json").records
    assert content["test_case"] == "refusal-conflicting-sources"
    assert [case["id"] for case in content["cases"]][:2] == ["cs-gift-limit", "cs-gift-limit/paraphrase"]
    assert run("suite", "show", "nothing").code == 2


def test_coverage_names_the_holes_and_what_fills_them(run: Run) -> None:
    """Two dimensions have no test case in the scorecard's map."""
    shown = run("suite", "coverage").out
    assert "hole: Response Completeness: the map has no row; filled by multi-part-questions" in shown
    assert (
        "hole: Compliance Alignment: the map has 'Policy validation tests (TBD)'; filled by policy-validation" in shown
    )
    [content] = run("suite", "coverage", "--json").records
    covered: dict[str, Any] = {each["dimension"]: each for each in content["dimensions"]}
    assert covered["retrieval_relevance"]["test_cases"] == {
        "refusal-insufficient-grounding": "map",
        "refusal-no-eligible-docs": "map",
    }
    assert [key for key, each in covered.items() if each["hole"]] == ["response_completeness", "compliance_alignment"]
    assert all(each["cases"] for each in covered.values())


def test_hostile_text_is_shown_as_text(run: Run, write: Write) -> None:
    """An assistant's words do not move the cursor."""
    write("hostile_app.py", 'def reply(query):\n    return "guaranteed \\x1b[2J [red]x"\n')
    done = run("suite", "run", "--candidate", "hostile_app:reply", "--code", "policy-validation")
    assert "\x1b[2J" not in done.out
    assert done.code == 1
