"""The report as JUnit XML, for build servers: one suite for the gates, one for the samples."""

from xml.etree import ElementTree as ET

from plumbrule.reports.figure_text import figure, gate_text
from plumbrule.runs.report.fix_first import CAUSES
from plumbrule.runs.report.run_report import Report, SampleLine
from plumbrule.terminal import safe


def render_junit(report: Report) -> bytes:
    """Return the report as JUnit XML; a gate or sample that failed is a failure, one that was not judged an error.

    A sample that passes against the evidence says so in its output, such as ``PASS · contradicted``.
    Under the policy ``bound`` a gate that is not settled is a failure of the type ``inconclusive``.
    """
    root = ET.Element("testsuites", name=safe(f"{report.name} {report.run_id}"))
    gates = ET.SubElement(root, "testsuite", name="gates")
    whole = _case(gates, "gates", "complete")
    if not report.complete:
        ET.SubElement(whole, "error", type="incomplete", message=safe(report.reasons[0].text))
    for gate in report.gates:
        case = _case(gates, "gates", gate.name)
        unsettled = gate.waits_for is not None or (report.decide_on == "bound" and gate.inconclusive)
        if unsettled or not gate.passed:
            message = safe(gate_text(gate, confidence=report.confidence))
            ET.SubElement(case, "failure", type="inconclusive" if unsettled else "gate", message=message)
    samples = ET.SubElement(root, "testsuite", name="samples")
    for sample in report.samples:
        _add_sample(samples, sample)
    for suite in (root, gates, samples):
        suite.set("tests", str(len(list(suite.iter("testcase")))))
        suite.set("failures", str(len(list(suite.iter("failure")))))
        suite.set("errors", str(len(list(suite.iter("error")))))
    ET.indent(root)
    body: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return body + b"\n"


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
