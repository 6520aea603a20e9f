"""What a scored dataset comes to: counts beside every mean, a histogram of each score, the worst samples."""

import heapq
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from plumbrule.samples.sample_model import Sample
from plumbrule.stats.intervals import wilson
from plumbrule.verdicts.verdict import Verdict

if TYPE_CHECKING:
    from plumbrule.rubrics import Outcome
    from plumbrule.support.support_scorer import Band

_BINS = 10
_SEVERITY = {"PASS": 0, "WARN": 1, "FAIL": 2}
SCORES = ("relevance", "completeness", "hallucination")


@dataclass(slots=True)
class ScoreTally:
    """One score over all samples: how many have it, their mean, and how they spread from 0 to 1."""

    scored: int = 0
    total: float = 0.0
    histogram: list[int] = field(default_factory=lambda: [0] * _BINS)

    def add(self, score: float) -> None:
        """Count one score."""
        self.scored += 1
        self.total += score
        self.histogram[min(_BINS - 1, int(score * _BINS))] += 1

    def merge(self, other: "ScoreTally") -> None:
        """Count all that another tally counted."""
        self.scored += other.scored
        self.total += other.total
        self.histogram = [one + two for one, two in zip(self.histogram, other.histogram, strict=True)]

    @property
    def mean(self) -> float | None:
        """The mean of those scored; None where none was."""
        return self.total / self.scored if self.scored else None


class Tally:
    """Counts verdicts as they come, in constant memory."""

    def __init__(self, worst: int = 5) -> None:
        self.attempted = 0
        self.refused = 0
        self.verdicts: dict[Outcome, int] = {"PASS": 0, "WARN": 0, "FAIL": 0}
        self.flags: dict[str, int] = {}
        self.anchors: dict[str, list[int]] = {kind: [0, 0] for kind in ("number", "date", "claim")}
        self.passed_contradicted = 0  # a contradicted anchor, but too few to fail: worth a look all the same
        self.passed_unverified = 0  # nothing was found that could be checked
        self.scores = {name: ScoreTally() for name in SCORES}
        self.support: dict[Band, int] = {"supported": 0, "doubtful": 0, "unsupported": 0}
        self._keep = worst
        self._worst: list[tuple[tuple[int, float, float, int], Sample, Verdict]] = []

    def add(self, sample: Sample, verdict: Verdict) -> None:
        """Count one verdict."""
        self.attempted += 1
        self.verdicts[verdict.verdict] += 1
        self.refused += "refusal" in verdict.flags
        self.passed_contradicted += verdict.verdict == "PASS" and "contradicted" in verdict.flags
        self.passed_unverified += (
            verdict.verdict == "PASS" and "nothing_to_verify" in verdict.flags and "refusal" not in verdict.flags
        )
        for flag in verdict.flags:
            self.flags[flag] = self.flags.get(flag, 0) + 1
        for anchor in verdict.hallucination.anchors:
            counts = self.anchors[anchor.kind]
            counts[0] += 1
            counts[1] += not anchor.supported
        for name in SCORES:
            part = getattr(verdict, name)
            if part is not None:
                self.scores[name].add(part.score)
        if verdict.support is not None:
            self.support[verdict.support.band] += 1
        if verdict.verdict != "PASS" and self._keep:
            self._remember(sample, verdict)

    def merge(self, later: "Tally") -> None:
        """Count all that a tally of the samples after these counted."""
        for badness, sample, verdict in later._worst:  # noqa: SLF001 - of its own kind
            self._push((*badness[:3], badness[3] - self.attempted), sample, verdict)
        self.attempted += later.attempted
        self.refused += later.refused
        self.passed_contradicted += later.passed_contradicted
        self.passed_unverified += later.passed_unverified
        for outcome, count in later.verdicts.items():
            self.verdicts[outcome] += count
        for flag, count in later.flags.items():
            self.flags[flag] = self.flags.get(flag, 0) + count
        for kind, counts in later.anchors.items():
            self.anchors[kind] = [one + two for one, two in zip(self.anchors[kind], counts, strict=True)]
        for name, score in later.scores.items():
            self.scores[name].merge(score)
        for band, count in later.support.items():
            self.support[band] += count

    def _remember(self, sample: Sample, verdict: Verdict) -> None:
        hallucination = verdict.hallucination
        # the earlier one first, among equals
        badness = (_SEVERITY[verdict.verdict], hallucination.score, float(hallucination.unsupported), -self.attempted)
        self._push(badness, sample, verdict)

    def _push(self, badness: tuple[int, float, float, int], sample: Sample, verdict: Verdict) -> None:
        push = heapq.heappush if len(self._worst) < self._keep else heapq.heappushpop
        push(self._worst, (badness, sample, verdict))

    def worst(self) -> list[tuple[Sample, Verdict]]:
        """Return the worst samples, worst first."""
        return [(sample, verdict) for _, sample, verdict in sorted(self._worst, key=lambda row: row[0], reverse=True)]

    def to_dict(self, *, bad_records: int = 0) -> dict[str, Any]:
        """Return the counts as they are written to JSON."""
        interval = wilson(self.verdicts["PASS"], self.attempted)
        return {
            "counts": {
                "attempted": self.attempted + bad_records,
                "scored": self.attempted,
                "errored": bad_records,
                "refused": self.refused,
            },
            "verdicts": dict(self.verdicts),
            "pass_rate": self.verdicts["PASS"] / self.attempted if self.attempted else None,
            "pass_rate_interval_95": list(interval) if interval else None,
            "scores": {
                name: {"scored": score.scored, "mean": score.mean, "histogram": list(score.histogram)}
                for name, score in self.scores.items()
            },
            "anchors": {
                kind: {"total": total, "unsupported": unsupported}
                for kind, (total, unsupported) in self.anchors.items()
            },
            "support": {**self.support, "not_scored": self.attempted - sum(self.support.values())},
            "flags": dict(sorted(self.flags.items())),
            "passed_contradicted": self.passed_contradicted,
            "passed_unverified": self.passed_unverified,
            "worst": [verdict.id for _, verdict in self.worst()],
        }
