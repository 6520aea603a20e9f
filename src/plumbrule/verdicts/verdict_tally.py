"""The summary of a scored dataset: counts beside every mean, a histogram of each score, the worst samples."""

import heapq
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, Literal, TypeVar

from plumbrule.codec import optional_key
from plumbrule.rubrics import AnchorKind, Outcome
from plumbrule.samples.sample_model import Sample
from plumbrule.stats.intervals import Interval
from plumbrule.stats.mean_intervals import clopper_pearson
from plumbrule.verdicts.headline import CONCERNS, Concern
from plumbrule.verdicts.verdict import Verdict
from plumbrule.verdicts.verdict_json import StampJson, VerdictJson

if TYPE_CHECKING:
    from plumbrule.support.support_scorer import Band

_BINS = 10
_SUBNORMAL_BITS = 1074  # every float is a whole number of 2**-1074
_SEVERITY = {"PASS": 1, "WARN": 1, "FAIL": 2}  # a PASS is among the worst only where the evidence is against it
FailOn = Literal["fail", "warn", "contradicted", "unsupported"]
FAIL_ON: tuple[FailOn, ...] = ("fail", "warn", "contradicted", "unsupported")
ScoreName = Literal["relevance", "completeness", "hallucination"]
SCORES: tuple[ScoreName, ...] = ("relevance", "completeness", "hallucination")


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictCounts:
    """How many records there were, and how many of them were scored, bad, or refusals."""

    attempted: int
    scored: int
    errored: int
    refused: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreSummary:
    """One score over all samples: how many have it, their mean, and a histogram of ten bins from 0 to 1."""

    scored: int
    mean: float | None
    histogram: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnchorCounts:
    """How many anchors of one kind there are, and how many of them no context supports."""

    total: int
    unsupported: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SupportCounts:
    """How many answers are in each band of the support score."""

    supported: int
    doubtful: int
    unsupported: int
    not_scored: int


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictSummary:
    """The verdicts of a dataset in figures; a share of nothing is null."""

    counts: VerdictCounts
    verdicts: Mapping[Outcome, int]
    pass_rate: float | None
    pass_rate_interval_95: tuple[float, float] | None
    scores: Mapping[ScoreName, ScoreSummary]
    anchors: Mapping[AnchorKind, AnchorCounts]
    support: SupportCounts
    flags: Mapping[str, int]
    passed_contradicted: int  # a context says otherwise, and no rule failed it: worth a look all the same
    passed_unverified: int  # nothing was found that could be checked
    against_evidence: Mapping[Concern, Mapping[Outcome, int]]  # what the evidence has against how many, by verdict
    worst: tuple[str, ...]  # the ids of the worst samples, worst first
    rubric: StampJson | None = optional_key()

    def share(self, outcome: Outcome) -> float:
        """Return the share of the scored samples with this verdict."""
        return self.verdicts[outcome] / self.counts.scored if self.counts.scored else 0.0

    def interval(self, outcome: Outcome) -> Interval | None:
        """Return the 95% interval of that share."""
        return clopper_pearson(self.verdicts[outcome], self.counts.scored)

    def fails_on(self, conditions: Iterable[FailOn]) -> bool:
        """Tell whether any sample meets one of the conditions; ``warn`` is met by a FAIL as well."""
        counts: dict[FailOn, int] = {
            "fail": self.verdicts["FAIL"],
            "warn": self.verdicts["WARN"] + self.verdicts["FAIL"],
            "contradicted": sum(self.against_evidence["contradicted"].values()),
            "unsupported": sum(self.against_evidence["unsupported"].values()),
        }
        return any(counts[condition] for condition in conditions)

    @property
    def refused_by_wording(self) -> int:
        """How many refusals are known by their wording alone; the data declares the others."""
        return self.flags.get("refusal_undeclared", 0)


@dataclass(slots=True)
class ScoreTally:
    """One score over all samples: how many have it, their mean, and how they spread from 0 to 1.

    The total is exact, so that it does not depend on how the samples were shared out.
    """

    scored: int = 0
    total: int = 0  # in units of 2**-1074
    histogram: list[int] = field(default_factory=lambda: [0] * _BINS)

    def add(self, score: float) -> None:
        """Count one score."""
        self.scored += 1
        numerator, denominator = score.as_integer_ratio()
        self.total += numerator << (_SUBNORMAL_BITS + 1 - denominator.bit_length())
        self.histogram[min(_BINS - 1, int(score * _BINS))] += 1

    def merge(self, other: "ScoreTally") -> None:
        """Count all that another tally counted."""
        self.scored += other.scored
        self.total += other.total
        self.histogram = [one + two for one, two in zip(self.histogram, other.histogram, strict=True)]

    @property
    def mean(self) -> float | None:
        """The mean of those scored; None where none was."""
        return self.total / (self.scored << _SUBNORMAL_BITS) if self.scored else None


V = TypeVar("V", Verdict, VerdictJson)  # a verdict as it was given, or as it was read back


class VerdictTally(Generic[V]):
    """Counts verdicts as they come, in constant memory."""

    def __init__(self, worst: int = 5) -> None:
        self.attempted = 0
        self.refused = 0
        self.verdicts: Counter[Outcome] = Counter({"PASS": 0, "WARN": 0, "FAIL": 0})
        self.flags: Counter[str] = Counter()
        self.anchors: Counter[AnchorKind] = Counter({"number": 0, "date": 0, "claim": 0})
        self.unsupported: Counter[AnchorKind] = Counter()
        self.passed_unverified = 0
        self.against_evidence: Counter[tuple[Concern, Outcome]] = Counter()
        self.scores = {name: ScoreTally() for name in SCORES}
        self.support: Counter[Band] = Counter({"supported": 0, "doubtful": 0, "unsupported": 0})
        self._keep = worst
        self._worst: list[tuple[tuple[int, float, float, int], Sample, V]] = []

    def add(self, sample: Sample, verdict: V) -> None:
        """Count one verdict."""
        self.attempted += 1
        self.verdicts[verdict.verdict] += 1
        self.refused += "refusal" in verdict.flags
        self.passed_unverified += (
            verdict.verdict == "PASS" and "nothing_to_verify" in verdict.flags and "refusal" not in verdict.flags
        )
        self.flags.update(verdict.flags)
        for anchor in verdict.hallucination.anchors:
            self.anchors[anchor.kind] += 1
            self.unsupported[anchor.kind] += not anchor.supported
        for name in SCORES:
            part = getattr(verdict, name)
            if part is not None:
                self.scores[name].add(part.score)
        if verdict.support is not None:
            self.support[verdict.support.band] += 1
        self.against_evidence.update((concern, verdict.verdict) for concern in verdict.concerns)
        if verdict.headline != "PASS" and self._keep:
            self._remember(sample, verdict)

    def merge(self, later: "VerdictTally[V]", *, before: int | None = None) -> None:
        """Count all that a tally of other samples counted; so many stand ``before`` them, else those counted here."""
        shift = self.attempted if before is None else before
        for (severity, score, unsupported, place), sample, verdict in later._worst:  # noqa: SLF001 - of its own kind
            self._push((severity, score, unsupported, place - shift), sample, verdict)
        self.attempted += later.attempted
        self.refused += later.refused
        self.passed_unverified += later.passed_unverified
        self.against_evidence.update(later.against_evidence)
        self.verdicts.update(later.verdicts)
        self.flags.update(later.flags)
        self.anchors.update(later.anchors)
        self.unsupported.update(later.unsupported)
        self.support.update(later.support)
        for name, scores in later.scores.items():
            self.scores[name].merge(scores)

    def _remember(self, sample: Sample, verdict: V) -> None:
        score, anchors = verdict.hallucination.score, verdict.hallucination.anchors
        unsupported = float(sum(not anchor.supported for anchor in anchors))
        # the earlier one first, among equals
        self._push((_SEVERITY[verdict.verdict], score, unsupported, -self.attempted), sample, verdict)

    def rescored(self, score: Callable[[Sample], Verdict]) -> "VerdictTally[Verdict]":
        """Return the same tally with the worst samples scored again."""
        tally: VerdictTally[Verdict] = VerdictTally(self._keep)
        tally.__dict__.update(self.__dict__)
        tally._worst = [(row[0], row[1], score(row[1])) for row in self._worst]
        return tally

    def _push(self, badness: tuple[int, float, float, int], sample: Sample, verdict: V) -> None:
        push = heapq.heappush if len(self._worst) < self._keep else heapq.heappushpop
        push(self._worst, (badness, sample, verdict))

    def worst(self) -> list[tuple[Sample, V]]:
        """Return the worst samples, worst first."""
        return [(sample, verdict) for _, sample, verdict in sorted(self._worst, key=lambda row: row[0], reverse=True)]

    def summary(self, *, bad_records: int = 0, rubric: StampJson | None = None) -> VerdictSummary:
        """Return the figures; ``bad_records`` could not be read and so have no verdict."""
        passed = self.verdicts["PASS"]
        return VerdictSummary(
            counts=VerdictCounts(
                attempted=self.attempted + bad_records, scored=self.attempted, errored=bad_records, refused=self.refused
            ),
            verdicts=dict(self.verdicts),
            pass_rate=passed / self.attempted if self.attempted else None,
            pass_rate_interval_95=clopper_pearson(passed, self.attempted),
            scores={
                name: ScoreSummary(scored=score.scored, mean=score.mean, histogram=tuple(score.histogram))
                for name, score in self.scores.items()
            },
            anchors={
                kind: AnchorCounts(total=total, unsupported=self.unsupported[kind])
                for kind, total in self.anchors.items()
            },
            support=SupportCounts(**dict(self.support), not_scored=self.attempted - sum(self.support.values())),
            flags=dict(sorted(self.flags.items())),
            passed_contradicted=self.against_evidence["contradicted", "PASS"],
            passed_unverified=self.passed_unverified,
            against_evidence={
                concern: {outcome: self.against_evidence[concern, outcome] for outcome in self.verdicts}
                for concern in CONCERNS
            },
            worst=tuple(verdict.id for _, verdict in self.worst()),
            rubric=rubric,
        )
