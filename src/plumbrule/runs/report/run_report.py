"""The report of one run, before it is written in a format: every format says what is here and no more."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from plumbrule.outcomes import DecideOn, Outcome, Settled
from plumbrule.rubrics.benchmark_rubric import Anchor, Confidence
from plumbrule.runs.anchor.anchor_results import AnchorSummary
from plumbrule.runs.run_results import (
    CompletedMetadata,
    Counts,
    Direction,
    FlippedSample,
    RepeatFigures,
    RubricStamp,
    RunUsage,
    WorstRepeat,
)
from plumbrule.support.kept_support import SupportTotals
from plumbrule.text.figure_format import figure

By = Literal["cause", "causes_together", "category"]
ReasonKind = Literal[
    "incomplete",
    "gate",
    "repeat",
    "inconclusive",
    "looks",
    "labels",
    "repeated_samples",
    "metadata",
    "repeats",
    "repeated_calls",
    "floating",
    "corrections",
]

REPORT_VERSION = 2  # since 2, the decision is one of three outcomes


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportInterval:
    """A 95% interval; an end of None is open."""

    low: float | None
    high: float | None
    method: str
    samples: int
    clusters: int | None = None
    nulls: int | None = None
    labels: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """One reason of the decision; one that does not block is a remark that a reader of the decision must know."""

    kind: ReasonKind
    blocking: bool
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleLink:
    """A failing sample that is named elsewhere; ``number`` is its place among the failures, from 1."""

    sample_id: str
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FixGroup:
    """Failing samples that share a cause, several causes or a category, and what fixing them would bring.

    ``only`` of the samples would pass if this alone were fixed; ``pass_rate_if_fixed`` counts them as passed.
    """

    by: By
    name: str
    title: str
    samples: int
    only: int
    share_of_failures: float
    pass_rate_if_fixed: float
    pass_rate_gain: float
    worst: tuple[SampleLink, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportGate:
    """One gate with the title that people read, the worse of its two figures, and the state of its interval."""

    name: str
    title: str
    direction: Direction
    limit: float
    value: float | None
    value_nulls_as_zero: float | None
    deciding: float | None
    passed: bool
    interval: ReportInterval
    inconclusive: bool
    samples_to_settle: int | None
    settled: Settled
    settles_at: int | None
    worst_repeat: WorstRepeat | None
    by_judge: float | None = None  # what the judge alone says, where the figure goes by people's labels
    labels_to_settle: int | None = None
    waits_for: str | None = None
    settles_in: int | None = None  # in how many clusters the samples that settle it must be, where there are clusters

    @property
    def nulls(self) -> int | None:
        """How many null latencies the interval allows for."""
        return self.interval.nulls


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportAggregate:
    """One aggregate in both null treatments, with the counts behind it."""

    name: str
    value: float | None
    nulls_as_zero: float | None
    counts: Counts
    interval: ReportInterval | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportVariation:
    """One figure over the repeats."""

    name: str
    mean: float | None
    sd: float | None
    mean_nulls_as_zero: float | None
    sd_nulls_as_zero: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeats:
    """All repeats of the run; ``decisive`` is the worst, whose samples and aggregates the report gives."""

    wanted: int
    enough: bool
    decisive: int
    each: tuple[RepeatFigures, ...]
    variations: tuple[ReportVariation, ...]
    compared: int
    flip_rate: float | None
    flips: tuple[FlippedSample, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Histogram:
    """How many values lie in each of the equal steps from ``low`` to ``high``; ``over`` lie beyond."""

    low: float
    high: float
    counts: tuple[int, ...]
    over: int
    unknown: int

    @property
    def edges(self) -> tuple[float, ...]:
        """The ends of the steps."""
        step = (self.high - self.low) / len(self.counts)
        return tuple(self.low + step * index for index in range(len(self.counts) + 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A named place on the axis of a histogram."""

    name: str
    value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """How a figure is spread over the samples, with the places that matter."""

    name: str
    histogram: Histogram
    marks: tuple[Mark, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HeatCell:
    """How many samples got these two scores; None is a score that is not available."""

    accuracy_score: int | None
    faithfulness_score: int | None
    samples: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Category:
    """The samples of one category; ``name`` is None for those without one."""

    name: str | None
    attempted: int
    passed: int
    pass_rate: float
    interval: ReportInterval
    accuracy_mean: float | None
    faithfulness_failures: int
    errored: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleLine:
    """One sample in the decisive repeat; ``passed_in`` and ``failed_in`` list the repeats."""

    sample_id: str
    question: str  # its beginning, as of the answer
    answer: str
    category: str | None
    repeat: int
    passed: bool
    causes: tuple[str, ...]
    accuracy_score: int | None
    faithfulness_score: int | None
    latency_e2e_ms: float | None
    total_tokens: int | None
    sample_score: float | None
    support_score: float | None  # None where it was not given
    support_band: str | None
    refused: bool
    timed_out: bool
    evaluator_error: str | None
    candidate_error: str | None
    rationale: str | None
    passed_in: tuple[int, ...]
    failed_in: tuple[int, ...]
    headline: str  # PASS or FAIL, and beside a PASS what the evidence has against it


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """One passage that the candidate was given."""

    id: str | None
    title: str | None
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A failing sample in full; where it failed only in other repeats, ``sample`` is of the first of those."""

    number: int
    sample: SampleLine
    question: str
    answer: str | None
    refusal: str | None
    reference: str | None
    expected: str | None
    contexts: tuple[Context, ...]
    error_detail: str | None
    flags: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeTotals:
    """One judge as the results name it, with what it used over all repeats; None was not reported."""

    name: str
    version: str | None
    sha256: str | None
    model_id: str | None
    template_sha256: str | None
    judgements: int
    requests: int
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None
    reported_models: tuple[str, ...]
    fingerprints: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerPlace:
    """Where the run ends in the ledger: nothing in the report is younger than this entry."""

    ledger_id: str
    sequence: int
    entry_sha256: str
    recorded_at_utc: str
    run_sequence: int
    run_entry_sha256: str
    results: int
    exchanges: int
    corrections: int


_PASS_WORDS = {
    "accuracy_score": "accuracy of at least {}",
    "faithfulness_score": "faithfulness of at least {}",
    "latency_e2e_ms": "at most {} ms",
    "total_tokens": "at most {} tokens",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Everything that the report of one run says; texts are as recorded, and every format makes them safe."""

    report_version: int
    run_id: str
    name: str
    decision: Outcome
    headline: str
    complete: bool
    decide_on: DecideOn
    confidence: Confidence
    look: int
    policy_differences: tuple[str, ...]
    anchor: Anchor
    labels: AnchorSummary | None
    reasons: tuple[Reason, ...]
    fix_first: tuple[FixGroup, ...]
    counts: Counts
    finished: int
    planned: int
    pass_limits: Mapping[str, float]
    gates: tuple[ReportGate, ...]
    aggregates: tuple[ReportAggregate, ...]
    repeats: Repeats
    scores: Spread
    latencies: Spread
    heat: tuple[HeatCell, ...]
    categories: tuple[Category, ...]
    failures: tuple[Failure, ...]
    samples: tuple[SampleLine, ...]
    judges: tuple[JudgeTotals, ...]
    support: SupportTotals
    usage: RunUsage
    metadata: CompletedMetadata
    missing_metadata: tuple[str, ...]
    rubrics: tuple[RubricStamp, ...]
    ledger: LedgerPlace

    @property
    def pass_rule(self) -> str:
        """What a sample passes with, in words: a limit for each component that the rubric grades."""
        kept = [_PASS_WORDS[name].format(figure(limit)) for name, limit in self.pass_limits.items()]
        return f"A sample passes with {' and '.join(filter(None, (', '.join(kept[:-1]), kept[-1])))}."

    @property
    def failed(self) -> int:
        """How many samples failed in the decisive repeat."""
        return sum(not sample.passed for sample in self.samples)

    @property
    def passed_against_evidence(self) -> tuple[SampleLine, ...]:
        """The samples that pass in the decisive repeat, although a context says otherwise or hardly supports them."""
        return tuple(sample for sample in self.samples if sample.passed and sample.headline != "PASS")
