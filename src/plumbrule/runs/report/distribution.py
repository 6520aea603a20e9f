"""How figures are spread over the samples: histograms, scores against each other, categories."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from plumbrule.runs.report.run_report import Category, HeatCell, Histogram, Mark, ReportInterval, SampleLine, Spread
from plumbrule.stats.mean_intervals import clopper_pearson

_SCORE_STEPS = 10
_LATENCY_STEPS = 20


def spread_scores(samples: Sequence[SampleLine], *, mean: float | None, limit: float | None) -> Spread:
    """Return the spread of ``sample_score`` from 0 to 1, with the mean and its gate."""
    values = [sample.sample_score for sample in samples]
    return Spread(
        name="sample_score",
        histogram=histogram(values, low=0.0, high=1.0, steps=_SCORE_STEPS),
        marks=_marks({"mean": mean, "limit of the mean": limit}),
    )


def spread_latencies(
    samples: Sequence[SampleLine], *, p50: float | None, p95: float | None, limits: Mapping[str, float | None]
) -> Spread:
    """Return the spread of ``latency_e2e_ms``, with its percentiles and limits; one slow answer does not squeeze it."""
    values = [sample.latency_e2e_ms for sample in samples]
    known = [value for value in values if value is not None]
    marked = max([*(limit for limit in limits.values() if limit is not None), p95 or 0.0])
    reach = marked * 1.25
    top = _round_up(min(reach, max(known, default=reach) * 1.02 or reach))
    top = max(top, _round_up(marked * 1.05))
    return Spread(
        name="latency_e2e_ms",
        histogram=histogram(values, low=0.0, high=top, steps=_LATENCY_STEPS),
        marks=_marks({"p50": p50, "p95": p95, **limits}),
    )


def spread_tokens(samples: Sequence[SampleLine], *, limit: float | None) -> Spread:
    """Return the spread of ``total_tokens``, with the limit of a sample; one long answer does not squeeze it."""
    values = [sample.total_tokens for sample in samples]
    known = [value for value in values if value is not None]
    most = max(known, default=0) * 1.02
    top = _round_up((most if limit is None else max(limit, min(limit * 1.25, most))) * 1.02)
    return Spread(
        name="total_tokens",
        histogram=histogram(values, low=0.0, high=top, steps=_LATENCY_STEPS),
        marks=_marks({"limit of a sample": limit}),
    )


def histogram(values: Iterable[float | None], *, low: float, high: float, steps: int) -> Histogram:
    """Count values into equal steps; the last step holds its upper end."""
    counts = [0] * steps
    over = unknown = 0
    for value in values:
        if value is None:
            unknown += 1
        elif value > high:
            over += 1
        else:
            counts[min(steps - 1, max(0, int((value - low) * steps / (high - low))))] += 1
    return Histogram(low=low, high=high, counts=tuple(counts), over=over, unknown=unknown)


def heat_cells(
    samples: Iterable[SampleLine], *, accuracy_highest: int, faithfulness_highest: int
) -> tuple[HeatCell, ...]:
    """Count the samples by their two judged scores, every pair, best accuracy first and unknown last."""
    cells = Counter((sample.accuracy_score, sample.faithfulness_score) for sample in samples)
    return tuple(
        HeatCell(accuracy_score=accuracy, faithfulness_score=faithfulness, samples=cells[accuracy, faithfulness])
        for accuracy in _levels(accuracy_highest)
        for faithfulness in _levels(faithfulness_highest)
    )


def break_down(samples: Iterable[SampleLine]) -> tuple[Category, ...]:
    """Return the categories, the lowest pass rate first; samples without a category come last."""
    by_name: dict[str | None, list[SampleLine]] = {}
    for sample in samples:
        by_name.setdefault(sample.category, []).append(sample)
    categories = [_category(name, members) for name, members in by_name.items()]
    return tuple(sorted(categories, key=_order))


def _order(category: Category) -> tuple[bool, float, int, str]:
    return category.name is None, category.pass_rate, -category.attempted, category.name or ""


def _category(name: str | None, members: Sequence[SampleLine]) -> Category:
    passed = sum(member.passed for member in members)
    interval = clopper_pearson(passed, len(members))
    accuracies = [member.accuracy_score for member in members if member.accuracy_score is not None]
    return Category(
        name=name,
        attempted=len(members),
        passed=passed,
        pass_rate=passed / len(members),
        interval=ReportInterval(
            low=interval.low if interval else None,
            high=interval.high if interval else None,
            method="clopper_pearson",
            samples=len(members),
        ),
        accuracy_mean=sum(accuracies) / len(accuracies) if accuracies else None,
        faithfulness_failures=sum(member.faithfulness_score == 0 for member in members),
        errored=sum(member.evaluator_error is not None or member.candidate_error is not None for member in members),
    )


def _levels(highest: int) -> tuple[int | None, ...]:
    return (*range(highest, -1, -1), None)


def _marks(named: Mapping[str, float | None]) -> tuple[Mark, ...]:
    return tuple(Mark(name=name, value=value) for name, value in named.items() if value is not None)


def _round_up(value: float) -> float:
    """Return the next number that an axis can end at."""
    if value <= 0:
        return 1.0
    size = 10.0 ** math.floor(math.log10(value))
    return next(
        step * size for step in (1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0) if step * size >= value
    )
