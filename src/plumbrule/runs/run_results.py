"""The typed results of a run: the fields of each are the keys of its JSON, in their order."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from plumbrule.codec import optional_key
from plumbrule.outcomes import DecideOn, Outcome, Settled
from plumbrule.rubrics.benchmark_rubric import Anchor, Confidence
from plumbrule.runs.anchor.anchor_results import AnchorSummary
from plumbrule.runs.run_metadata import RunMetadata

Direction = Literal["at_least", "at_most"]
IntervalMethod = Literal[
    "clopper_pearson",
    "korn_graubard",
    "pseudo_samples",
    "order_statistics",
    "betting",  # always valid, however often one looks
    "prediction_powered",  # a judged rate anchored by people's labels
    "wilson",  # only in decisions of older versions, as is the next
    "student_t",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class RubricStamp:
    """Name, version and hash of a rubric that a result was made with."""

    name: str
    version: str
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleSummary:
    """One sample in one repeat: what was measured and judged, and how the benchmark rubric grades it."""

    sample_id: str
    repeat: int
    accuracy_score: int | None
    faithfulness_score: int | None
    rationale: str | None
    evaluator_error: str | None
    candidate_error: str | None
    error_detail: str | None
    refused: bool
    latency_e2e_ms: float | None
    latency_model_ms: float | None
    latency_first_token_ms: float | None
    timed_out: bool
    input_tokens: int | None
    output_tokens: int | None
    total_tokens: int | None
    token_efficiency_ratio: float | None
    passed: bool
    failed: tuple[str, ...]
    accuracy_norm: float | None
    faithfulness_norm: float | None
    latency_norm: float | None
    token_efficiency_norm: float | None
    sample_score: float | None
    nulls: tuple[str, ...]
    flags: tuple[str, ...]
    contradicted: bool | None = None  # a context says otherwise; None: no judge held the answer against its contexts
    unsupported: bool | None = None  # the contexts hardly support it; None: the same
    headline: str = ""  # PASS or FAIL, and beside a PASS what the evidence has against it


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How many samples there were and what became of them; one sample may be counted under several.

    ``scored`` samples have what the figure is made of: for the run both judged scores, for one aggregate its own field.
    """

    attempted: int
    scored: int
    errored: int
    refused: int
    timed_out: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureValues:
    """Every aggregate by its documented name; None is the mean, share, percentile or sum of nothing."""

    accuracy_mean: float | None
    accuracy_full_credit_rate: float | None
    faithfulness_mean: float | None
    faithfulness_failure_rate: float | None
    latency_e2e_p50_ms: float | None
    latency_e2e_p95_ms: float | None
    latency_model_p50_ms: float | None
    latency_model_p95_ms: float | None
    total_input_tokens: int | None
    total_output_tokens: int | None
    total_tokens: int | None
    token_efficiency_ratio_mean: float | None
    tokens_per_correct_answer: float | None
    pass_rate: float | None
    aggregate_score: float | None
    contradicted_rate: float | None = optional_key()  # where the rubric has a gate for it, as the next
    unsupported_rate: float | None = optional_key()


@dataclass(frozen=True, slots=True, kw_only=True)
class AggregateValues(FigureValues):
    """The aggregates of one repeat with nulls left out, the same with nulls as zero, and the counts behind them."""

    nulls_as_zero: FigureValues
    counts: Counts
    counts_by_aggregate: Mapping[str, Counts]


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """The interval of a figure; an end of None is open, because so few samples cannot bound it."""

    low: float | None
    high: float | None
    level: float
    method: IntervalMethod
    samples: int
    clusters: int | None = optional_key()  # how many clusters the samples make, where the run names them
    labels: int | None = optional_key()  # of these samples, how many people labelled, where the figure goes by them
    nulls: int | None = optional_key()  # null latencies that the interval allows for, where there are any


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureInterval(Interval):
    """The interval of a figure with nulls left out, and the one with nulls as zero."""

    nulls_as_zero: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Intervals:
    """The intervals of the figures that gates decide on."""

    aggregate_score: FigureInterval
    pass_rate: FigureInterval
    faithfulness_failure_rate: FigureInterval
    latency_e2e_p95_ms: FigureInterval
    contradicted_rate: FigureInterval | None = optional_key()
    unsupported_rate: FigureInterval | None = optional_key()


@dataclass(frozen=True, slots=True, kw_only=True)
class WorstRepeat:
    """The repeat that keeps a gate worst: the worse of its two figures, and whether it would pass alone."""

    repeat: int
    value: float | None
    passed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class GateResult:
    """One gate: its limit, its figure over all repeats in both null treatments, and how its interval stands to it.

    ``settled`` is "holds" where the whole interval keeps the limit, "fails" where the whole interval misses it.
    ``settles_at`` samples in all would settle an inconclusive gate with 80% power if the present figure is the true
    one; ``samples_to_settle`` is how many more that are.
    """

    name: str
    limit: float
    direction: Direction
    value: float | None
    value_nulls_as_zero: float | None
    passed: bool
    interval: Interval
    inconclusive: bool
    samples_to_settle: int | None
    settled: Settled = "inconclusive"  # not there in older versions, as the next
    settles_at: int | None = None
    worst_repeat: WorstRepeat | None = optional_key()  # of several repeats
    by_judge: float | None = optional_key()  # what the judge alone says, where the figure goes by people
    labels_to_settle: int | None = optional_key()  # how many more labels would settle it, where it goes by people
    waits_for: str | None = optional_key()  # why it cannot go by people yet: it neither passes nor fails

    @property
    def deciding(self) -> float | None:
        """The worse of the two figures; None where either could not be computed."""
        if self.value is None or self.value_nulls_as_zero is None:
            return None
        worse = min if self.direction == "at_least" else max
        return worse(self.value, self.value_nulls_as_zero)

    @property
    def settles_in(self) -> int | None:
        """In how many clusters the samples that settle it must be: more of the same clusters would not do."""
        clusters, samples = self.interval.clusters, self.interval.samples
        return None if self.settles_at is None or not clusters else math.ceil(self.settles_at * clusters / samples)

    @property
    def nulls(self) -> int | None:
        """How many null latencies the interval allows for."""
        return self.interval.nulls


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureVariation:
    """One figure over the repeats that have it: mean, sample standard deviation (None below two), how many."""

    mean: float | None
    sd: float | None
    repeats: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatVariation(FigureVariation):
    """The variation of a figure with nulls left out, and the one with nulls as zero."""

    nulls_as_zero: FigureVariation


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatDecision:
    """Whether one repeat is release-ready, and the gates that it fails."""

    repeat: int
    release_ready: bool
    failed_gates: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatsSummary:
    """All repeats of a run and what varies between them; a release needs every one of them."""

    repeats: int
    repeats_wanted: int
    enough_repeats: bool
    aggregate_score: RepeatVariation
    latency_e2e_p95_ms: RepeatVariation
    flip_rate: float | None
    compared: int
    flipped: tuple[str, ...]
    release_ready: bool
    release_ready_by_repeat: tuple[RepeatDecision, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatFigures:
    """One repeat with the figures that decide it; repeats count from 0."""

    repeat: int
    attempted: int
    release_ready: bool
    aggregate_score: float | None
    aggregate_score_nulls_as_zero: float | None
    pass_rate: float | None
    faithfulness_failure_rate: float | None
    latency_e2e_p95_ms: float | None
    contradicted_rate: float | None = None  # where the rubric has a gate for it, as the next
    unsupported_rate: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FlippedSample:
    """A sample that passed in some repeats and failed in others."""

    sample_id: str
    passed: tuple[int, ...]
    failed: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleUsage:
    """Requests, tokens and cost of the candidate or of the judge; None where a call did not report them."""

    requests: int
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunUsage:
    """What a run used, and the calls that brought nothing or were made twice."""

    candidate: RoleUsage
    judge: RoleUsage
    calls_failed: int
    calls_repeated: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CompletedMetadata(RunMetadata):
    """The metadata of a run with the models that the providers reported."""

    model_reported: tuple[str, ...]
    model_fingerprints: tuple[str, ...]
    evaluator_model_reported: tuple[str, ...]
    evaluator_model_fingerprints: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSummary:
    """The summary of a run: gates and intervals are over all repeats, ``aggregates`` those of the worst repeat.

    ``look`` counts the complete runs of the same candidate on the same dataset, this one included.
    """

    run_id: str
    complete: bool
    metadata: CompletedMetadata
    missing_metadata: tuple[str, ...]
    floating_models_allowed: bool
    decisive_repeat: int
    aggregates: AggregateValues
    gates: tuple[GateResult, ...]
    release_ready: bool
    intervals: Intervals
    repeats: RepeatsSummary
    usage: RunUsage
    outcome: Outcome
    decide_on: DecideOn
    confidence: Confidence
    headline: str
    look: int
    policy_differences: tuple[str, ...]
    anchor: Anchor = "judge"
    labels: AnchorSummary | None = optional_key()  # where answers were drawn for people to label
    repeated_samples: int | None = optional_key()  # those that repeat another's question, contexts and answer
    samples: tuple[SampleSummary, ...] | None = optional_key()


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLine:
    """One run in the list of runs."""

    run_id: str
    at: str
    candidate: str
    dataset: str | None
    judge: str | None
    model: str | None
    name: str
    repeats: int
    samples: int
    outcome: Outcome | None  # None: the run is not complete
    unsettled_gates: tuple[str, ...] | None = optional_key()  # those whose interval holds the limit

    @property
    def headline(self) -> str:
        """The outcome in few words, qualified where a release is not settled."""
        if self.outcome == "RELEASE" and self.unsettled_gates:
            return f"{self.outcome}, not settled"
        return self.outcome or "not complete"


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeUse:
    """Who judged one answer, and what that took."""

    name: str
    version: str
    sha256: str
    model_id: str | None
    template_sha256: str | None
    reported_model: str | None
    requests: int
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SingleJudgement(SampleSummary):
    """One answer that was judged alone: every field of a sample in a run, the judge, and the rubrics."""

    judge: JudgeUse
    support: Mapping[str, Any] | None
    rubrics: tuple[RubricStamp, ...]
