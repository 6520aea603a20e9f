"""Build servers read the gates and the samples as tests."""

from dataclasses import replace
from xml.etree import ElementTree as ET

from tests.reports.conftest import Make

from plumbrule.reports import Report
from plumbrule.reports.html import render_html
from plumbrule.reports.junit import render_junit
from plumbrule.reports.markdown import render_markdown


def read(report: Report) -> ET.Element:
    """Parse what was written."""
    return ET.fromstring(render_junit(report))  # noqa: S314 - our own text


def test_gates_and_samples_are_suites(mixed: Report) -> None:
    """Each gate and each sample is a test; the counts of the suites are true."""
    root = read(mixed)
    gates, samples = root.findall("testsuite")
    assert [case.get("name") for case in gates.iter("testcase")] == ["complete", *(gate.name for gate in mixed.gates)]
    assert [case.get("name") for case in samples] == [sample.sample_id for sample in mixed.samples]
    for suite in (root, gates, samples):
        counts = (("tests", "testcase"), ("failures", "failure"), ("errors", "error"), ("skipped", "skipped"))
        for counted, tag in counts:
            assert int(suite.get(counted) or -1) == len(list(suite.iter(tag)))
    assert int(samples.get("failures") or 0) + int(samples.get("errors") or 0) == mixed.failed


def test_errors_are_not_failures(mixed: Report) -> None:
    """What could not be judged is an error, with its name; what is wrong is a failure, with its causes."""
    cases = {case.get("name"): case for case in read(mixed).iter("testcase")}
    [error] = cases["q12"]
    assert (error.tag, error.get("type")) == ("error", "parse_error")
    [failure] = cases["q6"]
    assert (failure.tag, failure.get("type")) == ("failure", "faithfulness")
    assert failure.get("message") == "unfaithful to the context; inaccurate"
    assert "accuracy_score 0, faithfulness_score 0" in (failure.text or "")
    assert cases["q0"].get("time") == "0.900"
    assert cases["q0"].get("classname") == "samples.limits"


def test_an_incomplete_run_is_an_error(make: Make) -> None:
    """It is not decided, so it does not pass."""
    [error] = next(iter(read(make([{}], planned=2)).iter("testcase")))
    assert (error.tag, error.get("type")) == ("error", "incomplete")


def properties(element: ET.Element | None) -> dict[str | None, str | None]:
    """Return the properties of a suite or of a test."""
    assert element is not None
    return {each.get("name"): each.get("value") for each in element.iterfind("properties/property")}


def test_under_bound_a_gate_that_is_not_settled_is_a_failure(make: Make) -> None:
    """Of a type of its own, because it keeps the run from a release."""
    report = make([{}] * 3)
    bound = replace(report, decision="INCONCLUSIVE", decide_on="bound")
    failures = list(read(bound).iter("failure"))
    assert [failure.get("type") for failure in failures] == ["inconclusive"] * 4
    assert "would settle it with 80% power" in str(failures[0].get("message"))
    assert properties(read(bound).find("testsuite"))["outcome"] == "INCONCLUSIVE"


def test_under_point_a_gate_that_is_not_settled_does_not_look_like_one_that_holds(make: Make) -> None:
    """Three perfect samples: every gate is skipped and says what would settle it; enough samples pass plainly."""
    root = read(make([{}] * 3))
    assert (root.get("failures"), root.get("skipped")) == ("0", "4")
    skipped = list(root.iter("skipped"))
    assert {each.get("type") for each in skipped} == {"inconclusive"}
    assert all("would settle it with 80% power" in str(each.get("message")) for each in skipped)
    suite = properties(root.find("testsuite"))
    assert suite["outcome"] == "RELEASE"
    assert str(suite["headline"]).startswith("RELEASE, not settled: 4 of 4 gates")
    assert str(suite["unsettled_gates"]).split() == [
        "aggregate_score",
        "pass_rate",
        "faithfulness_failure_rate",
        "latency_e2e_p95_ms",
    ]
    settled = read(make([{}] * 100))
    assert settled.get("skipped") == "0"
    assert properties(settled.find("testsuite"))["unsettled_gates"] == ""


def test_the_state_of_a_gate_is_machine_readable(make: Make) -> None:
    """A program reads figure, limit, interval and state from properties, and the sentence from the output."""
    report = make([{}] * 3)
    cases = {case.get("name"): case for case in read(report).iter("testcase")}
    gate = next(each for each in report.gates if each.name == "pass_rate")
    state = properties(cases["pass_rate"])
    assert state["settled"] == "inconclusive"
    assert state["passed"] == "true"
    assert float(str(state["interval_low"])) == gate.interval.low
    assert (float(str(state["value"])), float(str(state["limit"]))) == (gate.value, gate.limit)
    assert int(str(state["settles_at"])) == gate.settles_at
    assert "pass_rate is 1" in str(cases["pass_rate"].findtext("system-out"))
    open_end = properties(cases["latency_e2e_p95_ms"])
    assert "interval_high" not in open_end


def test_a_pass_against_the_evidence_says_so(make: Make) -> None:
    """In JUnit as output of the case, in the pages in a part of its own, in JSON on the line of the sample."""
    report = make([{"sample_id": "sure"}, {"sample_id": "odd", "contradicted": True, "unsupported": True}])
    assert [line.headline for line in report.samples] == ["PASS · contradicted · unsupported", "PASS"]
    [case] = [case for case in read(report).iter("testcase") if case.get("name") == "odd"]
    assert case.findtext("system-out") == "PASS · contradicted · unsupported"
    for page in (render_html(report), render_markdown(report)):
        text = page.decode()
        assert "Passed against the evidence" in text
        assert "PASS · contradicted · unsupported" in text
