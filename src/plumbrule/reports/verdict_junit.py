"""The verdicts on a dataset as JUnit XML, for build servers: a test case for each sample, with what made it fail."""

import functools
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from xml.etree import ElementTree as ET

from plumbrule.reports.evidence_text import evidence_lines
from plumbrule.samples import Sample
from plumbrule.terminal import safe
from plumbrule.verdicts import FailOn, Verdict, VerdictTally

_CHUNK = 1 << 16
_IN_MEMORY = 1 << 24
_SUITE = "answers"


@dataclass(frozen=True, slots=True)
class VerdictCase:
    """The test case of one sample, and whether it fails."""

    xml: bytes
    failed: bool


def case_form(fail_on: Iterable[FailOn]) -> Callable[[Sample, Verdict], VerdictCase]:
    """Return what makes a case of a verdict: it fails where ``fail_on`` says so, else where it is FAIL."""
    return functools.partial(_case, fail_on=tuple(fail_on) or ("fail",))


def write_junit(cases: Iterable[VerdictCase]) -> Iterator[bytes]:
    """Yield the file piece by piece; its head counts the cases, which are kept on disk until all are known."""
    tests = failures = 0
    with tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY) as body:
        for case in cases:
            tests += 1
            failures += case.failed
            body.write(case.xml)
        counts = f'tests="{tests}" failures="{failures}" errors="0" skipped="0"'
        yield f"<?xml version='1.0' encoding='utf-8'?>\n<testsuites name=\"plumbrule score\" {counts}>\n".encode()
        yield f'<testsuite name="{_SUITE}" {counts}>\n'.encode()
        body.seek(0)
        while piece := body.read(_CHUNK):
            yield piece
    yield b"</testsuite>\n</testsuites>\n"


def _case(sample: Sample, verdict: Verdict, *, fail_on: tuple[FailOn, ...]) -> VerdictCase:
    group = f"{_SUITE}.{safe(sample.category)}" if sample.category else _SUITE
    case = ET.Element("testcase", classname=group, name=safe(verdict.id))
    tally: VerdictTally[Verdict] = VerdictTally(0)
    tally.add(sample, verdict)
    failed = tally.summary().fails_on(fail_on)
    if failed:
        failure = ET.SubElement(case, "failure", type=verdict.verdict)
        failure.set("message", safe("; ".join((verdict.headline, *verdict.reasons))))
        failure.text = "\n".join(evidence_lines(sample, verdict))
    elif verdict.headline != "PASS":
        ET.SubElement(case, "system-out").text = safe("; ".join((verdict.headline, *verdict.reasons)))
    return VerdictCase(ET.tostring(case, encoding="utf-8") + b"\n", failed)
