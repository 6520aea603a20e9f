"""Counts the pre-scores of many interactions: levels by dimension, the rules that fired, the findings."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from plumbrule.interactions.contract_findings import Finding
from plumbrule.prescores.checks import DIMENSIONS, Dimension
from plumbrule.prescores.prescore_result import FindingTally, OverRefusal, PrescoreSummary, RuleTally
from plumbrule.prescores.prescorer import Prescore
from plumbrule.rubrics import LEVELS, Level, Stamp
from plumbrule.stats.mean_intervals import clopper_pearson

_ANSWERABLE = "refused_though_answerable"


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
                self._count_rule(
                    RuleTally(
                        rule=check.rule,
                        dimension=dimension,
                        cap=check.cap,
                        count=1,
                        example=name,
                        message=check.message,
                    )
                )
        self.add_findings(prescore.interaction.findings)

    def add_findings(self, findings: Iterable[Finding]) -> None:
        """Count findings, those of an interaction or those that belong to none."""
        for finding in findings:
            self._count_finding(finding.code, FindingTally(count=1, severity=finding.severity, example=finding))

    def merge(self, other: "PrescoreTally") -> None:
        """Count what another tally counted, of interactions that came later."""
        self.prescored += other.prescored
        self.refused += other.refused
        self.answerable += other.answerable
        self.over_refused += other.over_refused
        for dimension, counts in other.levels.items():
            for level, count in counts.items():
                self.levels[dimension][level] += count
        for rule in other.rules.values():
            self._count_rule(rule)
        for code, tally in other.findings.items():
            self._count_finding(code, tally)

    def _count_rule(self, tally: RuleTally) -> None:
        first = self.rules.get(tally.rule)
        self.rules[tally.rule] = tally if first is None else replace(first, count=first.count + tally.count)

    def _count_finding(self, code: str, tally: FindingTally) -> None:
        first = self.findings.get(code)
        self.findings[code] = tally if first is None else replace(first, count=first.count + tally.count)

    def summary(self, *, counts: Mapping[str, int], rubrics: tuple[Stamp, ...]) -> PrescoreSummary:
        """Return the counts beside those of what was read, with the policies that the pre-scores were made by."""
        return PrescoreSummary(
            counts=counts,
            prescored=self.prescored,
            refused=self.refused,
            levels={
                name: {"none" if level is None else level: count for level, count in levels.items()}
                for name, levels in self.levels.items()
            },
            rules=tuple(
                sorted(
                    self.rules.values(),
                    key=lambda rule: (-LEVELS.index(rule.cap) if rule.cap is not None else 1, -rule.count, rule.rule),
                )
            ),
            findings=dict(sorted(self.findings.items())),
            over_refusal=OverRefusal(
                refused=self.over_refused,
                answerable=self.answerable,
                pattern=_at_least(self.over_refused, self.answerable, self._pattern),
            ),
            rubrics=rubrics,
        )


def _at_least(count: int, total: int, share: float) -> bool:
    """Tell whether even the lower end of the exact 95% interval reaches a share: one of one shows no pattern."""
    interval = clopper_pearson(count, total)
    return interval is not None and interval.low >= share
