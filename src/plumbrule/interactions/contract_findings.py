"""A finding is one deviation of what was read from the response contract: named, placed, never silent."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeVar

from plumbrule.samples.value_types import Misfit

Severity = Literal["error", "warning", "note"]

T = TypeVar("T")

# Every code there is: how much it weighs. An error means that the record contradicts itself or is lost.
SEVERITIES: dict[str, Severity] = {
    "record_bad": "error",
    "answer_missing": "error",
    "answer_and_refusal": "error",
    "status_unknown": "error",
    "status_mismatch": "error",
    "refusal_code_unknown": "error",
    "trace_id_twice": "error",
    "field_missing": "warning",
    "field_type": "warning",
    "warning_under_two_names": "warning",
    "warning_renamed": "warning",
    "citation_twice": "warning",
    "citation_nowhere": "warning",
    "excerpt_too_long": "warning",
    "too_many_sources": "warning",
    "query_too_long": "warning",
    "response_too_long": "warning",
    "timestamp_bad": "warning",
    "trace_id_bad": "warning",
    "trace_missing": "warning",
    "trace_orphan": "warning",
    "trace_differs": "warning",
    "passage_unknown": "warning",
    "passage_twice": "warning",
    "file_skipped": "note",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One deviation: its code, the file and line, what was found there, and how much it weighs."""

    code: str
    where: str
    message: str
    severity: Severity

    def to_dict(self) -> dict[str, str]:
        """Return the finding as a JSON-ready dict."""
        return {"code": self.code, "where": self.where, "message": self.message, "severity": self.severity}


class FindingLog:
    """The findings of one record, as they are made."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.findings: list[Finding] = []

    def add(self, code: str, message: str) -> None:
        """Note one deviation."""
        self.findings.append(finding(code, self.where, message))

    def take(self, read: Callable[[str, object], T], name: str, value: object) -> T | None:
        """Return ``value`` as ``read`` gives it; None where it is null, or cannot be read, which is noted."""
        if value is None:
            return None
        try:
            return read(name, value)
        except Misfit as misfit:
            self.add("field_type", str(misfit))
            return None


def finding(code: str, where: str, message: str) -> Finding:
    """Return a finding with the weight of its code."""
    return Finding(code=code, where=where, message=message, severity=SEVERITIES[code])
