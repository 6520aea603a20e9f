"""The repeats of one run as a group: how its figures vary, and which samples pass only in some repeats."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction

from plumbrule.rubrics import BenchmarkRubric
from plumbrule.runs.aggregates import Aggregates, Figures, aggregate_graded
from plumbrule.runs.gates import ReleaseDecision, decide
from plumbrule.runs.run_results import (
    FigureVariation,
    FlippedSample,
    RepeatDecision,
    RepeatFigures,
    RepeatsSummary,
    RepeatVariation,
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
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatGroup:
    """All repeats of one benchmark, and what varies between them."""

    repeats: tuple[Repeat, ...]
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
        """The repeat whose figures decide: not release-ready before release-ready, then the lower score."""
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
    def release_ready(self) -> bool:
        """Whether every repeat is release-ready; a group of none is not."""
        return bool(self.repeats) and all(repeat.decision.release_ready for repeat in self.repeats)

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
            release_ready=self.release_ready,
            release_ready_by_repeat=tuple(
                RepeatDecision(
                    repeat=repeat.repeat,
                    release_ready=repeat.decision.release_ready,
                    failed_gates=tuple(gate.name for gate in repeat.decision.gates if not gate.passed),
                )
                for repeat in self.repeats
            ),
        )


def summarise(results: Sequence[SampleResult], rubric: BenchmarkRubric, *, recorded: bool = False) -> RepeatGroup:
    """Summarise the results of all repeats, in any order; ``recorded`` answers need fewer repeats."""
    by_repeat: dict[int, list[GradedSample]] = {}
    by_sample: dict[str, list[GradedSample]] = {}
    for sample in grade_all(results, rubric):
        by_repeat.setdefault(sample.result.repeat, []).append(sample)
        by_sample.setdefault(sample.result.sample_id, []).append(sample)
    repeats = tuple(_repeat(number, graded, rubric) for number, graded in sorted(by_repeat.items()))
    left_out = [repeat.aggregates.figures for repeat in repeats]
    as_zero = [repeat.aggregates.nulls_as_zero for repeat in repeats]
    return RepeatGroup(
        repeats=repeats,
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


def _repeat(number: int, graded: Sequence[GradedSample], rubric: BenchmarkRubric) -> Repeat:
    aggregates = aggregate_graded(graded, rubric)
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
