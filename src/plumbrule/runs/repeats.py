"""The repeats of one run as a group: the figures that decide, how they vary, and which samples pass only sometimes.

The gates of a run are decided over the results of all its repeats. Each repeat also has a decision of its own, which
shows how far a single repeat could mislead.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from fractions import Fraction

from plumbrule.rubrics import BenchmarkRubric
from plumbrule.runs.aggregates import Aggregates, Figures, aggregate_graded
from plumbrule.runs.anchor.anchor_results import AnchorSummary
from plumbrule.runs.gate_estimates import (
    Estimates,
    SampleDesign,
    anchored_estimates,
    estimate_figures,
    interval_values,
)
from plumbrule.runs.gates import ReleaseDecision, decide
from plumbrule.runs.run_results import (
    FigureVariation,
    FlippedSample,
    GateResult,
    Intervals,
    RepeatDecision,
    RepeatFigures,
    RepeatsSummary,
    RepeatVariation,
    WorstRepeat,
)
from plumbrule.runs.sample_results import GradedSample, SampleResult, grade_all, rounded
from plumbrule.stats.spread import mean_of, sample_sd


@dataclass(frozen=True, slots=True, kw_only=True)
class Variation:
    """One figure over the repeats that have it: mean, sample standard deviation (None below two), how many."""

    mean: Fraction | None
    sd: float | None
    repeats: int

    def values(self) -> FigureVariation:
        """Return the variation for output."""
        return FigureVariation(mean=rounded(self.mean), sd=self.sd, repeats=self.repeats)


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeat:
    """One repeat of a group: its number, its aggregates and its own decision."""

    repeat: int
    aggregates: Aggregates
    decision: ReleaseDecision

    def figures(self) -> RepeatFigures:
        """Return the figures that decide the repeat, for output."""
        figures = self.aggregates.figures
        return RepeatFigures(
            repeat=self.repeat,
            attempted=self.aggregates.counts.attempted,
            release_ready=self.decision.release_ready,
            aggregate_score=rounded(figures.aggregate_score),
            aggregate_score_nulls_as_zero=rounded(self.aggregates.nulls_as_zero.aggregate_score),
            pass_rate=rounded(figures.pass_rate),
            faithfulness_failure_rate=rounded(figures.faithfulness_failure_rate),
            latency_e2e_p95_ms=rounded(figures.latency_e2e_p95_ms),
            contradicted_rate=rounded(figures.contradicted_rate),
            unsupported_rate=rounded(figures.unsupported_rate),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatGroup:
    """All repeats of one benchmark, and what varies between them."""

    repeats: tuple[Repeat, ...]
    graded: tuple[GradedSample, ...] = field(repr=False)  # every result, by sample and repeat
    rubric: BenchmarkRubric
    estimates: Estimates
    estimates_nulls_as_zero: Estimates
    wanted: int
    aggregate_score: Variation
    aggregate_score_nulls_as_zero: Variation
    latency_e2e_p95_ms: Variation
    latency_e2e_p95_ms_nulls_as_zero: Variation
    compared: int  # samples with a result in two repeats or more
    flips: tuple[FlippedSample, ...]  # those of them that passed in one repeat and failed in another

    @property
    def flipped(self) -> tuple[str, ...]:
        """The ids of the samples that flipped."""
        return tuple(flip.sample_id for flip in self.flips)

    @property
    def worst(self) -> Repeat:
        """The repeat to look at first: not release-ready before release-ready, then the lower score."""
        return min(self.repeats, key=_standing)

    @property
    def flip_rate(self) -> Fraction | None:
        """The share of compared samples that flipped; None where nothing could be compared."""
        return Fraction(len(self.flips), self.compared) if self.compared else None

    @property
    def enough(self) -> bool:
        """Whether there are as many repeats as the rubric wants."""
        return len(self.repeats) >= self.wanted

    @property
    def every_repeat_ready(self) -> bool:
        """Whether every repeat alone would be release-ready; a group of none is not."""
        return bool(self.repeats) and all(repeat.decision.release_ready for repeat in self.repeats)

    @property
    def decision(self) -> ReleaseDecision:
        """The gates over all repeats."""
        return decide(self, self.rubric)

    def anchored(self, labels: AnchorSummary) -> "RepeatGroup":
        """Return the group with its judged figures as people have them; each repeat alone stays as the judge has it."""
        return replace(
            self,
            estimates=anchored_estimates(self.estimates, labels),
            estimates_nulls_as_zero=anchored_estimates(self.estimates_nulls_as_zero, labels, nulls_as_zero=True),
        )

    def gates(self) -> tuple[GateResult, ...]:
        """Return the gates over all repeats for output, each with the repeat that keeps it worst."""
        gates = self.decision.gates
        if len(self.repeats) < 2:
            return tuple(gate.result() for gate in gates)
        return tuple(gate.result(self._worst_at(place)) for place, gate in enumerate(gates))

    def _worst_at(self, place: int) -> WorstRepeat:
        """Return the repeat that keeps one of the gates worst."""
        worst = min(self.repeats, key=lambda repeat: repeat.decision.gates[place].standing())
        gate = worst.decision.gates[place]
        return WorstRepeat(repeat=worst.repeat, value=rounded(gate.deciding.value), passed=gate.passed)

    def intervals(self) -> Intervals:
        """Return the intervals over all repeats, for output."""
        return interval_values(self.estimates, self.estimates_nulls_as_zero)

    def summary(self) -> RepeatsSummary:
        """Return the group for output."""
        return RepeatsSummary(
            repeats=len(self.repeats),
            repeats_wanted=self.wanted,
            enough_repeats=self.enough,
            aggregate_score=_both(self.aggregate_score, self.aggregate_score_nulls_as_zero),
            latency_e2e_p95_ms=_both(self.latency_e2e_p95_ms, self.latency_e2e_p95_ms_nulls_as_zero),
            flip_rate=rounded(self.flip_rate),
            compared=self.compared,
            flipped=self.flipped,
            release_ready=self.every_repeat_ready,
            release_ready_by_repeat=tuple(
                RepeatDecision(
                    repeat=repeat.repeat,
                    release_ready=repeat.decision.release_ready,
                    failed_gates=tuple(gate.name for gate in repeat.decision.gates if not gate.passed),
                )
                for repeat in self.repeats
            ),
        )


def summarise(
    results: Sequence[SampleResult],
    rubric: BenchmarkRubric,
    design: SampleDesign | None = None,
    *,
    recorded: bool = False,
) -> RepeatGroup:
    """Summarise the results of all repeats, in any order; ``recorded`` answers need fewer repeats."""
    by_repeat: dict[int, list[GradedSample]] = {}
    by_sample: dict[str, list[GradedSample]] = {}
    all_graded = grade_all(results, rubric)
    for sample in all_graded:
        by_repeat.setdefault(sample.result.repeat, []).append(sample)
        by_sample.setdefault(sample.result.sample_id, []).append(sample)
    if len(by_repeat) == 1:
        repeats = tuple(_repeat(number, graded, rubric, design) for number, graded in by_repeat.items())
    else:
        repeats = tuple(_several(by_repeat, rubric, design))
    if len(repeats) == 1:
        estimates, as_zero_estimates = repeats[0].aggregates.estimates, repeats[0].aggregates.estimates_nulls_as_zero
    else:
        estimates = estimate_figures(all_graded, rubric, design)
        as_zero_estimates = estimate_figures(all_graded, rubric, design, nulls_as_zero=True, left_out=estimates)
    left_out = [repeat.aggregates.figures for repeat in repeats]
    as_zero = [repeat.aggregates.nulls_as_zero for repeat in repeats]
    return RepeatGroup(
        repeats=repeats,
        graded=all_graded,
        rubric=rubric,
        estimates=estimates,
        estimates_nulls_as_zero=as_zero_estimates,
        wanted=rubric.repeats.recorded if recorded else rubric.repeats.live,
        aggregate_score=_variation(left_out, "aggregate_score"),
        aggregate_score_nulls_as_zero=_variation(as_zero, "aggregate_score"),
        latency_e2e_p95_ms=_variation(left_out, "latency_e2e_p95_ms"),
        latency_e2e_p95_ms_nulls_as_zero=_variation(as_zero, "latency_e2e_p95_ms"),
        compared=sum(len(samples) > 1 for samples in by_sample.values()),
        flips=tuple(_flips(by_sample)),
    )


def _flips(by_sample: Mapping[str, Sequence[GradedSample]]) -> Iterator[FlippedSample]:
    for sample_id, samples in by_sample.items():
        passed = tuple(sample.result.repeat for sample in samples if sample.grade.passed)
        failed = tuple(sample.result.repeat for sample in samples if not sample.grade.passed)
        if passed and failed:
            yield FlippedSample(sample_id=sample_id, passed=passed, failed=failed)


def _several(
    by_repeat: Mapping[int, Sequence[GradedSample]], rubric: BenchmarkRubric, design: SampleDesign | None
) -> Iterator[Repeat]:
    """Yield the repeats in order; of several, intervals are of the whole, and besides of the one to look at first.

    Intervals that are valid at every look are needed of the whole only.
    """
    repeats = [_repeat(number, graded, rubric, intervals=False) for number, graded in sorted(by_repeat.items())]
    single = None if design is None else replace(design, sequential=False)
    worst = min(repeats, key=_standing, default=None)
    for repeat in repeats:
        yield _repeat(repeat.repeat, by_repeat[repeat.repeat], rubric, single) if repeat is worst else repeat


def _repeat(
    number: int,
    graded: Sequence[GradedSample],
    rubric: BenchmarkRubric,
    design: SampleDesign | None = None,
    *,
    intervals: bool = True,
) -> Repeat:
    aggregates = aggregate_graded(graded, rubric, design, intervals=intervals)
    return Repeat(repeat=number, aggregates=aggregates, decision=decide(aggregates, rubric))


def _variation(figures: Sequence[Figures], name: str) -> Variation:
    known: list[Fraction] = [value for repeat in figures if (value := getattr(repeat, name)) is not None]
    return Variation(mean=mean_of(known), sd=sample_sd(known), repeats=len(known))


def _both(left_out: Variation, nulls_as_zero: Variation) -> RepeatVariation:
    return RepeatVariation(**asdict(left_out.values()), nulls_as_zero=nulls_as_zero.values())


def _standing(repeat: Repeat) -> tuple[bool, Fraction]:
    """Return what repeats are ordered by; of both null treatments, the worse score counts."""
    both = (repeat.aggregates.figures.aggregate_score, repeat.aggregates.nulls_as_zero.aggregate_score)
    return repeat.decision.release_ready, min(score if score is not None else Fraction() for score in both)
