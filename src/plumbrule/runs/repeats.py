"""Repeats of one benchmark as a group: how its figures vary, and which samples pass only in some repeats."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from plumbrule.rubrics import BenchmarkRubric
from plumbrule.runs.aggregates import Aggregates, Figures, aggregate_graded
from plumbrule.runs.gates import ReleaseDecision, decide
from plumbrule.runs.sample_results import GradedSample, SampleResult, grade_all, rounded
from plumbrule.stats.spread import mean_of, sample_sd


@dataclass(frozen=True, slots=True, kw_only=True)
class Variation:
    """One figure over the repeats that have it: mean, sample standard deviation (None below two), how many."""

    mean: Fraction | None
    sd: float | None
    repeats: int

    def to_dict(self) -> dict[str, Any]:
        """Return the variation as JSON holds it."""
        return {"mean": rounded(self.mean), "sd": self.sd, "repeats": self.repeats}


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeat:
    """One repeat of a group: its number, its aggregates and its own decision."""

    repeat: int
    aggregates: Aggregates
    decision: ReleaseDecision


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
    flipped: tuple[str, ...]  # those of them that passed in one repeat and failed in another

    @property
    def flip_rate(self) -> Fraction | None:
        """The share of compared samples that flipped; None where nothing could be compared."""
        return Fraction(len(self.flipped), self.compared) if self.compared else None

    @property
    def enough(self) -> bool:
        """Whether there are as many repeats as the rubric wants."""
        return len(self.repeats) >= self.wanted

    @property
    def release_ready(self) -> bool:
        """Whether every repeat is release-ready; a group of none is not."""
        return bool(self.repeats) and all(repeat.decision.release_ready for repeat in self.repeats)

    def to_dict(self) -> dict[str, Any]:
        """Return the group as JSON holds it."""
        return {
            "repeats": len(self.repeats),
            "repeats_wanted": self.wanted,
            "enough_repeats": self.enough,
            "aggregate_score": {
                **self.aggregate_score.to_dict(),
                "nulls_as_zero": self.aggregate_score_nulls_as_zero.to_dict(),
            },
            "latency_e2e_p95_ms": {
                **self.latency_e2e_p95_ms.to_dict(),
                "nulls_as_zero": self.latency_e2e_p95_ms_nulls_as_zero.to_dict(),
            },
            "flip_rate": rounded(self.flip_rate),
            "compared": self.compared,
            "flipped": list(self.flipped),
            "release_ready": self.release_ready,
            "release_ready_by_repeat": [
                {
                    "repeat": repeat.repeat,
                    "release_ready": repeat.decision.release_ready,
                    "failed_gates": [gate.name for gate in repeat.decision.gates if not gate.passed],
                }
                for repeat in self.repeats
            ],
        }


def summarise(results: Sequence[SampleResult], rubric: BenchmarkRubric, *, recorded: bool = False) -> RepeatGroup:
    """Summarise the results of all repeats, whatever their order; ``recorded`` answers need fewer repeats."""
    by_repeat: dict[int, list[GradedSample]] = {}
    by_sample: dict[str, list[bool]] = {}
    for sample in grade_all(results, rubric):
        by_repeat.setdefault(sample.result.repeat, []).append(sample)
        by_sample.setdefault(sample.result.sample_id, []).append(sample.grade.passed)
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
        compared=sum(len(outcomes) > 1 for outcomes in by_sample.values()),
        flipped=tuple(sample_id for sample_id, outcomes in by_sample.items() if len(set(outcomes)) > 1),
    )


def _repeat(number: int, graded: Sequence[GradedSample], rubric: BenchmarkRubric) -> Repeat:
    aggregates = aggregate_graded(graded, rubric)
    return Repeat(repeat=number, aggregates=aggregates, decision=decide(aggregates, rubric))


def _variation(figures: Sequence[Figures], name: str) -> Variation:
    known: list[Fraction] = [value for each in figures if (value := getattr(each, name)) is not None]
    return Variation(mean=mean_of(known), sd=sample_sd(known), repeats=len(known))
