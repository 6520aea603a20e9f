"""One figure of two runs of the same samples: how far it differs, how sure that is, and which run is better.

Repeats of one sample are not independent, so they are averaged first; a percentile is of all repeats together, as a
gate's is, and samples are drawn with all of theirs. Both runs are compared over the same samples: with nulls left out,
those that have a value in both. Else nulls count as the worst there is; a null latency could have been anything, which
widens the interval of the percentile, and a mean of latencies or tokens has no worst.

A figure is clearly better or worse where the 95% interval of its difference excludes 0 and its p-value stays below 5%
after Holm's correction. The figures that gates decide on are corrected together, both treatments of nulls among them,
so that two runs of the same candidate show a clear difference in any of them at most once in twenty times. The other
figures are corrected among themselves.

Where the policy is sequential, intervals and tests are valid however often one looks: they are of one value for each
sample, or for each cluster, in the order of the dataset. A mean that has no bound, of latencies or tokens, has no such
interval.
"""

import functools
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import Literal

from plumbrule.rubrics import BenchmarkRubric
from plumbrule.runs.gate_estimates import CHANCE, LEVEL, P95, SampleDesign, latency_p95
from plumbrule.runs.sample_results import GradedSample, exact, rounded
from plumbrule.stats.multiplicity import holm
from plumbrule.stats.paired_tests import (
    Method,
    NonInferiority,
    Repeated,
    Tally,
    gathered,
    joined,
    mean_gap,
    mean_gap_p_value,
    non_inferiority,
    percentile_bets,
    percentile_moves,
    repeated_percentile_gap,
    spread_of,
    tally,
)
from plumbrule.stats.sample_sizes import minimum_detectable_effect
from plumbrule.stats.sequential_means import always_valid_interval, always_valid_p_value, always_valid_percentile
from plumbrule.stats.spread import mean_of
from plumbrule.verdicts.headline import CONCERNS, Concern

Better = Literal["higher", "lower"]
Standing = Literal["better", "worse", "no clear difference"]
MarginState = Literal["shown", "not shown", "inconclusive"]
Pair = tuple[Sequence[GradedSample], Sequence[GradedSample]]  # the repeats of one sample in either run

FIGURES = (
    "aggregate_score",
    "accuracy_mean",
    "faithfulness_mean",
    "pass_rate",
    "faithfulness_failure_rate",
    "latency_e2e_ms",
    "latency_e2e_p95_ms",
    "total_tokens",
    "contradicted_rate",  # where the second run's rubric has a gate for it, as the next
    "unsupported_rate",
)
SHARES = ("aggregate_score", "pass_rate", "faithfulness_failure_rate")  # between 0 and 1, in every run
_STATES: dict[NonInferiority, MarginState] = {
    "non-inferior": "shown",
    "inferior": "not shown",
    "inconclusive": "inconclusive",
}
_NO_DIFFERENCE = 1 / 2  # on the scale of shares, where the worst is 0 and the best is 1


@dataclass(frozen=True, slots=True, kw_only=True)
class DifferenceInterval:
    """The interval of a difference; an end of None is open."""

    low: float | None
    high: float | None
    level: float
    method: Method


@dataclass(frozen=True, slots=True, kw_only=True)
class MarginResult:
    """Whether the second run is shown to be worse by no more than a margin that was named beforehand.

    ``not shown`` is worse by more than the margin, the whole interval; ``inconclusive`` holds the margin inside.
    """

    margin: float
    state: MarginState


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
    p_value: float | None
    p_value_adjusted: float | None
    minimum_detectable_effect: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A figure of both runs with one treatment of nulls: second less first, its 95% interval, and what that says.

    ``left_out`` of the samples that both runs have are null in one of them. None for an end of the interval means
    that so few samples cannot bound it. ``moved`` is the sign of what the test looks at, for a percentile that is not
    known in one of the runs. ``p_value_adjusted`` allows for all the figures that are tested with this one;
    ``detectable`` is the smallest true difference that so many samples show with 80% power, this figure by itself.
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
    p_value: float | None
    p_value_adjusted: float | None = None
    detectable: float | None = None
    moved: int = 0

    @property
    def difference(self) -> Fraction | None:
        """Second less first; None where either is."""
        return None if self.first is None or self.second is None else self.second - self.first

    @property
    def excludes_zero(self) -> bool:
        """Whether the interval, taken by itself, excludes 0."""
        return (self.low is not None and self.low > 0) or (self.high is not None and self.high < 0)

    @property
    def verdict(self) -> Standing:
        """How the second run stands to the first; clear only where the interval excludes 0 and the adjusted test, too.

        A percentile that is not known in one of the runs has no interval: the test alone decides.
        """
        if self.p_value_adjusted is None or self.p_value_adjusted >= CHANCE:
            return "no clear difference"
        if self.low is not None and self.low > 0:
            direction = 1
        elif self.high is not None and self.high < 0:
            direction = -1
        else:
            direction = self.moved if self.difference is None else 0
        if direction == 0:
            return "no clear difference"
        return "better" if (direction > 0) == (self.better == "higher") else "worse"

    def within(self, margin: Fraction) -> MarginState:
        """Whether the second run is shown to be worse by no more than a margin."""
        higher = self.better == "higher"
        return _STATES[non_inferiority(self.low, self.high, margin=float(margin), higher_is_better=higher)]

    @property
    def samples_to_settle(self) -> int | None:
        """How many more samples like these would make the interval exclude 0; None where it does, or none would."""
        if self.excludes_zero or self.settles_at is None:
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
            p_value=self.p_value,
            p_value_adjusted=self.p_value_adjusted,
            minimum_detectable_effect=self.detectable,
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
    p_value: float | None
    p_value_adjusted: float | None
    minimum_detectable_effect: float | None
    nulls_as_zero: DifferenceResult | None
    non_inferiority: MarginResult | None


def may_be_chance(compared: DifferenceResult | FigureComparison) -> bool:
    """Whether the interval excludes 0, and the correction for the number of figures (Holm) does not."""
    low, high = compared.interval.low, compared.interval.high
    excludes = (low is not None and low > 0) or (high is not None and high < 0)
    return excludes and compared.verdict == "no clear difference"


def nulls_matter(compared: FigureComparison) -> bool:
    """Whether the difference with nulls as zero is another than the one with nulls left out."""
    as_zero = compared.nulls_as_zero
    return as_zero is not None and _telling(as_zero) != _telling(compared)


def _telling(compared: DifferenceResult | FigureComparison) -> tuple[object, ...]:
    return compared.first, compared.second, compared.difference, compared.interval, compared.verdict, compared.samples


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedFigure:
    """One figure of both runs, with nulls left out and with nulls at their worst, where there is a worst."""

    name: str
    left_out: Difference
    nulls_as_zero: Difference | None
    margin: Fraction | None = None

    @property
    def treatments(self) -> tuple[Difference, ...]:
        """The differences that are not the same: two where nulls make one."""
        if self.nulls_as_zero is None or self.nulls_as_zero == self.left_out:
            return (self.left_out,)
        return self.left_out, self.nulls_as_zero

    @property
    def within_margin(self) -> MarginState | None:
        """Whether the second run is worse by no more than the margin, by the worse treatment of nulls."""
        if self.margin is None:
            return None
        states = {difference.within(self.margin) for difference in self.treatments}
        return next(state for state in ("not shown", "inconclusive", "shown") if state in states)

    @property
    def clearly_worse(self) -> bool:
        """Whether the second run is clearly worse with either treatment of nulls: the worse decides."""
        return any(difference.verdict == "worse" for difference in self.treatments)

    def result(self) -> FigureComparison:
        """Return the figure for output."""
        left_out = self.left_out.result()
        return FigureComparison(
            name=self.name,
            better=self.left_out.better,
            **{field.name: getattr(left_out, field.name) for field in fields(left_out)},
            nulls_as_zero=self.nulls_as_zero.result() if self.nulls_as_zero else None,
            non_inferiority=None
            if self.margin is None or self.within_margin is None
            else MarginResult(margin=float(self.margin), state=self.within_margin),
        )


def compare_figures(
    pairs: Sequence[Pair],
    rubric: BenchmarkRubric,
    margins: Mapping[str, Fraction],
    design: SampleDesign,
) -> list[ComparedFigure]:
    """Return every figure of the samples that both runs have; ``margins`` are what it may be worse by."""
    compared = _Pairs.of(pairs, design)
    figures = [replace(figure, margin=margins.get(figure.name)) for figure in _figures(compared, rubric)]
    limits = rubric.gates.limits
    gated = _adjusted([figure for figure in figures if figure.name in limits])
    others = _adjusted([figure for figure in figures if figure.name not in limits])
    adjusted = {figure.name: figure for figure in (*gated, *others)}
    return [adjusted[figure.name] for figure in figures]


def _adjusted(figures: Sequence[ComparedFigure]) -> Iterator[ComparedFigure]:
    """Yield the figures with p-values that allow for all of them, and for both treatments of nulls."""
    tests = [p for figure in figures for difference in figure.treatments if (p := difference.p_value) is not None]
    corrected = dict(zip(tests, holm(tests), strict=True))  # equal p-values stay equal

    def adjust(difference: Difference) -> Difference:
        p_value = difference.p_value
        return difference if p_value is None else replace(difference, p_value_adjusted=corrected[p_value])

    for figure in figures:
        as_zero = None if figure.nulls_as_zero is None else adjust(figure.nulls_as_zero)
        yield replace(figure, left_out=adjust(figure.left_out), nulls_as_zero=as_zero)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pairs:
    """The samples that both runs have, and the cluster of each; in the order of the dataset where that matters."""

    pairs: Sequence[Pair]
    clusters: Sequence[Hashable]
    design: SampleDesign

    @classmethod
    def of(cls, pairs: Sequence[Pair], design: SampleDesign) -> "_Pairs":
        if design.sequential:
            places = {sample: place for place, sample in enumerate(design.order)}
            pairs = sorted(pairs, key=lambda pair: places.get(pair[0][0].result.sample_id, len(places)))
        samples = [first[0].result.sample_id for first, _ in pairs]
        return cls(pairs=pairs, clusters=[design.cluster_of(sample) for sample in samples], design=design)

    def __len__(self) -> int:
        return len(self.pairs)

    def __iter__(self) -> Iterator[Pair]:
        return iter(self.pairs)


def _figures(pairs: _Pairs, rubric: BenchmarkRubric) -> Iterator[ComparedFigure]:
    for column in _columns(rubric):
        left_out = _mean_difference(pairs, column, as_worst=False)
        as_worst = None if column.worst is None else _mean_difference(pairs, column, as_worst=True)
        yield ComparedFigure(name=column.name, left_out=left_out, nulls_as_zero=as_worst)
        if column.name == "latency_e2e_ms":
            left_out = _p95_difference(pairs, column, nulls_bound=False)
            complete = all(column.read(graded) is not None for pair in pairs for repeats in pair for graded in repeats)
            as_worst = left_out if complete else _p95_difference(pairs, column, nulls_bound=True)
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
    for concern in CONCERNS:
        if getattr(rubric.gates, f"{concern}_rate") is not None:
            read = functools.partial(_concern, concern)
            yield _Column(name=f"{concern}_rate", better="lower", read=read, worst=one, bound=one)


def _concern(concern: Concern, graded: GradedSample) -> Fraction | None:
    held: bool | None = getattr(graded.result, concern)
    return None if held is None else Fraction(held)


def _mean_difference(pairs: _Pairs, column: _Column, *, as_worst: bool) -> Difference:
    means = [column.means(pair, as_worst=as_worst) for pair in pairs]
    known = [
        (first, second, cluster)
        for (first, second), cluster in zip(means, pairs.clusters, strict=True)
        if first is not None and second is not None
    ]
    differences, clusters = [second - first for first, second, _ in known], [cluster for _, _, cluster in known]
    if pairs.design.sequential:
        tested = _always_valid_test(differences, column.bound, clusters)
        return Difference(
            better=column.better,
            first=mean_of([first for first, _, _ in known]),
            second=mean_of([second for _, second, _ in known]),
            low=tested.low,
            high=tested.high,
            method="betting",
            samples=len(known),
            left_out=len(pairs) - len(known),
            signs=tally(differences),
            settles_at=None,
            p_value=tested.p_value,
        )
    gap = mean_gap(differences, bound=column.bound, clusters=clusters)
    spread = spread_of(differences, bound=column.bound, clusters=clusters)
    return Difference(
        better=column.better,
        first=mean_of([first for first, _, _ in known]),
        second=mean_of([second for _, second, _ in known]),
        low=gap.interval.low if gap.interval else None,
        high=gap.interval.high if gap.interval else None,
        method=gap.method,
        samples=len(known),
        left_out=len(pairs) - len(known),
        signs=tally(differences),
        settles_at=gap.settles_at,
        p_value=mean_gap_p_value(differences, bound=column.bound, clusters=clusters),
        detectable=None if spread is None else minimum_detectable_effect(spread, len(differences)),
    )


def _p95_difference(pairs: _Pairs, column: _Column, *, nulls_bound: bool) -> Difference:
    """Compare the 95th percentiles of all repeats together, over the same samples in both runs.

    Samples that were not measured in one of the runs are left out. Where ``nulls_bound``, none is: a latency that is
    null could have been anything, so that the interval reaches from what it would be if those of the second run were
    the fastest and those of the first the slowest, to the opposite, and the test counts only as far as both agree. The
    percentiles are then those of the gates, with the null ones slower than all others.
    """
    measured = [
        ([column.read(graded) for graded in first], [column.read(graded) for graded in second], cluster)
        for (first, second), cluster in zip(pairs, pairs.clusters, strict=True)
    ]
    if not nulls_bound:
        known = [(_known(first), _known(second), cluster) for first, second, cluster in measured]
        measured = [(first, second, cluster) for first, second, cluster in known if first and second]
    firsts, seconds = [first for first, _, _ in measured], [second for _, second, _ in measured]
    clusters = [cluster for _, _, cluster in measured]
    percentile_test = _always_valid_percentile_test if pairs.design.sequential else _percentile_test
    slower = percentile_test(_as_fastest(firsts) if nulls_bound else firsts, seconds, clusters)
    faster = percentile_test(firsts, _as_fastest(seconds), clusters) if nulls_bound else slower
    agree = slower.moved == faster.moved
    return Difference(
        better=column.better,
        first=latency_p95([value for values in firsts for value in values], nulls_as_zero=nulls_bound),
        second=latency_p95([value for values in seconds for value in values], nulls_as_zero=nulls_bound),
        low=faster.low,
        high=slower.high,
        method="betting" if pairs.design.sequential else "bootstrap",
        samples=len(measured),
        left_out=len(pairs) - len(measured),
        signs=tally(_slower(*map(_mean_or_none, pair)) for pair in zip(firsts, seconds, strict=True)),
        settles_at=None,
        p_value=_larger(slower.p_value, faster.p_value) if agree else 1.0,
        moved=slower.moved if agree else 0,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tested:
    """The interval of a difference, and the paired test of it with its direction."""

    low: float | None
    high: float | None
    p_value: float | None
    moved: int = 0


def _always_valid_test(
    differences: Sequence[Fraction], bound: Fraction | None, clusters: Sequence[Hashable]
) -> _Tested:
    """Return the interval of the mean of differences in the order of the dataset, one for each cluster."""
    values = [mean for group in gathered(differences, clusters) if (mean := mean_of(group)) is not None]
    if bound is None or not values:
        return _Tested(low=None, high=None, p_value=None)
    shares = [(value / bound + 1) / 2 for value in values]
    interval = always_valid_interval(shares)
    assert interval is not None  # noqa: S101 - there are values
    low, high = ((2 * end - 1) * float(bound) for end in interval)
    shown = float(sum(differences, Fraction()) / len(differences))  # not theirs where clusters are of several sizes
    return _Tested(low=min(low, shown), high=max(high, shown), p_value=always_valid_p_value(shares, _NO_DIFFERENCE))


def _always_valid_percentile_test(firsts: Repeated, seconds: Repeated, clusters: Sequence[Hashable]) -> _Tested:
    """Return the interval between the percentiles' own intervals, half of the chance for each of them."""
    before, after = (
        always_valid_percentile(joined(side, clusters), P95, alpha=CHANCE / 2) for side in (firsts, seconds)
    )
    moves = percentile_bets(firsts, seconds, P95, clusters=clusters)
    total = sum(moves, Fraction())
    return _Tested(
        low=_less(after[0], before[1]),
        high=_less(after[1], before[0]),
        p_value=always_valid_p_value([(move + 1) / 2 for move in moves], _NO_DIFFERENCE),
        moved=(total > 0) - (total < 0),
    )


def _less(value: Fraction | None, other: Fraction | None) -> float | None:
    return None if value is None or other is None else float(value - other)


def _percentile_test(firsts: Repeated, seconds: Repeated, clusters: Sequence[Hashable]) -> _Tested:
    low, high = repeated_percentile_gap(firsts, seconds, P95, clusters=clusters)
    moves = percentile_moves(firsts, seconds, P95)
    total = sum(moves, Fraction())
    p_value = mean_gap_p_value(moves, bound=Fraction(1), clusters=clusters)
    return _Tested(low=low, high=high, p_value=p_value, moved=(total > 0) - (total < 0))


def _as_fastest(samples: Repeated) -> Repeated:
    """Return the latencies with every null as fast as can be."""
    return [[Fraction() if value is None else value for value in values] for values in samples]


def _known(values: Sequence[Fraction | None]) -> list[Fraction | None]:
    return [value for value in values if value is not None]


def _mean_or_none(values: Sequence[Fraction | None]) -> Fraction | None:
    """Return the mean over the repeats; None where one of them is."""
    known = [value for value in values if value is not None]
    return mean_of(known) if len(known) == len(values) else None


def _larger(first: float | None, second: float | None) -> float | None:
    return None if first is None or second is None else max(first, second)


def _slower(first: Fraction | None, second: Fraction | None) -> int:
    """Return 1 where the second is slower, -1 where the first is, 0 where they are level."""
    if first is None or second is None:
        return (second is None) - (first is None)
    return (second > first) - (second < first)
