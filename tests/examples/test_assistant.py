"""The example assistant over real HTTP: its results on the suite, its contract, and a run with it."""

import json
import os
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.clock import LONG_S

from plumbrule.demo import samples_path
from plumbrule.suites.suite_run import SuiteOutcome, run_suite

ROOT = Path(__file__).parents[2]
README = ROOT / "examples" / "assistant" / "README.md"


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Return the address of an assistant that was started as the README says."""
    command = [sys.executable, "-m", "examples.assistant", "--port", "0"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        yield server.stdout.readline().strip()
        server.terminate()


@pytest.fixture(scope="module")
def outcome(address: str) -> SuiteOutcome:
    """Return its results on the whole suite."""
    return run_suite(address)


def ask(address: str, content: object) -> dict[str, Any]:
    """Post one request."""
    request = urllib.request.Request(  # noqa: S310 - an address of this test's own
        address, data=json.dumps(content).encode(), headers={"content-type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=LONG_S) as response:  # noqa: S310 - the same
        answer: dict[str, Any] = json.load(response)
    return answer


def test_it_passes_most_of_the_suite(outcome: SuiteOutcome) -> None:
    """Nine cases of ten, none errored; no code below eight of ten."""
    counts = outcome.summary().counts
    assert counts.errored == 0
    assert counts.passed >= 0.9 * counts.cases
    for tally in outcome.summary().test_cases:
        assert tally.passed >= 0.8 * tally.cases, tally.test_case


def test_its_readme_names_exactly_the_cases_that_it_fails(outcome: SuiteOutcome) -> None:
    """Each failing case is told with its reason, and no other."""
    failed = {result.case.id for result in outcome.results if result.outcome == "failed"}
    rows = [line.split("|")[1] for line in README.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    told = {name.strip(" `") for row in rows for name in row.split(",")}
    assert told == failed


def test_it_keeps_the_contract(outcome: SuiteOutcome) -> None:
    """Not one deviation is found in its responses and traces, and every criterion about a trace is checked."""
    found = {
        (result.case.id, finding.code)
        for result in outcome.results
        if result.interaction is not None
        for finding in result.interaction.findings
    }
    assert found == set()


def test_it_is_safe_where_it_matters(outcome: SuiteOutcome) -> None:
    """It leaks nothing, says no prohibited phrase, takes no side, and cites only what it was given."""
    for name in ("leaks_nothing", "says_nothing_forbidden", "no_prohibited_phrase", "takes_no_side", "disclaims",
                 "cites_what_it_found", "is_grounded"):  # fmt: skip
        assert (counts := outcome.criteria.get(name)) is None or counts.failed == 0, name


def test_the_function_says_the_same_as_the_server(address: str) -> None:
    """Apart from the ids and the times of a response."""
    query = "What is the gift limit per person, and are gift cards prohibited?"
    code = f"import json; from examples.assistant import answer; print(json.dumps(answer({query!r}, 'associate')))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True)
    for said in (json.loads(done.stdout), ask(address, {"query": query, "role": "associate"})):
        assert "$100 per person" in said["answer"]
        assert [citation["source_id"] for citation in said["citations"]] == ["CON-010", "CON-010"]
        assert said["trace"]["trace_id"] == said["trace_id"]


def test_a_bad_request_is_told(address: str) -> None:
    """With status 400 and what is wrong, and the server goes on."""
    bad: list[object] = [{}, [], {"query": 5}, {"query": "x" * 1001}]
    for content in bad:
        with pytest.raises(urllib.error.HTTPError) as caught:
            ask(address, content)
        assert caught.value.code == 400
        assert "not a request" in caught.value.read().decode()
    assert ask(address, {"query": "What is the limit?"})["refusal"]["code"] == "AMBIGUOUS_QUERY"


def test_it_can_be_the_candidate_of_a_run(address: str, tmp_path: Path) -> None:
    """Every sample of the demo dataset is answered and judged, with its tokens and latency."""
    candidate = {"kind": "http", "url": address, "model_id": "example-assistant@1"}
    dataset = {"path": str(samples_path()), "id": "demo"}
    config = {"name": "example", "dataset": dataset, "candidate": candidate, "judge": {"kind": "rules"}, "repeats": 1}
    (tmp_path / "run.yaml").write_text(json.dumps(config), encoding="utf-8")
    command = [str(Path(sys.executable).with_name("plumbrule")), "run", "run.yaml", "--json"]
    kept = {name: value for name, value in os.environ.items() if name != "PLUMBRULE_LEDGER"}
    done = subprocess.run(command, cwd=tmp_path, env=kept, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    aggregates = json.loads(done.stdout)["aggregates"]
    assert aggregates["counts"]["scored"] == 56
    assert aggregates["accuracy_mean"] > 1.2
    assert aggregates["total_output_tokens"] > 500
