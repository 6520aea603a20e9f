"""What the pre-scores of many interactions come to: levels by dimension, the rules that fired, the findings."""

from dataclasses import dataclass, replace
from typing import Any

from plumbrule.interactions.contract_findings import Finding
from plumbrule.prescores.checks import DIMENSIONS, Dimension
from plumbrule.prescores.prescorer import Prescore
from plumbrule.rubrics import LEVELS, Level

_ANSWERABLE = "refused_though_answerable"


@dataclass(slots=True)
class RuleTally:
    """One rule: how often it fired, and the first time that it did."""

    rule: str
    dimension: Dimension
    cap: Level | None
    count: int
    example: str
    message: str


@dataclass(slots=True)
class FindingTally:
    """One code of finding: how often it came, and the first of them."""

    first: Finding
    count: int


class PrescoreTally:
    """Counts pre-scores as they come, in constant memory."""

    def __init__(self, *, pattern: float) -> None:
        self.prescored = 0
        self.refused = 0
        self.levels: dict[Dimension, dict[Level | None, int]] = {
            name: dict.fromkeys((*LEVELS, None), 0) for name in DIMENSIONS
        }
        self.rules: dict[str, RuleTally] = {}
        self.findings: dict[str, FindingTally] = {}
        self.answerable = 0
        self.over_refused = 0
        self._pattern = pattern

    def add(self, prescore: Prescore) -> None:
        """Count one pre-score."""
        self.prescored += 1
        sample = prescore.interaction.sample
        self.refused += prescore.dimensions["response_completeness"].basis == "refused"
        if sample.expected is not None and sample.expected.refuse is False:
            self.answerable += 1
        name = sample.trace_id or sample.id
        for dimension, score in prescore.dimensions.items():
            self.levels[dimension][score.level] += 1
            for check in score.caps:
                self.over_refused += check.rule == _ANSWERABLE
                known = self.rules.get(check.rule)
                if known is None:
                    self.rules[check.rule] = RuleTally(check.rule, dimension, check.cap, 1, name, check.message)
                else:
                    known.count += 1
        self.add_findings(prescore.interaction.findings)

    def add_findings(self, findings: tuple[Finding, ...] | list[Finding]) -> None:
        """Count findings, those of an interaction or those that belong to none."""
        for finding in findings:
            known = self.findings.get(finding.code)
            if known is None:
                self.findings[finding.code] = FindingTally(finding, 1)
            else:
                known.count += 1

    def merge(self, other: "PrescoreTally") -> None:
        """Count what another tally counted, of interactions that came later."""
        self.prescored += other.prescored
        self.refused += other.refused
        self.answerable += other.answerable
        self.over_refused += other.over_refused
        for dimension, counts in other.levels.items():
            for level, count in counts.items():
                self.levels[dimension][level] += count
        for key, rule in other.rules.items():
            if key in self.rules:
                self.rules[key].count += rule.count
            else:
                self.rules[key] = replace(rule)
        for code, finding in other.findings.items():
            if code in self.findings:
                self.findings[code].count += finding.count
            else:
                self.findings[code] = replace(finding)

    @property
    def over_refusal_pattern(self) -> bool:
        """Whether so many answerable queries were refused that it is a pattern, not an edge case."""
        return self.answerable > 0 and self.over_refused / self.answerable >= self._pattern

    def most_frequent(self) -> list[RuleTally]:
        """Return the rules that fired, the lowest caps first, among them the most frequent."""
        return sorted(
            self.rules.values(),
            key=lambda rule: (-LEVELS.index(rule.cap) if rule.cap is not None else 1, -rule.count, rule.rule),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the counts as they are written to JSON."""
        return {
            "prescored": self.prescored,
            "refused": self.refused,
            "levels": {
                name: {level if level is not None else "none": count for level, count in counts.items()}
                for name, counts in self.levels.items()
            },
            "rules": [
                {
                    "rule": rule.rule,
                    "dimension": rule.dimension,
                    "cap": rule.cap,
                    "count": rule.count,
                    "example": rule.example,
                    "message": rule.message,
                }
                for rule in self.most_frequent()
            ],
            "findings": {
                code: {"count": tally.count, "severity": tally.first.severity, "example": tally.first.to_dict()}
                for code, tally in sorted(self.findings.items())
            },
            "over_refusal": {
                "refused": self.over_refused,
                "answerable": self.answerable,
                "pattern": self.over_refusal_pattern,
            },
        }
