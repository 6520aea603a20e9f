"""The report as JUnit XML, for build servers: one suite for the gates, one for the samples."""

from collections.abc import Iterable
from xml.etree import ElementTree as ET

from plumbrule.reports.figure_text import figure, gate_text
from plumbrule.runs.report.fix_first import CAUSES
from plumbrule.runs.report.run_report import Report, ReportGate, SampleLine
from plumbrule.terminal import safe

Properties = Iterable[tuple[str, str]]


def render_junit(report: Report) -> bytes:
    """Return the report as JUnit XML; a gate or sample that failed is a failure, one that was not judged an error.

    A sample that passes against the evidence says so in its output, such as ``PASS · contradicted``.
    A gate that is not settled never looks like one that holds. Where that keeps the run from a release, it is a failure
    of the type ``inconclusive``; where its figure alone decides and keeps the limit, it is skipped. The outcome of the
    run and the state of each gate are properties.
    """
    root = ET.Element("testsuites", name=safe(f"{report.name} {report.run_id}"))
    gates = ET.SubElement(root, "testsuite", name="gates")
    _add_properties(gates, _outcome(report))
    whole = _case(gates, "gates", "complete")
    if not report.complete:
        ET.SubElement(whole, "error", type="incomplete", message=safe(report.reasons[0].text))
    for gate in report.gates:
        _add_gate(gates, gate, report)
    samples = ET.SubElement(root, "testsuite", name="samples")
    for sample in report.samples:
        _add_sample(samples, sample)
    for suite in (root, gates, samples):
        suite.set("tests", str(len(list(suite.iter("testcase")))))
        suite.set("failures", str(len(list(suite.iter("failure")))))
        suite.set("errors", str(len(list(suite.iter("error")))))
        suite.set("skipped", str(len(list(suite.iter("skipped")))))
    ET.indent(root)
    body: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return body + b"\n"


def _outcome(report: Report) -> Properties:
    yield "outcome", report.decision
    yield "headline", report.headline
    yield "decide_on", report.decide_on
    yield "confidence", report.confidence
    yield "anchor", report.anchor
    yield "unsettled_gates", " ".join(gate.name for gate in report.gates if gate.inconclusive)


def _add_gate(suite: ET.Element, gate: ReportGate, report: Report) -> None:
    case = _case(suite, "gates", gate.name)
    _add_properties(case, _state(gate))
    message = safe(gate_text(gate, confidence=report.confidence))
    blocks = gate.waits_for is not None or (report.decide_on == "bound" and gate.inconclusive)
    if blocks or not gate.passed:
        ET.SubElement(case, "failure", type="inconclusive" if blocks else "gate", message=message)
    elif gate.inconclusive:
        ET.SubElement(case, "skipped", type="inconclusive", message=message)
    ET.SubElement(case, "system-out").text = message


def _state(gate: ReportGate) -> Properties:
    yield "settled", gate.settled
    yield "passed", str(gate.passed).lower()
    numbers = {
        "value": gate.value,
        "value_nulls_as_zero": gate.value_nulls_as_zero,
        "limit": gate.limit,
        "interval_low": gate.interval.low,
        "interval_high": gate.interval.high,
        "settles_at": gate.settles_at,
        "labels_to_settle": gate.labels_to_settle,
    }
    for name, number in numbers.items():
        if number is not None:
            yield name, repr(number)


def _add_properties(parent: ET.Element, named: Properties) -> None:
    properties = ET.SubElement(parent, "properties")
    for name, value in named:
        ET.SubElement(properties, "property", name=name, value=safe(value))


def _add_sample(suite: ET.Element, sample: SampleLine) -> None:
    case = _case(suite, f"samples.{safe(sample.category)}" if sample.category else "samples", sample.sample_id)
    if sample.latency_e2e_ms is not None:
        case.set("time", f"{sample.latency_e2e_ms / 1000:.3f}")
    if sample.passed:
        if sample.headline != "PASS":
            ET.SubElement(case, "system-out").text = sample.headline
        return
    broken = sample.evaluator_error or sample.candidate_error
    outcome = ET.SubElement(case, "error" if broken else "failure")
    outcome.set("type", safe(broken or sample.causes[0]))
    outcome.set("message", "; ".join(CAUSES[cause] for cause in sample.causes))
    fields = ("accuracy_score", "faithfulness_score", "latency_e2e_ms", "total_tokens")
    measured = ", ".join(f"{name} {figure(getattr(sample, name))}" for name in fields)
    outcome.text = safe(f"{measured}\n{sample.rationale or ''}".strip())


def _case(suite: ET.Element, group: str, name: str) -> ET.Element:
    return ET.SubElement(suite, "testcase", classname=group, name=safe(name))
