"""One figure of two runs of the same samples: how far it differs, how sure that is, and which run is better.

Repeats of one sample are not independent, so they are averaged first. As in the aggregates, nulls are left out, or
count as the worst there is; a mean of latencies or tokens has no worst.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Literal

from plumbrule.rubrics import BenchmarkRubric
from plumbrule.runs.gate_estimates import LEVEL, P95
from plumbrule.runs.sample_results import GradedSample, exact, rounded
from plumbrule.stats.paired_tests import Method, Tally, mean_gap, percentile_gap, tally
from plumbrule.stats.percentiles import percentile
from plumbrule.stats.spread import mean_of

Better = Literal["higher", "lower"]
Standing = Literal["better", "worse", "no clear difference"]
Pair = tuple[Sequence[GradedSample], Sequence[GradedSample]]  # the repeats of one sample in either run


@dataclass(frozen=True, slots=True, kw_only=True)
class DifferenceInterval:
    """The interval of a difference; an end of None is open."""

    low: float | None
    high: float | None
    level: float
    method: Method


@dataclass(frozen=True, slots=True, kw_only=True)
class DifferenceResult:
    """A difference with one treatment of nulls, for output."""

    first: float | None
    second: float | None
    difference: float | None
    interval: DifferenceInterval
    verdict: Standing
    samples: int
    left_out: int
    wins: int
    losses: int
    ties: int
    samples_to_settle: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A figure of both runs with one treatment of nulls: second less first, its 95% interval, and what that says.

    ``left_out`` of the samples that both runs have are null in one of them. None for an end of the interval means
    that so few samples cannot bound it.
    """

    better: Better
    first: Fraction | None
    second: Fraction | None
    low: float | None
    high: float | None
    method: Method
    samples: int
    left_out: int
    signs: Tally
    settles_at: int | None

    @property
    def difference(self) -> Fraction | None:
        """Second less first; None where either is."""
        return None if self.first is None or self.second is None else self.second - self.first

    @property
    def verdict(self) -> Standing:
        """How the second run stands to the first; clear only where the interval excludes 0."""
        higher = self.better == "higher"
        if self.low is not None and self.low > 0:
            return "better" if higher else "worse"
        if self.high is not None and self.high < 0:
            return "worse" if higher else "better"
        return "no clear difference"

    @property
    def samples_to_settle(self) -> int | None:
        """How many more samples like these would make an unclear difference clear; None where none would."""
        if self.verdict != "no clear difference" or self.settles_at is None:
            return None
        return max(1, self.settles_at - self.samples)

    def result(self) -> DifferenceResult:
        """Return the difference for output."""
        wins, losses = self.signs.above, self.signs.below
        if self.better == "lower":
            wins, losses = losses, wins
        return DifferenceResult(
            first=rounded(self.first),
            second=rounded(self.second),
            difference=rounded(self.difference),
            interval=DifferenceInterval(low=self.low, high=self.high, level=LEVEL, method=self.method),
            verdict=self.verdict,
            samples=self.samples,
            left_out=self.left_out,
            wins=wins,
            losses=losses,
            ties=self.signs.level,
            samples_to_settle=self.samples_to_settle,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureComparison:
    """One figure of both runs for output: the difference with nulls left out, and the one with nulls as zero."""

    name: str
    better: Better
    first: float | None
    second: float | None
    difference: float | None
    interval: DifferenceInterval
    verdict: Standing
    samples: int
    left_out: int
    wins: int
    losses: int
    ties: int
    samples_to_settle: int | None
    nulls_as_zero: DifferenceResult | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedFigure:
    """One figure of both runs, with nulls left out and with nulls at their worst, where there is a worst."""

    name: str
    left_out: Difference
    nulls_as_zero: Difference | None

    @property
    def clearly_worse(self) -> bool:
        """Whether the second run is clearly worse with either treatment of nulls: the worse decides."""
        return any(
            difference is not None and difference.verdict == "worse"
            for difference in (self.left_out, self.nulls_as_zero)
        )

    def result(self) -> FigureComparison:
        """Return the figure for output."""
        left_out = self.left_out.result()
        return FigureComparison(
            name=self.name,
            better=self.left_out.better,
            **{field.name: getattr(left_out, field.name) for field in fields(left_out)},
            nulls_as_zero=self.nulls_as_zero.result() if self.nulls_as_zero else None,
        )


def compare_figures(pairs: Sequence[Pair], rubric: BenchmarkRubric) -> Iterator[ComparedFigure]:
    """Yield every figure of the samples that both runs have."""
    for column in _columns(rubric):
        left_out = _mean_difference(pairs, column, as_worst=False)
        as_worst = None if column.worst is None else _mean_difference(pairs, column, as_worst=True)
        yield ComparedFigure(name=column.name, left_out=left_out, nulls_as_zero=as_worst)
        if column.name == "latency_e2e_ms":
            left_out = _p95_difference(pairs, column, as_worst=False)
            complete = all(column.read(graded) is not None for pair in pairs for repeats in pair for graded in repeats)
            as_worst = left_out if complete else _p95_difference(pairs, column, as_worst=True)
            yield ComparedFigure(name="latency_e2e_p95_ms", left_out=left_out, nulls_as_zero=as_worst)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Column:
    """How a figure is read off a result, the worst that it can be, and the largest difference there can be."""

    name: str
    better: Better
    read: Callable[[GradedSample], Fraction | None]
    worst: Fraction | None = None
    bound: Fraction | None = None

    def means(self, pair: Pair, *, as_worst: bool) -> tuple[Fraction | None, Fraction | None]:
        """Return the mean over the repeats in either run; None where there is none."""
        first, second = pair
        return self._mean(first, as_worst=as_worst), self._mean(second, as_worst=as_worst)

    def _mean(self, repeats: Sequence[GradedSample], *, as_worst: bool) -> Fraction | None:
        values = [self.read(graded) for graded in repeats]
        known = [value for value in values if value is not None]
        if as_worst and len(known) < len(values):
            if self.worst is None:
                return None
            known += [self.worst] * (len(values) - len(known))
        return mean_of(known)


def _columns(rubric: BenchmarkRubric) -> Iterator[_Column]:
    zero, one = Fraction(), Fraction(1)
    accuracy, faithfulness = rubric.accuracy_score, rubric.faithfulness_score

    def failed(graded: GradedSample) -> Fraction | None:
        score = graded.result.faithfulness_score
        return None if score is None else Fraction(score == faithfulness.lowest)

    yield _Column(
        name="aggregate_score", better="higher", read=lambda graded: graded.grade.sample_score, worst=zero, bound=one
    )
    yield _Column(
        name="accuracy_mean",
        better="higher",
        read=lambda graded: exact(graded.result.accuracy_score),
        worst=zero,
        bound=Fraction(accuracy.highest),
    )
    yield _Column(
        name="faithfulness_mean",
        better="higher",
        read=lambda graded: exact(graded.result.faithfulness_score),
        worst=zero,
        bound=Fraction(faithfulness.highest),
    )
    yield _Column(
        name="pass_rate", better="higher", read=lambda graded: Fraction(graded.grade.passed), worst=zero, bound=one
    )
    yield _Column(name="faithfulness_failure_rate", better="lower", read=failed, worst=one, bound=one)
    yield _Column(name="latency_e2e_ms", better="lower", read=lambda graded: exact(graded.result.latency_e2e_ms))
    yield _Column(name="total_tokens", better="lower", read=lambda graded: exact(graded.result.total_tokens))


def _mean_difference(pairs: Sequence[Pair], column: _Column, *, as_worst: bool) -> Difference:
    means = [column.means(pair, as_worst=as_worst) for pair in pairs]
    known = [(first, second) for first, second in means if first is not None and second is not None]
    differences = [second - first for first, second in known]
    gap = mean_gap(differences, bound=column.bound)
    return Difference(
        better=column.better,
        first=mean_of([first for first, _ in known]),
        second=mean_of([second for _, second in known]),
        low=gap.interval.low if gap.interval else None,
        high=gap.interval.high if gap.interval else None,
        method=gap.method,
        samples=len(known),
        left_out=len(pairs) - len(known),
        signs=tally(differences),
        settles_at=gap.settles_at,
    )


def _p95_difference(pairs: Sequence[Pair], column: _Column, *, as_worst: bool) -> Difference:
    """Compare the 95th percentiles of the samples' means; at its worst, one that is null is slower than all others."""
    means = [column.means(pair, as_worst=as_worst) for pair in pairs]
    used = means if as_worst else [pair for pair in means if None not in pair]
    firsts, seconds = [first for first, _ in used], [second for _, second in used]
    low, high = percentile_gap(firsts, seconds, P95)
    return Difference(
        better=column.better,
        first=_p95(firsts),
        second=_p95(seconds),
        low=low,
        high=high,
        method="bootstrap",
        samples=len(used),
        left_out=len(pairs) - len(used),
        signs=tally(_slower(*pair) for pair in used),
        settles_at=None,
    )


def _p95(values: Sequence[Fraction | None]) -> Fraction | None:
    known = sorted(value for value in values if value is not None)
    return percentile(known, P95, missing=len(values) - len(known))


def _slower(first: Fraction | None, second: Fraction | None) -> int:
    """Return 1 where the second is slower, -1 where the first is, 0 where they are level."""
    if first is None or second is None:
        return (second is None) - (first is None)
    return (second > first) - (second < first)
