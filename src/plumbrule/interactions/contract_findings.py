"""A finding is one deviation of what was read from the response contract: named, placed, never silent."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeVar

from plumbrule.samples.value_types import Misfit

Severity = Literal["error", "warning", "note"]

T = TypeVar("T")

# Every code there is, by how much it weighs. An error means that the record contradicts itself or is lost.
_CODES: dict[Severity, tuple[str, ...]] = {
    "error": (
        "record_bad", "answer_missing", "answer_and_refusal", "status_unknown", "status_mismatch",
        "refusal_code_unknown", "trace_id_twice",
    ),
    "warning": (
        "field_missing", "field_type", "warning_under_two_names", "warning_renamed", "citation_twice",
        "citation_nowhere", "excerpt_too_long", "too_many_sources", "query_too_long", "response_too_long",
        "timestamp_bad", "trace_id_bad", "trace_missing", "trace_orphan", "trace_differs", "passage_unknown",
        "passage_twice",
    ),
    "note": ("file_skipped",),
}  # fmt: skip
SEVERITIES = {code: severity for severity, codes in _CODES.items() for code in codes}


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One deviation: its code, the file and line, what was found there, and how much it weighs."""

    code: str
    where: str
    message: str
    severity: Severity


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
